"""Arms of an experiment that re-rank: over the lists of a model, or of an external system."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from graphmt import _core
from graphmt.consensus import Outputs, RerankOptions, learn_files, read_lists, read_memory, rerank_files
from graphmt.errors import InputError, OptionError
from graphmt.experiments.corpora import HELD_OUT
from graphmt.experiments.corpus_run import CorpusRun
from graphmt.experiments.recipe import Arm, Recipe
from graphmt.storage.files import digest, writing

#: Candidates per sentence from a model.
N_BEST = 100
#: The re-ranker of an arm, in its folder.
RERANKER = "reranker.json"


def rerank_arm(run: CorpusRun, recipe: Recipe, arm: Arm, seed: int) -> None:
    """The output of an arm without a model: an external system's best, or an arm's re-ranked lists."""
    if recipe.part == HELD_OUT:
        raise OptionError(f"recipe {recipe.name}: re-ranking is tuned on dev and cannot be scored on its halves.")
    out = run.output(arm, seed, recipe.part)
    if arm.lists:
        given = foreign_lists(run, arm, recipe.part)

        def best() -> dict[str, Any]:
            with writing(out) as stream:
                stream.writelines(f"{one.texts[0]}\n" for one in read_lists(given))
            return {}

        run.step(f"best-{out.parent.name}-{recipe.part}", {"lists": digest(given)}, [out], best)
        return
    base = recipe.arm(arm.over)
    dev, test = (
        foreign_lists(run, base, part) if base.lists else run.n_best(base, seed, part, N_BEST)
        for part in ("dev", recipe.part)
    )
    options = RerankOptions(**{"lowercase": True, "seed": seed, "threads": run.options.threads, **arm.rerank})

    def work() -> dict[str, Any]:
        source = run.files.source
        memory = _memory(source["train"], run.text["train"], options.lowercase)
        made = learn_files(dev, source["dev"], [run.text["dev"]], memory, options)
        made.save(out.parent / RERANKER)
        done = rerank_files(test, source[recipe.part], memory, made, Outputs(out))
        return {"dev": made.bleu, "scale": made.scale, "changed": done.changed, "neighbours": done.with_neighbours}

    request = {
        "lists": {"dev": digest(dev), recipe.part: digest(test)},
        "data": run.data,
        "options": {**options.as_dict(), "threads": 0},
    }
    run.step(f"rerank-{out.parent.name}-{recipe.part}", request, [out], work)


def foreign_lists(run: CorpusRun, arm: Arm, part: str) -> Path:
    """The lists of an external system, in the data folder or above the corpora."""
    folder = run.files.source["train"].parent
    name = f"{run.files.name}.{part}.nbest"
    for root in (folder.parent, folder.parent.parent):
        for path in (root / arm.lists / f"{name}.gz", root / arm.lists / name):
            if path.is_file():
                return path
    raise InputError(f"no lists {arm.lists}/{name}.gz for this corpus.", file=folder)


@lru_cache(maxsize=1)
def _memory(source: Path, target: Path, lowercase: bool) -> _core.TranslationMemory:
    return read_memory([source], [target], RerankOptions(lowercase=lowercase))
