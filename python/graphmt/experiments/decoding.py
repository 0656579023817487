"""Arms of an experiment that decode with consensus, with the tuned model of another arm."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from graphmt.consensus import (
    ConsensusOptions,
    learn_decoding_files,
    load_span_memory,
    make_span_memory_files,
    save_span_memory,
)
from graphmt.corpus import read_trees
from graphmt.experiments.corpora import HELD_OUT
from graphmt.experiments.corpus_run import CorpusRun
from graphmt.experiments.recipe import Arm, Recipe
from graphmt.model.layout import CONSENSUS as FOLDER
from graphmt.model.layout import SPANS
from graphmt.model.weights import FILE as WEIGHTS
from graphmt.storage.files import digest, writing


def decode_arm(run: CorpusRun, recipe: Recipe, arm: Arm, seed: int) -> None:
    """Learn consensus for a tuned model, and translate with it."""
    base = recipe.arm(arm.over)
    if recipe.part == HELD_OUT:
        run.held_out(arm, seed, lambda part, on: _decode(run, base, arm, seed, part, on))
    else:
        for part in recipe.parts:
            _decode(run, base, arm, seed, part)


def _decode(run: CorpusRun, base: Arm, arm: Arm, seed: int, part: str, on: str = "dev") -> None:
    """A part of the corpus, with the model and consensus tuned on another."""
    out = run.output(arm, seed, part, on)
    options = ConsensusOptions(**{"seed": seed, "threads": run.options.threads, **(arm.consensus or {})})
    weights = digest(run.run_folder(base, seed, on) / WEIGHTS)
    tuned: dict[str, Any] = {"weights": weights, "search": dict(base.search), "data": run.learnt()}
    if base.features:
        tuned["features"] = [feature.request() for feature in base.features]
    spans = _spans(run, base, seed, on, tuned)

    def work() -> dict[str, Any]:
        dev = run.source[on], run.text[on]
        train = run.files.source["train"], run.text["train"]
        made = learn_decoding_files(run.tuned(base, seed, on), load_span_memory(spans), dev, options, train=train)
        made.save(out.parent / FOLDER, overwrite=True)
        with writing(out) as stream:
            stream.writelines(" ".join(one.tokens) + "\n" for one in made.translate(read_trees(run.source[part])))
        return {"dev": made.bleu, "spans": len(made.memory)}

    request = {**tuned, "part": digest(run.source[part]), "options": {**options.as_dict(), "threads": 0}}
    run.step(f"decode-{out.parent.name}-{part}", request, [out], work)


def _spans(run: CorpusRun, base: Arm, seed: int, on: str, request: dict[str, Any]) -> Path:
    """The spans of the training corpus by a tuned model, computed once for all arms over it."""
    out = run.run_folder(base, seed, on) / SPANS

    def work() -> dict[str, Any]:
        train = run.files.source["train"], run.text["train"]
        memory, reached = make_span_memory_files(run.tuned(base, seed, on), train, threads=run.options.threads)
        save_span_memory(memory, out)
        return {"pairs": memory.pairs, "reached": reached}

    run.step(f"spans-{out.parent.name}", request, [out], work)
    return out
