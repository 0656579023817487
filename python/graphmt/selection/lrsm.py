"""Lexicalised rule selection: a context classifier for each ambiguous source side.

He, Liu and Lin (2008), "Improving statistical machine translation using lexicalized rule selection".
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from graphmt import _core
from graphmt.selection.base import Corpus, SelectionModel
from graphmt.selection.classifiers import train_classifiers
from graphmt.selection.options import LrsmOptions

#: The file in a model's folder.
FILE = "lrsm.bin"


def train_lrsm(corpus: Corpus, out: Path, options: LrsmOptions | Mapping[str, Any] | None = None) -> dict[str, int]:
    """Train the classifiers of a corpus' rules, and write them whole or not at all; returns counts.

    Uses parts of speech if the corpus has trees, otherwise only words.
    """
    return train_classifiers(_core.train_lrsm, corpus, out, LrsmOptions.of(options))


def _train(corpus: Corpus, folder: Path, options: Any) -> dict[str, Any]:
    return dict(train_lrsm(corpus, folder / FILE, options))


LRSM = SelectionModel(
    name="lrsm",
    summary="lexicalised rule selection: classifiers over the words around a rule and in its holes",
    features={"rule_selection": 0.2, "no_selection": 0.0},
    files=(FILE,),
    needs_trees=False,
    train=_train,
    search_options=None,
    open=lambda folder, search: _core.open_lrsm(folder / FILE),
)
