"""Lists of several systems merged."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
import small_lists
from graphmt.consensus import MergedFile, NBestList, Outputs, RerankOptions, learn_files, merged, rerank_files
from graphmt.errors import InputError
from graphmt.nbest import read_lists

ONE = NBestList.of(0, [("a", {"score": math.log(0.6), "lm": -1.0}), ("b", {"score": math.log(0.4), "lm": -2.0})])
TWO = NBestList.of(0, [("b", math.log(0.9)), ("c", math.log(0.1)), ("b", math.log(1e-9))])


def test_the_union_with_the_columns_of_each_system() -> None:
    found = merged([ONE, TWO])
    assert found.texts == ("a", "b", "c")
    assert found.features == (
        *("score", "system1-score", "system1-lm", "system1-missing"),
        *("system2-score", "system2-missing"),
    )
    # The mean of the posteriors; 0 for a list without the candidate.
    assert [math.exp(value) for value in found.values[:, 0]] == pytest.approx([0.3, 0.65, 0.05], rel=1e-6)
    assert found.values[:, 3].tolist() == [0, 0, 1] and found.values[:, 5].tolist() == [1, 0, 0]
    # Missing values are the least of the list.
    assert found.values[2, 2] == -2.0
    assert found.values[0, 4] == pytest.approx(math.log(1e-9))
    assert found.log_probability == "score"


def written(folder: Path) -> None:
    """Two systems, of which only one has the right translation, each in half of the sentences."""
    for name, number, seed in (("dev", 40, 2), ("test", 30, 3)):
        pairs = small_lists.sentences(number, seed)
        lists = small_lists.lists(pairs, seed)
        parts: tuple[small_lists.Lists, small_lists.Lists] = ([], [])
        for place, ((_, target), own) in enumerate(zip(pairs, lists, strict=True)):
            wrong = [one for one in own if one[0] != target]
            for system, part in enumerate(parts):
                part.append(own if place % 2 == system else wrong)
        small_lists.write(folder, name, pairs, parts[0])
        (folder / f"{name}.nbest").rename(folder / f"{name}.one")
        small_lists.write(folder, name, pairs, parts[1])
        (folder / f"{name}.nbest").rename(folder / f"{name}.two")


def opened(folder: Path, part: str) -> MergedFile:
    return MergedFile([read_lists(folder / f"{part}.{system}") for system in ("one", "two")])


def test_tuning_chooses_among_the_candidates_of_both(tmp_path: Path) -> None:
    written(tmp_path)
    options = RerankOptions(features="none", tuner="mira")
    made = learn_files(opened(tmp_path, "dev"), tmp_path / "dev.de", [tmp_path / "dev.en"], None, options)
    assert "system2-missing" in made.features
    done = rerank_files(opened(tmp_path, "test"), tmp_path / "test.de", None, made, Outputs(tmp_path / "out", True))
    assert done.sentences == 30 and done.candidates == 90
    lines = (tmp_path / "out").read_text("utf-8").splitlines()
    assert len(lines) == 90 and "system1-missing= " in lines[0]


def test_a_sample_stays_part_of_the_stream(tmp_path: Path) -> None:
    written(tmp_path)
    stream = opened(tmp_path, "test")
    assert [one.number for one in stream.sample(3)] == [0, 1, 2]
    assert [one.number for one in stream] == list(range(30))


def test_a_system_with_fewer_lists_is_refused(tmp_path: Path) -> None:
    written(tmp_path)
    lines = (tmp_path / "test.two").read_text("utf-8").splitlines(keepends=True)
    (tmp_path / "test.two").write_text("".join(line for line in lines if not line.startswith("29 ")), "utf-8")
    with pytest.raises(InputError, match=r"test\.two: 29 lists; the other systems have more"):
        list(opened(tmp_path, "test"))
