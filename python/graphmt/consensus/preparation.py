"""Everything that re-ranking needs of a translation memory, made before the lists are read."""

from __future__ import annotations

import dataclasses
import logging
import os
from collections.abc import Iterable, Sequence

from graphmt import _core
from graphmt.consensus.candidates import prepared
from graphmt.consensus.memory import make_memory, stored_pairs
from graphmt.consensus.options import RerankOptions
from graphmt.consensus.reranker import evidence_options, uses_neighbours
from graphmt.errors import InputError, OptionError
from graphmt.evidence import MemoryVectors
from graphmt.evidence.vectors import Encoder, Vectors
from graphmt.memory_features import GivenFiles, MemoryPairs, MemoryResources, OpenedFiles, make_resources
from graphmt.memory_features.pairs import plain_source
from graphmt.storage.files import AnyPath

log = logging.getLogger(__name__)

#: The vectors of a memory's sources, or a function that makes them.
VectorSource = Vectors | Encoder


@dataclasses.dataclass(frozen=True)
class PreparedMemory:
    """A memory as each group of features uses it; None where no group does."""

    memory: _core.TranslationMemory | None
    #: Without the held-out pairs.
    pairs: MemoryPairs | None = None
    all_pairs: MemoryPairs | None = None
    resources: MemoryResources | None = None
    vectors: MemoryVectors | None = None


def prepare_memory(
    pairs: Iterable[tuple[str, str]],
    options: RerankOptions,
    *,
    name: str | None = None,
    held_out: Sequence[str] | None = None,
    needed_by: AnyPath | None = None,
    files: GivenFiles | OpenedFiles | None = None,
    train: bool = True,
    vectors: VectorSource | None = None,
) -> PreparedMemory:
    """Read a memory once and make what the options need. Pairs with a ``held_out`` source are left out.

    If they come from ``needed_by``, their targets will be the references, and there must be one for each source.
    Without ``train``, the language model and the lexicon come with a saved re-ranker. ``vectors`` are those of the
    memory's sources, a row for each pair, or a function that makes them.
    """
    processes = options.threads or os.cpu_count() or 1
    if not options.memory_groups:
        return PreparedMemory(make_memory(pairs, options, processes=processes, name=name))
    stored = kept = stored_pairs(pairs, options, processes=processes, name=name)
    if held_out is not None:
        held_out = prepared(held_out, options, options.source_language)
        if needed_by is not None:
            known_references(held_out, stored, needed_by)
        kept = stored.without(held_out)
        log.info(f"{len(stored) - len(kept):,} of {len(stored):,} pairs of the memory are held out for tuning.")
    known = None if vectors is None else _vectors(stored, vectors, name).only(kept.kept)
    # The stored pairs are tokenised already.
    plain = options.replace(tokenise=False)
    memory = make_memory(kept, plain, name=name) if uses_neighbours(options) else None
    resources = None
    if train:
        lowercase = bool(options.lowercase)
        resources = make_resources(
            kept, options.memory_groups, evidence_options(options), lowercase=lowercase, files=files, vectors=known
        )
    return PreparedMemory(memory, kept, stored, resources, known)


def known_references(sources: Sequence[str], pairs: MemoryPairs, file: AnyPath | None = None) -> list[list[str]]:
    """The first translation of each source in a memory."""
    known = pairs.references(sources)
    found = [known[plain_source(source)][:1] for source in sources]
    if (missing := next((k for k, own in enumerate(found) if not own), None)) is not None:
        raise InputError(
            f"the memory has no translation of sentence {missing + 1}.",
            file=file,
            hint="Tuning on the memory needs lists of sentences that it contains; or give --dev-target.",
        )
    return found


def _vectors(pairs: MemoryPairs, given: VectorSource, name: str | None) -> MemoryVectors:
    if callable(given):
        return MemoryVectors.encoded((source for source, _ in pairs), given, len(pairs))
    if len(given) != len(pairs):
        raise InputError(
            f"{len(given):,} vectors for the {len(pairs):,} pairs of the memory.",
            file=name,
            hint="There must be a row for each pair, in the same order.",
        )
    return MemoryVectors(given)


def require_tuned_memory(options: RerankOptions, *, tuned: bool) -> None:
    """Reject vectors that no feature uses, or that the fixed classifiers do not know."""
    if "memory" not in options.memory_groups:
        raise OptionError("vectors apply to the features memory.", hint="Add memory to the features.")
    if not tuned:
        raise OptionError(
            "vectors need weights tuned on a development set: how much a cosine says depends on the model.",
            hint="Give --dev, --dev-target and --dev-vectors.",
        )
