"""DGST's fragments and rules against the definitions (Li, Way and Liu 2015, sections 3 and 4)."""

from __future__ import annotations

import collections
import dataclasses
import tempfile
from pathlib import Path
from typing import Any

import pytest
import random_trees
from amounts import examples
from graphmt import _core
from graphmt.errors import InputError, OptionError
from graphmt.rules import ExtractOptions, RuleTable, SourceSide, extract_rules, filtered, list_rules
from graphmt.systems import SYSTEMS
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from naive_dependents import Tagged, tagged, write
from naive_fragments import GAP, ROOT, edges, is_fragment, label, linked, naive_rules, open_node, tops
from naive_hierarchical import Limits

LABELS = st.sampled_from(["all", "ends", "none"])


def fragments(*asked: Any) -> list[tuple[int, int, str, int, int]]:
    """The core's fragments: first word, the one after the last, label, head, open word."""
    return [(one.first, one.end, one.label, one.head, one.open) for one in _core.fragments(*asked)]


@settings(max_examples=examples(300))
@given(random_trees.heads(10), st.integers(1, 10), st.integers(1, 4), LABELS, st.data())
def test_fragments_are_those_of_the_definition(heads, longest, most, labels, data) -> None:
    tags = data.draw(st.lists(st.sampled_from(["N", "V", "P"]), min_size=len(heads), max_size=len(heads)))
    expected = [
        (
            first,
            end,
            label([tags[word] for word in tops(heads, first, end)], labels),
            edges(heads)[tops(heads, first, end)[0]][0],
            open_node(heads, first, end),
        )
        for first in range(len(heads))
        for end in range(first + 1, min(len(heads), first + longest) + 1)
        if is_fragment(heads, first, end, most)
    ]
    assert fragments(heads, tags, longest, most, labels) == expected


@given(random_trees.heads(10))
def test_a_word_always_is_a_fragment(heads) -> None:
    found = {(first, end) for first, end, *_ in fragments(heads, ["X"] * len(heads), 10, 2)}
    assert {(word, word + 1) for word in range(len(heads))} <= found


def test_siblings_are_a_fragment() -> None:
    """What tree-to-string models cannot do: two dependents without their head, labelled with both."""
    found = fragments([2, 2, -1, 2], ["NN", "P", "V", "N"], 4, 2)
    assert (0, 2, "NN_P", 2, -1) in found
    # With the head and one more dependent, the head is open to the last.
    assert (0, 3, "V", ROOT, 2) in found
    # The head with what is left and right of it has nothing but the root outside.
    assert (0, 4, "V", ROOT, -1) in found


def test_no_fragment_by_hand() -> None:
    """Words of two heads are not connected; two open words make three external nodes."""
    # 0 hangs on 3, 1 on 2: neither the same head nor each other's.
    spans = {(first, end) for first, end, *_ in fragments([3, 2, 3, -1], list("ABCD"), 4, 2)}
    assert (0, 2) not in spans and (0, 3) in spans
    # 1 has 0 outside and 2 has 3 outside.
    chain = [1, -1, 1, 2]
    assert (1, 3) not in {(first, end) for first, end, *_ in fragments(chain, list("ABCD"), 4, 2)}
    assert (1, 3) in {(first, end) for first, end, *_ in fragments(chain, list("ABCD"), 4, 3)}


def test_bad_input() -> None:
    with pytest.raises(InputError, match="2 parts of speech for 1 word"):
        _core.fragments([-1], ["A", "B"], 1, 2)
    with pytest.raises(InputError, match="cycle"):
        _core.fragments([1, 0, -1], ["A"] * 3, 1, 2)
    with pytest.raises(OptionError, match=r"no labels .some.; they are all, ends or none"):
        _core.fragments([-1], ["A"], 1, 2, "some")


def test_labels_by_hand() -> None:
    """Three siblings without their head: all, the first and the last, an X."""
    shown = [fragments([3, 3, 3, -1], ["D", "A", "N", "V"], 3, 2, labels)[2] for labels in ("all", "ends", "none")]
    assert shown == [(0, 3, "D_A_N", 3, -1), (0, 3, "D_N", 3, -1), (0, 3, "X", 3, -1)]


