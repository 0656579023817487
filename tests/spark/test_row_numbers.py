"""Rows in are rows out: stages are counted, resumed ones are verified, and numbers of rows are checked."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from graphmt import spark
from graphmt.align import AlignOptions
from graphmt.cli.verbs import app
from graphmt.consensus import Reranker, RerankOptions
from graphmt.corpus import TextOptions, TextSteps
from graphmt.errors import InputError
from graphmt.lm import LmOptions
from graphmt.spark.failures import errors_of_workers
from graphmt.spark.jobs import Stages
from graphmt.spark.parallelism import fit_partitions
from graphmt.spark.reading import text_lines
from graphmt.spark.row_numbers import Tally, checked_tally, hashes, tally
from graphmt.spark.shared_tokens import token_path
from small_models import Trained

ON_SPARK = ["--engine", "spark", "--master", "local[2]"]
SHUFFLE = "spark.sql.shuffle.partitions"


def test_tallies_of_spark_are_ours(session: Any) -> None:
    numbers = [0, 1, 5, (1 << 42) - 1]
    rows = session.createDataFrame([(number,) for number in numbers], "number long")
    assert checked_tally(rows) == tally(rows) == Tally.of(np.array(numbers))
    found = [row[0] for row in rows.selectExpr("xxhash64(number)").collect()]
    assert sorted(found) == sorted(hashes(np.array(numbers)).astype(np.int64).tolist())
    assert checked_tally(rows.limit(0)) == Tally()
    # Numbers from 0 are not compared one by one.
    assert checked_tally(session.range(9).toDF("number")) == Tally.of_first(9)


def _extract(rows: Any, out: Path) -> object:
    return spark.extract_rules(rows.selectExpr("*", "'0-0' as alignment"), "pbmt", out / "rules", parts=2)


def _estimate(rows: Any, out: Path) -> object:
    return spark.estimate(rows, out / "lm", LmOptions(order=2, discount_fallback=True))


def _align(rows: Any, out: Path) -> object:
    return spark.align(rows, AlignOptions(model="ibm1", sample=9)).collect()


def _clean(rows: Any, out: Path) -> object:
    return spark.clean(rows).collect()


def _rerank(rows: Any, out: Path) -> object:
    lists = rows.selectExpr("number", "source", "array(struct(target as text, map('score', -1D) as values)) candidates")
    return spark.rerank(lists, Reranker.untuned(("score",), RerankOptions(method="mbr-bleu", threads=1))).collect()


def _tokenise(rows: Any, out: Path) -> object:
    return spark.tokenise(rows, TextSteps(TextOptions(True, "en", "lower"))).collect()


def _neighbours(rows: Any, out: Path) -> object:
    return spark.neighbours(rows, rows, 0.4).collect()


@pytest.mark.parametrize("work", [_extract, _estimate, _align, _clean, _rerank, _tokenise, _neighbours])
def test_numbers_of_rows_are_checked(work: Callable[[Any, Path], object], session: Any, tmp_path: Path) -> None:
    asked: dict[str, list[int | None]] = {
        "a row has no number": [0, None, 2],
        "the row number -3 is not from 0": [0, -3, 2],
        "the row number 8796093022208 is not from 0": [0, 1 << 43, 2],
    }
    if work not in (_tokenise, _neighbours):
        asked["2 rows have the number 7; each needs its own"] = [0, 7, 7]
    columns = "number long, source string, target string, text string"
    for said, numbers in asked.items():
        rows = session.createDataFrame([(number, "a b", "c d", "a b") for number in numbers], columns)
        # Actions of a user raise errors of Spark.
        with pytest.raises(InputError, match=said), errors_of_workers():
            work(rows.repartition(3), tmp_path)
    # Numbers may have gaps.
    rows = session.createDataFrame([(number, "a b", "c d", "a b") for number in (0, 7, 9)], columns)
    work(rows.repartition(3), tmp_path)


def test_a_stage_that_lacks_rows_is_not_whole(session: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stages = Stages(session, tmp_path / "work", {})
    rows = session.range(300).toDF("number").repartition(4)
    from graphmt.spark import jobs

    counted = jobs.parquet_files
    with monkeypatch.context() as patch:
        # As if the file of a task were on another machine.
        patch.setattr(jobs, "parquet_files", lambda path: dict(list(counted(path).items())[1:]))
        with pytest.raises(InputError, match=r"300 rows were written, but 2\d\d are here"):
            stages.frame("numbers", "counting", lambda: rows)
    assert not (tmp_path / "work" / "numbers.json").exists()
    assert stages.frame("numbers", "counting", lambda: rows).count() == 300
    # No rows at all are rows, too.
    assert stages.frame("none", "counting", lambda: rows.where("number < 0")).count() == 0
    assert stages.frame("nothing", "counting", lambda: rows.limit(0)).count() == 0


def test_a_resumed_run_verifies_what_it_finds(session: Any, tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("".join(f"{number}\n" for number in range(50)), "utf-8")
    made: list[str] = []

    def frame() -> Any:
        made.append("frame")
        return session.range(30).toDF("number").repartition(3)

    def run() -> tuple[int, int, str]:
        stages = Stages(session, tmp_path / "work", {})
        table = text_lines(stages, [text]).count()
        found = stages.frame("numbers", "counting", frame).count()
        file = stages.file("file", lambda path: path.write_text("whole", "utf-8") and None)
        return table, found, file.read_text("utf-8")

    expected = (50, 30, "whole")
    assert run() == run() == expected
    assert made == ["frame"]
    for folder in ("lines", "numbers"):
        for damage in (Path.unlink, lambda path: path.write_bytes(path.read_bytes()[:-4])):
            path = next(path for path in sorted((tmp_path / "work" / folder).iterdir()) if path.suffix == ".parquet")
            damage(path)
            (path.parent / f".{path.name}.crc").unlink(missing_ok=True)
            assert run() == expected, (folder, damage)
    (tmp_path / "work" / "file").write_text("who", "utf-8")
    assert run() == expected
    assert made == ["frame"] * 3


def test_files_that_tasks_wrote_belong_to_a_stage(session: Any, tmp_path: Path) -> None:
    columns = "number long, source string, target string, alignment string"
    rows = [(number, "a b", "c d", "0-0 1-1") for number in range(9)]
    pairs = session.createDataFrame(rows, columns).repartition(2)
    extract = functools.partial(spark.extract_rules, pairs, "pbmt", parts=2, work=tmp_path / "work")
    extract(out=tmp_path / "one")
    next((tmp_path / "work" / "merged.pieces").iterdir()).unlink()
    (tmp_path / "work" / "scored.json").unlink()
    extract(out=tmp_path / "other")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()


def test_tasks_read_the_token_of_their_folder(session: Any, tmp_path: Path) -> None:
    stages = Stages(session, tmp_path / "work", {})
    token_path(stages.folder).write_text("of another folder")
    lines = session.createDataFrame([(0, "a")], "number long, text string")
    step = functools.partial(spark.tokenise, lines, TextSteps(TextOptions(True, "en", "lower")))
    with pytest.raises(InputError, match="does not see this folder as the driver does"):
        stages.frame("tokens", "tokenising", step)
    # It is no concern of other jobs.
    assert step().count() == 1


def test_sentences_without_translations_keep_their_lines(session: Any, demo: Trained, tmp_path: Path) -> None:
    text, out = tmp_path / "in put.txt", tmp_path / "aus gäbe [1]" / "out.txt"
    text.write_text("\n" + demo.texts()[0] + "\n\n", "utf-8")
    app(["translate", str(demo.models["pbmt"]), str(text), "--out", str(out), *ON_SPARK], standalone_mode=False)
    lines = out.read_text("utf-8").splitlines()
    assert len(lines) == 3
    assert [bool(line) for line in lines] == [False, True, False]
    assert [path.name for path in out.parent.iterdir()] == ["out.txt"]


@pytest.mark.parametrize("name", ["my work", "wörk 100%", "a[1]{b}", "%20#x"])
def test_paths_may_have_any_letters(name: str, session: Any, tmp_path: Path) -> None:
    folder = tmp_path / name
    folder.mkdir()
    text = folder / "the text"
    text.write_text("a b c\nd e\n" * 9, "utf-8")
    asked = ["lm", "train", str(text), "--order", "2", "--discount-fallback", "--out"]
    app([*asked, str(folder / "one.lm")], standalone_mode=False)
    app([*asked, str(folder / "spark.lm"), *ON_SPARK], standalone_mode=False)
    assert (folder / "one.lm").read_bytes() == (folder / "spark.lm").read_bytes()
    assert {path.name for path in folder.iterdir()} == {"the text", "one.lm", "spark.lm"}
    lines = session.createDataFrame([("a b",)], "text string")
    assert spark.statistics(lines, work=folder / "work").sides[0].types == 2
    assert {path.name for path in tmp_path.iterdir()} == {name}


def test_addresses_are_refused_as_folders(session: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lines = session.createDataFrame([(0, "a b")], "number long, text string")
    asked: list[Callable[[], object]] = [
        lambda: spark.statistics(lines, work="s3a://bucket/work"),
        lambda: spark.estimate(lines, "out", work="hdfs://host:9000/work"),
        lambda: spark.estimate(lines, "s3a://bucket/out", LmOptions(order=2, discount_fallback=True)),
        lambda: app(["corpus", "tokenise", "text", "s3a://bucket/out", *ON_SPARK], standalone_mode=False),
        lambda: app(["lm", "train", "text", "--out", "s3a://bucket/lm", *ON_SPARK], standalone_mode=False),
    ]
    (tmp_path / "text").write_text("a b\n")
    for work in asked:
        with pytest.raises(InputError, match=r"this is an address \((s3a|hdfs)://\)"):
            work()
    assert {path.name for path in tmp_path.iterdir()} <= {"text", "spark-warehouse"}


@pytest.fixture
def kept_settings(session: Any) -> Iterator[None]:
    before = session.conf.get(SHUFFLE)
    yield
    session.conf.set(SHUFFLE, before)


def test_partitions_follow_the_cores_unless_a_user_chose_them(
    session: Any, kept_settings: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    from graphmt.spark import parallelism

    # The session of the tests was opened with a number of its own.
    fit_partitions(session)
    assert session.conf.get(SHUFFLE) == "2"
    session.conf.unset(SHUFFLE)
    for cores in (3, 40):
        monkeypatch.setattr(parallelism, "cores", lambda _, cores=cores: cores)
        fit_partitions(session)
        assert session.conf.get(SHUFFLE) == str(2 * cores)
    session.conf.set(SHUFFLE, "7")
    fit_partitions(session)
    assert session.conf.get(SHUFFLE) == "7"


def test_portions_of_a_resumed_run_are_those_of_the_first(session: Any, tmp_path: Path) -> None:
    rows = session.range(20).toDF("number")
    for per_core in (2, 5):
        stages = Stages(session, tmp_path / "work", {})
        found = stages.portions("rows", "counting", rows, per_core, lambda portion: portion)
        assert sorted(row.number for row in found.collect()) == list(range(20))
    assert len(list((tmp_path / "work").glob("rows-*.json"))) == 5
    assert json.loads((tmp_path / "work" / "rows.json").read_text())["report"] == {"size": 4}
    with pytest.raises(InputError, match="counting made 3 rows of 4, so they are not used"):
        Stages(session, tmp_path / "lost", {}).portions(
            "rows", "counting", rows, 2, lambda portion: portion.where("number != 5")
        )
