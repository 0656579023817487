"""Corpus statistics."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from graphmt import _core
from graphmt.corpus.data_files import data_as_files
from graphmt.corpus.given import is_data, require_path
from graphmt.corpus.header import Columns
from graphmt.corpus.pair_files import PairReading
from graphmt.corpus.pairs import has_pairs, read_pair_chunks
from graphmt.corpus.sides import Chunk, TreesChunk, read_side
from graphmt.errors import InputError
from graphmt.reprs import counted
from graphmt.storage.files import AnyPath, digest, name_of

if TYPE_CHECKING:
    from rich.table import Table

#: The lower bounds of the length groups.
GROUPS = (0, 1, 6, 11, 21, 41, 81)


class Counts(Protocol):
    """The counts of a text."""

    @property
    def lengths(self) -> Any:
        """The number of sentences of each length."""

    @property
    def types(self) -> int:
        """The number of different words."""

    @property
    def singletons(self) -> int:
        """The number of words that occur once."""


class WordCounts(Counts, Protocol):
    """Counts the words of a text: :class:`graphmt._core.Statistics`, or an engine's own."""

    def add(self, lines: Sequence[str], /) -> None:
        """Count the words of tokenised lines."""

    def unknown(self, other: Any, /) -> Any:
        """The words of another text that this one does not have."""


@dataclasses.dataclass(frozen=True)
class TreeStatistics:
    """The trees of a side: how many are non-projective, and the faults of invalid ones."""

    non_projective: int
    faults: int
    first_faults: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class SideStatistics:
    """One side of a corpus. ``lengths`` counts sentences by words, in groups that start at :data:`GROUPS`."""

    name: str
    sentences: int
    empty: int
    tokens: int
    types: int
    singletons: int
    mean: float
    median: int
    ninetieth: int
    longest: int
    lengths: dict[str, int]
    trees: TreeStatistics | None


@dataclasses.dataclass(frozen=True)
class Unknown:
    """How many words of another text are unknown to the source side."""

    name: str
    tokens: int
    unknown_tokens: int
    types: int
    unknown_types: int


@dataclasses.dataclass(frozen=True)
class CorpusStatistics:
    """A corpus of one or two sides.

    Examples
    --------
    >>> from graphmt.corpus import statistics
    >>> counted = statistics("corpus/train.de.conllu", "corpus/train.en")
    >>> [side.sentences for side in counted.sides]
    [200, 200]
    """

    sides: tuple[SideStatistics, ...]
    unknown: Unknown | None
    files: dict[str, str]

    def __repr__(self) -> str:
        counts = ", ".join(
            f"{counted(side.sentences, 'sentence')} with {counted(side.tokens, 'token')}" for side in self.sides
        )
        return f"CorpusStatistics({counts})"

    def as_dict(self) -> dict[str, Any]:
        """Ready for JSON; ``files`` has the SHA-256 of each."""
        content = {"graphmt": _core.__version__, **dataclasses.asdict(self)}
        if len(self.sides) == 2:
            content["target_source_ratio"] = self.ratio
        return content

    @property
    def ratio(self) -> float:
        """Target words for each source word."""
        return self.sides[1].tokens / max(1, self.sides[0].tokens)

    def rows(self) -> list[tuple[str, list[str]]]:
        """The rows of a table: what was counted, and a cell for each side."""
        found = [
            (title, [f"{getattr(side, field):,}" for side in self.sides])
            for title, field in (
                ("sentences", "sentences"),
                ("empty sentences", "empty"),
                ("tokens", "tokens"),
                ("types", "types"),
                ("types seen once", "singletons"),
                ("longest sentence", "longest"),
                ("median length", "median"),
                ("90 % are at most", "ninetieth"),
            )
        ]
        found.append(("mean length", [f"{side.mean:.2f}" for side in self.sides]))
        for group in self.sides[0].lengths:
            found.append((f"of {group} words", [f"{side.lengths[group] / side.sentences:.1%}" for side in self.sides]))
        if any(side.trees for side in self.sides):
            found.append(("non-projective trees", [_share(side, "non_projective") for side in self.sides]))
            found.append(("faulty trees", [_share(side, "faults") for side in self.sides]))
        if len(self.sides) == 2:
            found.append(("target words / source word", [f"{self.ratio:.3f}"]))
        if self.unknown:
            unknown, name = self.unknown, Path(self.unknown.name).name
            found.append((f"unknown tokens of {name}", [_part(unknown.unknown_tokens, unknown.tokens)]))
            found.append((f"unknown types of {name}", [_part(unknown.unknown_types, unknown.types)]))
        return [(title, cells + [""] * (len(self.sides) - len(cells))) for title, cells in found]

    def table(self) -> Table:
        """As a table with a column for each side."""
        from rich.table import Table

        table = Table("", *(Path(side.name).name for side in self.sides))
        for column in table.columns[1:]:
            column.justify = "right"
            column.overflow = "fold"
        for title, cells in self.rows():
            table.add_row(title, *cells)
        return table

    def _repr_html_(self) -> str:
        """The same table as HTML."""
        from graphmt.draw import notebook

        names = (Path(side.name).name for side in self.sides)
        return notebook.table(("", *names), [(title, *cells) for title, cells in self.rows()], texts=(0,))