@settings(max_examples=examples(150))
@given(
    st.lists(linked() | tagged(7), min_size=1, max_size=3),
    st.integers(1, 2),
    st.integers(2, 7),
    st.integers(1, 3),
    LABELS,
    st.booleans(),
    st.integers(0, 2),
)
def test_rules_are_those_of_the_definition(corpus, min_hole, length, most, labels, told_apart, max_gaps) -> None:
    """Labels, counts, and source sides told apart by their structure, or not. Without labels and structure these are
    hpb's rules over fragments, by the definition of hpb's."""
    limits = Limits(length, 5, 2, min_hole)
    expected = [rule for pair in corpus for rule in naive_rules(pair, limits, most, labels, max_gaps)]
    options = ExtractOptions(
        threads=1,
        min_hole=min_hole,
        max_length=length,
        max_external=most,
        labels=labels,
        structure=told_apart,
        max_gaps=max_gaps,
    )
    with tempfile.TemporaryDirectory() as name:
        files = write(Path(name), corpus)
        found = list_rules(SYSTEMS["dgst"], **files, options=options)
        assert sorted(found) == sorted(line for line, _ in expected)
        if found:
            report = extract_rules(SYSTEMS["dgst"], **files, out=Path(name) / "rules.bin", options=options)
            if not told_apart:
                assert report.source_sides == len({symbols for _, (symbols, _) in expected})
            elif most <= 2:
                assert report.source_sides == len({side for _, side in expected})


@settings(max_examples=examples(100))
@given(st.lists(linked() | tagged(7), min_size=1, max_size=3), st.integers(1, 2), st.integers(1, 3))
def test_rules_over_any_span_are_those_of_hpb(corpus, min_hole, most) -> None:
    """They are there beside the rules of fragments with holes; rules without holes are the same in both grammars."""
    plain = ExtractOptions(threads=1, min_hole=min_hole)
    options = plain.replace(max_external=most, structure=False)
    with tempfile.TemporaryDirectory() as name:
        files = write(Path(name), corpus)
        hpb = list_rules(SYSTEMS["hpb"], **files, options=plain)
        dgst = list_rules(SYSTEMS["dgst"], **files, options=options)
        both = list_rules(SYSTEMS["dgst"], **files, options=options.replace(any_span=True))
    with_holes = [line for line in dgst if "[" in line.split(" ||| ")[0]]
    assert sorted(both) == sorted([*(line.replace("[X]", "[<any>]") for line in hpb), *with_holes])


@pytest.mark.parametrize("other", [{"structure": True}, {"max_gaps": 1}, {"labels": "none"}])
def test_what_does_not_go_with_rules_over_any_span(other: dict[str, Any], tmp_path: Path) -> None:
    pair = Tagged(("a",), ("N",), (-1,), ("A",), frozenset({(0, 0)}))
    options = ExtractOptions(threads=1, any_span=True, **{"structure": False, **other})
    with pytest.raises(OptionError, match="rules over any span have no structure"):
        list_rules(SYSTEMS["dgst"], **write(tmp_path, [pair]), options=options)


@settings(max_examples=examples(100))
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


@settings(max_examples=examples(100))
@given(st.lists(tagged(8), min_size=1, max_size=3), st.integers(1, 2), st.data())
def test_where_every_span_is_a_fragment_nothing_but_labels_and_structure_is_added_to_hpb(
    corpus, min_hole, data
) -> None:
    """In flat trees it is: without labels and structure the rules, their counts and their scores are hpb's."""
    roots = [data.draw(st.integers(0, len(pair.source) - 1)) for pair in corpus]
    flat = [
        dataclasses.replace(pair, heads=tuple(-1 if k == root else root for k in range(len(pair.source))))
        for pair, root in zip(corpus, roots, strict=True)
    ]
    plain = ExtractOptions(threads=1, min_hole=min_hole)
    options = {"dgst": plain.replace(labels="none", structure=False), "hpb": plain}
    with tempfile.TemporaryDirectory() as name:
        files = write(Path(name), flat)
        ours, theirs = (list_rules(SYSTEMS[system], **files, options=one) for system, one in options.items())
        assert ours == theirs
        if ours:
            of_dgst, of_hpb = (tables(files, Path(name), one, system) for system, one in options.items())
            assert of_dgst == of_hpb


def tables(files: dict[str, Path], folder: Path, options: ExtractOptions, system: str) -> list[SourceSide]:
    """A system's rules with their scores."""
    extract_rules(SYSTEMS[system], **files, out=folder / system, options=options)
    found = {side for word in "abc" for side in RuleTable(folder / system).containing(word, 10_000)}
    return sorted(found, key=repr)


