"""What a translation is: text, score, and how it came about."""

from __future__ import annotations

import dataclasses
import json
from typing import Any


@dataclasses.dataclass(frozen=True)
class Step:
    """One rule of a derivation."""

    #: Source positions covered, ascending.
    positions: tuple[int, ...]
    #: ``basic``, ``segmenting``, ``selecting`` or ``copy`` (an unknown word, copied).
    kind: str
    #: The positions that the rule wanted linked to what was still untranslated; None where it does not look.
    context: tuple[int, ...] | None
    target: tuple[str, ...]
    #: (source position, target position), both in the whole sentence.
    alignment: tuple[tuple[int, int], ...]
    #: How often the rule was seen in training.
    count: int


@dataclasses.dataclass(frozen=True)
class Derivation:
    """How a source sentence was segmented and translated, step by step in target order."""

    source: tuple[str, ...]
    #: From 0, -1 for the root word; empty where there was no tree.
    heads: tuple[int, ...]
    steps: tuple[Step, ...]

    def as_dict(self) -> dict[str, Any]:
        """Plain lists and numbers, as ``--derivations json`` writes them."""
        return dataclasses.asdict(self)


@dataclasses.dataclass(frozen=True)
class Translation:
    """One translation of a sentence."""

    #: As a reader expects it: the declared text steps undone.
    text: str
    tokens: tuple[str, ...]
    #: Weighted sum of the features.
    score: float
    features: dict[str, float]
    derivation: Derivation

    def __str__(self) -> str:
        return self.text

    def as_json(self, number: int, rank: int = 0) -> str:
        """One line of JSON: sentence number, rank, text, score, features, derivation."""
        content = {
            "sentence": number,
            "rank": rank,
            "text": self.text,
            "tokens": self.tokens,
            "score": self.score,
            "features": self.features,
            "derivation": self.derivation.as_dict(),
        }
        return json.dumps(content, ensure_ascii=False)

    def as_moses(self, number: int) -> str:
        """One line of a Moses n-best list."""
        features = " ".join(f"{name}= {value:.6g}" for name, value in self.features.items())
        return f"{number} ||| {' '.join(self.tokens)} ||| {features} ||| {self.score:.6g}"
