"""Lexical translation tables as Moses defines them (see ``rust/src/align/lexical.rs`` for the formulas)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from graphmt._core import Alignment, EncodedText, LexicalCounts, LexicalReader
from graphmt.align.pharaoh import BLOCK, blocks
from graphmt.align.sentences import checked
from graphmt.errors import InputError
from graphmt.reprs import counted
from graphmt.storage.files import AnyPath, lines, writing


class LexicalTable:
    """w(e|f) and w(f|e) for every pair of linked words; ``None`` stands for NULL, the word of unlinked words.

    Parameters
    ----------
    counts
        The table in the core, which the scoring of rules reads.

    Examples
    --------
    >>> from graphmt.align import AlignOptions, LexicalTable, align
    >>> source, target = ["das Haus", "das Buch"], ["the house", "the book"]
    >>> aligned = align(source, target, AlignOptions(model="ibm1"))
    >>> table = LexicalTable.count(source, target, aligned.alignment)
    >>> table
    LexicalTable(4 pairs of words)
    >>> table.target_given_source("Haus", "house")
    1.0
    """

    def __init__(self, counts: LexicalCounts) -> None:
        self.counts = counts

    def __repr__(self) -> str:
        return f"LexicalTable({counted(len(self), 'pair')} of words)"

    @classmethod
    def count(
        cls, source: Iterable[str], target: Iterable[str], alignment: Alignment, *, threads: int = 0
    ) -> LexicalTable:
        """Count the links between the words of tokenised sentences. Pairs without any link are left out."""
        return cls(
            LexicalCounts.count(_encoded(source, "the source"), _encoded(target, "the target"), alignment, threads)
        )

    def __len__(self) -> int:
        return len(self.counts)

    def target_given_source(self, source: str | None, target: str | None) -> float:
        """w(e|f); 0 for words never linked."""
        found = self.counts.lookup(source, target)
        return found.target_given_source if found else 0.0

    def source_given_target(self, source: str | None, target: str | None) -> float:
        """w(f|e); 0 for words never linked."""
        found = self.counts.lookup(source, target)
        return found.source_given_target if found else 0.0

    def translations(self, source: str | None) -> dict[str | None, float]:
        """The target words linked to a source word with w(e|f), the most probable first."""
        row = self.counts.row(source)
        return {
            entry.target: entry.target_given_source for entry in sorted(row, key=lambda one: -one.target_given_source)
        }

    def weights(
        self, source: Sequence[str], target: Sequence[str], links: Sequence[tuple[int, int]]
    ) -> tuple[float, float]:
        """lex(e|f) and lex(f|e) of a phrase pair: products over words of means over linked words."""
        found = self.counts.weights(source, target, links)
        return found.target_given_source, found.source_given_target

    def save(self, prefix: AnyPath, *, compress: bool = True) -> tuple[Path, Path]:
        """Write ``PREFIX.f2e`` (``e f w(e|f)``) and ``PREFIX.e2f`` (``f e w(f|e)``), with 7 decimals."""
        end = len(self.counts.source_words)
        paths = _paths(prefix, ".gz" if compress else "")
        for path, e2f in zip(paths, (False, True), strict=True):
            with writing(path) as stream:
                for start in range(0, end, BLOCK):
                    stream.write(self.counts.text(e2f, start, start + BLOCK))
        return paths

    @classmethod
    def load(cls, prefix: AnyPath) -> LexicalTable:
        """Read ``PREFIX.f2e`` and ``PREFIX.e2f``, compressed or not. They contain no link counts."""
        paths = next((pair for pair in (_paths(prefix, ".gz"), _paths(prefix, "")) if pair[0].exists()), None)
        if paths is None:
            raise InputError("there is no PREFIX.f2e.gz and no PREFIX.f2e.", file=prefix)
        reader = LexicalReader()
        for path, e2f in zip(paths, (False, True), strict=True):
            first = 1
            for block in blocks(lines(path)):
                try:
                    reader.add_lines(block, e2f, first)
                except InputError as error:
                    error.file = str(path)
                    raise
                first += len(block)
        try:
            return cls(reader.finish())
        except InputError as error:
            error.file = str(paths[0])
            raise


def _encoded(sentences: Iterable[str], name: str) -> EncodedText:
    text = EncodedText()
    for block in blocks(checked(sentences, name)):
        text.add_lines(block)
    return text


def _paths(prefix: AnyPath, suffix: str) -> tuple[Path, Path]:
    return Path(f"{prefix}.f2e{suffix}"), Path(f"{prefix}.e2f{suffix}")
