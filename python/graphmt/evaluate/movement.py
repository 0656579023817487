"""How far translations move words: how often pieces are only joined, and how long the reorderings are."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence

from graphmt.model import Derivation

#: A jump over more source words than this is a long one.
FAR = 5


@dataclasses.dataclass(frozen=True)
class Movement:
    """What the derivations of a system do to word order, on average over sentences."""

    #: Pieces that are joined in source order without a rule of the table (glue, pseudo rules).
    joined: float
    #: Source words between those of two neighbouring target words, summed over the sentence.
    moved: float
    #: The longest such jump.
    longest: float
    #: Share of sentences with a jump over more than :data:`FAR` words.
    far: float


def movement(derivations: Sequence[Derivation]) -> Movement:
    """Measure derivations; target words without links are passed over."""
    joined, moved, longest, far = 0, 0.0, 0.0, 0
    for derivation in derivations:
        jumps = _jumps(derivation)
        # Glue that holds one piece joins nothing.
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
