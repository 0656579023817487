"""Translation memories and training corpora as the graph's labelled nodes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from graphmt import _core
from graphmt.consensus.candidates import prepared
from graphmt.consensus.options import RerankOptions
from graphmt.corpus import read_pairs
from graphmt.errors import InputError
from graphmt.files import AnyPath
from graphmt.progress import bar

#: Pairs that go to the core at a time.
CHUNK = 4096


def make_memory(pairs: Iterable[tuple[str, str]], options: RerankOptions | None = None) -> _core.TranslationMemory:
    """A memory of (source, target) pairs, read as a stream. It holds about 30 bytes a word, both sides together."""
    options = options or RerankOptions()
    memory = _core.TranslationMemory(lowercase=options.lowercase)
    rest = iter(pairs)
    with bar("pairs of the memory") as advance:
        while chunk := list(islice(rest, CHUNK)):
            memory.add(
                prepared([source for source, _ in chunk], options, options.source_language),
                prepared([target for _, target in chunk], options, options.target_language),
            )
            advance(memory.pairs)
    if not memory.pairs:
        raise InputError("the translation memory is empty.")
    memory.finish()
    return memory


def read_memory(
    sources: Sequence[AnyPath],
    targets: Sequence[AnyPath] = (),
    options: RerankOptions | None = None,
    *,
    languages: tuple[str, str] | None = None,
) -> _core.TranslationMemory:
    """A memory of files: pairs of text or CoNLL-U, or single files of pairs (TSV, TMX, gettext catalogues)."""
    if targets and len(targets) != len(sources):
        raise InputError(
            f"{len(sources)} source sides and {len(targets)} target sides of memories.",
            hint="Give as many of either, or single files that hold pairs.",
        )

    def pairs() -> Iterable[tuple[str, str]]:
        for number, source in enumerate(sources):
            yield from read_pairs(source, targets[number] if targets else None, languages=languages)

    return make_memory(pairs(), options)
