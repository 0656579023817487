"""Arms of an experiment that re-rank: over the lists of a model, or of an external system."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from graphmt.consensus import Outputs, RerankOptions, learn_files, read_lists, rerank_files
from graphmt.consensus.memory import read_memory_pairs
from graphmt.consensus.preparation import PreparedMemory, prepare_memory
from graphmt.errors import InputError, OptionError
from graphmt.experiments.corpora import HELD_OUT
from graphmt.experiments.corpus_run import CorpusRun
from graphmt.experiments.recipe import Arm, Recipe
from graphmt.memory_features import GivenFiles
from graphmt.storage.files import digest, writing

#: Candidates per sentence from a model.
N_BEST = 100
#: The re-ranker of an arm, in its folder: a file, or with features of the memory a folder.
RERANKER = "reranker.json"
FOLDER = "reranker"


def rerank_arm(run: CorpusRun, recipe: Recipe, arm: Arm, seed: int) -> None:
    """The output of an arm without a model: an external system's best, or an arm's re-ranked lists."""
    if arm.lists:
        if recipe.part == HELD_OUT:
            raise OptionError(f"recipe {recipe.name}: lists of another system cannot be tuned on the halves of dev.")
        for part in recipe.parts:
            _external_best(run, arm, seed, part)
        return
    base = recipe.arm(arm.over)
    if recipe.part == HELD_OUT:
        run.held_out(arm, seed, lambda part, on: _rerank(run, base, arm, seed, part, on))
    else:
        for part in recipe.parts:
            _rerank(run, base, arm, seed, part)


def _external_best(run: CorpusRun, arm: Arm, seed: int, part: str) -> None:
    out, given = run.output(arm, seed, part), foreign_lists(run, arm, part)

    def best() -> dict[str, Any]:
        with writing(out) as stream:
            stream.writelines(f"{one.texts[0]}\n" for one in read_lists(given))
        return {}

    run.step(f"best-{out.parent.name}-{part}", {"lists": digest(given)}, [out], best)


def _rerank(run: CorpusRun, base: Arm, arm: Arm, seed: int, part: str, on: str = "dev") -> None:
    """A part of the corpus, with the system and the re-ranker tuned on another."""
    out = run.output(arm, seed, part, on)
    dev, test = (
        foreign_lists(run, base, one) if base.lists else run.n_best(base, seed, one, N_BEST, on) for one in (on, part)
    )
    options = RerankOptions(**{"lowercase": True, "seed": seed, "threads": run.options.threads, **arm.rerank})

    def work() -> dict[str, Any]:
        memory = _memory(run.files.source["train"], run.text["train"], _memory_options(options), _trained(run, options))
        made = learn_files(dev, run.source[on], [run.text[on]], memory.memory, options, resources=memory.resources)
        made.save(out.parent / (FOLDER if options.memory_groups else RERANKER))
        done = rerank_files(test, run.source[part], memory.memory, made, Outputs(out))
        return {"dev": made.bleu, "scale": made.scale, "changed": done.changed, "neighbours": done.with_neighbours}

    request = {
        "lists": {on: digest(dev), part: digest(test)},
        "data": run.learnt(),
        "options": {**options.as_dict(), "threads": 0},
    }
    run.step(f"rerank-{out.parent.name}-{part}", request, [out], work)


def foreign_lists(run: CorpusRun, arm: Arm, part: str) -> Path:
    """The lists of an external system, in the data folder or above the corpora."""
    folder = run.files.source["train"].parent
    name = f"{run.files.name}.{part}.nbest"
    for root in (folder.parent, folder.parent.parent):
        for path in (root / arm.lists / f"{name}.gz", root / arm.lists / name):
            if path.is_file():
                return path
    raise InputError(f"no lists {arm.lists}/{name}.gz for this corpus.", file=folder)


def _trained(run: CorpusRun, options: RerankOptions) -> GivenFiles:
    """The language model and the alignment of the experiment, if it has them: lists of other systems need neither."""
    return GivenFiles(
        lm=run.lm if "lm" in options.memory_groups and run.lm.exists() else None,
        alignment=run.alignment if "lexicon" in options.memory_groups and run.alignment.exists() else None,
    )


def _memory_options(options: RerankOptions) -> RerankOptions:
    """The options that a prepared memory depends on."""
    made = RerankOptions(lowercase=options.lowercase, threads=options.threads)
    return made.replace(features=options.features) if options.memory_groups else made


@lru_cache(maxsize=1)
def _memory(source: Path, target: Path, options: RerankOptions, files: GivenFiles) -> PreparedMemory:
    return prepare_memory(read_memory_pairs([source], [target]), options, files=files)
