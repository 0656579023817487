"""A recipe of one's own from end to end on the demo corpus: as a file, with its own features and two test sets."""

from __future__ import annotations

import json
import logging
import shutil

import pytest
from graphmt.cli import app
from graphmt.demo import DemoOptions, write
from graphmt.errors import InputError
from graphmt.experiments import ExperimentOptions, run
from graphmt.experiments.declared import Declared
from graphmt.storage.files import digest, lines
from graphmt.storage.formats import read_toml
from typer.testing import CliRunner

CORPUS = "demo-de-en"
MINE = """
name = "own"
corpora = ["demo-de-en"]
test = ["test", "test2"]
metrics = ["bleu"]

[[arms]]
name = "pbmt"
system = "pbmt"

[[arms]]
name = "monotone"
system = "pbmt"
search = { distortion_limit = 0 }

[[arms]]
name = "lengths"
system = "pbmt"
[[arms.features]]
function = "features/lengths.py:same_length"
weights = { same_length = 3.0 }

[[arms]]
name = "reranked"
over = "pbmt"
rerank = { method = "mbr-bleu" }

[[claims]]
arm = "lengths"
over = "pbmt"
gain = { de-en = 0.65 }

[[ablations]]
title = "Distance"
varied = "limit"
rows = [["usual", "pbmt"], ["0", "monotone"]]

[experiment]
tuner = "untuned"
aligner = "ibm1"
order = 3
samples = 20
trials = 20
"""
FEATURE = """
import numpy as np

def same_length(options, words):
    return np.diff(options.position_offsets) == np.diff(options.target_offsets)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The data, the file of the recipe and that of its feature, and what the command printed of its run."""
    folder = tmp_path_factory.mktemp("own")
    corpus = folder / "data" / CORPUS
    write(corpus, DemoOptions(train=300, dev=10, test=20, compress=True))
    for side in ("de.conllu.gz", "en.gz"):
        shutil.copy(corpus / f"dev.{side}", corpus / f"test2.{side}")
    (folder / "features").mkdir()
    (folder / "features" / "lengths.py").write_text(FEATURE)
    (folder / "mine.toml").write_text(MINE, "utf-8")
    (folder / "printed").write_text(invoked(folder, "mine.toml", "out"), "utf-8")
    return folder


