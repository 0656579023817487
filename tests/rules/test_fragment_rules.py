"""DGST's fragments and rules against the definitions (Li, Way and Liu 2015, sections 3 and 4)."""

from __future__ import annotations

import collections
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest
import random_trees
from graphmt import _core
from graphmt.errors import InputError
from graphmt.rules import ExtractOptions, extract_rules, list_rules
from graphmt.systems import SYSTEMS
from hypothesis import given, settings
from hypothesis import strategies as st
from naive_dependents import Tagged, tagged, write
from naive_hierarchical import Limits, Phrase, phrases, rules_of, sides

#: The node that the root word's edge starts at.
ROOT = -2


def edges(heads: Sequence[int]) -> list[tuple[int, int]]:
    """Each word as an edge from the node of its head to its own."""
    return [(ROOT if head < 0 else head, word) for word, head in enumerate(heads)]


def is_fragment(heads: Sequence[int], first: int, end: int, most: int) -> bool:
    """Connected, with few external nodes: those that touch an edge outside as well, and the root."""
    inside, outside = edges(heads)[first:end], [*edges(heads)[:first], *edges(heads)[end:]]
    reached = set(inside[0])
    for _ in inside:
        for edge in inside:
            if reached & set(edge):
                reached |= set(edge)
    if any(not set(edge) <= reached for edge in inside):
        return False
    touched = {node for edge in outside for node in edge} | {ROOT}
    return len(reached & touched) <= most


def tops(heads: Sequence[int], first: int, end: int) -> list[int]:
    """The words whose head is outside."""
    return [word for word in range(first, end) if not first <= heads[word] < end]


def open_node(heads: Sequence[int], first: int, end: int) -> int:
    """The first word with a dependent outside, -1 where there is none."""
    return next((w for w in range(first, end) if any(h == w and not first <= d < end for d, h in enumerate(heads))), -1)


@settings(max_examples=300)
@given(random_trees.heads(10), st.integers(1, 10), st.integers(1, 4), st.data())
def test_fragments_are_those_of_the_definition(heads, longest, most, data) -> None:
    tags = data.draw(st.lists(st.sampled_from(["N", "V", "P"]), min_size=len(heads), max_size=len(heads)))
    expected = [
        (
            first,
            end,
            "_".join(tags[word] for word in tops(heads, first, end)),
            edges(heads)[tops(heads, first, end)[0]][0],
            open_node(heads, first, end),
        )
        for first in range(len(heads))
        for end in range(first + 1, min(len(heads), first + longest) + 1)
        if is_fragment(heads, first, end, most)
    ]
    assert _core.fragments(heads, tags, longest, most) == expected


@given(random_trees.heads(10))
def test_a_word_always_is_a_fragment(heads) -> None:
    found = {(first, end) for first, end, *_ in _core.fragments(heads, ["X"] * len(heads), 10, 2)}
    assert {(word, word + 1) for word in range(len(heads))} <= found


def test_siblings_are_a_fragment() -> None:
    """What tree-to-string models cannot do: two dependents without their head, labelled with both."""
    found = _core.fragments([2, 2, -1, 2], ["NN", "P", "V", "N"], 4, 2)
    assert (0, 2, "NN_P", 2, -1) in found
    # With the head and one more dependent, the head is open to the last.
    assert (0, 3, "V", ROOT, 2) in found
    # The head with what is left and right of it has nothing but the root outside.
    assert (0, 4, "V", ROOT, -1) in found


def test_no_fragment_by_hand() -> None:
    """Words of two heads are not connected; two open words make three external nodes."""
    # 0 hangs on 3, 1 on 2: neither the same head nor each other's.
    spans = {(first, end) for first, end, *_ in _core.fragments([3, 2, 3, -1], list("ABCD"), 4, 2)}
    assert (0, 2) not in spans and (0, 3) in spans
    # 1 has 0 outside and 2 has 3 outside.
    chain = [1, -1, 1, 2]
    assert (1, 3) not in {(first, end) for first, end, *_ in _core.fragments(chain, list("ABCD"), 4, 2)}
    assert (1, 3) in {(first, end) for first, end, *_ in _core.fragments(chain, list("ABCD"), 4, 3)}


def test_bad_input() -> None:
    with pytest.raises(InputError, match="2 parts of speech for 1 word"):
        _core.fragments([-1], ["A", "B"], 1, 2)
    with pytest.raises(InputError, match="cycle"):
        _core.fragments([1, 0, -1], ["A"] * 3, 1, 2)


