"""Arms of an experiment that decode with consensus, with the tuned model of another arm."""

from __future__ import annotations

from typing import Any

from graphmt.consensus import ConsensusOptions, learn_decoding_files
from graphmt.corpus import read_trees
from graphmt.errors import OptionError
from graphmt.experiments.corpora import HELD_OUT
from graphmt.experiments.corpus_run import CorpusRun
from graphmt.experiments.recipe import Arm, Recipe
from graphmt.files import digest, writing
from graphmt.model.weights import FILE as WEIGHTS

#: What was learnt, in the folder of the run.
LEARNT = "consensus"


def decode_arm(run: CorpusRun, recipe: Recipe, arm: Arm, seed: int) -> None:
    """Learn consensus for a tuned model, and translate with it."""
    if recipe.part == HELD_OUT:
        raise OptionError(f"recipe {recipe.name}: consensus is tuned on dev and cannot be scored on its halves.")
    base, out = recipe.arm(arm.over), run.output(arm, seed, recipe.part)
    weights = run.run_folder(base, seed) / WEIGHTS
    options = ConsensusOptions(**{"seed": seed, "threads": run.options.threads, **(arm.consensus or {})})

    def work() -> dict[str, Any]:
        model = run.tuned(base, seed)
        source, text = run.files.source, run.text
        made = learn_decoding_files(model, (source["train"], text["train"]), (source["dev"], text["dev"]), options)
        made.save(out.parent / LEARNT)
        with writing(out) as stream:
            stream.writelines(" ".join(one.tokens) + "\n" for one in made.translate(read_trees(source[recipe.part])))
        return {"dev": made.bleu, "spans": len(made.memory)}

    request = {
        "weights": digest(weights),
        "search": dict(base.search),
        "data": run.data,
        "options": {**options.as_dict(), "threads": 0},
    }
    run.step(f"decode-{out.parent.name}-{recipe.part}", request, [out], work)
