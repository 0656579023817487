"""What keeps rows from being lost, where no Spark is needed: numbers, tokens, answers, files and numbers of cores."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from graphmt.errors import InputError
from graphmt.spark import shared_tokens
from graphmt.spark.parallelism import promised_cores
from graphmt.spark.places import address, local_folder, pattern
from graphmt.spark.row_numbers import (
    MOST_ROWS,
    Tally,
    hashes,
    is_gapless,
    numbers_of,
    require_all,
    require_distinct,
    require_written,
)
from graphmt.spark.shared_folders import Answer, require_answers
from graphmt.spark.shared_tokens import put_token, require_token, token_path
from graphmt.spark.written_files import are_there, parquet_files, row_count, sizes


def test_numbers_are_hashed_as_by_spark() -> None:
    # xxhash64(0L), xxhash64(1L), and bit_xor(xxhash64(id)) of range(30).
    assert hashes(np.array([0, 1])).astype(np.int64).tolist() == [-5252525462095825812, -7001672635703045582]
    assert Tally.of_first(30) == (30, 1496334788714096168)


def test_a_tally_is_that_of_the_same_rows_in_any_order_and_of_no_others() -> None:
    chosen = random.Random(1)
    for rows in (1, 2, 7, 300):
        numbers = chosen.sample(range(rows), rows)
        cut = chosen.randrange(rows + 1)
        parts = (Tally.of(np.array(part, np.int64)) for part in (numbers[:cut], numbers[cut:]))
        whole = Tally.of_first(rows)
        assert next(parts).joined(next(parts)) == whole
        assert is_gapless(whole, rows - 1)
        for place in range(rows):
            others = [*numbers[:place], rows, *numbers[place + 1 :]]
            assert Tally.of(np.array(others, np.int64)) != whole
        # A row lost and another one twice.
        if rows > 1:
            assert not is_gapless(Tally.of(np.array([*numbers[1:], numbers[1]], np.int64)), rows - 1)
    assert is_gapless(Tally(), None)
    assert Tally.of(np.array([], np.int64)) == Tally()


def test_a_stage_with_other_rows_is_refused() -> None:
    require_all(Tally.of_first(3), Tally.of_first(3), "cleaning", "work")
    with pytest.raises(InputError, match="work: cleaning made 225 rows of 300, so they are not used"):
        require_all(Tally.of_first(300), Tally.of_first(225), "cleaning", "work")
    with pytest.raises(InputError, match="cleaning made rows of other numbers than were given"):
        require_all(Tally.of_first(2), Tally.of(np.array([0, 2])), "cleaning", "work")
    require_written(3, 3, "out")
    with pytest.raises(InputError, match="out: reading the results made 2 rows of 3"):
        require_written(2, 3, "out")


@pytest.mark.parametrize(
    ("numbers", "said"),
    [
        ([0, None, 2], "a row has no number: its column number is null"),
        ([0, -1], "the row number -1 is not from 0 to 4398046511103"),
        ([1 << 43], "the row number 8796093022208 is not from 0 to"),
    ],
)
def test_numbers_are_checked(numbers: list[int | None], said: str) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    columns = {"number": pyarrow.array([0, MOST_ROWS - 1], pyarrow.int64())}
    assert numbers_of(pyarrow.RecordBatch.from_pydict(columns)).tolist() == [0, MOST_ROWS - 1]
    batch = pyarrow.RecordBatch.from_pydict({"number": pyarrow.array(numbers, pyarrow.int64())})
    with pytest.raises(InputError, match=said):
        numbers_of(batch)


def test_numbers_that_are_there_twice_are_refused() -> None:
    require_distinct(np.array([3, 1, 2]))
    require_distinct(np.array([], np.int64))
    with pytest.raises(InputError, match="3 rows have the number 7; each needs its own"):
        require_distinct(np.array([7, 9, 7, 7]))


def test_a_folder_without_the_token_of_the_driver_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    monkeypatch.setattr(shared_tokens.time, "sleep", pauses.append)
    token = put_token(tmp_path / "work")
    assert put_token(tmp_path / "work") == token
    require_token(str(tmp_path / "work"), token)
    assert not pauses
    (tmp_path / "other").mkdir()
    for folder in ("other", "none"):
        with pytest.raises(InputError, match="does not see this folder as the driver does") as caught:
            require_token(str(tmp_path / folder), token)
        assert caught.value.file == str(tmp_path / folder)
    # A folder of another machine has the token of another run.
    token_path(tmp_path / "other").write_text("0" * len(token))
    with pytest.raises(InputError, match="does not see this folder"):
        require_token(str(tmp_path / "other"), token)

    def appear(_: float) -> None:
        token_path(tmp_path / "other").write_text(token)

    # New files may be seen late.
    monkeypatch.setattr(shared_tokens.time, "sleep", appear)
    require_token(str(tmp_path / "other"), token)


def test_answers_of_executors_must_be_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_tokens.time, "sleep", lambda _: None)
    (tmp_path / "a").write_text("token")
    require_answers(tmp_path, "token", [Answer("1", "host1", "a", None)])
    assert not list(tmp_path.iterdir())
    answers = [Answer("2", "host2", "b", "the executor on host2 does not see it."), Answer("3", "host3", "c", None)]
    with pytest.raises(InputError, match=r"executor on host2 does not see it\. The same is true of host3\."):
        require_answers(tmp_path, "token", answers)
    with pytest.raises(InputError, match="a file that the executor on host3 wrote here is not seen by the driver"):
        require_answers(tmp_path, "token", answers[1:])


def test_files_of_a_stage_are_compared_with_its_record(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    for name, rows in (("a", 2), ("b", 3)):
        parquet.write_table(pyarrow.table({"number": list(range(rows))}), tmp_path / f"{name}.parquet")
    (tmp_path / "_SUCCESS").touch()
    known = parquet_files(tmp_path)
    assert row_count(known) == 5
    assert are_there(tmp_path, known)
    assert not are_there(tmp_path, None)
    (tmp_path / "c.parquet").touch()
    assert not are_there(tmp_path, known)
    (tmp_path / "c.parquet").rename(tmp_path / "left.by.an.attempt")
    assert are_there(tmp_path, known)
    whole = (tmp_path / "b.parquet").read_bytes()
    (tmp_path / "b.parquet").write_bytes(whole[:-1])
    assert not are_there(tmp_path, known)
    with pytest.raises(InputError, match="this file of a stage cannot be read"):
        parquet_files(tmp_path)
    (tmp_path / "b.parquet").unlink()
    assert not are_there(tmp_path, known)
    assert not are_there(tmp_path / "none", known)
    assert are_there(tmp_path, sizes(tmp_path))


def test_paths_keep_their_letters_as_addresses(tmp_path: Path) -> None:
    assert address(tmp_path / "my wörk 100%") == f"file://{tmp_path.as_posix()}/my wörk 100%"
    assert pattern(tmp_path / "a[1]{b}*?") == rf"file://{tmp_path.as_posix()}/a\[1\]\{{b\}}\*\?"
    assert local_folder(tmp_path) == tmp_path.resolve()
    for path in ("s3a://bucket/work", "hdfs://host:9000/work"):
        with pytest.raises(InputError, match="this is an address"):
            local_folder(path)


def test_cores_that_a_cluster_will_allocate_are_planned_for() -> None:
    assert promised_cores({}) == 0
    assert promised_cores({"spark.executor.instances": "5", "spark.executor.cores": "4"}) == 20
    assert promised_cores({"spark.cores.max": "12"}) == 12
    assert promised_cores({"spark.cores.max": "12", "spark.executor.instances": "5", "spark.executor.cores": "4"}) == 12
    dynamic = {"spark.dynamicAllocation.enabled": "true", "spark.executor.cores": "4"}
    assert promised_cores(dynamic) == 100
    assert promised_cores({**dynamic, "spark.dynamicAllocation.maxExecutors": "3"}) == 12
