"""Fixed classifiers and weights, for lists without a development set.

They were fitted to the development lists of two corpora (``bench/untuned_rerank.py --fit``). Features of n-grams are
shares of memory pairs and posteriors, which mean the same in any language and domain.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import as_file, files

from graphmt import _core
from graphmt.errors import OptionError
from graphmt.evidence import NgramPosteriors
from graphmt.memory_features.columns import PREDICTOR_FILE, FittedFeatures
from graphmt.memory_features.groups import GROUPS
from graphmt.memory_features.resources import MemoryResources
from graphmt.storage.formats import parse_json

#: The folder of the fixed files.
FOLDER = files("graphmt.memory_features") / "fixed"
WEIGHTS_FILE = "weights.json"
#: The name of the log-probability among the weights.
OWN = "own"


def untuned_weights(groups: Sequence[str]) -> dict[str, float]:
    """The weights of the columns of some groups, and of the list's log-probability (:data:`OWN`)."""
    known = parse_json((FOLDER / WEIGHTS_FILE).read_text("utf-8"))["weights"]
    asked = "+".join(groups)
    if asked not in known:
        raise OptionError(
            f"{', '.join(groups)} need weights tuned on a development set.",
            hint=f"Give --dev and --dev-target, or --features {' or '.join(one.replace('+', ',') for one in known)}.",
        )
    found: dict[str, float] = known[asked]
    return found


def untuned_features(groups: Sequence[str], resources: MemoryResources) -> FittedFeatures:
    """The features of a memory with the fixed classifiers."""
    ordered = tuple(group for group in GROUPS if group in groups)
    if resources.index is None:
        return FittedFeatures(ordered, resources)
    with as_file(FOLDER / PREDICTOR_FILE) as path:
        predictor = _core.NgramPredictor.open(path)
    return FittedFeatures(ordered, resources, NgramPosteriors(resources.index, predictor, resources.options))
