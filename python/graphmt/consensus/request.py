"""A whole run of re-ranking over files: memory, development set, re-ranker, output."""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any

from graphmt.consensus.combination import ListStream
from graphmt.consensus.detection import detected
from graphmt.consensus.direction import warn_if_foreign
from graphmt.consensus.explanation import require_neighbours
from graphmt.consensus.memory import memory_name, read_memory_pairs, stated_options
from graphmt.consensus.opened import OpenedLists, OpenedVectors
from graphmt.consensus.options import AUTO, FEWEST_PAIRS, RerankOptions
from graphmt.consensus.preparation import PreparedMemory, prepare_memory, require_tuned_memory
from graphmt.consensus.reranker import Reranker, added_names, dropped_names, uses_neighbours
from graphmt.consensus.run import Outputs, Summary, learn_files, rerank_files
from graphmt.consensus.scores import column_names_of
from graphmt.corpus import tokenised
from graphmt.corpus.header import Columns
from graphmt.corpus.languages import agreed
from graphmt.errors import OptionError
from graphmt.memory_features import GivenFiles, OpenedFiles
from graphmt.memory_features.pairs import SAMPLE
from graphmt.memory_features.untuned import untuned_weights
from graphmt.nbest.formats import format_named
from graphmt.nbest.scores import SCORE
from graphmt.storage.checks import require_inputs, require_outputs
from graphmt.storage.files import AnyPath

log = logging.getLogger(__name__)


