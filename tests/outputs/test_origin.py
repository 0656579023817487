"""Errors in prepared text name the user's file and line."""

from __future__ import annotations

from pathlib import Path

import pytest
from graphmt.corpus.origin import Origin, named_by_origin
from graphmt.errors import InputError
from small_corpora import conllu
from tiny_training import Tiny

TREES = "# a comment\n" + conllu(["a", "b"], [-1, 0]) + conllu(["c"], [-1]) + "\n" + conllu(["d"], [-1])


def test_a_line_is_that_of_the_users_file(tmp_path: Path) -> None:
    made, one, two = tmp_path / "made", tmp_path / "one", tmp_path / "two"
    for path in (made, one, two):
        path.write_text("a b\nc d\n")
    origin = Origin(made, [one, two], (0, 2))
    assert [origin.find(line) for line in (1, 2, 3, 4)] == [(one, 1), (one, 2), (two, 1), (two, 2)]
    trees = tmp_path / "trees.conllu"
    trees.write_text(TREES)
    assert [Origin(made, [trees]).find(line) for line in (1, 2, 3)] == [(trees, 1), (trees, 5), (trees, 8)]
    with pytest.raises(InputError) as raised, named_by_origin(origin):
        raise InputError(f"{made} is too short.", file=made, line=3, hint=f"Look at {made}.")
    assert str(raised.value) == f"{two}:1: {one}, {two} is too short. Look at {one}, {two}."


def test_training_names_the_users_files(tiny: Tiny, tmp_path: Path) -> None:
    target = tmp_path / "target.en"
    rows = tiny.files["target"].read_text("utf-8").splitlines()
    rows[6] += " <s>"
    target.write_text("".join(row + "\n" for row in rows))
    with pytest.raises(InputError) as raised:
        tiny.train(tmp_path / "model", target=target, language_model=None)
    assert str(raised.value).startswith(f"{target}:7: ") and ".training" not in str(raised.value)
    for several in (False, True):
        target.write_text("".join(row + "\n" for row in rows[:-1]))
        files = {"source": [tiny.files["source"]] * 2, "target": [target] * 2} if several else {"target": target}
        with pytest.raises(InputError) as raised:
            tiny.train(tmp_path / "other", **files)
        assert ".training" not in str(raised.value) and str(target) in str(raised.value)
