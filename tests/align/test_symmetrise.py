"""Symmetrisation against a naive implementation, thot's own, and tables worked by hand."""

from __future__ import annotations

import pytest
from amounts import examples
from graphmt._core import HEURISTICS
from graphmt.align import Alignment, symmetrise
from graphmt.errors import InputError, OptionError
from hypothesis import given, settings
from hypothesis import strategies as st

Pairs = set[tuple[int, int]]

# Worked by hand: intersection 0-0 1-1; growing adds 1-2 and 2-1, which touch 1-1; 3-4, 3-5, 4-3 and 4-6
# touch nothing taken. The final step over forward takes 3-4 and 4-3; then 3-5 and 4-6 have a covered word.
FORWARD = {(0, 0), (1, 1), (1, 2), (4, 3), (3, 4)}
REVERSE = {(0, 0), (1, 1), (2, 1), (3, 5), (4, 6)}
GROWN = {(0, 0), (1, 1), (1, 2), (2, 1)}


@pytest.mark.parametrize(
    ("heuristic", "expected"),
    [
        ("intersection", {(0, 0), (1, 1)}),
        ("union", FORWARD | REVERSE),
        ("source-to-target", FORWARD),
        ("target-to-source", REVERSE),
        ("grow", GROWN),
        ("grow-diag", GROWN),
        ("grow-diag-final", FORWARD | REVERSE),
        ("grow-diag-final-and", GROWN | {(3, 4), (4, 3)}),
    ],
)
def test_by_hand(heuristic: str, expected: Pairs) -> None:
    assert joined(FORWARD, REVERSE, heuristic) == expected


def test_grow_diag_final_and_where_the_order_matters() -> None:
    # 0-0 is taken; 0-1 and 1-0 are its neighbours and 1-1 its diagonal. 0-1 comes first and covers target 1;
    # then 1-0 covers source 1, and 1-1 has both words covered. Moses' symal would go the same way here.
    forward, reverse = {(0, 0), (1, 1)}, {(0, 0), (0, 1), (1, 0)}
    assert joined(forward, reverse, "grow-diag-final-and") == {(0, 0), (0, 1), (1, 0)}
    # Without 0-1 and 1-0 the diagonal point is taken.
    assert joined(forward, {(0, 0)}, "grow-diag") == {(0, 0), (1, 1)}
    assert joined(forward, {(0, 0)}, "grow") == {(0, 0)}


def joined(forward: Pairs, reverse: Pairs, heuristic: str) -> Pairs:
    links = (Alignment.from_pairs([sorted(pairs)]) for pairs in (forward, reverse))
    return set(symmetrise(*links, heuristic)[0])


def naive(forward: Pairs, reverse: Pairs, heuristic: str) -> Pairs:
    """The definition, word for word, on sets."""
    plain = {
        "union": forward | reverse,
        "intersection": forward & reverse,
        "source-to-target": forward,
        "target-to-source": reverse,
    }
    if heuristic in plain:
        return plain[heuristic]
    taken = forward & reverse

    def covered(point: tuple[int, int]) -> tuple[bool, bool]:
        return any(i == point[0] for i, _ in taken), any(j == point[1] for _, j in taken)

    def touches(point: tuple[int, int]) -> bool:
        steps = [(a, b) for a in (-1, 0, 1) for b in (-1, 0, 1) if heuristic != "grow" or abs(a) + abs(b) == 1]
        return any((point[0] + a, point[1] + b) in taken for a, b in steps)

    added = True
    while added:
        added = False
        for point in sorted((forward | reverse) - taken):
            if not all(covered(point)) and touches(point):
                taken = taken | {point}
                added = True
    if "final" in heuristic:
        refused = any if heuristic.endswith("and") else all
        for direction in (forward, reverse):
            for point in sorted(direction - taken):
                if not refused(covered(point)):
                    taken = taken | {point}
    return taken


