"""The n-best lists of a corpus as columns, for tuning."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from graphmt.errors import InputError
from graphmt.reprs import counted


@dataclasses.dataclass(frozen=True)
class NBest:
    """N-best lists of a corpus. The first hypothesis of a sentence is its translation.

    Examples
    --------
    >>> from graphmt.nbest import NBest
    >>> NBest.from_lists([[(["a", "house"], {"lm": -1.0}), (["house"], {"lm": -2.0})]], ["lm"])
    NBest(1 sentence, 2 hypotheses)
    """

    #: The hypotheses of sentence k are ``hypotheses[k]`` up to ``hypotheses[k + 1]``.
    hypotheses: npt.NDArray[np.uint32]
    #: The words of hypothesis h are ``numbers[tokens[h]:tokens[h + 1]]``, which are places in ``words``.
    tokens: npt.NDArray[np.uint32]
    numbers: npt.NDArray[np.uint32]
    words: list[str]
    #: A row for each hypothesis, a column for each feature.
    values: npt.NDArray[np.float32]

    def __repr__(self) -> str:
        hypotheses = counted(len(self.values), "hypothesis", "hypotheses")
        return f"NBest({counted(len(self.hypotheses) - 1, 'sentence')}, {hypotheses})"

    @classmethod
    def from_lists(
        cls, lists: Sequence[Sequence[tuple[Sequence[str], Mapping[str, float]]]], features: Sequence[str]
    ) -> NBest:
        """From (words, values by feature) for each hypothesis of each sentence, as a re-ranker has them."""
        numbers: dict[str, int] = {}
        flat = [one for sentence in lists for one in sentence]
        for _, valued in flat:
            if missing := [name for name in features if name not in valued]:
                raise InputError(f"a hypothesis without a value of {missing[0]!r}.")
        tokens = [numbers.setdefault(word, len(numbers)) for words, _ in flat for word in words]
        return cls(
            _offsets([len(sentence) for sentence in lists]),
            _offsets([len(words) for words, _ in flat]),
            np.array(tokens, dtype=np.uint32),
            list(numbers),
            np.array([[valued[name] for name in features] for _, valued in flat], dtype=np.float32).reshape(
                len(flat), len(features)
            ),
        )


def _offsets(lengths: Sequence[int]) -> npt.NDArray[np.uint32]:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.uint32)
