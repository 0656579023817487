"""Small models with lexical selection and with consensus, made from the demo's."""

from __future__ import annotations

import shutil
from pathlib import Path

from graphmt.consensus import ConsensusDecoder, ConsensusOptions, make_span_memory
from graphmt.consensus.decoding import FEATURES
from graphmt.training import train
from small_models import Trained


def make_special(demo: Trained, folder: Path) -> Path:
    """Both models, in a folder."""
    make_selecting(demo, folder / "selecting")
    make_agreeing(demo, folder / "agreeing")
    return folder


def make_selecting(demo: Trained, out: Path) -> None:
    """hpb with collective lexical selection."""
    train(
        "hpb",
        source=demo.source,
        target=demo.target,
        alignment=demo.alignment,
        language_model=demo.lm,
        rules_of=demo.models["hpb"],
        selection=["gm"],
        options={"gm": {"lemmas": False, "threads": 1}, "extract": {"threads": 1}},
        out=out,
    )


def make_agreeing(demo: Trained, out: Path) -> None:
    """btg with consensus, not tuned."""
    shutil.copytree(demo.models["btg"], out)
    model = demo.load("btg")
    pairs = [("er schläft heute .", "he is asleep today ."), ("sie schläft heute .", "she is asleep today .")]
    memory, _ = make_span_memory(model, pairs, threads=1)
    weights = {**model.weights, **dict.fromkeys(FEATURES, 0.1)}
    ConsensusDecoder(model, memory, ConsensusOptions(threads=1), (model.weights, weights)).save(out / "consensus")
