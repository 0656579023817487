"""Hierarchical rule tables of Moses, in and out."""

from __future__ import annotations

import pytest
from graphmt.errors import InputError
from graphmt.rules import RuleTable, from_moses

SCORES = "0.5 0.25 0.125 1"

#: The same strings twice, the holes in either order; counts are not whole.
TABLE = f"""\
er [X] ||| he [X] ||| {SCORES} ||| 0-0 ||| 4 8 2 ||| |||
[X][X] ruft [X][X] an [X] ||| [X][X] calls [X][X] [X] ||| {SCORES} ||| 0-0 1-1 2-2 3-1 ||| 1 2 0.0344828 ||| |||
[X][X] ruft [X][X] an [X] ||| [X][X] calls [X][X] [X] ||| {SCORES} ||| 0-2 1-1 2-0 ||| 1 2 1.5 ||| |||
ein [X][X] [X] ||| [X][X] a [X] ||| {SCORES} ||| 0-1 1-0 ||| 1 2 3 ||| |||
"""


def test_holes_say_where_they_go(tmp_path) -> None:
    (tmp_path / "table").write_text(TABLE)
    assert from_moses(tmp_path / "table", tmp_path / "rules.bin") == 4
    table = RuleTable(tmp_path / "rules.bin")
    about = table.about
    assert about["grammar"] == "hierarchical"
    assert [about[kind] for kind in ("source_sides", "lexical", "one_hole", "two_holes")] == [3, 1, 1, 2]
    (side,) = table.find([" X", "ruft", " X", "an"])
    assert side.words == (" X", "ruft", " X", "an")
    rules = {rule.target: rule for rule in side.rules}
    assert set(rules) == {(" 0", "calls", " 1"), (" 1", "calls", " 0")}
    straight, crossed = rules[" 0", "calls", " 1"], rules[" 1", "calls", " 0"]
    # Points of words alone; the holes' own are in the symbols.
    assert straight.alignment == ((1, 1), (3, 1)) and crossed.alignment == ((1, 1),)
    assert straight.count == pytest.approx(0.0344828) and crossed.count == 1.5
    assert straight.probabilities == pytest.approx((0.5, 0.25, 0.125, 1))
    assert table.find(["er"])[0].rules[0].count == 2


def test_out_and_back(tmp_path) -> None:
    (tmp_path / "table").write_text(TABLE)
    from_moses(tmp_path / "table", tmp_path / "rules.bin")
    assert RuleTable(tmp_path / "rules.bin").to_moses(tmp_path / "out") == 4

    def fields(text: str) -> list[tuple[str, ...]]:
        lines = (tuple(field.strip() for field in line.split("|||")) for line in text.splitlines())
        return sorted((*line[:2], line[3], line[4].split()[2]) for line in lines)

    assert fields((tmp_path / "out").read_text()) == fields(TABLE)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("a [X] ||| x [S]", r":2: the left-hand side is \[S\]"),
        ("a ||| x", r":2: \"a\" does not end with a left-hand side"),
        ("[X][X] a [X] ||| x [X]", ":2: hole 0 of the source side is not aligned"),
        ("a [X] ||| [X][X] x [X]", ":2: the holes of the two sides are not aligned one to one"),
        ("[X][X] a [X][X] [X] ||| [X][X] x [X] ||| 1 1 1 1 ||| 0-0 2-0", ":2: the holes .* one to one"),
        (
            "[X][X] a [X][X] b [X][X] [X] ||| [X][X] [X][X] [X][X] [X] ||| 1 1 1 1 ||| 0-0 2-1 4-2",
            ":2: 3 holes; a rule has at most 2",
        ),
        ("a [X] ||| x [X] ||| 1 1 1 1 ||| 0-1", ":2: link 0-1 points to target word 1"),
    ],
)
def test_bad_lines_of_rule_tables(tmp_path, line, message) -> None:
    line += "" if line.count("|||") > 1 else " ||| 1 1 1 1"
    (tmp_path / "table").write_text(f"a [X] ||| x [X] ||| 1 1 1 1\n{line}\n")
    with pytest.raises(InputError, match=message):
        from_moses(tmp_path / "table", tmp_path / "rules.bin")
    assert not (tmp_path / "rules.bin").exists()


def test_words_in_brackets_do_not_make_a_phrase_table_hierarchical(tmp_path) -> None:
    (tmp_path / "table").write_text("[3] ||| [3] ||| 1 1 1 1\n[3] [4] ||| [X] ||| 1 1 1 1\n")
    assert from_moses(tmp_path / "table", tmp_path / "rules.bin") == 2
    assert RuleTable(tmp_path / "rules.bin").about["grammar"] == "subgraphs"


def test_words_that_look_like_labels_are_not_exported(tmp_path) -> None:
    (tmp_path / "table").write_text(f"a [b] [X] ||| x [X] ||| {SCORES}\n")
    from_moses(tmp_path / "table", tmp_path / "rules.bin")
    with pytest.raises(InputError, match="looks like a label"):
        RuleTable(tmp_path / "rules.bin").to_moses(tmp_path / "out")


@pytest.mark.parametrize("score", ["nan", "inf", "-inf", "-0.5", "2.718", "1e300"])
def test_scores_that_are_no_probabilities_are_refused(tmp_path, score: str) -> None:
    good = "er ||| he ||| 0.5 0 1 1.0000001 ||| 0-0 ||| 4 8 2"
    (tmp_path / "table").write_text(f"{good}\n{good.replace('0.5', score)}\n")
    with pytest.raises(InputError, match=rf"table:2: the score {score} is not a probability"):
        from_moses(tmp_path / "table", tmp_path / "rules.bin")
    (tmp_path / "table").write_text(good)
    from_moses(tmp_path / "table", tmp_path / "rules.bin")
    ((rule,),) = (side.rules for side in RuleTable(tmp_path / "rules.bin").find(["er"]))
    assert rule.probabilities == pytest.approx((0.5, 0, 1, 1))


@pytest.mark.parametrize("count", ["nan", "inf", "-1", "often"])
def test_counts_that_are_none_are_refused(tmp_path, count: str) -> None:
    (tmp_path / "table").write_text(f"er ||| he ||| {SCORES} ||| 0-0 ||| 4 8 {count}\n")
    with pytest.raises(InputError, match=rf"table:1: \"{count}\" is not a count"):
        from_moses(tmp_path / "table", tmp_path / "rules.bin")
