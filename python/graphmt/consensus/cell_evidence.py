"""Memory n-gram posteriors in decoding: the feature group ``memory`` of G-Decode."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path

from graphmt import _core
from graphmt.evidence import EvidenceOptions, NgramPosteriors, make_index
from graphmt.model import Model
from graphmt.model.layout import PAIRS, PREDICTOR
from graphmt.model.model import Sentence
from graphmt.progress import phases
from graphmt.storage.files import lines, writing

#: Pairs prepared at a time.
CHUNK = 1024


@dataclasses.dataclass(frozen=True)
class CellEvidence:
    """Sentence pairs, and classifiers of n-grams that were fitted to a development set."""

    pairs: Sequence[tuple[str, str]]
    posteriors: NgramPosteriors

    @classmethod
    def fit(
        cls,
        pairs: Sequence[tuple[str, str]],
        index: _core.MemoryIndex,
        graph: _core.SpanConsensus,
        references: Sequence[Sequence[str]],
        *,
        threads: int = 0,
    ) -> tuple[CellEvidence, _core.SpanConsensus]:
        """Fit classifiers to the graph of a development set.

        Also returns that graph with n-gram posteriors by cross-fitting: those of a sentence come from classifiers
        fitted without it.
        """
        options = EvidenceOptions(threads=threads)
        rows = _rows(index, graph, options, references)
        predictor = _core.NgramPredictor.fit(rows, options, threads=threads)
        made = graph.with_evidence(rows, _core.cross_fit_ngrams(rows, options, threads=threads))
        return cls(pairs, NgramPosteriors(index, predictor, options)), made

    def applied_to(self, graph: _core.SpanConsensus) -> _core.SpanConsensus:
        """The graph of other sentences with n-gram posteriors."""
        known = self.posteriors
        rows = _rows(known.index, graph, known.options)
        return graph.with_evidence(rows, known.predictor.probabilities(rows, threads=known.options.threads))

    def save(self, folder: Path) -> None:
        """Write the pairs and the classifiers to a folder."""
        with writing(folder / PAIRS) as stream:
            stream.writelines(f"{source}\t{target}\n" for source, target in self.pairs)
        self.posteriors.save(folder / PREDICTOR)

    @classmethod
    def open(cls, folder: Path, *, threads: int = 0) -> CellEvidence:
        """Read what :meth:`save` wrote."""
        pairs = [(source, target) for source, _, target in (line.partition("\t") for line in lines(folder / PAIRS))]
        options = EvidenceOptions(threads=threads)
        index = make_index(pairs, options)
        return cls(pairs, NgramPosteriors.open(folder / PREDICTOR, index, options))


def _rows(
    index: _core.MemoryIndex,
    graph: _core.SpanConsensus,
    options: EvidenceOptions,
    references: Sequence[Sequence[str]] | None = None,
) -> _core.EvidenceRows:
    """A row of features for every n-gram of the translations of a sentence and its spans."""
    given = None if references is None else [list(own) for own in references]
    inputs = graph.evidence_inputs(given, lowercase=options.lowercase)
    with phases() as report:
        return index.rows(inputs, options, threads=options.threads, progress=report)


def model_pairs(model: Model, pairs: Iterable[tuple[Sentence, str]]) -> list[tuple[str, str]]:
    """Sentence pairs as the model sees them: its source words and its target words, without empty sides."""
    found, rest = [], iter(pairs)
    while chunk := list(islice(rest, CHUNK)):
        prepared = model.prepare([source for source, _ in chunk])
        for sentence, (_, target) in zip(prepared, chunk, strict=True):
            text = " ".join(model.target_steps.apply(target).split())
            if sentence.words and text:
                found.append((" ".join(sentence.words), text))
    return found
