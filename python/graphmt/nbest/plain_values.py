"""N-best lists as values that JSON has, so that another process can read them."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphmt.nbest.record import NBestList
from graphmt.nbest.scores import ScoreMeaning


def to_values(given: NBestList) -> dict[str, Any]:
    """A list as numbers, strings, lists and dictionaries."""
    return {
        "number": given.number,
        "texts": given.texts,
        "features": given.features,
        "values": given.values.tolist(),
        "origins": given.origins,
        "format": given.format,
        "meanings": {name: meaning.value for name, meaning in given.meanings.items()},
        "source": given.source,
        "word_scores": given.word_scores,
        "alignments": given.alignments,
        "lengths": given.lengths,
    }


def from_values(values: dict[str, Any]) -> NBestList:
    """The list that :func:`to_values` was given."""
    candidates, features = len(values["texts"]), len(values["features"])
    return NBestList(
        number=values["number"],
        texts=tuple(values["texts"]),
        features=tuple(values["features"]),
        values=np.array(values["values"], dtype=np.float64).reshape(candidates, features),
        origins=tuple(tuple(one) if isinstance(one, list) else one for one in values["origins"]),
        format=values["format"],
        meanings={name: ScoreMeaning(meaning) for name, meaning in values["meanings"].items()},
        source=values["source"],
        word_scores=tuple(map(tuple, values["word_scores"])),
        alignments=tuple(values["alignments"]),
        lengths=tuple(values["lengths"]),
    )
