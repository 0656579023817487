"""Aligners that are trained on one text, saved in a folder, and applied to other text, pair by pair."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import graphmt
from graphmt._core import Alignment, symmetrise
from graphmt.align.aligned import Aligned
from graphmt.align.aligners import make_aligner
from graphmt.align.encoding import EncodedPairs, encoded, longest_of, none
from graphmt.align.options import AlignOptions
from graphmt.errors import InputError
from graphmt.progress import bar
from graphmt.storage.files import AnyPath
from graphmt.storage.folders import writing_folder
from graphmt.storage.formats import MALFORMED, read_json
from graphmt.storage.known_files import identities, known_names, require_known
from graphmt.storage.temporary import temporary_folder

#: What a trained aligner is, and its words by number.
_RECORD, _WORDS = "aligner.json", ("source.words", "target.words")

_NAMES = ("the source", "the target")


class TrainedAligner:
    """A trained aligner, opened from its folder.

    The links of a pair depend on the pair and the model only, so a text can be aligned in pieces.

    Parameters
    ----------
    folder
        The folder that :func:`train_aligner` wrote.

    Examples
    --------
    >>> from graphmt.align import AlignOptions, TrainedAligner, train_aligner
    >>> options = AlignOptions(model="ibm1")
    >>> trained = train_aligner(["das Haus", "das Buch"], ["the house", "the book"], "aligner", options)
    >>> TrainedAligner("aligner").align(["das Haus"], ["the house"]).alignment[0]
    [(1, 1)]
    """

    def __init__(self, folder: AnyPath) -> None:
        self.folder = Path(folder).resolve()
        try:
            about = read_json(self.folder / _RECORD)
            self.options = AlignOptions.from_mapping(about["options"])
            # Folders of older versions do not know their files.
            files = known_names(about.get("files", {}))
        except (OSError, *MALFORMED):
            raise InputError("this is not a trained aligner.", file=folder) from None
        hint = "It may be damaged or of another aligner: copy the whole folder again, or train again."
        require_known(self.folder, files, whole="aligner", hint=hint)
        self._aligner = make_aligner(self.options)
        self._known = self._numbers(_WORDS[0]), self._numbers(_WORDS[1])

    def _numbers(self, name: str) -> dict[str, str]:
        words = (self.folder / name).read_bytes().decode("utf-8").split("\n")[:-1]
        # Numbers start at 1: 0 is the empty word.
        return {word: str(number) for number, word in enumerate(words, 1)}

    def __repr__(self) -> str:
        return f"TrainedAligner({self.options.model})"

    @property
    def longest(self) -> int:
        """The most words of a sentence; pairs with a longer one get no links."""
        return longest_of(self._aligner)

    def align(self, source: Iterable[str], target: Iterable[str]) -> Aligned:
        """Align tokenised sentences in this process. Words that were not in the training text are unknown.

        Parameters
        ----------
        source
            Sentences, their tokens separated by spaces.
        target
            Their translations.

        Returns
        -------
        Aligned
            As of :func:`align`.

        Raises
        ------
        InputError
            If the sides differ in length, or the model is damaged.
        """
        return self.align_encoded(self.encode(source, target))

    def encode(self, source: Iterable[str], target: Iterable[str]) -> EncodedPairs:
        """Sentence pairs as numbers, for :meth:`align_encoded`."""
        one, other = encoded(source, self.options, _NAMES[0]), encoded(target, self.options, _NAMES[1])
        return EncodedPairs.of(self._aligner, one, other, _NAMES)

    def align_encoded(self, pairs: EncodedPairs) -> Aligned:
        """As :meth:`align`."""
        kept = pairs.kept
        if kept.any():
            one, other = pairs.lines(kept, self._known)
            choices = self._aligner.search(self.folder, list(one), list(other))
            lengths = pairs.target.lengths()[kept], pairs.source.lengths()[kept]
            forward = Alignment.from_choices(choices[0], lengths[0], False).spread(kept)
            reverse = Alignment.from_choices(choices[1], lengths[1], True).spread(kept)
        else:
            forward = reverse = none(len(kept))
        joined = symmetrise(forward, reverse, self.options.symmetrise, 1)
        empty, too_long = int(pairs.empty.sum()), int(pairs.too_long.sum())
        return Aligned(joined, forward, reverse, empty, too_long, pairs.longest, self._aligner.library)

    def apply(self, pairs: EncodedPairs, folder: Path) -> tuple[Alignment, Alignment]:
        """Forward and reverse links of a text, both directions in processes of their own that work in ``folder``."""
        kept = pairs.kept
        with bar("aligning", 1000) as advance:
            job = pairs.job(folder, kept, self._known)
            forward, reverse = (links.spread(kept) for links in self._aligner.apply(job, self.folder, advance))
        return forward, reverse


def train_aligner(
    source: Iterable[str],
    target: Iterable[str],
    out: AnyPath,
    options: AlignOptions | Mapping[str, Any] | None = None,
    *,
    overwrite: bool = False,
) -> TrainedAligner:
    """Train an aligner on tokenised sentences and save it in a folder, whole or not at all.

    Parameters
    ----------
    source
        Sentences, their tokens separated by spaces.
    target
        Their translations.
    out
        The folder to write.
    options
        The model and its settings.
    overwrite
        Replace an aligner that is there.

    Returns
    -------
    TrainedAligner
        The aligner.

    Raises
    ------
    InputError
        If the sides differ in length, or no pair can be used.
    OptionError
        If the model cannot be saved (eflomal, gibbs).

    Examples
    --------
    >>> from graphmt.align import AlignOptions, train_aligner
    >>> trained = train_aligner(["das Haus", "das Buch"], ["the house", "the book"], "ibm1", AlignOptions(model="ibm1"))
    >>> trained
    TrainedAligner(ibm1)
    """
    options = AlignOptions.of(options).named(applied=True).acting()
    aligner = make_aligner(options)
    library = aligner.library
    one, other = encoded(source, options, _NAMES[0]), encoded(target, options, _NAMES[1])
    pairs = EncodedPairs.of(aligner, one, other, _NAMES)
    kept = pairs.kept
    if not kept.any():
        raise InputError(
            f"none of {len(kept)} pairs can be used to train an aligner.",
            hint=f"Both sides of a pair need words, and at most {pairs.longest}.",
        )
    with writing_folder(out, _RECORD, owned=lambda name: True, overwrite=overwrite) as draft:
        with temporary_folder("align") as folder, bar("training the aligner", 1000) as advance:
            aligner.train(pairs.job(folder, kept), draft, advance)
        for name, text in zip(_WORDS, (pairs.source, pairs.target), strict=True):
            (draft / name).write_bytes("".join(f"{word}\n" for word in text.words()[1:]).encode())
        record = {
            "graphmt": graphmt.__version__,
            "library": library,
            "options": options.as_dict(),
            "pairs": int(kept.sum()),
            "files": identities(draft),
        }
        (draft / _RECORD).write_text(json.dumps(record, indent=2, sort_keys=True) + "\n", "utf-8")
    return TrainedAligner(out)
