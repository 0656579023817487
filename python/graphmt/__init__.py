"""Graph-based statistical machine translation."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from graphmt._core import __version__

if TYPE_CHECKING:
    from graphmt.model import load as load
    from graphmt.training import train as train

__all__ = ["__version__", "load", "train"]

#: Where the names of the public face live; they are imported when first used.
_FACE = {"load": "graphmt.model", "train": "graphmt.training"}


def __getattr__(name: str) -> Any:
    if name not in _FACE:
        raise AttributeError(f"module 'graphmt' has no attribute {name!r}")
    return getattr(importlib.import_module(_FACE[name]), name)
