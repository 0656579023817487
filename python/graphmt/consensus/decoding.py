"""Decoding with translation consensus: G-Decode."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, overload

import graphmt
from graphmt import _core
from graphmt.consensus.cell_evidence import CellEvidence
from graphmt.consensus.decode_options import DECODE_FEATURES, ConsensusOptions
from graphmt.consensus.span_memory import load_span_memory, save_span_memory
from graphmt.corpus import Tree
from graphmt.errors import InputError, in_words
from graphmt.model import Model, Translation
from graphmt.model.layout import CONSENSUS as FOLDER
from graphmt.model.layout import CONTENT, PAIRS, PREDICTOR, SPANS
from graphmt.model.model import Prepared, Sentence
from graphmt.reprs import counted
from graphmt.storage.files import AnyPath, digest, writing
from graphmt.storage.folders import writing_folder
from graphmt.storage.formats import MALFORMED, read_json
from graphmt.storage.sealed import sealed, unsealed

#: The version of the file format.
VERSION = 2
#: The features of consensus with default options, in the order of the core.
FEATURES = ConsensusOptions().names


@dataclasses.dataclass(frozen=True)
class ConsensusDecoder:
    """A chart model with translation consensus in its search.

    ``stages`` are the weights of each turn of Algorithm 1, those without consensus first: the graph of a text needs
    posteriors, so every text goes through the same turns as the development set.

    Examples
    --------
    >>> import graphmt
    >>> from graphmt.consensus import ConsensusDecoder, ConsensusOptions, make_span_memory
    >>> from graphmt.consensus.decoding import FEATURES
    >>> model = graphmt.load("btg", pop_limit=20)
    >>> memory, reached = make_span_memory(model, [("er schläft .", "he sleeps .")])
    >>> weights = {**model.weights, **dict.fromkeys(FEATURES, 0.1)}
    >>> decoder = ConsensusDecoder(model, memory, ConsensusOptions(), (model.weights, weights))
    >>> decoder.translate("er schläft .").text
    'He is sleeping .'
    """

    model: Model
    memory: _core.TranslationMemory
    options: ConsensusOptions
    stages: tuple[Mapping[str, float], ...]
    #: BLEU of the development set with each of the stages.
    bleu: tuple[float, ...] = ()
    #: The memory and the classifiers of n-gram posteriors, for the features ``memory``.
    evidence: CellEvidence | None = None

    def __repr__(self) -> str:
        turns = f", dev BLEU {self.bleu[-1]:.2f}" if self.bleu else ""
        return f"ConsensusDecoder({self.model!r}, {counted(len(self.memory), 'span')}{turns})"

    def with_consensus(self, prepared: list[Prepared]) -> Model:
        """The model with consensus for these prepared sentences."""
        model = self.model.reweighted(dict(self.stages[0]))
        for weights in self.stages[1:]:
            made = graph(model, prepared, self.memory, self.options)
            if self.evidence is not None:
                made = self.evidence.applied_to(made)
            model = self.model.with_consensus(made, dict.fromkeys(self.options.names, 0.0)).reweighted(dict(weights))
        return model

    def n_best(
        self, sentences: Sentence | Iterable[Sentence], n: int, *, distinct: bool = False
    ) -> Iterator[list[Translation]]:
        """The n best translations of each sentence, ``options.chunk`` of them in a graph at a time.

        The translations of a sentence are distinct even without ``distinct``: consensus scores texts, not derivations.
        """
        if isinstance(sentences, str | Tree):
            sentences = [sentences]
        done = 0
        for chunk in self.model.chunks(sentences, self.options.chunk):
            prepared = self.model.prepare(chunk)
            self.model.note_cuts(prepared, [f"sentence {number}" for number in range(done + 1, done + len(chunk) + 1)])
            done += len(chunk)
            decoding = self.with_consensus(prepared)
            yield from decoding.n_best_prepared(prepared, n, distinct=distinct, threads=self.options.threads)

    @overload
    def translate(self, sentences: Sentence) -> Translation: ...  # type: ignore[overload-overlap]
    @overload
    def translate(self, sentences: Iterable[Sentence]) -> list[Translation]: ...

    def translate(self, sentences: Sentence | Iterable[Sentence]) -> Any:
        """The best translation of a sentence, or of each of several."""
        if isinstance(sentences, str | Tree):
            return self.translate([sentences])[0]
        return [best[0] for best in self.n_best(sentences, 1)]

    def save(self, folder: AnyPath | None = None, *, overwrite: bool = False) -> None:
        """Write it as a folder, by default inside the model's; ``overwrite`` replaces an existing one."""
        out = Path(folder) if folder is not None else self.model.folder / FOLDER
        content: dict[str, Any] = {
            "graphmt consensus": VERSION,
            "version": graphmt.__version__,
            "options": {name: value for name, value in self.options.as_dict().items() if name != "threads"},
            "stages": [dict(weights) for weights in self.stages],
            "bleu": self.bleu,
        }
        owned = {SPANS, CONTENT, PAIRS, PREDICTOR}
        with writing_folder(out, CONTENT, owned=owned.__contains__, overwrite=overwrite) as draft:
            content["model"] = self.model.manifest.build
            save_span_memory(self.memory, draft / SPANS)
            content["spans"] = digest(draft / SPANS)
            if self.evidence is not None:
                self.evidence.save(draft)
                content["evidence"] = [digest(draft / name) for name in (PAIRS, PREDICTOR)]
            with writing(draft / CONTENT) as stream:
                json.dump(sealed(content), stream, ensure_ascii=False, indent=2)
                stream.write("\n")

    @classmethod
    def load(cls, model: Model, folder: AnyPath | None = None, *, threads: int = 0) -> ConsensusDecoder:
        """Open a saved decoder."""
        place = Path(folder) if folder is not None else model.folder / FOLDER
        path = place / CONTENT
        try:
            content = read_json(path)
            if (version := content["graphmt consensus"]) != VERSION:
                said = f"version {str(version)[:20]} of consensus; this graphmt reads {VERSION}."
                raise InputError(said, file=path)
            content = unsealed(content)
            options = ConsensusOptions.from_mapping({**content["options"], "threads": threads}, file=str(path))
            stages = tuple({str(name): float(value) for name, value in stage.items()} for stage in content["stages"])
            bleu = tuple(map(float, content["bleu"]))
            known = {*model.weights, *options.names}
            unused = {name for names in DECODE_FEATURES.values() for name in names} - known
            spans = content["spans"]
            if not all(map(math.isfinite, (value for stage in stages for value in stage.values()))):
                raise ValueError
            # Before features could be chosen by group, those not asked for had the weight 0.
            stages = tuple({k: w for k, w in stage.items() if w or k not in unused} for stage in stages)
            if len(stages) < 2 or any(set(stage) - known for stage in stages):
                raise ValueError
            evidence = content.get("evidence", [])
            if not isinstance(evidence, list) or len(evidence) != 2 * ("memory" in options.groups):
                raise ValueError
            # Models and consensus of older formats do not say which model it is.
            if content.get("model", "") not in ("", model.manifest.build) and model.manifest.build:
                raise InputError(
                    f"this consensus was made with another model, not with {model.folder}.",
                    file=path,
                    hint="Open it with the model that it was made with, or make it again with graphmt consensus.",
                )
        except OSError as error:
            raise in_words(path, error, hint="Create it with graphmt consensus.") from None
        except MALFORMED:
            raise InputError("not the consensus of this model, or damaged.", file=path) from None
        for name, wanted in zip((SPANS, PAIRS, PREDICTOR), (spans, *evidence), strict=False):
            if digest(place / name) != wanted:
                what = "these spans differ from those" if name == SPANS else "it differs from the file"
                raise InputError(
                    f"{what} that {CONTENT} was tuned with.",
                    file=place / name,
                    hint="They may be damaged; copy the folder again, or create it with graphmt consensus.",
                )
        opened = CellEvidence.open(place, threads=threads) if evidence else None
        return cls(model, load_span_memory(place / SPANS), options, stages, bleu, opened)


def graph(
    model: Model,
    prepared: list[Prepared],
    memory: _core.TranslationMemory,
    options: ConsensusOptions,
) -> _core.SpanConsensus:
    """The graph of the spans of some sentences with the model's translations, after propagation."""
    return _core.SpanConsensus(model.decoder, prepared, memory, options)
