"""The interface of a system that can be tuned."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from graphmt.nbest.columns import NBest


class Tunable(Protocol):
    """A system that translates a development set, or a re-ranker of lists.

    Examples
    --------
    >>> from graphmt.tune import NBest, Tunable
    >>> class Fixed:
    ...     features = {"lm": 1.0}
    ...     def decode(self, weights):
    ...         return NBest.from_lists([[(["a"], {"lm": -1.0}), (["b"], {"lm": -2.0})]], ["lm"])
    >>> system: Tunable = Fixed()
    """

    @property
    def features(self) -> Mapping[str, float]:
        """The features in the order of the columns, each with its initial weight."""

    def decode(self, weights: Mapping[str, float]) -> NBest:
        """The n-best lists of the development set with these weights; deterministic."""
