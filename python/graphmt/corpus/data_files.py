"""Sides and pairs, any of which may be data, as files: for stages that read files alone."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from graphmt.corpus.given import TARGET, GivenPairs, given_sentences, is_data, require_path
from graphmt.corpus.given.files import named_by_data, write_pairs, write_side
from graphmt.corpus.given.pairs import sides_or_pairs
from graphmt.corpus.given.sentences import SOURCE
from graphmt.corpus.pair_files import Files, PairReading, require_no_table
from graphmt.storage.files import AnyPath
from graphmt.storage.temporary import temporary_folder


class DataFiles(NamedTuple):
    """The sides of a corpus as files, and another text; the names of temporary files."""

    source: AnyPath
    target: AnyPath | None
    unknown: AnyPath | None
    reading: PairReading
    names: Mapping[str, str]


@contextlib.contextmanager
def data_as_files(
    source: Files, target: Files | None, unknown: Files | None, reading: PairReading
) -> Iterator[DataFiles]:
    """One side, two, or pairs, and another text, any of which may be data, as files."""
    languages = reading.languages or (None, None)
    with temporary_folder("data") as folder, contextlib.ExitStack() as stack:
        names: dict[str, str] = {}

        def written(given: Any, name: str, side: int) -> Any:
            if not is_data(given, beside_data=True):
                return given
            sentences = given_sentences(given, f"the {name}", side=side, language=languages[side])
            made = write_side(sentences, folder, name, f"the {name}")
            return named(made, name)

        def named(made: Path, name: str) -> Path:
            names[os.fspath(made)] = name
            stack.enter_context(named_by_data([made], f"the {name}"))
            return made

        of_pairs, source = (False, source) if target is not None or not is_data(source) else sides_or_pairs(source)
        if of_pairs:
            pairs = write_pairs(GivenPairs(source, "the corpus"), folder, "pairs", reading.languages, reading.columns)
            source, target = (named(made, name) for made, name in zip(pairs, ("source", "target"), strict=True))
        elif target is not None or is_data(source):
            require_no_table(reading)
        made = written(source, "source", SOURCE), written(target, "target", TARGET), written(unknown, "unknown", SOURCE)
        for path in made:
            require_path(path, "the corpus")
        left = reading if target is None and not names.keys() & {os.fspath(made[0])} else PairReading()
        yield DataFiles(*made, left, names)
