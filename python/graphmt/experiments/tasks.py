"""Arms and seeds of an experiment as tasks, which an engine can run at the same time."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from graphmt.experiments.corpora import HELD_OUT, CorpusFiles
from graphmt.experiments.corpus_run import CorpusRun
from graphmt.experiments.decoding import decode_arm
from graphmt.experiments.options import ExperimentOptions
from graphmt.experiments.recipe import Arm, Recipe
from graphmt.experiments.reranking import rerank_arm
from graphmt.experiments.tuner import Tuner


@dataclasses.dataclass(frozen=True)
class ArmTask:
    """Work on one corpus: models to train, then arms to run with a seed each, one after the other."""

    recipe: Recipe
    files: CorpusFiles
    folder: Path
    options: ExperimentOptions
    tuner: Tuner
    models: tuple[str, ...] = ()
    arms: tuple[tuple[str, int], ...] = ()

    def run(self) -> None:
        """Do the work in the folder; what is done already is not repeated."""
        one = CorpusRun(self.files, self.folder, self.options, str(self.options.tuner), self.tuner)
        for name in self.models:
            one.model(self.recipe.arm(name))
        for name, seed in self.arms:
            run_arm(one, self.recipe, self.recipe.arm(name), seed)


#: Runs tasks that do not depend on each other, and returns when all are done.
Spread = Callable[[Sequence[ArmTask]], object]


def run_arm(one: CorpusRun, recipe: Recipe, arm: Arm, seed: int) -> None:
    """Tune an arm with a seed, and translate; or re-rank or decode with consensus."""
    if arm.consensus is not None:
        decode_arm(one, recipe, arm, seed)
    elif not arm.has_model:
        rerank_arm(one, recipe, arm, seed)
    elif recipe.part == HELD_OUT:
        one.translate_held_out(arm, seed)
    else:
        if arm.tuned_as:
            one.borrow(arm, recipe.arm(arm.tuned_as), seed)
        else:
            one.tune(arm, seed)
        for part in recipe.parts:
            one.translate(arm, seed, part)


def waves(of: ArmTask, seeds: Iterable[int]) -> Iterator[list[ArmTask]]:
    """Tasks that depend only on earlier waves: plain models, models that reuse their rules, tuning, and the rest.

    Arms that use the lists or the model of the same arm are one task, because they share intermediate results.
    """
    seeds, arms = list(seeds), of.recipe.arms
    models = {arm.model: arm for arm in arms if arm.has_model}
    for selected in (False, True):
        wave = [(arm.name,) for arm in models.values() if bool(arm.selection) is selected]
        if wave:
            yield [dataclasses.replace(of, models=names) for names in wave]
    alone = [arm for arm in arms if not (arm.tuned_as or arm.over)]
    yield [dataclasses.replace(of, arms=((arm.name, seed),)) for arm in alone for seed in seeds]
    later = [arm for arm in arms if arm.tuned_as or arm.over]
    groups: dict[tuple[str, int], list[tuple[str, int]]] = {}
    for arm in later:
        for seed in seeds:
            groups.setdefault((arm.tuned_as or arm.over, seed), []).append((arm.name, seed))
    if groups:
        yield [dataclasses.replace(of, arms=tuple(group)) for group in groups.values()]
