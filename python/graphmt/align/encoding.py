"""Both sides of a text as word numbers, and which pairs an aligner can take."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt

from graphmt._core import Alignment, EncodedText
from graphmt.align.aligners import Aligner, Job
from graphmt.align.options import AlignOptions
from graphmt.align.pharaoh import BLOCK, blocks
from graphmt.align.sentences import checked
from graphmt.errors import InputError

Mask = npt.NDArray[np.bool_]

#: Words with their numbers, as text.
Known = Mapping[str, str]

#: The number of the empty word, which occurs in no sentence, as text.
UNKNOWN = "0"


@dataclasses.dataclass(frozen=True)
class EncodedPairs:
    """Sentence pairs as word numbers."""

    source: EncodedText
    target: EncodedText
    longest: int
    empty: Mask
    too_long: Mask

    @classmethod
    def of(cls, aligner: Aligner, source: EncodedText, target: EncodedText, names: tuple[str, str]) -> EncodedPairs:
        """Pairs of two texts of equal length."""
        if len(source) != len(target):
            raise InputError(
                f"{names[0]} has {len(source)} sentences and {names[1]} has {len(target)}.",
                hint="Both sides must have the same sentences, line by line.",
            )
        longest = longest_of(aligner)
        lengths = source.lengths(), target.lengths()
        empty = (lengths[0] == 0) | (lengths[1] == 0)
        too_long = ~empty & ((lengths[0] > longest) | (lengths[1] > longest))
        return cls(source, target, longest, empty, too_long)

    @property
    def kept(self) -> Mask:
        """The pairs to align."""
        return ~self.empty & ~self.too_long

    def job(self, folder: Path, chosen: Mask, known: tuple[Known, Known] | None = None) -> Job:
        """The chosen pairs as files in a folder; with the numbers of known words if there are any."""
        lengths = self.source.lengths()[chosen], self.target.lengths()[chosen]
        job = Job(folder / "source", folder / "target", *lengths, folder)
        for path, lines in zip((job.source, job.target), self.lines(chosen, known), strict=True):
            with path.open("w", encoding="ascii", newline="\n") as stream:
                stream.writelines(f"{line}\n" for line in lines)
        return job

    def lines(self, chosen: Mask, known: tuple[Known, Known] | None = None) -> tuple[Iterator[str], Iterator[str]]:
        """The chosen pairs as lines of numbers; words that are not among the known ones have the number 0."""
        if known is None:
            return _numbers(self.source, chosen), _numbers(self.target, chosen)
        one, other = (
            _spelled(text, chosen, [numbers.get(word, UNKNOWN) for word in text.words()])
            for text, numbers in zip((self.source, self.target), known, strict=True)
        )
        return one, other

    def sentences(self, chosen: Mask) -> tuple[Iterator[str], Iterator[str]]:
        """The chosen pairs as text."""
        one, other = (_spelled(text, chosen, text.words()) for text in (self.source, self.target))
        return one, other


def longest_of(aligner: Aligner) -> int:
    """The most words of a sentence."""
    return min(aligner.max_length, aligner.options.max_length or aligner.max_length)


def encoded(sentences: Iterable[str], options: AlignOptions, name: str) -> EncodedText:
    """Sentences as numbers, lower-cased before if the options say so."""
    text = EncodedText(options.prefix)
    for block in blocks(checked(sentences, name)):
        try:
            text.add_lines([sentence.lower() for sentence in block] if options.lowercase else block)
        except InputError as error:
            error.file = name
            raise
    return text


def evenly_spaced(pairs: int, sample: int) -> Mask:
    """So many of the pairs of a text, evenly spaced: pair n if (n + 1) · sample / pairs has another whole part than
    n · sample / pairs.
    """
    if sample >= pairs:
        return np.ones(pairs, dtype=np.bool_)
    places = np.arange(pairs + 1, dtype=np.int64) * sample // pairs
    chosen: Mask = places[1:] != places[:-1]
    return chosen


def _numbers(text: EncodedText, chosen: Mask) -> Iterator[str]:
    for start in range(0, len(text), BLOCK):
        yield from text.numbers_as_text(chosen, start, start + BLOCK).splitlines()


def _spelled(text: EncodedText, chosen: Mask, spelling: list[str]) -> Iterator[str]:
    for line in _numbers(text, chosen):
        yield " ".join([spelling[int(number)] for number in line.split()])


def none(sentences: int) -> Alignment:
    """No links for so many sentences."""
    return Alignment().spread(np.zeros(sentences, dtype=np.bool_))
