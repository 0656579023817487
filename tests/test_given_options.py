"""What functions of Python take for options, development sets and memories: anything else is an error in words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import graphmt
import pytest
from graphmt.consensus import make_memory
from graphmt.consensus.reranker import Reranker
from graphmt.errors import GraphmtError, InputError, OptionError
from graphmt.evaluate import EvaluateOptions
from graphmt.lm import LmOptions
from graphmt.model.weights import load_weights

SOURCES, LISTS = ["das Haus"], [[("a house", -1.0), ("the house", -2.0)]]
REFERENCE = ["the house"]
TRIPLES: Any = [("das Haus", "the house", 0.9)]


def test_options_as_a_mapping() -> None:
    scores = graphmt.compare({"a": ["a house"]}, REFERENCE, {"metrics": ["bleu"], "samples": 10}).scores
    assert [one.metric for one in scores] == ["BLEU"]
    assert graphmt.rerank(SOURCES, LISTS, options={"method": "none"})[0].best == "a house"
    assert EvaluateOptions.of(None) == EvaluateOptions() == EvaluateOptions.of({})
    assert EvaluateOptions.of(EvaluateOptions(seed=2)) == EvaluateOptions.of({"seed": 2})


#: Calls with something else than was expected, the error and a part of its sentence.
WRONG: dict[str, tuple[Callable[[], Any], type[GraphmtError], str]] = {
    "an unknown option": (
        lambda: graphmt.rerank(SOURCES, LISTS, options={"methd": "none"}),
        OptionError,
        "unknown option 'methd'.*'method'",
    ),
    "no options": (
        lambda: graphmt.compare({"a": REFERENCE}, REFERENCE, 5),  # type: ignore[arg-type]
        OptionError,
        "options are EvaluateOptions or a mapping from names to values, not int",
    ),
    "other options": (
        lambda: graphmt.compare({"a": REFERENCE}, REFERENCE, LmOptions()),  # type: ignore[arg-type]
        OptionError,
        "options are EvaluateOptions or a mapping .* not LmOptions",
    ),
    "a tuple as development set": (
        lambda: graphmt.rerank(SOURCES, LISTS, dev=(SOURCES, LISTS, REFERENCE)),  # type: ignore[arg-type]
        InputError,
        r"is a tuple; a DevSet was expected\. .*DevSet\(sources",
    ),
    "a memory of triples": (
        lambda: graphmt.rerank(SOURCES, LISTS, memory=TRIPLES),
        InputError,
        r"number 1 of the memory is .*0\.9.*; a pair",
    ),
    "an index of triples": (lambda: make_memory(TRIPLES), InputError, "number 1 of the memory"),
    "a memory of texts": (lambda: make_memory(["ab", "cd"]), InputError, "number 1 of the memory is 'ab'"),  # type: ignore[list-item]
}


@pytest.mark.parametrize("case", WRONG)
def test_errors_in_words(case: str) -> None:
    call, error, sentence = WRONG[case]
    with pytest.raises(error, match=sentence):
        call()


@pytest.mark.parametrize("read", [Reranker.load, lambda path: load_weights(path, {})])
def test_missing_files_are_called_missing(tmp_path: Path, read: Callable[[Path], object]) -> None:
    with pytest.raises(InputError, match=r"missing: no such file or folder\."):
        read(tmp_path / "missing")