def statistics(
    source: AnyPath | Iterable[Any],
    target: AnyPath | Iterable[Any] | None = None,
    *,
    unknown: AnyPath | Iterable[Any] | None = None,
    columns: Columns | None = None,
    languages: tuple[str, str] | None = None,
    header: bool | None = None,
    lowercase: bool = False,
    new_counts: Callable[[], WordCounts] = _core.Statistics,
) -> CorpusStatistics:
    """Count sentences, words, lengths and unknown words of a text or CoNLL-U file, of two parallel ones, or of pairs.

    Faulty trees are counted and the first ones listed. Memory: the distinct words.

    Parameters
    ----------
    source
        A text or CoNLL-U file, or a file of pairs. Data as well: sentences (texts, trees, ``Doc`` of spaCy,
        ``TokenList`` of conllu), pairs of them, a DataFrame with one or two columns of text, or a data set of Hugging
        Face.
    target
        The other side.
    unknown
        Another text, whose words are looked up among those of the source side.
    columns
        Columns of source and target in tab-separated text: numbers from 1, or names in its header.
    languages
        Languages of source and target in a TMX file.
    header
        Whether tab-separated text starts with a header; None: detected.
    lowercase
        Count words in lower case.
    new_counts
        What counts the words of a side; for engines.

    Returns
    -------
    CorpusStatistics
        The counts of each side.

    Examples
    --------
    >>> from graphmt.corpus import statistics
    >>> statistics("corpus/train.en").sides[0].sentences
    200
    """
    given: tuple[Any, Any, Any] = source, target, unknown
    if not any(is_data(one, beside_data=True) for one in given):
        for one in given:
            require_path(one, "the corpus")
        return _statistics(*given, PairReading(languages, columns, header), lowercase, new_counts)
    with data_as_files(*given, PairReading(languages, columns, header)) as files:
        found = _statistics(files.source, files.target, files.unknown, files.reading, lowercase, new_counts)
        return _renamed(found, files.names)


def _statistics(
    source: AnyPath,
    target: AnyPath | None,
    unknown: AnyPath | None,
    reading: PairReading,
    lowercase: bool,
    new_counts: Callable[[], WordCounts],
) -> CorpusStatistics:
    chunks: Iterator[tuple[Chunk, ...]]
    if target is not None or reading.columns is not None or has_pairs(source):
        chunks = read_pair_chunks(source, target, **dataclasses.asdict(reading), lenient=True)
        names = [name_of(source), name_of(target)] if target is not None else ["source", "target"]
    else:
        chunks = ((chunk,) for chunk in read_side(source, lenient=True))
        names = [name_of(source)]
    counters = [_Counter(name, lowercase, new_counts()) for name in names]
    for sides in chunks:
        for counter, side in zip(counters, sides, strict=True):
            counter.add(side)
    if not any(counter.sentences for counter in counters):
        raise InputError("this file is empty; there is nothing to count.", file=source)
    files = {os.fspath(path): digest(path) for path in (source, target, unknown) if path and os.fspath(path) != "-"}
    other = None if unknown is None else _Counter(name_of(unknown), lowercase, new_counts())
    found = _unknown(counters[0], other, unknown) if other is not None and unknown is not None else None
    return CorpusStatistics(tuple(counter.result() for counter in counters), found, files)