def invoked(folder, config, out, *more) -> str:
    paths = ["--config", str(folder / config), "--data", str(folder / "data"), "--out", str(folder / out)]
    result = CliRunner().invoke(app, ["experiment", *more, *paths], catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


def scores(folder, out, name="own"):
    return json.loads((folder / out / f"{name}.json").read_text("utf-8"))["corpora"]


def test_a_recipe_of_a_file(folder) -> None:
    found = scores(folder, "out")
    assert list(found) == [f"{CORPUS}, test", f"{CORPUS}, test2"]
    assert [one["sentences"] for one in found.values()] == [20, 10]
    for one in found.values():
        outputs = folder / "out" / CORPUS / "runs"
        texts = {
            name: [
                json.loads(line)["tokens"] for line in lines(outputs / f"{name}-untuned-1" / f"{one['part']}.jsonl.gz")
            ]
            for name in ("pbmt", "monotone", "lengths")
        }
        assert texts["pbmt"] != texts["monotone"] and texts["pbmt"] != texts["lengths"]
    weights = (folder / "out" / CORPUS / "runs" / "lengths-untuned-1" / "weights.toml").read_text("utf-8")
    assert "same_length = 3.0" in weights
    printed = (folder / "printed").read_text("utf-8")
    for expected in (
        "## demo-de-en, test2",
        "| limit | BLEU |",
        "| +0.65 |",
        "(train / dev / test / test2)",
        digest(folder / "features" / "lengths.py"),
    ):
        assert expected in printed
    assert (folder / "out" / CORPUS / "own.test2.html").is_file()


def test_the_printed_command_reproduces_it(folder) -> None:
    printed = (folder / "printed").read_text("utf-8")
    assert "- `graphmt experiment --config OUT/own.run.toml --data DATA --out OUT`\n" in printed
    shutil.copytree(folder / "out", folder / "again")
    steps = {path: path.stat().st_mtime_ns for path in (folder / "again" / CORPUS).rglob("*") if path.is_file()}
    text = (folder / "again" / "own.run.toml").read_text("utf-8")
    assert invoked(folder, "again/own.run.toml", "again") == printed
    # No step is done again, and the file is as it was.
    assert {path: path.stat().st_mtime_ns for path in steps} == steps
    assert (folder / "again" / "own.run.toml").read_text("utf-8") == text


def test_a_changed_feature_is_another(folder) -> None:
    shutil.copytree(folder / "out", folder / "changed")
    file = folder / "features" / "lengths.py"
    try:
        file.write_text(FEATURE.replace("==", "!="))
        invoked(folder, "mine.toml", "changed")
    finally:
        file.write_text(FEATURE)
    before, after = (scores(folder, out)[f"{CORPUS}, test"]["scores"][0]["systems"] for out in ("out", "changed"))
    assert [one == other for one, other in zip(before, after, strict=True)] == [True, True, False, True]


def test_options_in_a_file_change_a_named_recipe(folder) -> None:
    """Without tuning, only where the search differs; the file beside the tables has the changed recipe."""
    common = "corpora = ['demo-de-en']\nmetrics = ['bleu']\n[experiment]\n" + MINE.split("[experiment]\n")[1]
    (folder / "plain.toml").write_text(common)
    (folder / "monotone.toml").write_text(common + "[search]\ndistortion_limit = 0\n")
    named = ["segmentation", "--arm", "gbmt"]
    assert "graphmt experiment --config OUT/segmentation.run.toml" in invoked(folder, "monotone.toml", "b", *named)
    invoked(folder, "plain.toml", "a", *named)
    plain, monotone = (scores(folder, out, "segmentation")[CORPUS]["scores"][0]["systems"] for out in "ab")
    assert all(one["runs"] != other["runs"] for one, other in zip(plain, monotone, strict=True))


def test_a_program_sees_the_steps_on_standard_error(folder, tmp_path, capsys, monkeypatch) -> None:
    recipe = Declared.from_tables(read_toml(folder / "mine.toml"), str(folder / "mine.toml")).recipe()
    options = ExperimentOptions(tuner="untuned", aligner="ibm1", order=3, samples=20, trials=20)
    logger = logging.getLogger("graphmt")
    monkeypatch.setattr(logger, "handlers", [])
    monkeypatch.setattr(logger, "propagate", False)
    level = logger.level
    run(recipe, folder / "data", tmp_path / "out", options, arms=["pbmt"])
    said = capsys.readouterr()
    assert said.out == "" and "demo-de-en: align." in said.err and "demo-de-en: tune-pbmt-untuned-1." in said.err
    assert logger.handlers == [] and logger.level == level
    # A program with logging of its own is left alone.
    logger.handlers = [logging.NullHandler()]
    run(recipe, folder / "data", tmp_path / "other", options, arms=["pbmt"])
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (MINE.replace("test2", "test3"), "neither test3.de.conllu nor"),
        (MINE.replace("lengths.py", "length.py"), "no such file; the function of a feature"),
        (MINE.replace(":same_length", ":long"), "no function 'long' in this file"),
    ],
)
def test_what_is_missing_is_said_before_any_work(text, words, folder, tmp_path) -> None:
    file = folder / "missing.toml"
    file.write_text(text, "utf-8")
    recipe = Declared.from_tables(read_toml(file), str(file)).recipe()
    with pytest.raises(InputError, match=words):
        run(recipe, folder / "data", tmp_path / "out")
    assert not (tmp_path / "out").exists()
