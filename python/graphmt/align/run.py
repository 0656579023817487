"""Aligns a text: both directions by a model, then symmetrised by the core."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

import numpy as np

from graphmt._core import Alignment, EncodedText, symmetrise
from graphmt.align.aligners import Job, make_aligner
from graphmt.align.options import AlignOptions
from graphmt.align.pharaoh import blocks
from graphmt.align.sentences import checked
from graphmt.errors import InputError
from graphmt.progress import bar


@dataclasses.dataclass(frozen=True)
class Aligned:
    """The links of a text, with counts.

    Examples
    --------
    >>> from graphmt.align import AlignOptions, align
    >>> aligned = align(["das Haus", "das Buch"], ["the house", "the book"], AlignOptions(model="ibm1"))
    >>> aligned.empty, aligned.too_long, len(aligned.alignment)
    (0, 0, 2)
    """

    alignment: Alignment
    forward: Alignment
    reverse: Alignment
    #: Pairs without links because a side has no words.
    empty: int
    #: Pairs without links because a side has more words than ``longest``.
    too_long: int
    longest: int
    #: Name and version of the library.
    library: str


def align(
    source: Iterable[str],
    target: Iterable[str],
    options: AlignOptions | None = None,
    *,
    names: tuple[str, str] = ("the source", "the target"),
) -> Aligned:
    """Align tokenised sentences word by word.

    Pairs with an empty side, and pairs longer than the library accepts, get no links and are counted. Memory: the
    text as numbers (4 bytes per token) and the tables of the library, which are most of it.

    Parameters
    ----------
    source
        Sentences, their tokens separated by spaces.
    target
        Their translations.
    options
        The model and its settings.
    names
        Names of the two sides, for error messages.

    Returns
    -------
    Aligned
        The links of both directions and the symmetrised ones, with counts.

    Raises
    ------
    InputError
        If the sides differ in length, or one of them is a single text.
    MissingPackageError
        If the model needs a library that is not installed.

    Examples
    --------
    >>> from graphmt.align import AlignOptions, align
    >>> aligned = align(["das Haus", "das Buch"], ["the house", "the book"], AlignOptions(model="ibm1"))
    >>> aligned.alignment[0]
    [(1, 1)]
    """
    options = options or AlignOptions()
    aligner = make_aligner(options)
    library = aligner.library
    f, e = _encoded(source, options, names[0]), _encoded(target, options, names[1])
    if len(f) != len(e):
        raise InputError(
            f"{names[0]} has {len(f)} sentences and {names[1]} has {len(e)}.",
            hint="Both sides must have the same sentences, line by line.",
        )
    lengths = f.lengths(), e.lengths()
    longest = min(aligner.max_length, options.max_length or aligner.max_length)
    empty = (lengths[0] == 0) | (lengths[1] == 0)
    too_long = ~empty & ((lengths[0] > longest) | (lengths[1] > longest))
    kept = ~empty & ~too_long
    if kept.any():
        with bar("aligning", 1000) as advance:
            forward, reverse = aligner.align(Job(f, e, kept), advance)
    else:
        forward = reverse = _none(len(kept))
    joined = symmetrise(forward, reverse, options.symmetrise, options.threads)
    return Aligned(joined, forward, reverse, int(empty.sum()), int(too_long.sum()), longest, library)


def _encoded(sentences: Iterable[str], options: AlignOptions, name: str) -> EncodedText:
    text = EncodedText(options.prefix)
    for block in blocks(checked(sentences, name)):
        try:
            text.add_lines([sentence.lower() for sentence in block] if options.lowercase else block)
        except InputError as error:
            error.file = name
            raise
    return text


def _none(sentences: int) -> Alignment:
    return Alignment().spread(np.zeros(sentences, dtype=np.bool_))
