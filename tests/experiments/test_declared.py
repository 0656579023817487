"""Experiments declared in a file: recipes of one's own, and options that change the arms of a recipe."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from graphmt.cli import app
from graphmt.errors import InputError, OptionError
from graphmt.experiments import RECIPES, ExperimentOptions, Feature, Recipe
from graphmt.experiments.changes import changed
from graphmt.experiments.declared import Declared
from graphmt.experiments.recipe import Arm
from graphmt.experiments.written import NoTomlError, as_toml
from graphmt.storage.formats import read_toml
from typer.testing import CliRunner

FEATURE = """
import numpy as np

def same_length(options, words):
    return np.diff(options.position_offsets) == np.diff(options.target_offsets)
"""


def declared(folder: Path, text: str) -> Declared:
    file = folder / "mine.toml"
    file.write_text(text, "utf-8")
    return Declared.from_tables(read_toml(file), str(file))


@pytest.mark.parametrize("name", RECIPES)
def test_every_recipe_is_one_of_its_file(name, tmp_path) -> None:
    """Also one that is changed, with features and several test sets."""
    feature = Feature(f"{tmp_path}/lengths.py:same_length", {"same_length": 0.4, "odd name": -1.0})
    first, *others = RECIPES[name].arms
    if first.has_model and not any(arm.tuned_as == first.name for arm in others):
        first = dataclasses.replace(first, features=(feature,), start={"lm": 0.25})
    test = ("test", "test2017") if RECIPES[name].part == "test" else ("test",)
    # The number of seeds and the tuner are options of the run.
    wanted = dataclasses.replace(
        RECIPES[name], arms=(first, *others), test=test, tuner="mira", seeds=3, summary='quotes " and \\ λ'
    )
    try:
        text = as_toml(wanted, ExperimentOptions(seeds=2, tuner="pro"))
    except NoTomlError:
        assert any(None in (arm.rerank or {}).values() for arm in wanted.arms)
        return
    assert declared(tmp_path, text).recipe() == wanted
    assert read_toml(tmp_path / "mine.toml")["experiment"] == {"seeds": 2, "tuner": "pro"}


ARMS = """
corpora = ["news-de-en"]
[[arms]]
name = "a"
system = "pbmt"
"""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (ARMS + "serach = {}", "arm a: unknown key 'serach' (did you mean 'search'?)"),
        (ARMS + "search = 3", "arm a: search takes a table, not 3"),
        (ARMS + "search = { distortion_limt = 3 }", "arm a: unknown option 'distortion_limt' (did you mean"),
        (ARMS + "search = { distortion_limit = 'x' }", "arm a: distortion-limit takes a whole number, not 'x'"),
        (ARMS + "search = { max_span = 9 }", "arm a: [search] max_span: pbmt has no"),
        (ARMS + "extract = { labels = 'none' }", "arm a: [extract] labels: pbmt has no"),
        (ARMS + "extract = { threads = 2 }", "arm a: threads: they are those of the experiment"),
        (ARMS + "selection = 'gm'", "arm a: selection takes a list, each item a text, not 'gm'"),
        (ARMS + "training = { lrs = {} }", "arm a: training: unknown model 'lrs' (did you mean 'lrsm'?)"),
        (ARMS + "training = { gm = { dimensions = 9 } }", "arm a: [gm] dimensions: pbmt has no gm"),
        (ARMS + "rerank = { method = 'struct-lp' }", "arm a: rerank: it re-ranks nothing"),
        (ARMS + "consensus = {}", "arm a: consensus: it has no model"),
        (ARMS + "features = [{ function = 'x.py:f' }]", "arm a: features: weights is missing"),
        (
            ARMS + "features = [{ function = 'x.py', weights = { f = 1 } }]",
            "the function of a feature cannot be 'x.py'",
        ),
        (ARMS + "[[arms]]\nname = 'b'", "arm b: system is missing"),
        (ARMS + "[[arms]]\nsystem = 'pbmt'", "arm 2: name is missing"),
        (ARMS + "[[arms]]\nname = 'a'\nsystem = 'hpb'", "two arms have the same name"),
        (ARMS + "[[arms]]\nname = 'b'\nsystem = 'hpbt'", "hpb"),
        (ARMS + "[[arms]]\nname = 'b/c'\nsystem = 'hpb'", "the name of an arm cannot be 'b/c'"),
        (ARMS + "[[arms]]\nname = 'b'\nsystem = 'pbmt'\ntuned_as = 'c'", "unknown arm 'c'"),
        (ARMS + "[[arms]]\nname = 'b'\nover = 'a'\nsearch = { stack_size = 5 }", "arm b: search: it has no model"),
        (ARMS + "[[arms]]\nname = 'b'\nover = 'a'\nrerank = { metod = 'mbr' }", "arm b: unknown option 'metod'"),
        (ARMS + "start = { lm = 'x' }", "arm a: the weight of 'lm' is 'x', a number was expected"),
        (ARMS + "features = [{ function = 'x.py:f', weights = { f = 'x' } }]", "the weight of 'f' is 'x'"),
        (ARMS + "tuned_as = 'a'", "arm a uses arm a, which must come before it"),
        (ARMS + "[[arms]]\nname = 'b'\nover = 'a'\n[[arms]]\nname = 'c'\nover = 'b'", "which has no model of its own"),
        (ARMS + "[[claims]]\narm = 'a'\nover = 'a'\ngain = { de-en = 'x' }", "the gain for de-en takes a number"),
        ("rule_shares = { basic = '3 %' }" + ARMS, "rule_shares: segmenting is missing"),
        (ARMS + "[[claims]]\narm = 'a'", "claims: over is missing"),
        (ARMS + "[[ablations]]\ntitle = 't'\nrows = [['a']]", "a row takes a label and an arm"),
        ("test = ['test', 'dev']" + ARMS, "test: dev is no test set"),
        ("test = ['test', 'test']" + ARMS, "different names of test sets"),
        ("test = ['test2']\npart = 'dev'" + ARMS, "test: nothing is tested with the part dev"),
        ("part = 'held'" + ARMS, "unknown part 'held'"),
        ("metrics = ['blue']" + ARMS, "'blue' (did you mean 'bleu'?)"),
        ("name = 'a/b'" + ARMS, "the name of a recipe cannot be 'a/b'"),
        (ARMS + "[search]\nmax_span = 9", "[search] max_span: no arm takes it"),
        ("arms = []", "it has no arms"),
        ("corpora = ['a-b-c']", "no experiment was given. It has no [[arms]]"),
    ],
)
def test_mistakes_are_named_with_their_place(text, words, tmp_path) -> None:
    with pytest.raises(OptionError) as caught:
        declared(tmp_path, text).recipe()
    said = str(caught.value)
    assert words in said and "\n" not in said
    assert "mine.toml" in said or "no experiment" in said


def test_the_file_of_the_documentation(tmp_path) -> None:
    page = Path(__file__).parents[2] / "docs" / "how-to" / "reproduce-a-table.md"
    blocks = [block.split("```")[0] for block in page.read_text("utf-8").split("```toml\n")[1:]]
    changes, own = (declared(tmp_path, block) for block in blocks)
    assert changes.recipe("segmentation").arms[0].search == {"distortion_limit": 0}
    assert len(own.recipe().arms) == 5


def test_options_of_all_arms() -> None:
    arms = (
        Arm("pbmt", "pbmt"),
        Arm("set", "pbmt", {"distortion_limit": 3}),
        Arm("ctx", "gbmt-ctx"),
        Arm("hpb", "hpb"),
        Arm("hpb+gm", "hpb", selection=("gm",)),
        Arm("hpb+mbr", "hpb", over="hpb", rerank={"method": "mbr-bleu"}),
        Arm("hpb+decode", "hpb", over="hpb", consensus={}),
    )
    recipe = Recipe("many", "", "", arms, ("news-de-en",))
    sections = {
        "search": {"distortion-limit": 0, "soft_context": True, "contexts": "features", "max_span": 9},
        "gm": {"dimensions": 50},
        "rerank": {"normalise": "neighbour"},
        "consensus": {"features": "gc"},
    }
    found = {arm.name: arm for arm in changed(recipe, sections).arms}
    assert found["pbmt"].search == {"distortion_limit": 0}
    assert found["set"].search == {"distortion_limit": 3}
    # An option that is read only with another, whatever their order.
    assert found["ctx"].search == {"distortion_limit": 0, "contexts": "features", "soft_context": True}
    assert found["hpb"].search == {"max_span": 9} == found["hpb+gm"].search
    assert (found["hpb"].training, found["hpb+gm"].training) == ({}, {"gm": {"dimensions": 50}})
    assert found["hpb+mbr"].rerank == {"method": "mbr-bleu", "normalise": "neighbour"}
    assert found["hpb+decode"].consensus == {"features": "gc"}
    # Options with their defaults change nothing, so that models keep their names.
    assert changed(recipe, {"extract": {"labels": "all"}, "lrsm": {}}) == recipe
    for section, name, value in (("lrsm", "classes", 7), ("extract", "labels", "none")):
        with pytest.raises(OptionError, match=rf"\[{section}\] {name}: no arm takes it"):
            changed(recipe, {section: {name: value}})
    with pytest.raises(OptionError, match=r"\[search\] distortion_limit: no arm takes it.*set it themselves"):
        changed(dataclasses.replace(recipe, arms=arms[1:2]), {"search": {"distortion_limit": 0}})


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "no such file"),
        ("x = 1", "no function 'same_length'"),
        ("raise ValueError('odd')", "running this file failed: ValueError: odd"),
        ("same_length = 3", "no function 'same_length'"),
    ],
)
def test_features_that_cannot_be_loaded(content, words, tmp_path) -> None:
    file = tmp_path / "lengths.py"
    if content is not None:
        file.write_text(content)
    with pytest.raises(InputError) as caught:
        Feature(f"{file}:same_length", {"same_length": 1.0}).load()
    assert words in str(caught.value) and str(file) in str(caught.value)


def test_a_file_and_a_name_do_not_go_together(tmp_path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(ARMS)
    out = ["--data", str(tmp_path), "--out", str(tmp_path / "out"), "--config", str(file)]
    result = CliRunner().invoke(app, ["experiment", "segmentation", *out])
    assert isinstance(result.exception, OptionError) and "has arms of its own" in str(result.exception)
    file.write_text("[tune]\niterations = 3")
    result = CliRunner().invoke(app, ["experiment", "segmentation", *out])
    assert isinstance(result.exception, OptionError) and "does not read [tune]" in str(result.exception)
    file.write_text("corpus = ['a-de-en']")
    result = CliRunner().invoke(app, ["experiment", "segmentation", *out])
    assert isinstance(result.exception, OptionError) and "did you mean 'corpora'" in str(result.exception)
