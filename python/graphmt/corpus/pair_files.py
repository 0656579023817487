"""Files of pairs as a corpus: read into two text files, for stages that read each side by itself."""

from __future__ import annotations

import contextlib
import dataclasses
import logging
import os
from collections.abc import Iterator, Mapping, Sequence

from graphmt.corpus.convert import split_pairs
from graphmt.corpus.header import Columns
from graphmt.corpus.origin import Origin, named_by_origin
from graphmt.corpus.pairs import has_columns, has_header, has_pairs
from graphmt.errors import InputError
from graphmt.storage.files import AnyPath, name_of
from graphmt.storage.temporary import temporary_folder

log = logging.getLogger(__name__)

Files = AnyPath | Sequence[AnyPath]


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

    def origin(self, path: AnyPath) -> AnyPath:
        """The user's file behind a file."""
        return self.origins.get(os.fspath(path), path)


@contextlib.contextmanager
def both_sides(source: Files, target: Files | None, reading: PairReading) -> Iterator[Sides]:
    """The two sides of a corpus as files.

    Without ``target``, ``source`` is files of pairs. Their sides are temporary files, removed when the block ends;
    errors about them name the files of pairs.
    """
    sources = files_of(source)
    if target is not None:
        for name, value in (("columns", reading.columns), ("a header", reading.header)):
            if value is not None:
                raise InputError(f"{name} can only be given for files of pairs, but two sides were given.")
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


def files_of(side: Files) -> list[AnyPath]:
    """One file or several, as a list."""
    return [side] if isinstance(side, str | os.PathLike) else list(side)