def structure(heads: Sequence[int], phrase: Phrase, holes: tuple[Phrase, ...]) -> tuple[int, ...]:
    """For each symbol the one whose end node is its head, -1 where that is the fragment's top."""
    symbols = []
    at = phrase[0]
    while at <= phrase[1]:
        last = next((hole[1] for hole in holes if hole[0] == at), at)
        symbols.append((at, last + 1))
        at = last + 1
    ends = [first if end == first + 1 else open_node(heads, first, end) for first, end in symbols]
    above = [heads[tops(heads, *symbol)[0]] for symbol in symbols]
    return tuple(ends.index(head) if head >= 0 and head in ends else -1 for head in above)


def naive_rules(pair: Tagged, limits: Limits, most: int) -> list[tuple[str, tuple[tuple[str, ...], tuple[int, ...]]]]:
    """Every rule as it is listed, and what tells its source side apart."""
    heads = _core.projectivise(list(pair.heads))
    inside = [p for p in phrases(pair, limits.length) if is_fragment(heads, p[0], p[1] + 1, most)]
    found = []
    for phrase in inside:
        alike = list(rules_of(pair, phrase, inside, limits))
        for holes in alike:
            source, target, points = sides(pair, phrase, holes)
            labels = iter("_".join(pair.tags[word] for word in tops(heads, h[0], h[1] + 1)) for h in holes)
            labelled = tuple(f"[{next(labels)}]" if symbol == "[X]" else symbol for symbol in source)
            links = " ".join(f"{i}-{j}" for i, j in points)
            line = f"{' '.join(labelled)} ||| {' '.join(target)} ||| {links} ||| {1 / len(alike):.6f}"
            found.append((line, (labelled, structure(heads, phrase, holes))))
    return found


@settings(max_examples=150)
@given(st.lists(tagged(7), min_size=1, max_size=3), st.integers(1, 2), st.integers(2, 7), st.integers(2, 3))
def test_rules_are_those_of_the_definition(corpus, min_hole, length, most) -> None:
    """Labels, counts, and source sides told apart by their structure."""
    expected = [rule for pair in corpus for rule in naive_rules(pair, Limits(length, 5, 2, min_hole), most)]
    options = ExtractOptions(threads=1, min_hole=min_hole, max_length=length, max_external=most)
    with tempfile.TemporaryDirectory() as name:
        files = write(Path(name), corpus)
        found = list_rules(SYSTEMS["dgst"], **files, options=options)
        assert sorted(found) == sorted(line for line, _ in expected)
        if found:
            report = extract_rules(SYSTEMS["dgst"], **files, out=Path(name) / "rules.bin", options=options)
            assert most > 2 or report.source_sides == len({side for _, side in expected})


@settings(max_examples=100)
@given(st.lists(tagged(8), min_size=1, max_size=3), st.integers(1, 2))
def test_without_labels_the_rules_are_some_of_hpbs(corpus, min_hole) -> None:
    options = ExtractOptions(threads=1, min_hole=min_hole)
    with tempfile.TemporaryDirectory() as name:
        files = write(Path(name), corpus)
        ours, theirs = (
            collections.Counter(erased(line) for line in list_rules(SYSTEMS[system], **files, options=options))
            for system in ("dgst", "hpb")
        )
    assert ours <= theirs


def erased(line: str) -> str:
    """A rule without the labels of its holes and without its share of an occurrence."""
    source, target, points, _ = line.split(" ||| ")
    symbols = ["[X]" if symbol.startswith("[") else symbol for symbol in source.split()]
    return f"{' '.join(symbols)} ||| {target} ||| {points}"


def rules_by_hand(pair: Tagged, folder: Path) -> set[str]:
    options = ExtractOptions(threads=1, min_hole=1)
    return {
        line.rsplit(" ||| ", 1)[0] for line in list_rules(SYSTEMS["dgst"], **write(folder, [pair]), options=options)
    }


def test_a_treelet_with_a_reordering(tmp_path) -> None:
    """A head and its dependent change places around a word that both keep."""
    pair = Tagged(
        ("zai", "nanfei", "juxing"),
        ("P", "NR", "V"),
        (2, 0, -1),
        ("held", "in", "south", "africa"),
        frozenset({(0, 1), (1, 2), (1, 3), (2, 0)}),
    )
    found = rules_by_hand(pair, tmp_path)
    assert "[P] juxing ||| held [0] ||| 1-0" in found
    assert "zai [NR] juxing ||| held in [0] ||| 0-1 2-0" in found
    assert "zai [NR] ||| in [0] ||| 0-0" in found


def test_x_de_x(tmp_path) -> None:
    """The "X 的 X" structure (Figure 7): both sides of the particle are holes and change places."""
    pair = Tagged(
        ("guanyu", "fating", "de", "jueding"),
        ("P", "NN", "DEG", "NN"),
        (2, 0, 3, -1),
        ("decision", "of", "about", "court"),
        frozenset({(0, 2), (1, 3), (2, 1), (3, 0)}),
    )
    found = rules_by_hand(pair, tmp_path)
    assert "[P] de [NN] ||| [1] of [0] ||| 1-1" in found