@dataclasses.dataclass(frozen=True)
class MemoryFiles:
    """The files of a translation memory; see :func:`graphmt.consensus.read_memory`."""

    sources: Sequence[AnyPath] = ()
    targets: Sequence[AnyPath] = ()
    languages: tuple[str, str] | None = None
    columns: Columns | None = None
    header: bool | None = None

    def language_options(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The options of re-ranking that name the languages, if the user or the files name any."""
        own = given.get("source_language"), given.get("target_language")
        if self.languages is not None:
            return agreed(self.languages, *own)
        return stated_options(self.sources, self.targets)

    def check(self) -> None:
        """Reject settings of a memory that is not given."""
        if not self.sources and (self.targets or self.languages or self.columns or self.header is not None):
            raise OptionError(
                "--memory-target, --languages, --columns and --header apply to --memory, which is not given."
            )


@dataclasses.dataclass(frozen=True)
class DevFiles:
    """A development set: lists of each system, source and references."""

    lists: Sequence[AnyPath]
    source: AnyPath
    references: Sequence[AnyPath] = ()
    #: Whether its sentences are in the memory, which is then used without their pairs.
    in_memory: bool = False


@dataclasses.dataclass(frozen=True)
class VectorFiles:
    """Matrices (.npy) with a row for each sentence: of the source, of the memory, of the development set."""

    source: AnyPath | None = None
    memory: AnyPath | None = None
    dev: AnyPath | None = None

    def check(self, has_dev: bool) -> None:
        """Reject one without the others."""
        given = [self.source is not None, self.memory is not None, *([self.dev is not None] if has_dev else [])]
        if any(given) and not all(given):
            also = ", --dev-vectors" if has_dev else ""
            raise OptionError(f"--vectors, --memory-vectors{also}: give all of these or none.")
        if self.dev is not None and not has_dev:
            raise OptionError("--dev-vectors applies to --dev LISTS SOURCE, which is not given.")


@dataclasses.dataclass(frozen=True)
class RerankRequest:
    """The files and settings of a run."""

    #: The lists of each system.
    lists: Sequence[AnyPath]
    source: AnyPath | None = None
    memory: MemoryFiles = dataclasses.field(default_factory=MemoryFiles)
    dev: DevFiles | None = None
    #: Files to use instead of training on the memory.
    files: GivenFiles = dataclasses.field(default_factory=GivenFiles)
    #: A saved re-ranker, and where to save the tuned one.
    weights: AnyPath | None = None
    save: AnyPath | None = None
    #: The format of the lists, if it is not detected, and the number of candidates for plain text.
    format: str | None = None
    list_size: int | None = None
    outputs: Outputs = dataclasses.field(default_factory=Outputs)
    report: AnyPath | None = None
    vectors: VectorFiles = dataclasses.field(default_factory=VectorFiles)

    def check(self) -> None:
        """Reject contradictions and files that cannot be read or written, before any work is done."""
        self.memory.check()
        self.vectors.check(self.dev is not None)
        if self.dev is not None:
            if self.weights is not None:
                raise OptionError("--weights and --dev exclude each other.", hint="Leave out --weights or --dev.")
            if self.dev.in_memory and not self.memory.sources:
                raise OptionError("--self-tune needs --memory.")
            if not self.dev.references and not self.dev.in_memory:
                raise OptionError("tuning needs the lists and source (--dev) and the reference (--dev-target).")
            if len(self.dev.lists) != len(self.lists):
                raise OptionError(
                    f"lists of {len(self.lists)} systems, and development lists of {len(self.dev.lists)}.",
                    hint="Give a --dev-also for each --also, in the same order.",
                )
        elif self.save is not None:
            raise OptionError(
                "--save writes the tuned re-ranker, but nothing is tuned.", hint="Give --dev and --dev-target."
            )
        for name in (self.format, self.outputs.format):
            if name is not None:
                format_named(name)
        if self.outputs.format is not None and not self.outputs.lists:
            raise OptionError("--out-format applies to --n-best, which is not given.")
        dev = (*self.dev.lists, self.dev.source, *self.dev.references) if self.dev else ()
        lists = (*self.lists, self.source, *self.memory.sources, *self.memory.targets, *dev)
        others = (self.files.lm, self.files.alignment, self.vectors.source, self.vectors.memory, self.vectors.dev)
        require_inputs(*lists, *others)
        written = (self.outputs.out, self.outputs.explain, self.report, self.save)
        require_outputs(*written, inputs=(*lists, *others, self.weights))

    def check_options(self, options: RerankOptions) -> None:
        """Reject options that need other files."""
        groups = ", ".join(options.memory_groups)
        if options.memory_groups and not self.memory.sources:
            raise OptionError(f"{groups} need a translation memory.", hint="Give --memory.")
        if options.memory_groups and self.dev is None and self.weights is None:
            untuned_weights(options.groups)
        if self.vectors.source is not None:
            require_tuned_memory(options, tuned=self.dev is not None or self.weights is not None)
        if self.dev is not None and self.dev.in_memory and not options.memory_groups:
            raise OptionError("--self-tune applies to the features memory, lm and lexicon.")
        trained = {"lm", "lexicon"} & set(options.memory_groups)
        if not trained and (self.files.lm or self.files.lexicon or self.files.alignment):
            raise OptionError("--lm, --lexicon and --alignment apply to the features lm and lexicon.")
        if self.source is None and options.method in ("g-rerank", "struct-lp"):
            raise OptionError(f"{options.method} needs the source sentences.", hint="Give --source FILE.")
        if self.outputs.explain is not None or self.report is not None:
            require_neighbours(options)


#: Re-ranks lists elsewhere than in this process, from the request, the lists and the re-ranker.
RankElsewhere = Callable[[RerankRequest, ListStream, Reranker], Summary]


def run(request: RerankRequest, options: Mapping[str, Any], elsewhere: RankElsewhere | None = None) -> Summary:
    """Re-rank as asked; ``options`` are those of :class:`RerankOptions` that were given."""
    request.check()
    saved = Reranker.load(request.weights, **options) if request.weights is not None else None
    asked = (
        saved.options if saved else RerankOptions.from_mapping({**request.memory.language_options(options), **options})
    )
    has_memory, tuned = bool(request.memory.sources), request.dev is not None
    settings = asked if saved else asked.settled(tuned=tuned, memory=FEWEST_PAIRS if has_memory else None)
    request.check_options(settings)
    if not has_memory and uses_neighbours(settings):
        log.warning("No --memory given: consensus uses only the input sentences.")
    without = dropped_names(asked, settings) or added_names(settings)
    opened = OpenedLists(request, without)
    files = request.files.opened(settings.memory_groups if saved is None else ())
    vectors = OpenedVectors(request.vectors)
    opened.check(vectors)
    pairs: Iterator[tuple[str, str]] = iter(())
    first: list[tuple[str, str]] = []
    if has_memory:
        memory = request.memory
        pairs = read_memory_pairs(
            memory.sources, memory.targets, languages=memory.languages, columns=memory.columns, header=memory.header
        )
        first = list(islice(pairs, SAMPLE))
    sample = opened.sample(first)
    warn_if_foreign(sample.sources, first)
    if saved is None:
        settings = asked.settled(tuned=tuned, memory=len(first) if has_memory else None)
        settings = detected(settings, sample)
        if settings.method == "none" and settings.score == AUTO and len(request.lists) > 1:
            # The order of merged lists is that of their common score.
            settings = settings.replace(score=SCORE)
    opened.check_columns(settings, saved)
    ready = _memory(request, chain(first, pairs), settings, files, vectors) if has_memory else PreparedMemory(None)
    known = saved or _made(request, settings, opened, ready, vectors)
    if saved is not None and request.weights is not None:
        known = saved.with_memory(request.weights, ready.pairs, ready.vectors)
    if request.save is not None:
        known.save(request.save)
    if request.dev is not None and request.dev.in_memory and known.fitted is not None and ready.all_pairs is not None:
        # The held-out pairs are of use again.
        known = dataclasses.replace(known, fitted=known.fitted.with_pairs(ready.all_pairs))
    if elsewhere is not None:
        return elsewhere(request, opened.given, known)
    if request.report is None:
        return rerank_files(opened.given, request.source, ready.memory, known, request.outputs, vectors=vectors.source)
    from graphmt.consensus.report import ChangedChoices, write_neighbours

    changed = ChangedChoices()
    done = rerank_files(
        opened.given, request.source, ready.memory, known, request.outputs, seen=changed.add, vectors=vectors.source
    )
    write_neighbours(request.report, changed, known.options)
    return done


def ready_to_rank(request: RerankRequest, saved: Path, options: RerankOptions) -> tuple[PreparedMemory, Reranker]:
    """In another process: the memory, and the re-ranker that :func:`run` made, from where it was saved."""
    known = Reranker.load(saved, threads=options.threads, chunk=options.chunk, per_sentence=options.per_sentence)
    if not request.memory.sources:
        return PreparedMemory(None), known
    memory = request.memory
    pairs = read_memory_pairs(
        memory.sources, memory.targets, languages=memory.languages, columns=memory.columns, header=memory.header
    )
    ready = _memory(dataclasses.replace(request, weights=saved), pairs, known.options)
    is_whole = request.dev is not None and request.dev.in_memory
    return ready, known.with_memory(saved, ready.all_pairs if is_whole else ready.pairs, ready.vectors)


def is_tuned_on_memory(request: RerankRequest) -> bool:
    """Whether the memory has the references of the development set."""
    return request.dev is not None and request.dev.in_memory and not request.dev.references and request.weights is None


def _memory(
    request: RerankRequest,
    pairs: Iterable[tuple[str, str]],
    options: RerankOptions,
    files: OpenedFiles | None = None,
    vectors: OpenedVectors | None = None,
) -> PreparedMemory:
    held_out = list(tokenised(request.dev.source)) if request.dev is not None and request.dev.in_memory else None
    return prepare_memory(
        pairs,
        options,
        name=memory_name(request.memory.sources),
        held_out=held_out,
        needed_by=request.dev.source if request.dev is not None and is_tuned_on_memory(request) else None,
        files=files,
        train=request.weights is None,
        vectors=None if vectors is None else vectors.memory,
    )


def _made(
    request: RerankRequest, options: RerankOptions, lists: OpenedLists, ready: PreparedMemory, vectors: OpenedVectors
) -> Reranker:
    """The re-ranker: tuned on the development set, or with fixed weights."""
    if request.dev is None or lists.dev is None:
        return Reranker.untuned(column_names_of(lists.given.features, options), options, ready.resources)
    return learn_files(
        lists.dev,
        request.dev.source,
        request.dev.references,
        ready.memory,
        options,
        columns=lists.given.features,
        resources=ready.resources,
        known=ready.all_pairs if is_tuned_on_memory(request) else None,
        vectors=vectors.dev,
    )
