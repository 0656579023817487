"""The index of a translation memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

from graphmt import _core
from graphmt.evidence.options import EvidenceOptions
from graphmt.progress import bar

#: Pairs that go to the core at a time.
CHUNK = 4096


def make_index(
    pairs: Iterable[tuple[str, str]], options: EvidenceOptions | Mapping[str, Any] | None = None
) -> _core.MemoryIndex:
    """Index (source, target) pairs of tokenised lines, read as a stream.

    The index takes about 10 bytes for each word of either side and 16 for each pair, besides the vocabularies: 2.4 GB
    for 10 million pairs of 12 words.
    """
    options = EvidenceOptions.of(options)
    builder = _core.MemoryBuilder(lowercase=options.lowercase)
    rest = iter(pairs)
    with bar("pairs of the memory") as advance:
        while chunk := list(islice(rest, CHUNK)):
            builder.add([source for source, _ in chunk], [target for _, target in chunk])
            advance(len(builder))
    return builder.finish(threads=options.threads)
