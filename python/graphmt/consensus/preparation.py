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
from graphmt.memory_features import GivenFiles, MemoryPairs, MemoryResources, make_resources

log = logging.getLogger(__name__)


@dataclasses.dataclass(frozen=True)
class PreparedMemory:
    """A memory as each group of features uses it; None where no group does."""

    memory: _core.TranslationMemory | None
    #: Without the held-out pairs.
    pairs: MemoryPairs | None = None
    all_pairs: MemoryPairs | None = None
    resources: MemoryResources | None = None


def prepare_memory(
    pairs: Iterable[tuple[str, str]],
    options: RerankOptions,
    *,
    name: str | None = None,
    held_out: Sequence[str] | None = None,
    files: GivenFiles | None = None,
    train: bool = True,
) -> PreparedMemory:
    """Read a memory once and make what the options need. Pairs with a ``held_out`` source are left out.

    Without ``train``, the language model and the lexicon come with a saved re-ranker.
    """
    processes = options.threads or os.cpu_count() or 1
    if not options.memory_groups:
        return PreparedMemory(make_memory(pairs, options, processes=processes, name=name))
    stored = kept = stored_pairs(pairs, options, processes=processes, name=name)
    if held_out is not None:
        kept = stored.without(prepared(held_out, options, options.source_language))
        log.info(f"{len(stored) - len(kept):,} of {len(stored):,} pairs of the memory are held out for tuning.")
    # The stored pairs are tokenised already.
    plain = options.replace(tokenise=False)
    memory = make_memory(kept, plain, name=name) if uses_neighbours(options) else None
    resources = None
    if train:
        lowercase = bool(options.lowercase)
        resources = make_resources(
            kept, options.memory_groups, evidence_options(options), lowercase=lowercase, files=files
        )
    return PreparedMemory(memory, kept, stored, resources)
