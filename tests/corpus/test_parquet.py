"""Parquet files as pairs; most tests are skipped where pyarrow is not installed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from graphmt.corpus import read_pairs
from graphmt.errors import GraphmtError, MissingPackageError

PAIRS = [("ein Haus", "a house"), ("ja", "yes")]


def saved(folder: Path, columns: dict[str, Any]) -> Path:
    arrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    from pyarrow import parquet

    path = folder / "m.parquet"
    parquet.write_table(arrow.table(columns), path)
    return path


@pytest.mark.parametrize(
    ("columns", "options"),
    [
        ({"de": ["ein  Haus", "ja", None], "en": ["a house", "yes", "x"]}, {}),
        ({"id": [1, 2], "source": ["ein Haus", "ja"], "target": ["a house", "yes"], "note": ["x", "y"]}, {}),
        ({"en": ["a house", "yes"], "de": ["ein Haus", "ja"], "fr": ["", ""]}, {"languages": ("de", "en")}),
        ({"x": ["a house", "yes"], "n": [1, 2], "y": ["ein Haus", "ja"], "z": ["", ""]}, {"columns": (3, 1)}),
        ({"translation": [{"de": source, "en": target} for source, target in PAIRS]}, {"languages": ("de", "en")}),
        ({"translation": [{"de": source, "en": target} for source, target in PAIRS]}, {}),
    ],
)
def test_pairs_of_columns(tmp_path: Path, columns: dict[str, Any], options: dict[str, Any]) -> None:
    assert list(read_pairs(saved(tmp_path, columns), **options)) == PAIRS


@pytest.mark.parametrize(
    ("columns", "options", "said"),
    [
        ({"a": ["x"], "b": ["y"], "c": ["z"]}, {}, "its columns with text are a, b, c: source and target cannot"),
        ({"a": ["x"], "b": [1]}, {"columns": (1, 2)}, "the column b does not contain text"),
        ({"a": ["x"], "b": ["y"]}, {"columns": (1, 3)}, "column 3 of 2"),
        ({"a": ["x"], "b": ["y"]}, {"columns": ("a", "c")}, "there is no column 'c': there are a, b"),
        ({"a": ["x"], "b": ["y"]}, {"languages": ("de", "en")}, "its columns with text are a, b"),
    ],
)
def test_tables_that_are_refused(tmp_path: Path, columns: dict[str, Any], options: dict[str, Any], said: str) -> None:
    with pytest.raises(GraphmtError) as refused:
        list(read_pairs(saved(tmp_path, columns), **options))
    assert said in str(refused.value)


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    path = saved(tmp_path, {"a": ["x"], "b": ["y"]})
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(GraphmtError, match="not a Parquet file, or damaged"):
        list(read_pairs(path))


def test_the_package_is_named_where_it_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingPackageError, match=r"need the package pyarrow\. Install it: pip install 'graphmt\[parq"):
        list(read_pairs(tmp_path / "m.parquet"))
