"""Cleaning a parallel corpus: what is dropped, and why."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from graphmt import _core
from graphmt.corpus.header import Columns
from graphmt.corpus.pairs import read_pair_chunks
from graphmt.corpus.sides import Chunk, TextChunk, TreesChunk, in_step, read_side
from graphmt.errors import InputError, OptionError
from graphmt.options import Options, option
from graphmt.progress import bar
from graphmt.storage.checks import require_outputs
from graphmt.storage.files import AnyPath
from graphmt.storage.together import writing_together

if TYPE_CHECKING:
    from rich.table import Table

#: Indexed by the core's numbers; a pair gets the first reason that applies.
REASONS = (
    "kept",
    "bad tree",
    "empty side",
    "control character",
    "long word",
    "too short",
    "too long",
    "length ratio",
    "copy",
    "duplicate",
)


@dataclasses.dataclass(frozen=True)
class CleanOptions(Options):
    """Which pairs of a parallel corpus to keep.

    Examples
    --------
    >>> from graphmt.corpus import CleanOptions
    >>> CleanOptions(max_source=40, max_target=40)
    CleanOptions(max_source=40, max_target=40)
    """

    min_source: int = option(1, "Minimum source length.", unit="words", minimum=1)
    max_source: int = option(
        80, "Maximum source length; alignment and extraction time grows fast with it.", unit="words", minimum=1
    )
    min_target: int = option(1, "Minimum target length.", unit="words", minimum=1)
    max_target: int = option(80, "Maximum target length.", unit="words", minimum=1)
    max_ratio: float = option(
        9.0,
        "Maximum ratio of the longer side to the shorter; 0: no limit. Higher keeps freer translations.",
        minimum=0,
    )
    max_word: int = option(
        200, "Maximum word length; longer ones are usually data, not words. 0: no limit.", unit="characters", minimum=0
    )
    drop_control: bool = option(True, "Drop pairs with control characters or U+FFFD, which marks undecodable bytes.")
    drop_copies: bool = option(False, "Drop pairs with identical sides: untranslated text, but also names and numbers.")
    duplicates: str = option(
        "pairs",
        "Repetitions to drop. pairs: same source and same target; sources: a source seen before, so that only one "
        "target remains; keep: none, which preserves the corpus' counts.",
        choices=("pairs", "sources", "keep"),
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        for side in ("source", "target"):
            least, most = getattr(self, f"min_{side}"), getattr(self, f"max_{side}")
            if least > most:
                raise OptionError(f"min-{side} ({least}) is above max-{side} ({most}).")


#: How many pairs a report lists for each reason.
EXAMPLES = 5


@dataclasses.dataclass
class CleanReport:
    """The numbers of pairs read and kept; for each reason, how many were dropped and the first of them.

    Examples
    --------
    >>> from graphmt.corpus import clean
    >>> report = clean("corpus/train.de.conllu", "corpus/train.en", out_source="clean.conllu", out_target="clean.en")
    >>> report.pairs, report.kept + sum(report.dropped.values())
    (200, 200)
    """

    pairs: int = 0
    kept: int = 0
    dropped: dict[str, int] = dataclasses.field(default_factory=dict)
    examples: dict[str, list[int]] = dataclasses.field(default_factory=dict)
    options: CleanOptions = dataclasses.field(default_factory=CleanOptions)

    def as_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {
            "graphmt": _core.__version__,
            "pairs": self.pairs,
            "kept": self.kept,
            "dropped": self.dropped,
            "examples": self.examples,
            "options": self.options.as_dict(),
        }

    def table(self) -> Table:
        """As a table with a row for each reason."""
        from rich.table import Table

        table = Table("reason", "pairs", "share", "first at pair", title=f"{self.kept:,} of {self.pairs:,} pairs kept")
        for column in table.columns[1:3]:
            column.justify = "right"
        if not self.dropped:
            table.add_row("nothing dropped", "0", "0.00%", "")
        for reason, count in self.dropped.items():
            examples = ", ".join(f"{number:,}" for number in self.examples[reason])
            table.add_row(
                reason,
                f"{count:,}",
                f"{count / self.pairs:.2%}",
                examples + (", ..." if count > EXAMPLES else ""),
            )
        return table

    def add(self, reasons: np.ndarray[Any, np.dtype[np.uint8]]) -> None:
        """Count the reasons of the next pairs."""
        counts = np.bincount(reasons, minlength=len(REASONS))
        for number in np.flatnonzero(counts[1:]) + 1:
            name = REASONS[number]
            self.dropped[name] = self.dropped.get(name, 0) + int(counts[number])
            places = self.examples.setdefault(name, [])
            found = np.flatnonzero(reasons == number)[: EXAMPLES - len(places)]
            places.extend(int(place) + self.pairs + 1 for place in found)
        self.pairs += len(reasons)
        self.kept += int(counts[0])


class PairTexts(NamedTuple):
    """Some pairs as text, with the places of those that have a faulty tree."""

    source: Sequence[str]
    target: Sequence[str]
    faulty: list[int]

    @classmethod
    def of(cls, left: Chunk, right: Chunk) -> PairTexts:
        """The texts of a chunk of both sides."""
        faulty = sorted({fault.sentence for side in (left, right) for fault in side.faults})
        return cls(left.texts, right.texts, faulty)


#: Finds the number of the reason for each pair elsewhere than in this process; the first argument reads the pairs anew.
FindReasons = Callable[[Callable[[], Iterator[PairTexts]], CleanOptions], Iterator[int]]


def clean(
    source: AnyPath,
    target: AnyPath | None = None,
    *,
    out_source: AnyPath,
    out_target: AnyPath | None = None,
    alignment: AnyPath | None = None,
    out_alignment: AnyPath | None = None,
    columns: Columns | None = None,
    languages: tuple[str, str] | None = None,
    header: bool | None = None,
    options: CleanOptions | Mapping[str, Any] | None = None,
    find_reasons: FindReasons | None = None,
) -> CleanReport:
    """Write the pairs of a parallel corpus to keep, and report why the others were dropped.

    Inputs are as in :func:`graphmt.corpus.read_pairs`. A CoNLL-U side stays CoNLL-U, unchanged; pairs with a faulty
    tree are dropped. Outputs are written together, whole or not at all. Memory: a chunk of sentences and, for
    finding duplicates, up to 35 bytes per distinct pair.

    Parameters
    ----------
    source
        The source side, or a file of pairs.
    target
        The target side.
    out_source
        The output for the source side, or for pairs separated by tabs if there is no ``out_target``.
    out_target
        The output for the target side.
    alignment
        Links to filter as well, one line per pair.
    out_alignment
        The output for the links.
    columns
        Columns of source and target in tab-separated text: numbers from 1, or names in its header.
    languages
        Languages of source and target in a TMX file.
    header
        Whether tab-separated text starts with a header; None: detected.
    options
        Which pairs to keep.
    find_reasons
        What finds the reasons, if it is not this process: see :func:`graphmt.spark.clean`.

    Returns
    -------
    CleanReport
        Counts of pairs read and kept, and of those dropped by reason.

    Raises
    ------
    InputError
        If the sides differ in length.

    Examples
    --------
    >>> from graphmt.corpus import CleanOptions, clean
    >>> files = {"out_source": "clean.conllu", "out_target": "clean.en"}
    >>> report = clean("corpus/train.de.conllu", "corpus/train.en", **files, options=CleanOptions(max_source=8))
    >>> report.kept < report.pairs
    True
    """
    if (alignment is None) != (out_alignment is None):
        raise OptionError("--alignment and --out-alignment must be given together.")
    outputs = [path for path in (out_source, out_target, out_alignment) if path is not None]
    require_outputs(*outputs, inputs=(source, target, alignment))
    options = CleanOptions.of(options)
    pair_filter = _core.PairFilter(options)
    report = CleanReport(options=options)

    def read() -> Iterator[tuple[Chunk, Chunk]]:
        return read_pair_chunks(source, target, columns=columns, languages=languages, header=header, lenient=True)

    known = None
    if find_reasons is not None:
        known = find_reasons(lambda: (PairTexts.of(left, right) for left, right in read()), options)
    with contextlib.ExitStack() as stack:
        streams = stack.enter_context(writing_together(*outputs))
        advance = stack.enter_context(bar("cleaning"))
        for left, right, *links in read() if alignment is None else _with_alignment(source, read(), alignment):
            if known is None:
                reasons = pair_filter.reasons(*PairTexts.of(left, right))
            else:
                size = len(left.texts)
                reasons = np.fromiter(itertools.islice(known, size), dtype=np.uint8, count=size)
            keep = reasons == 0
            sides = [left, right] if out_target is not None else [_tabbed(left, right, source)]
            for stream, side in zip(streams, [*sides, *links], strict=True):
                stream.write(side.written(keep))
            report.add(reasons)
            advance(report.pairs)
        if report.pairs == 0:
            raise InputError("this file has no sentence pairs; there is nothing to clean.", file=source)
    report.dropped = {name: report.dropped[name] for name in REASONS if name in report.dropped}
    return report


def _with_alignment(
    source: AnyPath, pairs: Iterator[tuple[Chunk, Chunk]], alignment: AnyPath
) -> Iterator[tuple[Chunk, ...]]:
    targets: list[Chunk] = []

    def sources() -> Iterator[Chunk]:
        for left, right in pairs:
            targets.append(right)
            yield left

    for left, links in in_step((source, alignment), [sources(), read_side(alignment)]):
        yield left, targets.pop(), links


def _tabbed(left: Chunk, right: Chunk, source: AnyPath) -> TextChunk:
    if isinstance(left, TreesChunk) or isinstance(right, TreesChunk):
        raise OptionError(
            "trees cannot be written as tab-separated pairs.",
            file=source,
            hint="Give an output for each side.",
        )
    pairs = zip(left.texts, right.texts, strict=True)
    return TextChunk([f"{source.replace(chr(9), ' ')}\t{target.replace(chr(9), ' ')}" for source, target in pairs])
