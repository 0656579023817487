"""A discriminative word lexicon: a classifier of the translations of each ambiguous source word.

After Mauser, Hasan and Ney (2009), "Extending statistical machine translation with discriminative and trigger-based
lexicon models".
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from graphmt import _core
from graphmt.selection.base import Corpus, SelectionModel
from graphmt.selection.classifiers import train_classifiers
from graphmt.selection.options import DwlOptions

#: The file in a model's folder.
FILE = "dwl.bin"


def train_dwl(corpus: Corpus, out: Path, options: DwlOptions | Mapping[str, Any] | None = None) -> dict[str, int]:
    """Train the classifiers of a corpus' words, and write them whole or not at all; returns counts.

    Uses parts of speech and heads if the corpus has trees, otherwise only words.
    """
    return train_classifiers(_core.train_dwl, corpus, out, DwlOptions.of(options))


def _train(corpus: Corpus, folder: Path, options: Any) -> dict[str, Any]:
    return dict(train_dwl(corpus, folder / FILE, options))


DWL = SelectionModel(
    name="dwl",
    summary="a discriminative word lexicon: classifiers of a word's translations over all the words of the sentence",
    features={"word_selection": 0.2},
    files=(FILE,),
    needs_trees=False,
    train=_train,
    search_options=None,
    open=lambda folder, search: _core.open_dwl(folder / FILE),
)
