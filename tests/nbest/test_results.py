"""Results of translation libraries as n-best lists."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from graphmt.consensus import rerank
from graphmt.errors import InputError
from graphmt.nbest import ScoreMeaning, lists_of

NORMALISED, UNKNOWN, NONE = ScoreMeaning.NORMALISED, ScoreMeaning.UNKNOWN, ScoreMeaning.NONE


class Result:
    """As CTranslate2's results: hypotheses of tokens, and scores if they were asked for."""

    def __init__(self, hypotheses: list[list[str]], scores: list[float]) -> None:
        self.hypotheses, self.scores = hypotheses, scores


@pytest.mark.parametrize(
    ("candidates", "options", "texts", "scores", "meaning"),
    [
        ([["a", "b"], ["c"]], {}, [("a", "b"), ("c",)], [0, 0, 0], NONE),
        ([["a", "b"], ["c"]], {"scores": [[1, 2], [3]]}, [("a", "b"), ("c",)], [1, 2, 3], UNKNOWN),
        (["a", "b", "c", "d"], {"list_size": 2}, [("a", "b"), ("c", "d")], [0, 0, 0, 0], NONE),
        (
            ["a", "b", "c", "d"],
            {"list_size": 2, "scores": np.arange(4.0), "meaning": NORMALISED},
            [("a", "b"), ("c", "d")],
            [0, 1, 2, 3],
            NORMALISED,
        ),
        ([Result([["▁a", "b"], ["▁c"]], [-1.0, -2.0])], {}, [("ab", "c")], [-1, -2], NORMALISED),
        ([Result([["▁a"]], [])], {}, [("a",)], [0], NONE),
        ([SimpleNamespace(sequences=[["a", "b"]], scores=[-1.0])], {}, [("a b",)], [-1], NORMALISED),
        ([[{"translation_text": "a\nb"}, {"translation_text": "c"}]], {}, [("a b", "c")], [0, 0], NONE),
        ([[{"generated_text": "a", "score": 0.5}]], {}, [("a",)], [0.5], UNKNOWN),
        ([[("a", -1), ("b", -2)]], {}, [("a", "b")], [-1, -2], UNKNOWN),
    ],
)
def test_results(
    candidates: list[Any], options: dict[str, Any], texts: list[Any], scores: list[float], meaning: ScoreMeaning
) -> None:
    lists = lists_of(candidates, **options)
    assert [one.texts for one in lists] == texts
    assert [value for one in lists for value in one.values[:, 0]] == scores
    assert lists[0].meanings == {"score": meaning}
    found = rerank(["x"] * len(lists), lists, memory=[("x", "a")])
    assert [sorted(one.texts) for one in found] == [sorted(own) for own in texts]


@pytest.mark.parametrize(
    ("candidates", "options", "said"),
    [
        (["a", "b"], {}, "a sentence must have a list of candidates, not str. Give a list for each sentence"),
        (["a", "b", "c"], {"list_size": 2}, "3 candidates are not a multiple of 2"),
        ([["a"], []], {}, "sentence 1 has no candidates"),
        ([["a"]], {"scores": [1, 2]}, "2 scores for 1 candidates"),
        ([["a"]], {"scores": [[1], [2]]}, "2 lists of scores for 1 sentences"),
        ([["a"]], {"scores": [[1, 2]]}, "sentence 0: 2 scores for 1 candidates"),
        ([["a"]], {"scores": ["x"]}, "scores must be numbers"),
        ([[5]], {}, "sentence 0: a candidate of type int was not understood"),
        ([[("a", 1), "b"]], {}, "a candidate has the values (none); the first one has score"),
        ([["a"]], {"scores": [[float("nan")]]}, "not a finite number"),
    ],
)
def test_results_that_are_refused(candidates: list[Any], options: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError) as refused:
        lists_of(candidates, **options)
    assert said in str(refused.value)
