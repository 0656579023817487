"""The models of lexical selection by name."""

from __future__ import annotations

from collections.abc import Iterable

from graphmt.errors import OptionError
from graphmt.options import nearest
from graphmt.selection.base import SelectionModel
from graphmt.selection.dwl import DWL
from graphmt.selection.gm import GM
from graphmt.selection.lrsm import LRSM
from graphmt.selection.order import ORDER
from graphmt.selection.tsm import TSM

#: The models of lexical selection by name.
MODELS: dict[str, SelectionModel] = {made.name: made for made in (GM, LRSM, DWL, ORDER, TSM)}


def selection_models(names: Iterable[str]) -> tuple[SelectionModel, ...]:
    """Look up models of lexical selection by their names.

    Parameters
    ----------
    names
        Names, such as ``gm``.

    Returns
    -------
    tuple[SelectionModel, ...]
        The models, each once.

    Raises
    ------
    OptionError
        If a name is unknown; the message suggests the nearest one.

    Examples
    --------
    >>> from graphmt.selection import selection_models
    >>> [model.name for model in selection_models(["tsm", "gm"])]
    ['gm', 'tsm']
    """
    wanted = list(dict.fromkeys(names))
    for name in wanted:
        if name not in MODELS:
            raise OptionError(f"unknown lexical selection model {name!r}{nearest(name, MODELS)}.")
    return tuple(MODELS[name] for name in MODELS if name in wanted)