def _renamed(found: CorpusStatistics, names: Mapping[str, str]) -> CorpusStatistics:
    """The statistics of temporary files by other names."""
    return dataclasses.replace(
        found,
        sides=tuple(dataclasses.replace(side, name=names.get(side.name, side.name)) for side in found.sides),
        unknown=found.unknown
        and dataclasses.replace(found.unknown, name=names.get(found.unknown.name, found.unknown.name)),
        files={names.get(name, name): digest for name, digest in found.files.items()},
    )


class _Counter:
    def __init__(self, name: str, lowercase: bool, counts: WordCounts) -> None:
        self.name = name
        self.lowercase = lowercase
        self.counts = counts
        self.sentences = 0
        self.has_trees = False
        self.crossing = 0
        self.faults: list[str] = []
        self.fault_count = 0

    def add(self, chunk: Chunk) -> None:
        if isinstance(chunk, TreesChunk):
            self.has_trees = True
            self.crossing += chunk.trees.non_projective()
            self.fault_count += len(chunk.faults)
            self.faults.extend(str(fault.error) for fault in chunk.faults[: 5 - len(self.faults)])
        texts = chunk.texts
        self.sentences += len(texts)
        if self.lowercase:
            texts = _core.lowercase("\n".join(texts)).split("\n")
        self.counts.add(texts)

    def result(self) -> SideStatistics:
        trees = TreeStatistics(self.crossing, self.fault_count, tuple(self.faults)) if self.has_trees else None
        return side_statistics(self.name, self.counts, trees)


def side_statistics(name: str, counts: Counts, trees: TreeStatistics | None = None) -> SideStatistics:
    """The statistics of a side whose words are counted."""
    lengths = counts.lengths.astype(np.int64)
    sentences = int(lengths.sum())
    tokens = int(lengths @ np.arange(len(lengths)))
    upto = np.cumsum(lengths)

    def quantile(share: float) -> int:
        return int(np.searchsorted(upto, share * sentences))

    ends = [*(start for start in GROUPS[1:]), None]
    groups = {_group(start, end): int(lengths[start:end].sum()) for start, end in zip(GROUPS, ends, strict=True)}
    return SideStatistics(
        name=name,
        sentences=sentences,
        empty=int(lengths[0]) if sentences else 0,
        tokens=tokens,
        types=counts.types,
        singletons=counts.singletons,
        mean=tokens / max(1, sentences),
        median=quantile(0.5),
        ninetieth=quantile(0.9),
        longest=max(0, len(lengths) - 1),
        lengths=groups,
        trees=trees,
    )


def _unknown(known: _Counter, other: _Counter, path: AnyPath) -> Unknown:
    _add_all(other, read_side(path))
    unknown = known.counts.unknown(other.counts)
    result = other.result()
    return Unknown(other.name, result.tokens, unknown.tokens, result.types, unknown.types)


def _add_all(counter: _Counter, chunks: Iterable[Chunk]) -> None:
    for chunk in chunks:
        counter.add(chunk)


def _group(start: int, end: int | None) -> str:
    if end is None:
        return f"{start} or more"
    return str(start) if end == start + 1 else f"{start}-{end - 1}"


def _part(part: int, whole: int) -> str:
    return f"{part:,} ({part / max(1, whole):.2%})"


def _share(side: SideStatistics, field: str) -> str:
    return _part(getattr(side.trees, field), side.sentences) if side.trees else ""
