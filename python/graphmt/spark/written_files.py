"""Files of a stage: counted before the stage counts as whole, and compared when a later run finds them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from graphmt.errors import InputError


def parquet_files(folder: Path) -> dict[str, list[int]]:
    """The Parquet files of a folder that are seen from here, with their rows and bytes."""
    from pyarrow import ArrowException, parquet

    found = {}
    for path in sorted(folder.glob("*.parquet")):
        try:
            found[path.name] = [parquet.read_metadata(path).num_rows, path.stat().st_size]
        except (OSError, ArrowException) as error:
            raise InputError(f"this file of a stage cannot be read ({error}).", file=path) from None
    return found


def row_count(files: Mapping[str, list[int]]) -> int:
    """The rows of all files."""
    return sum(rows for rows, _ in files.values())


def sizes(folder: Path) -> dict[str, int]:
    """The files of a folder and their bytes."""
    with os.scandir(folder) as entries:
        return {entry.name: entry.stat().st_size for entry in entries if entry.is_file()}


def are_there(folder: Path, known: Any) -> bool:
    """Whether the files of a record are in a folder as they were: names with bytes, or with rows and bytes.

    There may be others, which attempts that failed have left, but no other Parquet files: Spark reads all of them.
    """
    if not isinstance(known, dict):
        return False
    try:
        found = sizes(folder)
    except OSError:
        return False
    if any(name.endswith(".parquet") and name not in known for name in found):
        return False
    return all(found.get(name) == (about[-1] if isinstance(about, list) else about) for name, about in known.items())
