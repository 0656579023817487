"""Rules with holes: by hand, and against the definition on random pairs."""

from __future__ import annotations

import collections
import tempfile
from fractions import Fraction
from pathlib import Path

import pytest
from amounts import examples
from graphmt.errors import OptionError
from graphmt.rules import ExtractOptions, RuleTable, extract_rules, filtered, list_rules, shown
from graphmt.systems import HPB
from hypothesis import given, settings
from hypothesis import strategies as st
from naive_hierarchical import Limits, listed, occurrences, sides
from naive_rules import Pair
from small_corpora import pairs, write


def pair(source: str, target: str, links: str) -> Pair:
    words = tuple(source.split())
    points = frozenset((int(i), int(j)) for i, j in (link.split("-") for link in links.split()))
    return Pair(words, (-1, *range(len(words) - 1)), tuple(target.split()), points)


def options(limits: Limits) -> ExtractOptions:
    return ExtractOptions(
        max_length=limits.length, max_symbols=limits.symbols, max_holes=limits.holes, min_hole=limits.hole, threads=1
    )


def rules_of(tmp_path, made: Pair, limits: Limits) -> list[str]:
    return sorted(list_rules(HPB, **write(tmp_path, [made]), options=options(limits)))


def test_two_words_by_hand(tmp_path) -> None:
    """a b = x y: three phrase pairs; the long one has three rules, which share one occurrence."""
    assert rules_of(tmp_path, pair("a b", "x y", "0-0 1-1"), Limits(hole=1)) == [
        "[X] b ||| [1] y ||| 1-1 ||| 0.333333",
        "a [X] ||| x [1] ||| 0-0 ||| 0.333333",
        "a b ||| x y ||| 0-0 1-1 ||| 0.333333",
        "a ||| x ||| 0-0 ||| 1.000000",
        "b ||| y ||| 0-0 ||| 1.000000",
    ]


def test_holes_may_change_places_and_never_touch(tmp_path) -> None:
    """a b c = z y x: of the whole seven rules. The holes a and b, or a b and c, would be neighbours."""
    found = rules_of(tmp_path, pair("a b c", "z y x", "0-2 1-1 2-0"), Limits(hole=1))
    assert [line for line in found if line.endswith("0.142857")] == [
        "[X] b [X] ||| [2] y [1] ||| 1-1 ||| 0.142857",
        "[X] b c ||| z y [1] ||| 1-1 2-0 ||| 0.142857",
        "[X] c ||| z [1] ||| 1-0 ||| 0.142857",
        "a [X] c ||| z [1] x ||| 0-2 2-0 ||| 0.142857",
        "a [X] ||| [1] x ||| 0-1 ||| 0.142857",
        "a b [X] ||| [1] y x ||| 0-2 1-1 ||| 0.142857",
        "a b c ||| z y x ||| 0-2 1-1 2-0 ||| 0.142857",
    ]


def test_an_aligned_word_must_be_left(tmp_path) -> None:
    """b is unaligned: "[X] b" with a hole over a would have nothing that is aligned."""
    assert rules_of(tmp_path, pair("a b", "x", "0-0"), Limits(hole=1)) == [
        "a b ||| x ||| 0-0 ||| 1.000000",
        "a ||| x ||| 0-0 ||| 1.000000",
    ]


def test_a_verb_with_its_particle(tmp_path) -> None:
    """What phrases cannot: ruft ... an. The hole has two words; "er" alone is too short for one."""
    made = pair("er ruft seine schwester an", "he calls his sister", "0-0 1-1 4-1 2-2 3-3")
    found = rules_of(tmp_path, made, Limits())
    assert "ruft [X] an ||| calls [1] ||| 0-0 2-0 ||| 0.500000" in found
    assert "er ruft [X] an ||| he calls [1] ||| 0-0 1-1 3-1 ||| 0.333333" in found
    assert not any(line.startswith("[X] ruft") for line in found)


limits = st.builds(Limits, st.integers(1, 7), st.integers(1, 6), st.integers(0, 2), st.integers(1, 3))


@settings(max_examples=examples(150))
@given(st.lists(pairs(7), min_size=1, max_size=2), limits)
def test_the_rules_of_random_pairs_are_those_of_the_definition(corpus, limits) -> None:
    expected = [listed(made, *rule) for made in corpus for rule in occurrences(made, limits)]
    with tempfile.TemporaryDirectory() as folder:
        found = list_rules(HPB, **write(Path(folder), corpus), options=options(limits))
    assert sorted(found) == sorted(expected)


