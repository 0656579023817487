"""Re-ranked n-best lists for benchmarks: ways of re-ranking, fitted to a part of a corpus and applied to another."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from graphmt import _core
from graphmt.consensus import Candidates, NBestList, RerankOptions, learn, make_memory, read_lists
from graphmt.consensus.candidates import weighted
from graphmt.consensus.learning import learn_weights
from graphmt.corpus import tokenised
from graphmt.evidence import EvidenceOptions, SentenceLists
from graphmt.evidence.posteriors import make_rows
from graphmt.memory_features import FittedFeatures, GivenFiles, MemoryPairs, column_names, make_resources
from graphmt.storage.files import AnyPath
from graphmt.tune import corpus_bleu

GROUPS = ("memory", "lm", "lexicon")
Values = npt.NDArray[np.float64]
#: The options of a way of re-ranking.
Arm = dict[str, object]


@dataclasses.dataclass(frozen=True)
class Part:
    """A development or test set with its lists."""

    sources: list[str]
    lists: list[NBestList]
    references: list[list[str]]
    #: The vectors of the sources, a row for each.
    vectors: npt.NDArray[np.float32] | None = None

    @classmethod
    def read(cls, source: AnyPath, target: AnyPath, lists: AnyPath) -> Part:
        return cls(
            list(tokenised(source, lowercase=True)),
            list(read_lists(lists)),
            [[line] for line in tokenised(target, lowercase=True)],
        )

    def __len__(self) -> int:
        return len(self.sources)

    def chosen(self, numbers: Sequence[int]) -> Part:
        return Part(
            [self.sources[k] for k in numbers],
            [self.lists[k] for k in numbers],
            [self.references[k] for k in numbers],
            None if self.vectors is None else self.vectors[list(numbers)],
        )

    @property
    def own_best(self) -> list[str]:
        """The first candidate of each list."""
        return [one.texts[0] for one in self.lists]

    def bleu(self, texts: Sequence[str]) -> float:
        return corpus_bleu(list(texts), self.references)


class Memory:
    """The training part of a corpus as a translation memory, in lower case."""

    def __init__(self, data: Path, name: str, evidence: EvidenceOptions | None = None) -> None:
        folder = data / "data" / name
        sides = (tokenised(folder / file, lowercase=True) for file in ("train.de.conllu.gz", "train.en.gz"))
        pairs = MemoryPairs(zip(*sides, strict=True))
        files = GivenFiles(alignment=data / "peers" / f"moses-{name}" / "aligned.gdfa.gz")
        self.similar = make_memory(pairs, RerankOptions(lowercase=True))
        self.resources = make_resources(pairs, GROUPS, evidence or EvidenceOptions(), lowercase=True, files=files)

    def fitted(self, fitted: Part, asked: Part, own: Arm) -> Fitted:
        """The columns of all groups for two parts, by classifiers fitted to the first."""
        options = RerankOptions(**own)  # type: ignore[arg-type]
        known, new = (Candidates(part.sources, part.lists, None, options, part.vectors) for part in (fitted, asked))
        made, columns = FittedFeatures.fit(GROUPS, self.resources, known.sentence_lists(fitted.references))
        return Fitted(self.similar, own, fitted, asked, made.names, columns, made.columns(new.sentence_lists()))

    def best_matches(self, sources: Sequence[str]) -> list[float]:
        """The similarity of each sentence to the nearest source of the memory: 1 - edit distance / longer length."""
        assert self.resources.index is not None
        # The feature is the same for all n-grams of a sentence, so one is enough.
        rows = make_rows(self.resources.index, SentenceLists(sources, [["."]] * len(sources)), self.resources.options)
        return rows.features(1)[:, _core.EVIDENCE_FEATURES.index("best_fuzzy")].tolist()


@dataclasses.dataclass(frozen=True)
class Fitted:
    """Two parts with their columns; the tuner's seed and the choice of groups do not change these."""

    similar: _core.TranslationMemory
    #: Options that all ways of re-ranking share.
    own: Arm
    fitted: Part
    asked: Part
    names: tuple[str, ...]
    known: Values
    new: Values

    def best(self, arm: Arm, seed: int = 1) -> list[str]:
        """The choices of a way of re-ranking for the second part, tuned on the first."""
        options = RerankOptions(**{**self.own, **arm, "seed": seed})  # type: ignore[arg-type]
        known, new = (Candidates(part.sources, part.lists, self.similar, options) for part in (self.fitted, self.asked))
        if not options.memory_groups:
            made = learn(known, self.fitted.references, options)
            return new.best(made.rank(new).scores)
        names = column_names(options.memory_groups)
        places = [self.names.index(name) for name in names]
        known, new = (
            part.with_columns(names, values[:, places]) for part, values in ((known, self.known), (new, self.new))
        )
        made = learn_weights(known, self.fitted.references, options, (1.0,))
        return new.best(weighted(new.values, new.features, made.stages[0]))


class CrossValidation:
    """Each fold of a part with everything fitted to the other folds."""

    def __init__(self, memory: Memory, part: Part, own: Arm, folds: int) -> None:
        self.part = part
        numbers = range(len(part))
        self.folds = [[k for k in numbers if k % folds == fold] for fold in range(folds)]
        self.fits = [
            memory.fitted(part.chosen([k for k in numbers if k % folds != fold]), part.chosen(self.folds[fold]), own)
            for fold in range(folds)
        ]

    def best(self, arm: Arm, seed: int = 1) -> list[str]:
        chosen: dict[int, str] = {}
        for fold, fit in zip(self.folds, self.fits, strict=True):
            chosen.update(zip(fold, fit.best(arm, seed), strict=True))
        return [chosen[k] for k in sorted(chosen)]
