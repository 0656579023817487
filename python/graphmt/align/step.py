"""Alignment of files: from text to alignment and lexical tables, with a record of inputs and options."""

from __future__ import annotations

import contextlib
import dataclasses
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import graphmt
from graphmt._core import Alignment
from graphmt.align.aligners import make_aligner
from graphmt.align.lexical import LexicalTable
from graphmt.align.options import AlignOptions
from graphmt.align.pharaoh import read_alignment, write_alignment
from graphmt.align.run import align
from graphmt.corpus import tokenised
from graphmt.errors import InputError
from graphmt.storage.checks import require_outputs
from graphmt.storage.files import AnyPath, digest, is_place, writing
from graphmt.storage.formats import read_json
from graphmt.storage.locks import writer_lock


@dataclasses.dataclass(frozen=True)
class Outputs:
    """The output files; a record of inputs and options is written next to the alignment."""

    alignment: Path
    #: ``PREFIX`` of ``PREFIX.f2e.gz`` and ``PREFIX.e2f.gz``; none writes no tables.
    lexical: Path | None = None
    #: Whether the words of the tables are lower-cased.
    lexical_lowercase: bool = False

    @property
    def record(self) -> Path:
        """The path of the record; None when the alignment is a stream."""
        return self.alignment.with_name(self.alignment.name + ".json")

    @property
    def is_stream(self) -> bool:
        """Whether the alignment is not kept as a file: standard output, a pipe or a device."""
        return str(self.alignment) == "-" or is_place(self.alignment)

    def files(self) -> list[Path]:
        """All files that a complete run writes."""
        tables = [Path(f"{self.lexical}.{name}.gz") for name in ("f2e", "e2f")] if self.lexical else []
        return [self.alignment, *tables, *([] if self.is_stream else [self.record])]


class WrittenLinks(NamedTuple):
    """Counts of the links that were written, and the links if they are in memory."""

    pairs: int
    links: int
    empty: int
    too_long: int
    longest: int
    alignment: Alignment | None = None


#: Aligns two files and writes the links to a third.
WriteLinks = Callable[[AnyPath, AnyPath, Path, AlignOptions], WrittenLinks]


def write_links(source: AnyPath, target: AnyPath, out: Path, options: AlignOptions) -> WrittenLinks:
    """Align two files on this machine."""
    aligned = align(_sentences(source), _sentences(target), options, names=(str(source), str(target)))
    write_alignment(aligned.alignment, out)
    sizes = len(aligned.alignment), aligned.alignment.links
    return WrittenLinks(*sizes, aligned.empty, aligned.too_long, aligned.longest, aligned.alignment)


def align_files(
    source: AnyPath,
    target: AnyPath,
    outputs: Outputs,
    options: AlignOptions,
    *,
    overwrite: bool = False,
    write: WriteLinks = write_links,
) -> dict[str, Any] | None:
    """Align two files (tokenised text or CoNLL-U, plain or compressed) and return the record that was written.

    When the outputs exist and were made from the same files with the same options, nothing is done and ``None`` is
    returned. The record is written last, so an interrupted run is repeated. ``write`` does the work.
    """
    options = options.named().acting()
    require_outputs(*outputs.files(), inputs=(source, target))
    _require_own(outputs)
    with contextlib.nullcontext() if outputs.is_stream else writer_lock(outputs.alignment):
        return _align_files(source, target, outputs, options, overwrite, write)


def _align_files(
    source: AnyPath, target: AnyPath, outputs: Outputs, options: AlignOptions, overwrite: bool, write: WriteLinks
) -> dict[str, Any] | None:
    request = {
        "graphmt": graphmt.__version__,
        "library": make_aligner(options).library,
        # The number of threads does not change the result.
        "options": {name: value for name, value in options.as_dict().items() if name != "threads"},
        "source": digest(source),
        "target": digest(target),
        "lexical": None if outputs.lexical is None else str(outputs.lexical),
        "lexical_lowercase": outputs.lexical_lowercase,
    }
    if not overwrite and _is_done(outputs, request):
        return None
    if not outputs.is_stream:
        outputs.record.unlink(missing_ok=True)
    written = write(source, target, outputs.alignment, options)
    if outputs.lexical is not None:
        f, e = (tokenised(path, lowercase=outputs.lexical_lowercase) for path in (source, target))
        links = written.alignment or read_alignment(outputs.alignment)
        LexicalTable.count(f, e, links, threads=options.threads).save(outputs.lexical)
    counts = {name: value for name, value in written._asdict().items() if name != "alignment"}
    record = {**request, **counts}
    if not outputs.is_stream:
        with writing(outputs.record) as stream:
            json.dump(record, stream, indent=2, sort_keys=True)
            stream.write("\n")
    return record


def _sentences(path: AnyPath) -> Iterator[str]:
    """The sentences of a file; an error when there is none."""
    number = 0
    for number, sentence in enumerate(tokenised(path), 1):  # noqa: B007
        yield sentence
    if number == 0:
        raise InputError("this file has no sentences.", file=path)


def _require_own(outputs: Outputs) -> None:
    """Do not overwrite a file that is not a record."""
    if not outputs.is_stream and outputs.record.exists() and _record(outputs) is None:
        raise InputError(
            f"this is not an alignment record, but the record of {outputs.alignment} would be written here.",
            file=outputs.record,
            hint="Move it away, or choose another name for the alignment.",
        )


def _record(outputs: Outputs) -> dict[str, Any] | None:
    try:
        record = read_json(outputs.record)
    except (OSError, ValueError):
        return None
    return record if isinstance(record, dict) and {"graphmt", "library", "options"} <= record.keys() else None


def _is_done(outputs: Outputs, request: dict[str, Any]) -> bool:
    if outputs.is_stream or not all(path.exists() for path in outputs.files()):
        return False
    record = _record(outputs)
    return record is not None and all(record.get(name) == value for name, value in request.items())
