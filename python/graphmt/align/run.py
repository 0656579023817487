"""Aligns a text: both directions by a model, then symmetrised by the core."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from graphmt._core import Alignment, symmetrise
from graphmt.align.aligned import Aligned
from graphmt.align.aligners import make_aligner
from graphmt.align.encoding import EncodedPairs, encoded, evenly_spaced, none
from graphmt.align.options import AlignOptions
from graphmt.align.trained import train_aligner
from graphmt.progress import bar
from graphmt.storage.temporary import temporary_folder


def align(
    source: Iterable[str],
    target: Iterable[str],
    options: AlignOptions | Mapping[str, Any] | None = None,
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
    options = AlignOptions.of(options).named().acting()
    aligner = make_aligner(options)
    library = aligner.library
    pairs = EncodedPairs.of(aligner, encoded(source, options, names[0]), encoded(target, options, names[1]), names)
    kept = pairs.kept
    if not kept.any():
        forward = reverse = none(len(kept))
    elif options.sample:
        forward, reverse = _from_sample(pairs, options)
    else:
        with bar("aligning", 1000) as advance:
            forward, reverse = aligner.align(pairs, advance)
    joined = symmetrise(forward, reverse, options.symmetrise, options.threads)
    empty, too_long = int(pairs.empty.sum()), int(pairs.too_long.sum())
    return Aligned(joined, forward, reverse, empty, too_long, pairs.longest, library)


def _from_sample(pairs: EncodedPairs, options: AlignOptions) -> tuple[Alignment, Alignment]:
    """Train on a sample and apply the model to all pairs."""
    chosen = evenly_spaced(len(pairs.kept), options.sample)
    with temporary_folder("align") as folder:
        trained = train_aligner(*pairs.sentences(chosen), folder / "model", options)
        return trained.apply(pairs, folder)
