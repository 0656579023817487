"""Re-rankers: tuned weights, applied to new lists."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import graphmt
from graphmt.consensus.candidates import Candidates, Values, names_of, weighted
from graphmt.consensus.options import AUTO, FEATURES, MEMORY_FEATURES, RerankOptions
from graphmt.consensus.scores import posterior_column, require_same_scores, score_column
from graphmt.errors import InputError, OptionError, in_words
from graphmt.evidence import EvidenceOptions, MemoryVectors
from graphmt.memory_features import FittedFeatures, MemoryPairs, MemoryResources, column_names
from graphmt.memory_features.columns import PREDICTOR_FILE
from graphmt.memory_features.resources import LEXICON_FILE, LM_FILE, open_resources
from graphmt.memory_features.untuned import OWN, untuned_features, untuned_weights
from graphmt.nbest.scores import SCORE
from graphmt.options import nearest, plain_names
from graphmt.reprs import counted
from graphmt.storage.files import AnyPath, writing
from graphmt.storage.folders import writing_folder
from graphmt.storage.formats import MALFORMED, read_json
from graphmt.storage.known_files import identities, known_names, require_known

#: The version of the file format.
VERSION = 1

#: Untuned weights of the consensus features, relative to the model's log-posterior.
UNTUNED = {"gc1": 1.0, "gc2": 0.5, "gc3": 0.1, "gc4": 0.1}

#: Sentences with a smaller share of trigrams in the memory keep their order. Between 0.3 and 0.5, fixed weights gain
#: with the right memory and lose nothing with one of another domain.
COVERED = 0.3

#: Options that may differ from those used in tuning. (Only sentences within a chunk are connected.)
_RUNNING = ("threads", "chunk", "per_sentence")


#: The re-ranker in a folder.
RERANKER_FILE = "reranker.json"


def _is_owned(name: str) -> bool:
    return name in (RERANKER_FILE, LM_FILE, LEXICON_FILE, PREDICTOR_FILE)


def evidence_options(options: RerankOptions) -> EvidenceOptions:
    """The options of n-gram posteriors."""
    return EvidenceOptions(classifier=options.classifier, threads=options.threads)


def added_names(options: RerankOptions) -> tuple[str, ...]:
    """The columns that re-ranking with these options adds to the lists."""
    if options.method == "none":
        return ()
    if options.method != "g-rerank":
        return (options.method,)
    return (*column_names(options.memory_groups), *names_of(options.groups))


def dropped_names(asked: RerankOptions, options: RerankOptions) -> tuple[str, ...]:
    """The columns of lists that are not read: those that are added, and with auto those that might have been."""
    if asked.features != AUTO or asked.method != "g-rerank":
        return added_names(options)
    return (*column_names(MEMORY_FEATURES), *names_of(FEATURES))


def uses_neighbours(options: RerankOptions) -> bool:
    """Whether similar sentences are used."""
    return options.method == "struct-lp" or "gc" in options.groups


def require_new(features: Sequence[str], options: RerankOptions) -> None:
    """Reject lists that already have columns with the names of added ones."""
    if known := [name for name in added_names(options) if name in features]:
        raise InputError(
            f"the lists have the columns {', '.join(known)}, which re-ranking adds itself.", hint="Remove them."
        )


@dataclasses.dataclass(frozen=True)
class Ranked:
    """The result of re-ranking some lists."""

    #: Scores of all candidates, concatenated.
    scores: Values
    #: The features that were added, by name.
    added: dict[str, Values]
    #: Whether the lists keep their order, whatever their scores.
    keeps_order: bool = False
    #: The trigrams of each source that the memory has, and all of them; None if no group looks for them.
    covered: npt.NDArray[np.int64] | None = None

    def orders(self, candidates: Candidates) -> list[list[int]]:
        """For each sentence its candidates in their new order."""
        if self.keeps_order:
            return [list(range(len(one))) for one in candidates.lists]
        return candidates.order(self.scores)


@dataclasses.dataclass(frozen=True)
class Reranker:
    """Options, scale and weights. ``stages`` are the weights of each turn of Algorithm 1, without consensus first.

    Consensus features need posteriors, and posteriors need weights, so new lists go through the same turns as the
    development set.

    Examples
    --------
    >>> from graphmt.consensus import RerankOptions, Reranker
    >>> Reranker.untuned(("score", "lm"), RerankOptions())
    Reranker('g-rerank', 11 weights)
    """

    options: RerankOptions
    #: The features of the lists that it was tuned for, the score first.
    features: tuple[str, ...]
    scale: float
    stages: tuple[Mapping[str, float], ...]
    #: BLEU of the development set with each of the stages.
    bleu: tuple[float, ...] = ()
    #: What computes the columns of memory, lm and lexicon.
    fitted: FittedFeatures | None = None
    #: The identities of the files in the folder that it was opened from; none in folders of older versions.
    files: Mapping[str, str] = dataclasses.field(default_factory=dict)
    #: Whether the lists that it was tuned on had scores; None if it was not tuned, or it is not known.
    scored: bool | None = None

    def __repr__(self) -> str:
        tuned = f", dev BLEU {self.bleu[-1]:.2f}" if self.bleu else ""
        return f"Reranker({self.options.method!r}, {counted(len(self.stages[-1]), 'weight')}{tuned})"

    @classmethod
    def untuned(
        cls, features: tuple[str, ...], options: RerankOptions, resources: MemoryResources | None = None
    ) -> Reranker:
        """The model's posterior with consensus or features of a memory, combined with fixed weights."""
        require_new(features, options)
        scale = 1.0 if options.scale is None else options.scale
        options = options.settled(tuned=True, memory=None)
        if options.score == AUTO and options.method == "none":
            # Without weights, the lists keep their order.
            return cls(options.replace(score=SCORE, normalised="no"), features, scale, (dict.fromkeys(features, 0.0),))
        if options.score == AUTO:
            options = options.replace(score=score_column(features, options), normalised="no")
        column = posterior_column(options)
        base = {name: float(name == column) for name in features}
        if options.memory_groups:
            return cls._untuned_with_memory(base, options, resources)
        names = names_of(options.groups)
        mixture = {name: scale * weight for name, weight in base.items()}
        mixture |= {name: UNTUNED.get(name, 0.0) for name in names}
        return cls(options, features, scale, (base, mixture) if names else (base,))

    @classmethod
    def _untuned_with_memory(
        cls, own: Mapping[str, float], options: RerankOptions, resources: MemoryResources | None
    ) -> Reranker:
        """The log-probability and the features of a memory, with fixed weights."""
        if resources is None:
            raise OptionError(f"{', '.join(options.memory_groups)} need a translation memory.", hint="Give a memory.")
        fixed = untuned_weights(options.groups)
        weights = {name: fixed[OWN] * weight for name, weight in own.items()}
        weights |= {name: fixed[name] for name in column_names(options.memory_groups)}
        fitted = untuned_features(options.memory_groups, resources)
        return cls(options, tuple(own), 1.0, (weights,), fitted=fitted)

    def rank(self, candidates: Candidates) -> Ranked:
        """Scores of new lists."""
        if self.options.method == "none" and not any(self.stages[0].values()):
            self._check(candidates)
            return Ranked(candidates.values[:, 0], {}, keeps_order=True)
        made = self.combined(candidates)
        scores = self._with_empty_last(candidates, made.scores)
        index = self.fitted is not None and self.fitted.resources.index is not None
        counts = self.fitted.covered_trigrams(candidates.sources) if self.fitted is not None and index else None
        if self.options.abstain and (covered := self._covered(candidates, counts)) is not None:
            scores = np.where(covered, scores, -candidates.positions.astype(np.float64))
        return dataclasses.replace(made, scores=scores, covered=counts)

    def combined(self, candidates: Candidates) -> Ranked:
        """The weighted sums of all features, before any list keeps its order."""
        self._check(candidates)
        method = self.options.method
        added: dict[str, Values] = {}
        if self.options.memory_groups:
            if self.fitted is None:
                raise OptionError("the re-ranker was opened without its memory.", hint="Give the memory.")
            columns = self.fitted.columns(candidates.sentence_lists())
            candidates = candidates.with_columns(self.fitted.names, columns)
            added = dict(zip(self.fitted.names, columns.T, strict=True))
        scores = weighted(candidates.values, candidates.features, self.stages[0])
        if method == "none":
            return Ranked(scores, {})
        if method != "g-rerank":
            found = direct(candidates, candidates.posterior(candidates.scores, self.scale), self.options)
            return Ranked(found, {method: found})
        names = names_of(self.options.groups)
        for weights in self.stages[1:]:
            consensus = candidates.consensus(candidates.posterior(scores, self.scale))
            values = np.hstack([candidates.values, consensus])
            scores = weighted(values, (*candidates.features, *names), weights)
            added |= dict(zip(names, consensus.T, strict=True))
        return Ranked(scores, added)

    def _with_empty_last(self, candidates: Candidates, scores: Values) -> Values:
        """Scores with those of empty candidates below those of their lists.

        Evidence is about words, and the weight of their number was tuned on candidates of about the same length. An
        empty one has nothing to be judged by, and would win wherever the evidence for the others is weak.
        """
        if self.options.method not in ("g-rerank", "struct-lp") or not candidates.is_empty.any():
            return scores
        least = np.minimum.reduceat(scores, candidates.starts[:-1]) - 1.0
        below: Values = np.where(candidates.is_empty, np.repeat(least, np.diff(candidates.starts)), scores)
        return below

    def _covered(self, candidates: Candidates, counts: npt.NDArray[np.int64] | None) -> npt.NDArray[np.bool_] | None:
        """Whether the memory has something of the sentence of each candidate; None if no group looks for it."""
        if counts is not None:
            return np.repeat(counts[:, 0] >= COVERED * np.maximum(counts[:, 1], 1), np.diff(candidates.starts))
        return candidates.has_neighbours if "gc" in self.options.groups else None

    def check(self, features: tuple[str, ...], is_scored: bool, file: AnyPath | None = None) -> None:
        """Reject lists with other columns than those that it was tuned on."""
        if features != self.features:
            raise InputError(
                f"lists with the columns {', '.join(features)}; the re-ranker was tuned on {', '.join(self.features)}.",
                file=file,
                hint="Tune it on lists of the same system.",
            )
        require_same_scores(is_scored, self.scored, file)

    def _check(self, candidates: Candidates) -> None:
        self.check(candidates.features, candidates.is_scored)

    def save(self, path: AnyPath) -> None:
        """Write it as JSON; with memory, lm or lexicon, as a folder that also has their files, except the memory."""
        if self.fitted is None:
            self._write(path)
            return
        with writing_folder(path, RERANKER_FILE, owned=_is_owned, overwrite=True) as folder:
            self.fitted.save(folder)
            self._write(folder / RERANKER_FILE, identities(folder))

    def _write(self, path: AnyPath, files: Mapping[str, str] | None = None) -> None:
        content = {
            "graphmt reranker": VERSION,
            "version": graphmt.__version__,
            "options": {name: value for name, value in self.options.as_dict().items() if name not in _RUNNING},
            "features": self.features,
            "scale": self.scale,
            "bleu": self.bleu,
            "scored": self.scored,
            "stages": [dict(weights) for weights in self.stages],
            **({} if files is None else {"files": files}),
        }
        with writing(path) as stream:
            json.dump(content, stream, ensure_ascii=False, indent=2)
            stream.write("\n")

    def with_memory(self, saved: AnyPath, pairs: MemoryPairs | None, vectors: MemoryVectors | None = None) -> Reranker:
        """Ready to rank: with the files next to it in its folder, and the index of a memory."""
        groups = self.options.memory_groups
        if not groups:
            return self
        if not Path(saved).is_dir():
            raise InputError(
                f"a re-ranker with {', '.join(groups)}, which is a folder.", file=saved, hint="Give the folder."
            )
        options = evidence_options(self.options)
        resources = open_resources(
            Path(saved), pairs, groups, options, lowercase=bool(self.options.lowercase), vectors=vectors
        )
        fitted = FittedFeatures.open(groups, resources, Path(saved))
        # After opening, as errors of damaged files say more.
        hint = "It may be damaged or of another re-ranker: copy the whole folder again, or tune again."
        require_known(saved, self.files, whole="re-ranker", hint=hint)
        return dataclasses.replace(self, fitted=fitted)

    @classmethod
    def load(cls, path: AnyPath, **running: Any) -> Reranker:
        """Read a re-ranker; ``running`` are options that do not affect tuning (threads, chunk, per_sentence).

        Other options are rejected unless they have the values used in tuning. One with memory, lm or lexicon also
        needs :meth:`with_memory`.
        """
        path = Path(path)
        path = path / RERANKER_FILE if path.is_dir() else path
        try:
            content = read_json(path)
            if (version := content["graphmt reranker"]) != VERSION:
                said = f"version {str(version)[:20]} of a re-ranker; this graphmt reads {VERSION}."
                raise InputError(said, file=path)
            saved = RerankOptions.from_mapping(content["options"], file=str(path))
            _require_same(saved, plain_names(running), path)
            options = saved.replace(**plain_names(running))
            stages = tuple({str(k): float(v) for k, v in stage.items()} for stage in content["stages"])
            features = tuple(map(str, content["features"]))
            if options.normalised == AUTO:
                # Written before this option.
                options = options.replace(score=score_column(features, options), normalised="no")
            own = {*features, *column_names(options.memory_groups)}
            wanted = [own, *({*own, *names_of(options.groups)} for _ in stages[1:])]
            if [set(stage) for stage in stages] != wanted or posterior_column(options) not in features:
                raise ValueError
            scale = float(content["scale"])
            if not all(map(math.isfinite, [scale, *(value for stage in stages for value in stage.values())])):
                raise ValueError
            files = known_names(content.get("files", {}))
            # Older versions did not write it.
            scored = content.get("scored")
            return cls(
                options,
                features,
                scale,
                stages,
                tuple(map(float, content["bleu"])),
                files=files,
                scored=scored if scored is None else bool(scored),
            )
        except OSError as error:
            raise in_words(path, error) from None
        except MALFORMED:
            raise InputError("not a re-ranker, or damaged.", file=path) from None


