"""Graph-based statistical machine translation.

>>> import graphmt
>>> corpus = graphmt.demo.write("corpus", graphmt.demo.DemoOptions(train=300))
>>> files = {"source": "corpus/train.de.conllu", "target": "corpus/train.en", "alignment": "corpus/train.align"}
>>> model = graphmt.train("pbmt", **files, out="first")
>>> model.translate("Er schläft .").text
'He is sleeping .'
"""

from __future__ import annotations

# This module imports nothing, not even typing, so that the command handles signals as early as possible.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from graphmt import (
        align,
        consensus,
        corpus,
        demo,
        draw,
        errors,
        evaluate,
        experiments,
        explain,
        glossary,
        graph,
        lm,
        localisation,
        maxent,
        model,
        nbest,
        progress,
        protect,
        reorder,
        rules,
        selection,
        server,
        systems,
        training,
        tune,
    )
    from graphmt._core import __version__
    from graphmt.bars import progress_bar
    from graphmt.consensus import rerank
    from graphmt.corpus import Tree, read_trees
    from graphmt.errors import GraphmtError
    from graphmt.evaluate.comparison import Comparison, compare
    from graphmt.model import Model, Translation, load
    from graphmt.progress import on_progress
    from graphmt.training import TrainOptions, train
    from graphmt.tune import tune_model

__all__ = [
    "Comparison",
    "GraphmtError",
    "Model",
    "TrainOptions",
    "Translation",
    "Tree",
    "__version__",
    "align",
    "compare",
    "consensus",
    "corpus",
    "demo",
    "draw",
    "errors",
    "evaluate",
    "experiments",
    "explain",
    "glossary",
    "graph",
    "lm",
    "load",
    "localisation",
    "maxent",
    "model",
    "nbest",
    "on_progress",
    "progress",
    "progress_bar",
    "protect",
    "read_trees",
    "reorder",
    "rerank",
    "rules",
    "selection",
    "server",
    "systems",
    "train",
    "training",
    "tune",
    "tune_model",
]

#: The module of each name that is not a module. Modules are imported when they are first used.
_HOME = {
    "__version__": "graphmt._core",
    "Comparison": "graphmt.evaluate",
    "GraphmtError": "graphmt.errors",
    "Model": "graphmt.model",
    "TrainOptions": "graphmt.training",
    "Translation": "graphmt.model",
    "Tree": "graphmt.corpus",
    "compare": "graphmt.evaluate",
    "load": "graphmt.model",
    "on_progress": "graphmt.progress",
    "progress_bar": "graphmt.bars",
    "read_trees": "graphmt.corpus",
    "rerank": "graphmt.consensus",
    "train": "graphmt.training",
    "tune_model": "graphmt.tune",
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
