"""Splitting a development set into halves, and interleaving their translations."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from graphmt.corpus import read_trees, write_trees
from graphmt.errors import InputError
from graphmt.storage.files import lines, writing


def split(source: Path, target: Path, halves: Sequence[tuple[Path, Path]]) -> dict[str, Any]:
    """Distribute the sentences of a development set alternately; each half has a source and a target file."""
    trees, texts = list(read_trees(source)), list(lines(target))
    if len(trees) != len(texts) or len(trees) < len(halves):
        raise InputError(
            f"{len(trees)} source and {len(texts)} target sentences cannot be split into halves.", file=source
        )
    for number, (half_source, half_target) in enumerate(halves):
        write_trees(half_source, trees[number :: len(halves)])
        with writing(half_target) as stream:
            stream.writelines(line + "\n" for line in texts[number :: len(halves)])
    return {"sentences": [len(trees[number :: len(halves)]) for number in range(len(halves))]}


def interleave(parts: Sequence[Path], out: Path) -> dict[str, Any]:
    """Translations of the parts in the order of the whole set: plain text, or JSON lines, which are renumbered."""
    rows = itertools.zip_longest(*(lines(path) for path in parts))
    whole = [row for one in rows for row in one if row is not None]
    with writing(out) as stream:
        for number, row in enumerate(whole):
            stream.write(f"{row if out.suffix == '.txt' else _renumbered(row, number)}\n")
    return {"sentences": len(whole)}


def _renumbered(row: str, number: int) -> str:
    return json.dumps({**json.loads(row), "sentence": number}, ensure_ascii=False)
