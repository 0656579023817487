"""Reordering statistics: how often pieces are only concatenated, and how long reorderings are."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence

from graphmt.model import Derivation

#: Jumps over more source words than this count as long.
FAR = 5


@dataclasses.dataclass(frozen=True)
class Movement:
    """Reordering in the derivations of a system, averaged over sentences."""

    #: Pieces concatenated in source order without a rule of the table (glue, pseudo rules).
    joined: float
    #: Source words between those of two neighbouring target words, summed over the sentence.
    moved: float
    #: The longest such jump.
    longest: float
    #: Share of sentences with a jump over more than :data:`FAR` words.
    far: float


def movement(derivations: Sequence[Derivation]) -> Movement:
    """Measure derivations; unaligned target words are ignored."""
    joined, moved, longest, far = 0, 0.0, 0.0, 0
    for derivation in derivations:
        jumps = _jumps(derivation)
        # Glue with one piece concatenates nothing.
        joined += sum(max(0, len(step.children) - 1) for step in derivation.steps if step.kind == "glue")
        joined += sum(step.kind == "pseudo" for step in derivation.steps)
        moved += sum(jumps)
        longest += max(jumps, default=0.0)
        far += any(jump > FAR for jump in jumps)
    count = max(1, len(derivations))
    return Movement(joined / count, moved / count, longest / count, far / count)


def _jumps(derivation: Derivation) -> list[float]:
    sources: dict[int, list[int]] = {}
    for step in derivation.steps:
        for source, target in step.alignment:
            sources.setdefault(target, []).append(source)
    places = [sum(found) / len(found) for _, found in sorted(sources.items())]
    return [max(0.0, abs(after - before) - 1) for before, after in itertools.pairwise(places)]
