"""N-best lists in and out."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from graphmt.consensus import NBestList, read_lists
from graphmt.errors import InputError
from graphmt.nbest import written

MOSES = """0 ||| a b ||| LM= -1.5 TM= -1 -2 ||| -3.5 ||| 0-0
0 ||| a ||| LM= -2 TM= -3 -4 ||| -5 ||| 0-0
1 ||| c ||| LM= 0 TM= 0 0 ||| 0 ||| 0-0
"""


def saved(folder: Path, text: str, name: str = "lists") -> Path:
    path = folder / name
    path.write_text(text, "utf-8")
    return path


def test_moses_lists_with_labelled_features(tmp_path: Path) -> None:
    first, second = read_lists(saved(tmp_path, MOSES))
    assert (first.number, first.texts) == (0, ("a b", "a"))
    assert first.features == second.features == ("score", "LM", "TM0", "TM1")
    assert first.values.tolist() == [[-3.5, -1.5, -1, -2], [-5, -2, -3, -4]]
    (tmp_path / "lists.gz").write_bytes(gzip.compress(MOSES.encode()))
    assert [one.texts for one in read_lists(tmp_path / "lists.gz")] == [first.texts, second.texts]


def test_moses_lists_come_back_in_a_new_order(tmp_path: Path) -> None:
    first = next(read_lists(saved(tmp_path, MOSES)))
    assert written(first, [1, 0], [-1.0, 2.0], {"gc1": [0.25, 0.5]}) == (
        "0 ||| a ||| LM= -2 TM= -3 -4 gc1= 0.5 ||| 2 ||| 0-0\n"
        "0 ||| a b ||| LM= -1.5 TM= -1 -2 gc1= 0.25 ||| -1 ||| 0-0\n"
    )
    made = NBestList.of(3, [("x", {"score": 1.0, "f": 2.0})])
    assert written(made, [0], [5.0], {}) == "3 ||| x ||| f= 2 ||| 5\n"


def test_json_lines_of_candidates_and_of_lists(tmp_path: Path) -> None:
    rows = [
        {"sentence": 0, "tokens": ["a", "b"], "text": "A b", "score": -1, "features": {"f": 3}},
        {"id": 0, "text": "a", "log_probability": -2.5, "features": {"f": 4}, "kept": True},
    ]
    each = saved(tmp_path, "".join(json.dumps(row) + "\n" for row in rows), "each")
    [found] = read_lists(each)
    assert (found.texts, found.features) == (("a b", "a"), ("score", "f"))
    assert found.values.tolist() == [[-1, 3], [-2.5, 4]]
    back = [json.loads(line) for line in written(found, [1, 0], [0.0, 9.0], {"gc1": [1.0, 2.0]}).splitlines()]
    assert back[0] == {**rows[1], "sentence": 0, "rank": 0, "score": 9.0, "features": {"f": 4, "gc1": 2.0}}
    assert back[1]["features"] == {"f": 3, "gc1": 1.0} and back[1]["rank"] == 1
    whole = [
        {"candidates": [{"text": "a", "score": 1}, {"text": "b", "logprob": 0}]},
        {"candidates": [{"text": "c", "score": 1}]},
    ]
    lists = list(read_lists(saved(tmp_path, "".join(json.dumps(row) + "\n" for row in whole), "whole")))
    assert [(one.number, one.texts) for one in lists] == [(0, ("a", "b")), (1, ("c",))]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("0 ||| a ||| -1\n", "lists:1: not a line of an n-best list"),
        ("0 ||| a ||| f= x ||| -1\n", "lists:1: not a line"),
        ("0 ||| a ||| f= 1 ||| -1\n2 ||| b ||| f= 1 ||| -1\n", "lists:2: sentence 2 where 1 was expected"),
        ("1 ||| a ||| f= 1 ||| -1\n", "lists:1: sentence 1 where 0 was expected"),
        (
            "0 ||| a ||| f= 1 ||| -1\n1 ||| b ||| f= 1 ||| -1\n0 ||| c ||| f= 1 ||| -1\n",
            "lists:3: sentence 0 where 2 was expected",
        ),
        (
            "0 ||| a ||| f= 1 ||| -1\n0 ||| b ||| g= 1 ||| -1\n",
            "lists:2: a candidate has the values g, score; the first",
        ),
        (
            "0 ||| a ||| f= nan ||| -1\n\n0 ||| b ||| f= 1 ||| -1\n1 ||| b ||| f= 1 ||| -1\n",
            "lists:1: a value of sentence 0 is not a finite number",
        ),
        ("0 ||| a ||| f= 1 ||| -1\n\n0 ||| b ||| f= 1 ||| inf\n", "lists:3: a value of sentence 0 is not"),
        ('{"sentence": 0, "score": 1}\n', "lists:1: not a candidate in JSON: a candidate without text"),
        ('{"text": "a", "score": 1}\n', "lists:1: not a candidate in JSON"),
        ('{"sentence": 0, "text": "a", "score": 1\n', "lists:1: not a candidate in JSON"),
        ('{"sentence": 0, "text": 5, "score": 1}\n', "lists:1: not a candidate in JSON"),
        (
            '{"sentence": 0, "tokens": "abc def", "score": 1}\n',
            "lists:1: not a candidate in JSON: tokens must be a list",
        ),
        ('{"sentence": 0, "text": "a \\ud800", "score": 1}\n', "lists:1: not a candidate in JSON: \\ud800 is half"),
        ('{"sentence": Infinity, "text": "a", "score": 1}\n', "lists:1: not a candidate in JSON"),
        ('{"sentence": 0, "text": "a", "score": ' + "9" * 400 + "}\n", "lists:1: not a candidate in JSON"),
        ('{"sentence": 0, "text": "a", "score": 1e999}\n', "lists:1: a value of sentence 0 is not a finite number"),
        (
            '{"candidates": [{"text": "a", "score": 1}]}\n{"candidates": []}\n',
            "lists:2: not a candidate in JSON: a sen",
        ),
        (
            '{"candidates": [{"text": "a", "score": 1, "features": {"x": 1}}, {"text": "b", "score": 1}]}\n',
            "lists:1: a candidate has the values score; the first one has score, x",
        ),
    ],
)
def test_what_is_no_list_is_refused_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InputError) as refused:
        list(read_lists(saved(tmp_path, text)))
    assert said in str(refused.value)


def test_lists_are_a_stream(tmp_path: Path) -> None:
    """A fault far below does not keep the first lists from coming."""
    path = saved(tmp_path, MOSES + "broken\n")
    lists = read_lists(path)
    assert next(lists).texts == ("a b", "a")
    with pytest.raises(InputError, match=":4:"):
        list(lists)


def test_a_text_is_one_line_and_both_scores_are_columns(tmp_path: Path) -> None:
    row = {"sentence": 0, "text": "a b \n c\u00a0d\n", "score": -1, "log_probability": -7, "logprob": -8}
    [found] = read_lists(saved(tmp_path, json.dumps(row) + "\n"))
    assert found.texts == ("a b c\u00a0d",)
    assert found.features == ("score", "log_probability", "logprob") and found.values.tolist() == [[-1, -7, -8]]
    letter = {"sentence": 0, "text": "\U0001d11e", "score": 0}
    [found] = read_lists(saved(tmp_path, json.dumps(letter) + "\n"))
    assert found.texts == ("\U0001d11e",), "a letter of two escapes is whole"


@pytest.mark.parametrize("kind", ["moses", "json"])
def test_columns_can_be_left_out(tmp_path: Path, kind: str, caplog: pytest.LogCaptureFixture) -> None:
    rows = "0 ||| a ||| gc1= 1 LM= 2 3 ||| 0\n0 ||| b ||| gc1= 1 LM= 2 3 ||| 0\n"
    if kind == "json":
        features = {"gc1": 1, "LM0": 2, "LM1": 3}
        rows = "".join(json.dumps({"id": 0, "text": text, "score": 0, "features": features}) + "\n" for text in "ab")
    given = read_lists(saved(tmp_path, rows), without=("gc1", "gc2"))
    assert given.features == ("score", "LM0", "LM1")
    [one] = given
    assert one.texts == ("a", "b") and one.values.tolist() == [[0, 2, 3]] * 2
    assert caplog.text.count("dropping the columns gc1") == 1
    again = saved(tmp_path, written(one, [1, 0], [1.0, 2.0], {"gc1": [5.0, 6.0]}), "again")
    [back] = read_lists(again)
    assert back.texts == ("b", "a") and back.features == ("score", "LM0", "LM1", "gc1")
    assert back.values.tolist() == [[2, 2, 3, 6], [1, 2, 3, 5]]


def test_the_first_list_is_read_at_once(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_lists(tmp_path / "none")
    with pytest.raises(InputError, match=r"lists: no n-best list\."):
        read_lists(saved(tmp_path, ""))
    assert read_lists(saved(tmp_path, MOSES)).features == ("score", "LM", "TM0", "TM1")


def test_a_list_of_nothing_is_refused() -> None:
    with pytest.raises(InputError, match="sentence 4 has no candidates"):
        NBestList.of(4, [])
