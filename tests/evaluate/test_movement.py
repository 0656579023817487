"""Jumps and joins of derivations by hand."""

from __future__ import annotations

import pytest
from graphmt.evaluate.movement import movement
from graphmt.model import Derivation, Step


def words(*links: tuple[int, int]) -> Derivation:
    n = 1 + max(source for source, _ in links)
    step = Step(tuple(range(n)), "basic", None, tuple("x" * len(links)), links, 1)
    return Derivation(tuple("w" * n), (), (step,))


def test_jumps_by_hand() -> None:
    """Source places 0, 4, 1 in target order: over 3 words, then back over 2."""
    one = movement([words((0, 0), (4, 1), (1, 2))])
    assert (one.moved, one.longest, one.far, one.joined) == (5.0, 3.0, 0.0, 0)
    # Both links of the first target word together stand at 1; the next one is at 9, with 7 between.
    far = movement([words((0, 0), (2, 0), (9, 1))])
    assert (far.moved, far.far) == (7.0, 1.0)
    assert movement([words((0, 0), (4, 1), (1, 2)), words((0, 0), (1, 1))]).moved == pytest.approx(2.5)


def test_joins_by_hand() -> None:
    """Glue of three pieces joins twice, glue around one not at all; every pseudo rule joins once."""
    leaf = [Step((k,), "rule", None, ("x",), ((k, k),), 1, (k,)) for k in range(3)]
    glue = Step((), "glue", None, (), (), 0, (), (1, 2, 3))
    three = Derivation(tuple("abc"), (), (glue, *leaf))
    pseudo = Step((), "pseudo", None, (), (), 0, (), (2, 3))
    one = Derivation(tuple("ab"), (), (Step((), "glue", None, (), (), 0, (), (1,)), pseudo, *leaf[:2]))
    assert movement([three]).joined == 2
    assert movement([one]).joined == 1
    assert movement([]).joined == 0
