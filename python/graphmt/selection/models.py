"""The models of lexical selection by name."""

from __future__ import annotations

from collections.abc import Iterable

from graphmt.errors import OptionError
from graphmt.options import nearest
from graphmt.selection.base import SelectionModel
from graphmt.selection.gm import GM
from graphmt.selection.lrsm import LRSM
from graphmt.selection.tsm import TSM

#: The models of lexical selection by name.
MODELS: dict[str, SelectionModel] = {made.name: made for made in (GM, LRSM, TSM)}


def selection_models(names: Iterable[str]) -> tuple[SelectionModel, ...]:
    """The models of these names, each once; an unknown name raises an error that suggests the nearest one."""
    wanted = list(dict.fromkeys(names))
    for name in wanted:
        if name not in MODELS:
            raise OptionError(f"unknown lexical selection model {name!r}{nearest(name, MODELS)}.")
    return tuple(MODELS[name] for name in MODELS if name in wanted)