sentence = st.tuples(st.integers(1, 7), st.integers(1, 7)).flatmap(
    lambda size: st.tuples(
        st.just(size),
        st.lists(st.integers(-1, size[0] - 1), min_size=size[1], max_size=size[1]),
        st.lists(st.integers(-1, size[1] - 1), min_size=size[0], max_size=size[0]),
    )
)


def directions(drawn: tuple[tuple[int, int], list[int], list[int]]) -> tuple[Pairs, Pairs]:
    _, forward, reverse = drawn
    return (
        {(i, j) for j, i in enumerate(forward) if i >= 0},
        {(i, j) for i, j in enumerate(reverse) if j >= 0},
    )


@settings(max_examples=examples(300), deadline=None)
@given(sentence, st.sampled_from(HEURISTICS))
def test_equals_the_naive_implementation(drawn, heuristic) -> None:
    forward, reverse = directions(drawn)
    assert joined(forward, reverse, heuristic) == naive(forward, reverse, heuristic)


@settings(max_examples=examples(200), deadline=None)
@given(
    st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5))),
    st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5))),
    st.sampled_from(HEURISTICS),
)
def test_any_two_alignments_can_be_joined(forward, reverse, heuristic) -> None:
    assert joined(forward, reverse, heuristic) == naive(forward, reverse, heuristic)


@settings(max_examples=examples(300), deadline=None)
@given(sentence, st.sampled_from([name for name in HEURISTICS if not name.endswith(("target", "source"))]))
def test_equals_thot(drawn, heuristic) -> None:
    """thot grows in the same order as fast_align's atools; all six heuristics that both have agree."""
    WordAlignmentMatrix = pytest.importorskip("thot.common", reason="needs the extra 'thot'").WordAlignmentMatrix
    (rows, columns), *_ = drawn
    forward, reverse = directions(drawn)
    one, other = WordAlignmentMatrix(rows, columns), WordAlignmentMatrix(rows, columns)
    for matrix, pairs in ((one, forward), (other, reverse)):
        for i, j in pairs:
            matrix.set(i, j)
    method = {"intersection": "intersect"}.get(heuristic, heuristic.replace("-", "_"))
    getattr(one, method)(other)
    found = one.to_numpy()
    expected = {(i, j) for i in range(rows) for j in range(columns) if found[i, j]}
    assert joined(forward, reverse, heuristic) == expected


@settings(max_examples=examples(200), deadline=None)
@given(sentence, st.sampled_from(HEURISTICS))
def test_lies_between_intersection_and_union(drawn, heuristic) -> None:
    forward, reverse = directions(drawn)
    result = joined(forward, reverse, heuristic)
    assert result <= forward | reverse
    if not heuristic.endswith(("target", "source")):
        assert forward & reverse <= result


@settings(max_examples=examples(200), deadline=None)
@given(sentence, st.sampled_from(["union", "intersection"]))
def test_turning_both_round_turns_the_result(drawn, heuristic) -> None:
    # Growing looks at points in an order that turning changes, so it is not asked of the others.
    forward, reverse = directions(drawn)
    turned = joined(turn(reverse), turn(forward), heuristic)
    assert turn(turned) == joined(forward, reverse, heuristic)


def turn(pairs: Pairs) -> Pairs:
    return {(j, i) for i, j in pairs}


def test_any_number_of_threads_gives_the_same() -> None:
    sentences = [[(k % 7, k % 5), (k % 3, k % 4), (0, k % 6)] for k in range(5000)]
    forward = Alignment.from_pairs(sentences)
    reverse = Alignment.from_pairs(sentences[1:] + sentences[:1])
    one = symmetrise(forward, reverse, threads=1)
    assert one == symmetrise(forward, reverse, threads=4)
    assert len(one) == 5000


def test_different_numbers_of_sentences_are_refused() -> None:
    with pytest.raises(InputError, match="have 1 and 2 sentences"):
        symmetrise(Alignment.from_pairs([[]]), Alignment.from_pairs([[], []]))


def test_an_unknown_heuristic_is_refused() -> None:
    with pytest.raises(OptionError, match="grow-diag-final-and"):
        symmetrise(Alignment(), Alignment(), "grow-dag")
