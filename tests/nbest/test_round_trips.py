"""Lists that are written in a format are read again as they were."""

from __future__ import annotations

import dataclasses
import json
import tempfile
from pathlib import Path

import pytest
from amounts import examples
from graphmt.nbest import NBestList, read_lists, written
from graphmt.nbest.plain_values import from_values, to_values
from hypothesis import given, settings
from hypothesis import strategies as st

#: Words without the separators and marks of any format.
WORD = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z"), exclude_characters="|▁￭@\u2028"), min_size=1)
TEXT = st.lists(WORD, min_size=1, max_size=4).map(" ".join)
NUMBER = st.integers(-1000, 1000).map(lambda value: value / 8)
LISTS = st.lists(st.lists(st.tuples(TEXT, NUMBER, NUMBER), min_size=2, max_size=2), min_size=1, max_size=3)

#: The features that each format keeps beside the score.
KEPT = {"moses": True, "json": True, "tsv": True, "fairseq": False, "opennmt": False, "plain": False, "marian": True}


@pytest.mark.parametrize("format", KEPT)
@settings(max_examples=examples(40), deadline=None)
@given(LISTS)
def test_round_trip(format: str, lists: list[list[tuple[str, float, float]]]) -> None:
    given = [
        NBestList.of(number, [(text, {"score": score, "F0": other}) for text, score, other in one])
        for number, one in enumerate(lists)
    ]
    rows = "".join(written(one, range(len(one)), one.values[:, 0].tolist(), {}, format) for one in given)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "lists"
        path.write_text(rows, "utf-8", newline="\n")
        sized = 2 if format in ("plain", "opennmt") else None
        back = list(read_lists(path, format=format, list_size=sized))
    assert [one.texts for one in back] == [one.texts for one in given]
    for one in back:
        other = from_values(json.loads(json.dumps(to_values(one))))
        assert repr(dataclasses.asdict(other)) == repr(dataclasses.asdict(one))
        assert written(other, [0, 1], [1.0, 2.0], {}) == written(one, [0, 1], [1.0, 2.0], {})
    scores = [[0.0, 0.0]] * len(given) if format == "plain" else [one.values[:, 0].tolist() for one in given]
    assert [one.values[:, 0].tolist() for one in back] == scores
    if KEPT[format]:
        assert [one.values.tolist() for one in back] == [one.values.tolist() for one in given]
        # Once read, the lists are written as they were.
        again = "".join(written(one, range(len(one)), one.values[:, 0].tolist(), {}) for one in back)
        assert format == "json" or again == rows
