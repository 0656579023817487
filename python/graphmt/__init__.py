"""Graph-based statistical machine translation.

>>> import graphmt
>>> model = graphmt.train("pbmt", source="train.de.gz", target="train.en.gz", out="model")  # doctest: +SKIP
>>> model.translate("ein kleines Haus").text                                                # doctest: +SKIP
"""

from __future__ import annotations

# Nothing is imported here, not even typing: the command has to be in charge of its signals as soon as possible.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from graphmt import align, consensus, corpus, demo, draw, lm, rules, systems
    from graphmt._core import __version__
    from graphmt.consensus import rerank
    from graphmt.corpus import Tree, read_trees
    from graphmt.model import Model, Translation, load
    from graphmt.training import train

__all__ = [
    "Model",
    "Translation",
    "Tree",
    "__version__",
    "align",
    "consensus",
    "corpus",
    "demo",
    "draw",
    "lm",
    "load",
    "read_trees",
    "rerank",
    "rules",
    "systems",
    "train",
]

#: Where a name is found. Modules are imported when they are first used, so that a part does not wait for the whole.
_HOME = {
    "__version__": "graphmt._core",
    "Model": "graphmt.model",
    "Translation": "graphmt.model",
    "Tree": "graphmt.corpus",
    "load": "graphmt.model",
    "read_trees": "graphmt.corpus",
    "rerank": "graphmt.consensus",
    "train": "graphmt.training",
}


def __getattr__(name: str) -> Any:
    import importlib

    if name in _HOME:
        return getattr(importlib.import_module(_HOME[name]), name)
    if name in __all__:
        return importlib.import_module(f"graphmt.{name}")
    raise AttributeError(f"module 'graphmt' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