def _require_same(saved: RerankOptions, running: Mapping[str, Any], path: Path) -> None:
    known = saved.as_dict()
    for name in running:
        if name not in known:
            raise OptionError(f"unknown option {name!r}{nearest(name, known)}.")
    if other := [name for name, value in running.items() if name not in _RUNNING and value != known[name]]:
        flags = ", ".join(f"--{name.replace('_', '-')}" for name in other)
        raise OptionError(
            f"the re-ranker was tuned with another {flags}.",
            file=path,
            hint="Leave the option out, or tune again.",
        )


def direct(candidates: Candidates, posterior: Values, options: RerankOptions) -> Values:
    """Scores without weights: Struct-LP, or the expected gain of MBR."""
    if options.method == "struct-lp":
        found = candidates.propagated(candidates.made_graph(("bleu",)), posterior)[:, 0]
        return anchored(found, posterior, 1.0 if options.anchor is None else options.anchor, options.floor)
    gain = options.method.removeprefix("mbr-")
    return candidates.core.expected_gain(posterior, gain, threads=candidates.options.threads)


def anchored(propagated: Values, posterior: Values, power: float, floor: float) -> Values:
    """Propagated probabilities times a power of the posterior, as logarithms; unchanged for the power 0."""
    if not power:
        return propagated
    # A posterior of 0 is that of a score too far below the best.
    least = np.finfo(np.float64).tiny
    logs: Values = np.log(np.maximum(propagated, floor)) + power * np.log(np.maximum(posterior, least))
    return logs
