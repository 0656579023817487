"""Document marks in CoNLL-U: a comment ``# newdoc`` before the first sentence of a document."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from graphmt import _core

_NEW_DOCUMENT = re.compile(r"#\s*newdoc(?:\s|$)")


def begins_document(comments: Sequence[str]) -> bool:
    """Whether the comments of a tree say that a document begins."""
    return any(map(_NEW_DOCUMENT.match, comments))


class KeptMarks:
    """Writes some sentences of a CoNLL-U file; the mark of a dropped sentence moves to the next one kept."""

    def __init__(self) -> None:
        self._pending = ""

    def written(self, trees: _core.TreeChunk, keep: NDArray[np.bool_]) -> str:
        """The sentences to keep of the next chunk, unchanged."""
        parts, done = [], 0
        for sentence in self._of_interest(trees, keep):
            comments = trees.columns(sentence).comments
            if begins_document(comments):
                self._pending = "" if keep[sentence] else next(filter(_NEW_DOCUMENT.match, comments)) + "\n"
            elif keep[sentence] and self._pending:
                parts += [_between(trees, keep, done, sentence), self._pending]
                self._pending, done = "", sentence
        return "".join([*parts, _between(trees, keep, done, len(keep))])

    def _of_interest(self, trees: _core.TreeChunk, keep: NDArray[np.bool_]) -> list[int]:
        """The dropped sentences and those after them: only these can lose or gain a mark."""
        after = np.concatenate([[bool(self._pending)], ~keep[:-1]]) if len(keep) else keep
        found: list[int] = np.flatnonzero(~keep | after).tolist()
        return found


def _between(trees: _core.TreeChunk, keep: NDArray[np.bool_], first: int, end: int) -> str:
    part = np.zeros_like(keep)
    part[first:end] = keep[first:end]
    return trees.conllu(keep=part, verbatim=True)
