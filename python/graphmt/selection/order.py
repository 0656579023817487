"""Word order by dependencies: classifiers of whether the translations of two linked words change places.

After Gao, Koehn and Birch (2011), "Soft dependency constraints for reordering in hierarchical phrase-based
translation", with classifiers in the place of counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from graphmt import _core
from graphmt.selection.base import Corpus, SelectionModel
from graphmt.selection.classifiers import train_classifiers
from graphmt.selection.options import OrderOptions

#: The file in a model's folder.
FILE = "order.bin"


def train_order(corpus: Corpus, out: Path, options: OrderOptions | Mapping[str, Any] | None = None) -> dict[str, int]:
    """Train the classifiers of a corpus with trees, and write them whole or not at all; returns counts."""
    return train_classifiers(_core.train_order, corpus, out, OrderOptions.of(options))


def _train(corpus: Corpus, folder: Path, options: Any) -> dict[str, Any]:
    return dict(train_order(corpus, folder / FILE, options))


ORDER = SelectionModel(
    name="order",
    summary="word order by dependencies: classifiers of which linked words change places, for rules with holes",
    features={"order_holes": 0.1, "order_words": 0.1},
    files=(FILE,),
    needs_trees=True,
    train=_train,
    search_options=None,
    open=lambda folder, search: _core.open_order(folder / FILE),
)