@settings(max_examples=examples(60))
@given(st.lists(pairs(6), min_size=1, max_size=5))
def test_counts_and_relative_frequencies(corpus) -> None:
    """p(t|s) over all target sides of s, p(s|t) over all source sides of t with its holes not told apart."""
    limits = Limits(hole=1)
    joint: collections.Counter[tuple[tuple[str, ...], tuple[str, ...]]] = collections.Counter()
    for made in corpus:
        for phrase, holes, share in occurrences(made, limits):
            source, target, _ = sides(made, phrase, holes)
            joint[source, target] += share
    if not joint:
        return

    def erased(target: tuple[str, ...]) -> tuple[str, ...]:
        return tuple("[]" if symbol in ("[1]", "[2]") else symbol for symbol in target)

    of_source: collections.Counter[tuple[str, ...]] = collections.Counter()
    of_target: collections.Counter[tuple[str, ...]] = collections.Counter()
    for (source, target), count in joint.items():
        of_source[source] += count
        of_target[erased(target)] += count
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "rules.bin"
        report = extract_rules(HPB, **write(Path(folder), corpus), out=out, options=options(limits))
        table = RuleTable(out)
        for word in "abcd":
            for side in table.containing(word, 10_000):
                for rule in side.rules:
                    key = tuple(shown(side.words)), tuple(shown(rule.target))
                    found[key] = (rule.count, rule.probabilities[0], rule.probabilities[2])
    assert found == {
        (source, target): pytest.approx(
            (float(n), float(n / of_target[erased(target)]), float(n / of_source[source])), rel=1e-5
        )
        for (source, target), n in joint.items()
    }
    kinds = collections.Counter(sum(symbol == "[X]" for symbol in source) for source, _ in joint)
    assert list(report.kinds.values()) == [kinds[0], kinds[1], kinds[2]]
    assert report.source_sides == len(of_source)


def test_lexical_weights_leave_holes_out(tmp_path) -> None:
    """a b = x y with a-x b-y, and a = z: w(x|a) = 1/2, w(a|x) = 1. The hole over b counts for nothing."""
    corpus = [pair("a b", "x y", "0-0 1-1"), pair("a", "z", "0-0")]
    out = tmp_path / "rules.bin"
    extract_rules(HPB, **write(tmp_path, corpus), out=out, options=options(Limits(hole=1)))
    (side,) = RuleTable(out).find(["a", "[X]"])
    (rule,) = side.rules
    assert (side.words, rule.target, rule.kind) == (("a", " X"), ("x", " 0"), "one_hole")
    assert rule.count == pytest.approx(1 / 3)
    assert rule.probabilities == pytest.approx((1, 1, 1, 1 / 2))


def test_whole_occurrences_are_shared_out(tmp_path) -> None:
    """Fractions of a phrase pair's rules sum to one: three times a b = x y is nine occurrences."""
    out = tmp_path / "rules.bin"
    corpus = [pair("a b", "x y", "0-0 1-1")] * 3
    extract_rules(HPB, **write(tmp_path, corpus), out=out, options=options(Limits(hole=1)))
    table = RuleTable(out)
    counts = {side.words: rule.count for word in "ab" for side in table.containing(word) for rule in side.rules}
    assert sum(map(Fraction, counts.values())) == pytest.approx(9)
    assert counts["a", "b"] == pytest.approx(1)


@pytest.mark.parametrize("name", ["smoothing", "reordering"])
def test_options_of_other_systems_are_refused(tmp_path, name) -> None:
    chosen = ExtractOptions(smoothing="good-turing") if name == "smoothing" else ExtractOptions(reordering=True)
    with pytest.raises(OptionError, match=f"{name}: hpb has no"):
        list_rules(HPB, **write(tmp_path, [pair("a", "x", "0-0")]), options=chosen)


def matches(symbols: tuple[str, ...], words: tuple[str, ...]) -> bool:
    """Whether a source side covers these words, each hole at least one of them."""
    if not symbols:
        return not words
    first, rest = symbols[0], symbols[1:]
    if first == "[X]":
        return any(matches(rest, words[n:]) for n in range(1, len(words) + 1))
    return words[:1] == (first,) and matches(rest, words[1:])


@settings(max_examples=examples(60))
@given(
    st.lists(pairs(6), min_size=1, max_size=3),
    st.lists(st.lists(st.sampled_from("abcde"), max_size=7), min_size=1, max_size=2),
)
def test_a_filtered_table_has_what_the_sentences_can_use(corpus, sentences) -> None:
    with tempfile.TemporaryDirectory() as folder:
        table, few = Path(folder) / "rules.bin", Path(folder) / "few.bin"
        if not list_rules(HPB, **write(Path(folder), corpus), options=options(Limits(hole=1))):
            return
        extract_rules(HPB, **write(Path(folder), corpus), out=table, options=options(Limits(hole=1)))

        def all_sides(path: Path) -> dict[tuple[str, ...], object]:
            opened = RuleTable(path)
            return {side.words: side.rules for word in "abcd" for side in opened.containing(word, 10_000)}

        whole = all_sides(table)
        spans = {tuple(s[i:j]) for s in sentences for i in range(len(s)) for j in range(i + 1, len(s) + 1)}
        expected = {
            words: rules for words, rules in whole.items() if any(matches(tuple(shown(words)), span) for span in spans)
        }
        kept = filtered(table, [" ".join(sentence) for sentence in sentences], few)
        assert all_sides(few) == expected
        assert kept == sum(len(rules) for rules in expected.values())
