"""Files of pairs as a corpus: read into two text files, for stages that read each side by itself."""

from __future__ import annotations

import contextlib
import dataclasses
import logging
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from graphmt.corpus.convert import split_pairs
from graphmt.corpus.given import GivenPairs, given_sentences, given_texts, is_data, reference_streams
from graphmt.corpus.given.files import named_by_data, write_pairs, write_side
from graphmt.corpus.given.sentences import TARGET
from graphmt.corpus.header import Columns
from graphmt.corpus.origin import Origin, named_by_origin
from graphmt.corpus.pairs import has_columns, has_header, has_pairs
from graphmt.errors import InputError, OptionError
from graphmt.storage.files import AnyPath, name_of
from graphmt.storage.temporary import temporary_folder

log = logging.getLogger(__name__)

#: Paths, or data that Python code has at hand.
Files = AnyPath | Sequence[AnyPath] | Any


@dataclasses.dataclass(frozen=True)
class PairReading:
    """How files of pairs are read; see :func:`graphmt.corpus.read_pairs`."""

    languages: tuple[str, str] | None = None
    columns: Columns | None = None
    header: bool | None = None

    def of(self, path: AnyPath) -> PairReading:
        """What of it applies to a file, where files of several formats are read."""
        columns, header = self.columns if has_columns(path) else None, self.header if has_header(path) else None
        return PairReading(self.languages, columns, header)


@dataclasses.dataclass(frozen=True)
class Sides:
    """The files of each side, and for temporary ones the file of pairs that they were read from."""

    sources: list[AnyPath]
    targets: list[AnyPath]
    origins: Mapping[str, AnyPath] = dataclasses.field(default_factory=dict)
    #: The files that data was written to.
    data: frozenset[AnyPath] = frozenset()

    @property
    def one_source(self) -> AnyPath:
        """The source of a development set, which may have several targets."""
        if len(self.sources) > 1:
            names = ", ".join(name_of(self.origin(path)) for path in self.sources)
            raise InputError(f"a development set has one source, not {len(self.sources)}: {names}.")
        return self.sources[0]

    def origin(self, path: AnyPath) -> AnyPath:
        """The user's file behind a file."""
        return self.origins.get(os.fspath(path), path)


@contextlib.contextmanager
def both_sides(
    source: Files | GivenPairs,
    target: Files | None,
    reading: PairReading,
    *,
    name: str = "the corpus",
    references: bool = False,
) -> Iterator[Sides]:
    """The two sides of a corpus as files.

    Without ``target``, ``source`` is pairs: files of them, or data. Their sides are temporary files, removed when the
    block ends; errors about them name the files of pairs, or the data by its ``name``. With ``references``, the target
    may have several texts for each sentence.
    """
    has_data = isinstance(source, GivenPairs) or is_data(source)
    if target is None and has_data:
        with _sides_of_pairs(source, reading, name) as found:
            yield found
        return
    if target is not None and (has_data or is_data(target)):
        with _sides_of_data(source, target, reading, name, references) as found:
            yield found
        return
    sources = files_of(source)
    if target is not None:
        require_no_table(reading)
        yield Sides(sources, files_of(target))
        return
    for path in sources:
        if not has_pairs(path):
            raise InputError(
                "this is not a file of pairs, by its name, and no target side was given.",
                file=path,
                hint="Give the target side as well, or a .po, .xlf, .tmx, .tsv, .csv or .parquet file.",
            )
    with temporary_folder("pairs") as folder, contextlib.ExitStack() as stack:
        made = Sides([], [], origins := {})
        for number, path in enumerate(sources):
            sides = folder / f"{number}.source", folder / f"{number}.target"
            count = split_pairs(path, *sides, **dataclasses.asdict(reading.of(path)))
            if not count:
                raise InputError("this file has no pairs with both sides.", file=path)
            log.info(f"{name_of(path)}: {count:,} pairs.")
            for side, files in zip(sides, (made.sources, made.targets), strict=True):
                files.append(side)
                origins[os.fspath(side)] = path
                stack.enter_context(named_by_origin(Origin(side, [path])))
        yield made


def require_no_table(reading: PairReading) -> None:
    """Reject columns and headers of two sides, which have none."""
    for name, value in (("columns", reading.columns), ("a header", reading.header)):
        if value is not None:
            raise InputError(f"{name} can only be given for files of pairs, but two sides were given.")


@contextlib.contextmanager
def _sides_of_pairs(given: Any, reading: PairReading, name: str) -> Iterator[Sides]:
    """Data of pairs, written to files."""
    pairs = given if isinstance(given, GivenPairs) else GivenPairs(given, name)
    if reading.header is not None:
        raise OptionError("a header can only be given for files of pairs, but data was given.", hint="Leave it out.")
    with temporary_folder("data") as folder:
        made = write_pairs(pairs, folder, "pairs", reading.languages, reading.columns)
        with named_by_data(made, pairs.name):
            yield Sides([made[0]], [made[1]], data=frozenset(made))


@contextlib.contextmanager
def _sides_of_data(source: Any, target: Any, reading: PairReading, name: str, references: bool) -> Iterator[Sides]:
    """Two sides, at least one of which is data, which is written to files."""
    require_no_table(reading)
    languages = reading.languages or (None, None)
    has_data = is_data(source)
    names = f"the source of {name}", f"the target of {name}"
    with temporary_folder("data") as folder, contextlib.ExitStack() as stack:
        sources: list[AnyPath] = [] if has_data else files_of(source)
        if has_data:
            sentences = given_sentences(source, names[0], language=languages[0])
            sources.append(write_side(sentences, folder, "source", names[0]))
            stack.enter_context(named_by_data([Path(sources[0])], names[0]))
        targets: list[AnyPath] = []
        if not is_data(target, beside_data=has_data):
            targets = files_of(target)
        elif references:
            for number, stream in enumerate(reference_streams(target, None, names[1], language=languages[1])):
                targets.append(write_side(stream, folder, f"target-{number}", names[1]))
        else:
            texts = given_texts(target, names[1], side=TARGET, language=languages[1])
            targets.append(write_side(texts, folder, "target", names[1]))
        made = [Path(path) for path in (*sources, *targets) if Path(path).parent == folder]
        stack.enter_context(named_by_data([path for path in made if path not in sources], names[1]))
        yield Sides(sources, targets, data=frozenset(made))


def files_of(side: Files) -> list[AnyPath]:
    """One file or several, as a list."""
    if side is None:
        raise InputError("None; a path, several paths, or data was expected.", file="the corpus")
    return [side] if isinstance(side, str | os.PathLike) else list(side)
