"""Dep2Str's extraction against its definition, on random trees and by hand."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from amounts import examples
from graphmt.errors import OptionError
from graphmt.rules import ExtractOptions, RuleTable, extract_rules, filtered, list_rules, rule_kinds
from graphmt.systems import SYSTEMS
from hypothesis import given, settings
from hypothesis import strategies as st
from naive_dependents import Tagged, rules, tagged, write

DEP2STR = SYSTEMS["dep2str"]


def listed(corpus: list[Tagged], **options: object) -> list[str]:
    chosen = ExtractOptions(**{"threads": 1, "partial": False, "phrasal": False, **options})
    with tempfile.TemporaryDirectory() as folder:
        return list_rules(DEP2STR, **write(Path(folder), corpus), options=chosen)


@settings(max_examples=examples(200))
@given(
    st.lists(tagged(7), min_size=1, max_size=2),
    st.booleans(),
    st.booleans(),
    st.integers(1, 6),
    st.integers(1, 6),
)
def test_the_rules_of_random_pairs_are_those_of_the_definition(corpus, partial, phrasal, source, target) -> None:
    limits = {"partial": partial, "phrasal": phrasal, "max_source": source, "max_target": target}
    expected = [line for pair in corpus for line in rules(pair, **limits)]
    assert sorted(listed(corpus, **limits)) == sorted(expected)


#: "Er ruft seine Schwester morgen an" / "he will call his sister tomorrow": the head and its leaf "an" are aligned with
#: one word, "will" with none.
CALL = Tagged(
    ("Er", "ruft", "seine", "Schwester", "morgen", "an"),
    ("PRON", "VERB", "DET", "NOUN", "ADV", "ADP"),
    (1, -1, 3, 1, 1, 1),
    ("he", "will", "call", "his", "sister", "tomorrow"),
    frozenset({(0, 0), (1, 2), (5, 2), (2, 3), (3, 4), (4, 5)}),
)


def test_versions_by_hand() -> None:
    """Internal dependents are holes always, leaves and heads where they are translated on their own."""
    found = {line.removesuffix(" ||| 1.000000") for line in listed([CALL]) if "Schwester" not in line.split()[0]}
    assert found == {
        # Head rules; "will" may go with its neighbours. "ruft" and "an" share a word and have none.
        "Er ||| he ||| 0-0",
        "Er ||| he will ||| 0-0",
        "seine ||| his ||| 0-0",
        "morgen ||| tomorrow ||| 0-0",
        # "seine Schwester": leaf and head, lexicalised or not.
        "seine Schwester ||| his sister ||| 0-0 1-1",
        "[.DET] Schwester ||| [1] sister ||| 1-1",
        "seine [^NOUN] ||| his [1] ||| 0-0",
        "[.DET] [^NOUN] ||| [1] [2] ||| ",
        # The clause: neither "ruft" nor "an" can be a hole.
        "Er ruft [:Schwester] morgen an ||| he will call [1] tomorrow ||| 0-0 1-2 3-4 4-2",
        "Er ruft [+NOUN] morgen an ||| he will call [1] tomorrow ||| 0-0 1-2 3-4 4-2",
        "[.PRON] ruft [:Schwester] [.ADV] an ||| [1] will call [2] [3] ||| 1-2 4-2",
        "[.PRON] ruft [+NOUN] [.ADV] an ||| [1] will call [2] [3] ||| 1-2 4-2",
    }


def test_parts_of_a_fragment() -> None:
    """Heads with some of their dependents, if they are translated together (Li et al. 2014)."""
    whole, parts = set(listed([CALL])), set(listed([CALL], partial=True))
    assert whole < parts
    # Without "an" the head's word is aligned outside; with it, all runs to its right are there.
    assert {line.split(" |||")[0] for line in parts - whole} == {
        "ruft [:Schwester] morgen an",
        "ruft [+NOUN] morgen an",
        "ruft [:Schwester] [.ADV] an",
        "ruft [+NOUN] [.ADV] an",
    }


def test_phrases_of_subtrees_and_siblings() -> None:
    plain, more = set(listed([CALL])), set(listed([CALL], phrasal=True, max_source=3))
    assert plain < more
    # "his sister tomorrow" is two siblings; "seine Schwester" is there as a rule of a head with its leaf already.
    assert more - plain == {"seine Schwester morgen ||| his sister tomorrow ||| 0-0 1-1 2-2 ||| 1.000000"}


def test_a_reordering_by_hand() -> None:
    """X 的 X: the internal dependent goes behind its head; a particle without a translation stays a word."""
    pair = Tagged(
        ("zhongguo", "jingji", "de", "fazhan"),
        ("PROPN", "NOUN", "PART", "NOUN"),
        (1, 3, 1, -1),
        ("the", "development", "of", "chinese", "economy"),
        frozenset({(0, 3), (1, 4), (2, 2), (3, 1)}),
    )
    found = set(listed([pair]))
    assert "[+NOUN] fazhan ||| development [1] ||| 1-0 ||| 1.000000" in found
    assert "[:jingji] [^NOUN] ||| [2] [1] |||  ||| 1.000000" in found
    assert "zhongguo [^NOUN] de ||| of chinese [1] ||| 0-1 2-0 ||| 1.000000" in found
    assert "[.PROPN] jingji [.PART] ||| [2] [1] economy ||| 1-2 ||| 1.000000" in found


def test_the_table(tmp_path: Path) -> None:
    """Counts are whole, kinds are told apart, and a head in another place makes another source side."""
    turned = Tagged(("a", "b"), ("X", "X"), (-1, 0), ("A", "B"), frozenset({(0, 0), (1, 1)}))
    other = Tagged(("a", "b"), ("X", "X"), (1, -1), ("A", "B"), frozenset({(0, 0), (1, 1)}))
    out = tmp_path / "rules.bin"
    options = ExtractOptions(threads=1, phrasal=True)
    report = extract_rules(DEP2STR, **write(tmp_path, [turned, turned, other]), out=out, options=options)
    # Leaf and head by word or part of speech: four sides for each order, and one phrase.
    assert report.kinds == {"head": 2, "head_dependents": 8, "phrasal": 1}
    assert rule_kinds(report.as_dict()) == report.kinds
    table = RuleTable(out)
    assert table.about["grammar"] == "head-dependents"
    found = {(side.rules[0].kind, side.rules[0].count) for side in table.find(["a", "b"])}
    assert found == {("head_dependents", 1), ("head_dependents", 2), ("phrasal", 3)}
    assert table.find(["a"])[0].rules[0].kind == "head"
    (side,) = table.find(["[^X]", "b"])
    assert [rule.target for rule in side.rules] == [(" 0", "B")]


def test_a_filtered_table(tmp_path: Path) -> None:
    """Rules whose words, and whose holes' words, occur in a sentence."""
    out = tmp_path / "rules.bin"
    extract_rules(DEP2STR, **write(tmp_path, [CALL]), out=out, options=ExtractOptions(threads=1))
    filtered(out, ["Er ruft die Schwester morgen an"], tmp_path / "some.bin")
    some = RuleTable(tmp_path / "some.bin")
    assert some.find(["Er", "ruft", "[:Schwester]", "morgen", "an"])
    assert some.find(["[.DET]", "Schwester"]) and not some.find(["seine", "Schwester"])
    filtered(out, ["Er ruft die Frau morgen an"], tmp_path / "fewer.bin")
    fewer = RuleTable(tmp_path / "fewer.bin")
    assert fewer.find(["Er", "ruft", "[+NOUN]", "morgen", "an"])
    assert not fewer.find(["Er", "ruft", "[:Schwester]", "morgen", "an"])


def test_options_that_do_not_go_together(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="reordering"):
        list_rules(DEP2STR, **write(tmp_path, [CALL]), options=ExtractOptions(reordering=True))
