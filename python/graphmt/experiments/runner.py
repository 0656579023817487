"""Runs a recipe: the steps of each corpus, each done once, then the tables."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import logging
import platform
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import graphmt
from graphmt import versions
from graphmt.errors import InputError, OptionError
from graphmt.experiments import tuner as tuning
from graphmt.experiments.corpora import HELD_OUT, CorpusFiles, find_corpus
from graphmt.experiments.corpus_run import CorpusRun, require_own
from graphmt.experiments.options import ExperimentOptions
from graphmt.experiments.recipe import Recipe
from graphmt.experiments.recipes import RECIPES
from graphmt.experiments.results import markdown
from graphmt.experiments.scoring import measurable, named, score
from graphmt.experiments.tasks import ArmTask, Spread, run_arm, waves
from graphmt.experiments.written import NoTomlError, as_toml
from graphmt.storage.checks import require_room
from graphmt.storage.files import AnyPath, digest, writing
from graphmt.storage.locks import writer_lock

log = logging.getLogger(__name__)

LIBRARIES = ("numpy", "sacrebleu", "sil-thot", "sacremoses")


def run(
    recipe: Recipe,
    data: AnyPath,
    out: AnyPath,
    options: ExperimentOptions | Mapping[str, Any] | None = None,
    *,
    corpora: Sequence[str] = (),
    arms: Sequence[str] = (),
    tuner: tuning.Tuner = tuning.tune,
    spread: Spread | None = None,
) -> dict[str, Any]:
    """Run an experiment: train, tune, translate and score.

    All intermediate results are kept in ``OUT``: interrupted runs resume, and a run with other options repeats only
    what they change. Each step is logged, to standard error unless the program has set up logging.

    Parameters
    ----------
    recipe
        The experiment.
    data
        The folder of the corpora.
    out
        The folder to write. The result goes to ``OUT/RECIPE.json`` and ``OUT/RECIPE.md``.
    options
        Changes to the recipe, and how it runs.
    corpora
        Corpora to use instead of the recipe's.
    arms
        Only these systems, and those that they are compared with.
    tuner
        Tunes a system; for tests.
    spread
        Runs tasks that do not depend on each other somewhere else, such as :func:`graphmt.spark.spread_over`. They
        work in ``OUT``, which must be a folder that all of them see.

    Returns
    -------
    dict[str, Any]
        The result as written to the JSON file.

    Raises
    ------
    InputError
        If a corpus is missing.

    Examples
    --------
    >>> from graphmt.experiments import recipe, run
    >>> result = run(recipe("segmentation"), "DATA", "OUT")  # doctest: +SKIP
    """
    is_named = RECIPES.get(recipe.name) == recipe
    recipe = recipe.only(arms) if arms else recipe
    options = ExperimentOptions.of(options)
    options = options.replace(seeds=options.seeds or recipe.seeds, tuner=options.tuner or recipe.tuner)
    folder = Path(out)
    if folder.exists() and not folder.is_dir():
        raise InputError("this is a file, a folder was expected.", file=folder)
    # Missing inputs and output conflicts are reported before hours of work.
    found = [find_corpus(data, name, recipe.test) for name in corpora or recipe.corpora]
    if not found:
        raise OptionError(f"recipe {recipe.name} has no corpora.", hint="Name them in the recipe or with --corpus.")
    for feature in (feature for arm in recipe.arms for feature in arm.features):
        feature.load()
    recipe = measurable(recipe, [files.target_language for files in found])
    require_room(folder)
    for files in found:
        require_own(folder / files.name)
    with _reported(), writer_lock(folder):
        names = [files.name for files in found]
        command = _command(recipe, options, names, arms) if is_named else _declared(recipe, options, names, folder)
        return _run(recipe, found, folder, options, command, tuner, spread)


@contextlib.contextmanager
def _reported() -> Iterator[None]:
    """Log to standard error while the block runs, unless the program has set up logging: a run may take hours."""
    logger = logging.getLogger("graphmt")
    if logger.hasHandlers():
        yield
        return
    handler, level = logging.StreamHandler(), logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)


def _run(
    recipe: Recipe,
    found: Sequence[CorpusFiles],
    folder: Path,
    options: ExperimentOptions,
    command: str,
    tuner: tuning.Tuner,
    spread: Spread | None,
) -> dict[str, Any]:
    by_corpus = {}
    for files in found:
        one = CorpusRun(files, folder, options, str(options.tuner), tuner)
        one.prepare(models=any(arm.has_model for arm in recipe.arms))
        if spread is not None:
            # Everything below finds these steps done.
            for tasks in waves(ArmTask(recipe, files, folder, options, tuner), one.seeds()):
                if recipe.part == HELD_OUT:
                    one.halve()
                spread(tasks)
        rules = {arm.model: one.model(arm) for arm in recipe.arms if arm.has_model}
        if recipe.part == HELD_OUT:
            one.halve()
        for arm in recipe.arms:
            for seed in one.seeds():
                run_arm(one, recipe, arm, seed)
        for part in recipe.parts:
            by_corpus[named(files.name, recipe, part)] = score(one, recipe, part, rules)
    result: dict[str, Any] = {
        "experiment": recipe.as_dict(),
        "options": options.as_dict(),
        "command": command,
        "features": {one.function: digest(one.file) for arm in recipe.arms for one in arm.features},
        "versions": _versions(),
        "corpora": by_corpus,
    }
    result = json.loads(json.dumps(result))
    with writing(tables(folder, recipe).with_suffix(".json")) as stream:
        json.dump(result, stream, ensure_ascii=False, indent=2)
        stream.write("\n")
    with writing(tables(folder, recipe)) as stream:
        stream.write(markdown(recipe, result))
    log.info(f"Wrote {tables(folder, recipe)}, and for each corpus the report {folder / 'CORPUS' / recipe.name}.html.")
    return result


def tables(out: Path, recipe: Recipe) -> Path:
    """The path of an experiment's tables."""
    return out / f"{recipe.name}.md"


def _command(recipe: Recipe, options: ExperimentOptions, corpora: Sequence[str], arms: Sequence[str]) -> str:
    defaults = ExperimentOptions()
    changed = [
        f"--{name.replace('_', '-')} {value}"
        for name, value in options.as_dict().items()
        if value != getattr(defaults, name) and name != "threads"
    ]
    named = [f"--corpus {name}" for name in corpora] + [f"--arm {shlex.quote(name)}" for name in arms]
    return " ".join(["graphmt experiment", recipe.name, "--data DATA --out OUT", *named, *changed])


def _declared(recipe: Recipe, options: ExperimentOptions, corpora: Sequence[str], folder: Path) -> str:
    """The command for a recipe that has no name to call it by: it is declared in a file beside its tables."""
    file = folder / f"{recipe.name}.run.toml"
    try:
        text = as_toml(dataclasses.replace(recipe, corpora=tuple(corpora)), options)
    except NoTomlError as error:
        return f"graphmt.experiments.run(…) of a Python program; as TOML it has no {error}"
    with writing(file) as stream:
        stream.write(text)
    return f"graphmt experiment --config OUT/{shlex.quote(file.name)} --data DATA --out OUT"


def _versions() -> dict[str, str]:
    libraries = versions.installed(*LIBRARIES)
    return {"graphmt": graphmt.__version__, **libraries, "Python": platform.python_version(), "on": platform.machine()}
