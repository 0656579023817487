"""The files of a model's folder: which belong to the model, and which to the user."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

from graphmt.corpus.steps import FILE as STEPS
from graphmt.model.manifest import FILE as MANIFEST
from graphmt.model.weights import FILE as WEIGHTS
from graphmt.selection.models import MODELS
from graphmt.storage.files import AnyPath

RULES = "rules.bin"
LM = "lm.bin"
REORDERING = "reordering.bin"
SOURCE_STEPS = "source"
TARGET_STEPS = "target"
#: The UDPipe model that parses raw input; other parsers are remembered by name.
PARSER = f"{SOURCE_STEPS}/parser.udpipe"
#: Tuning: the initial weights, the log, and the folder of an unfinished run.
START = "weights.start.toml"
LOG = "weights.tuning.jsonl"
TUNING = f"{WEIGHTS}.tuning"
#: Consensus decoding: its folder and the files in it.
CONSENSUS, SPANS, CONTENT = "consensus", "spans.tsv.gz", "consensus.json"
#: With memory n-gram posteriors also the training pairs and the classifiers.
PAIRS, PREDICTOR = "pairs.tsv.gz", "predictor.bin"

_FILES = {
    *(MANIFEST, WEIGHTS, RULES, LM, REORDERING, PARSER, START, LOG),
    *(f"{side}/{STEPS}" for side in (SOURCE_STEPS, TARGET_STEPS)),
    *(file for model in MODELS.values() for file in (*model.files, *model.optional)),
    *(f"{CONSENSUS}/{file}" for file in (SPANS, CONTENT, PAIRS, PREDICTOR)),
}
#: Further parts of the rule table, the state of an unfinished tuning run, and drafts left by killed processes.
_PATTERNS = re.compile(
    rf"{re.escape(RULES)}\.\d+|{re.escape(TUNING)}/(state\.json|result\.json|lists-\d+\.npz)|(.*/)?\.[^/]+\.\d+-\d+\.\w+"
)


def rule_files(folder: AnyPath) -> tuple[str, ...]:
    """The files of a model's rule table: one, or several parts."""
    further = itertools.takewhile(
        lambda name: (Path(folder) / name).exists(), (f"{RULES}.{n}" for n in itertools.count(1))
    )
    return (RULES, *further)


def is_part(name: str) -> bool:
    """Whether a file, named as in ``source/text.json``, belongs to a model and is replaced when it is trained again."""
    return name in _FILES or _PATTERNS.fullmatch(name) is not None