def test_a_table_says_what_its_fragments_are(tmp_path) -> None:
    """The search must follow the table that it is given, and a part of the table is of the same kind."""
    pair = Tagged(("a", "b", "c"), ("N", "V", "N"), (1, -1, 1), ("A", "B", "C"), frozenset({(0, 0), (1, 1), (2, 2)}))
    shapes = [
        {"max_external": 2, "labels": "all", "structure": True, "max_gaps": 0},
        {"max_external": 2, "labels": "all", "structure": False, "max_gaps": 0},
        {"max_external": 3, "labels": "ends", "structure": True, "max_gaps": 1},
        {"max_external": 1, "labels": "none", "structure": False, "max_gaps": 2},
        {"max_external": 3, "labels": "ends", "structure": False, "max_gaps": 0, "any_span": True},
    ]
    for shape in shapes:
        options = ExtractOptions(threads=1, min_hole=1, **shape)
        extract_rules(SYSTEMS["dgst"], **write(tmp_path, [pair]), out=tmp_path / "rules.bin", options=options)
        filtered(tmp_path / "rules.bin", ["a b c"], tmp_path / "part.bin")
        assert RuleTable(tmp_path / "rules.bin").about["fragments"] == {"any_span": False, **shape}
        assert RuleTable(tmp_path / "part.bin").about["fragments"] == {"any_span": False, **shape}
    extract_rules(SYSTEMS["hpb"], **write(tmp_path, [pair]), out=tmp_path / "rules.bin")
    assert "fragments" not in RuleTable(tmp_path / "rules.bin").about


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
    assert "[P] juxing ||| held [1] ||| 1-0" in found
    assert "zai [NR] juxing ||| held in [1] ||| 0-1 2-0" in found
    assert "zai [NR] ||| in [1] ||| 0-0" in found


@settings(max_examples=examples(100))
@given(linked(7, least=4), st.integers(1, 2), st.integers(1, 2), st.integers(1, 2))
def test_rules_with_gaps_are_those_of_the_definition(pair, min_hole, most, max_gaps) -> None:
    """Beyond the paper: what is left of a span without its gaps is a fragment, and the span itself is none."""
    expected = naive_rules(pair, Limits(10, 5, 2, min_hole), most, "all", max_gaps)
    assume(any(f"[{GAP}]" in line for line, _ in expected))
    options = ExtractOptions(threads=1, min_hole=min_hole, max_external=most, max_gaps=max_gaps)
    with tempfile.TemporaryDirectory() as name:
        files = write(Path(name), [pair])
        assert sorted(list_rules(SYSTEMS["dgst"], **files, options=options)) == sorted(line for line, _ in expected)
        report = extract_rules(SYSTEMS["dgst"], **files, out=Path(name) / "rules.bin", options=options)
        assert report.source_sides == len({side for _, side in expected})


def test_a_fragment_with_a_gap(tmp_path) -> None:
    """Dependents on both sides of their head: b has another outside, and so has the head g. The span has two open nodes
    then, and is no fragment; without g it is one, with the one open node b."""
    pair = Tagged(
        ("x", "b", "g", "c", "y"),
        ("X", "B", "G", "C", "Y"),
        (1, 2, -1, 2, 2),
        ("C", "G", "B"),
        frozenset({(1, 2), (2, 1), (3, 0)}),
    )
    files, options = write(tmp_path, [pair]), ExtractOptions(threads=1, min_hole=1, max_length=3)
    without, with_gaps = (
        list_rules(SYSTEMS["dgst"], **files, options=options.replace(max_gaps=most)) for most in (0, 1)
    )
    assert set(with_gaps) - set(without) == {"b [<gap>] c ||| C [1] B ||| 0-2 2-0 ||| 1.000000"}
    # With two open nodes allowed, the whole is a fragment and needs no gap.
    wider = options.replace(max_external=3)
    assert "b [G] c ||| C [1] B ||| 0-2 2-0" in {
        line.rsplit(" ||| ", 1)[0] for line in list_rules(SYSTEMS["dgst"], **files, options=wider)
    }
    assert not any("<gap>" in line for line in list_rules(SYSTEMS["dgst"], **files, options=wider.replace(max_gaps=2)))


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
    assert "[P] de [NN] ||| [2] of [1] ||| 1-1" in found
