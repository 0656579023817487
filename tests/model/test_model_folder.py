"""A model on disk: written whole, read with care, resumed after a stop."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys

import graphmt
import pytest
from graphmt.errors import InputError
from graphmt.model import Manifest, Model, load, load_weights, save_weights
from graphmt.rules import ExtractOptions, RuleTable, filtered, from_moses, rule_kinds
from graphmt.storage.resume import Steps
from graphmt.storage.sealed import sealed, unsealed
from graphmt.systems import SYSTEMS
from graphmt.training import SidesOptions, TrainOptions, train


@pytest.fixture
def folder(demo, tmp_path):
    return shutil.copytree(demo.models["gbmt-ctx"], tmp_path / "model")


def test_the_public_face(demo) -> None:
    model = graphmt.load(demo.models["pbmt"])
    best = model.translate(demo.texts()[0])
    assert str(best) == best.text and best.score < 0
    assert graphmt.train.__module__ == "graphmt.training.pipeline"
    with pytest.raises(AttributeError, match="'trian'"):
        _ = graphmt.trian


def test_manifest_round_trip(demo, tmp_path) -> None:
    manifest = Manifest.load(demo.models["gbmt-ctx"])
    assert manifest.system == "gbmt-ctx"
    assert manifest.options["extract"]["max_source"] == 7
    assert manifest.report["rules"]["pairs"] == 500
    assert set(manifest.data) == {"source", "target"}
    manifest.save(tmp_path)
    assert Manifest.load(tmp_path) == manifest


def test_weights_round_trip_with_all_digits(tmp_path) -> None:
    known = {**SYSTEMS["gbmt"].features, "gap": 1 / 3}
    save_weights(known, tmp_path / "weights.toml")
    assert load_weights(tmp_path / "weights.toml", SYSTEMS["gbmt"].features) == known


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("lmm = 1.0\n", "no feature 'lmm'.*'lm'"),
        ("lm = true\n", "True, a number was expected"),
        ("lm = nan\n", "the weight of 'lm' is nan, a finite number was expected"),
        ("lm = 1e31\n", r"the weight of 'lm' is 1e\+31, at most 1e\+09 was expected"),
        pytest.param(f"lm = {'9' * 400}\n", "the weight of 'lm' is 9{40}…", id="400 digits"),
        pytest.param(f"lm = {'9' * 5000}\n", "not a TOML file", id="5000 digits"),
        ("lm = \n", "not a TOML file"),
        ("", "no weight for 'p_source_given_target'"),
    ],
)
def test_weights_that_cannot_be_used(tmp_path, text, message) -> None:
    path = tmp_path / "weights.toml"
    path.write_text(text)
    with pytest.raises(InputError, match=message) as raised:
        load_weights(path, SYSTEMS["pbmt"].features)
    assert str(raised.value).startswith(str(path))


def test_a_newer_format_is_refused(folder) -> None:
    path = folder / "manifest.json"
    content = json.loads(path.read_text())
    path.write_text(json.dumps({**content, "format": content["format"] + 1}))
    with pytest.raises(InputError, match=r"format 4; this graphmt reads formats 2 to 3.*train it again"):
        load(folder)


@pytest.mark.parametrize("text", ["", "[]", "{", '{"format": 1}', '{"format": 1, "system": 3, "colour": "red"}'])
def test_a_damaged_manifest_is_refused(folder, text) -> None:
    (folder / "manifest.json").write_text(text)
    with pytest.raises(InputError, match="manifest"):
        load(folder)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("system", None),
        ("options", []),
        ("options", {"search": "x"}),
        ("added_features", "abc"),
        ("selection", [[]]),
        ("data", {"source": 1}),
        ("versions", {"graphmt": "\ud800"}),
        ("report", 3),
    ],
)
def test_a_manifest_of_another_shape_is_refused(folder, name, value) -> None:
    path = folder / "manifest.json"
    content = unsealed(json.loads(path.read_text("utf-8")))
    path.write_text(json.dumps(sealed({**content, name: value})))
    with pytest.raises(InputError, match=r"manifest\.json: not a model manifest, or damaged or edited"):
        load(folder)


@pytest.mark.parametrize("name", ["rules.bin", "lm.bin"])
@pytest.mark.parametrize("part", [0.0, 0.001, 0.5, 0.999])
def test_a_truncated_table_is_refused(folder, name, part) -> None:
    path = folder / name
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * part)])
    with pytest.raises(InputError) as raised:
        load(folder)
    assert str(path) in str(raised.value)


@pytest.mark.parametrize("name", ["rules.bin", "lm.bin", "weights.toml", "manifest.json", "source", "target"])
def test_a_missing_file_is_named(folder, name) -> None:
    path = folder / name
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    with pytest.raises(InputError) as raised:
        load(folder)
    assert name in str(raised.value) or name == "manifest.json"


def test_a_foreign_file_is_refused(folder) -> None:
    shutil.copyfile(folder / "lm.bin", folder / "rules.bin")
    with pytest.raises(InputError, match=r"rules\.bin"):
        load(folder)


def test_damage_in_the_middle_is_found_by_verifying(folder) -> None:
    path = folder / "rules.bin"
    whole = bytearray(path.read_bytes())
    whole[len(whole) // 2] ^= 0xFF
    path.write_bytes(bytes(whole))
    with pytest.raises(InputError, match=r"rules\.bin"):
        RuleTable(path).verify()


def test_a_folder_that_is_no_model(tmp_path) -> None:
    with pytest.raises(InputError, match="no such folder"):
        load(tmp_path / "nothing")
    with pytest.raises(InputError, match=r"no manifest\.json"):
        load(tmp_path)


def test_training_goes_on_where_it_was_killed(demo, tmp_path) -> None:
    """The process dies after word alignment; the second run makes no alignment."""
    script = """
import os, sys
from graphmt import training
from graphmt.training import steps
from graphmt.align import AlignOptions
from graphmt.lm import LmOptions
source, target, out, mode = sys.argv[1:]
if mode == "die":
    steps.Run.language_model = lambda *_: os._exit(9)
elif mode == "resume":
    def refuse(*_, **__):
        raise AssertionError("aligned again")
    steps.align_files = refuse
options = training.TrainOptions(align=AlignOptions(model="ibm1"), lm=LmOptions(order=2))
training.train("pbmt", source=source, target=target, out=out, options=options)
"""

    def run(mode, out):
        command = [sys.executable, "-c", script, str(demo.source), str(demo.target), str(out), mode]
        return subprocess.run(command, capture_output=True, text=True)

    out = tmp_path / "model"
    assert run("die", out).returncode == 9
    assert not out.exists() and (tmp_path / "model.training" / "align.json").exists()
    finished = run("resume", out)
    assert finished.returncode == 0, finished.stderr
    assert not (tmp_path / "model.training").exists()
    assert load(out).manifest.report["align"]["links"] > 0


def test_a_step_is_done_again_only_if_it_was_asked_for_otherwise(tmp_path) -> None:
    steps, output, done = Steps(tmp_path), tmp_path / "out", []

    def work():
        done.append(1)
        output.write_text("made")
        return {"times": len(done)}

    assert steps.run("step", {"a": (1, 2)}, [output], work) == {"times": 1}
    assert steps.run("step", {"a": (1, 2)}, [output], work) == {"times": 1}
    assert steps.run("step", {"a": (1, 3)}, [output], work) == {"times": 2}
    output.unlink()
    assert steps.run("step", {"a": (1, 3)}, [output], work) == {"times": 3}

    def fails():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        steps.run("step", {"a": 4}, [output], fails)
    assert steps.run("step", {"a": (1, 3)}, [output], work) == {"times": 4}


def test_rules_of_a_model_trained_in_the_same_way(demo, tmp_path) -> None:
    plain = demo.models["hpb"]
    files = {
        "source": demo.source,
        "target": demo.target,
        "alignment": demo.alignment,
        "language_model": demo.lm,
    }
    taken = train("hpb", **files, out=tmp_path / "taken", rules_of=plain, selection=["gm"])
    assert (tmp_path / "taken" / "rules.bin").read_bytes() == (plain / "rules.bin").read_bytes()
    assert taken.manifest.report["rules"] == load(plain).manifest.report["rules"]
    sentences = demo.trees()[:5]
    silent = taken.reweighted({"gm": 0.0})
    assert [str(one) for one in silent.translate(sentences)] == [str(one) for one in load(plain).translate(sentences)]
    for changed, message in (
        ({"rules_of": demo.models["pbmt"]}, "extracted for another system"),
        ({"source": demo.target}, "extracted from another corpus"),
        ({"options": TrainOptions(sides=SidesOptions(case="none"))}, "prepared differently"),
        ({"options": TrainOptions(extract=ExtractOptions(max_length=5))}, "with other options"),
        ({"rules_of": tmp_path}, "not a graphmt model"),
    ):
        with pytest.raises(InputError, match=message):
            train("hpb", **{**files, "rules_of": plain, **changed}, out=tmp_path / "other")
        assert not (tmp_path / "other").exists()


def test_a_model_folder_is_not_overwritten_by_a_failure(demo, tmp_path) -> None:
    shutil.copytree(demo.models["pbmt"], tmp_path / "model")
    before = (tmp_path / "model" / "rules.bin").read_bytes()
    with pytest.raises(InputError, match="has no feature 'lmm'"):
        graphmt.train(
            "pbmt",
            source=demo.source,
            target=demo.target,
            alignment=demo.alignment,
            language_model=demo.lm,
            out=tmp_path / "model",
            weights={"lmm": 1.0},
        )
    assert (tmp_path / "model" / "rules.bin").read_bytes() == before


def test_a_phrase_table_goes_out_and_comes_back(demo, tmp_path) -> None:
    rules = demo.models["pbmt"] / "rules.bin"
    for name in ("table.gz", "table.txt"):
        lines = RuleTable(rules).to_moses(tmp_path / name)
        assert from_moses(tmp_path / name, tmp_path / "back.bin") == lines == RuleTable(rules).about["basic"]
    model, back = demo.load("pbmt"), shutil.copytree(demo.models["pbmt"], tmp_path / "model")
    from_moses(tmp_path / name, back / "rules.bin")
    for ours, theirs in zip(load(back).translate(demo.texts()), model.translate(demo.texts()), strict=True):
        assert ours.tokens == theirs.tokens
        assert ours.score == pytest.approx(theirs.score, abs=1e-3)
        assert ours.derivation.steps == theirs.derivation.steps


def test_discontinuous_rules_have_no_place_in_a_phrase_table(demo, tmp_path) -> None:
    with pytest.raises(InputError, match="discontinuous"):
        RuleTable(demo.models["gbmt"] / "rules.bin").to_moses(tmp_path / "table.gz")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("a ||| x ||| 1 1 1", r":1: .*not a score"),
        ("a ||| x ||| 1 1 1 1 1", r":1: more than four scores"),
        ("a", r":1: the field of target words is missing"),
        ("a ||| x ||| 1 1 1 1 ||| 3-0", r":1: "),
        ("", r":1: "),
    ],
)
def test_bad_lines_of_phrase_tables(tmp_path, line, message) -> None:
    (tmp_path / "table").write_text(line + "\n")
    with pytest.raises(InputError, match=message):
        from_moses(tmp_path / "table", tmp_path / "rules.bin")
    assert not (tmp_path / "rules.bin").exists()


@pytest.mark.parametrize("name", list(SYSTEMS))
def test_a_filtered_table_translates_the_same(demo, tmp_path, name) -> None:
    sentences = demo.trees()[:10]
    copied = shutil.copytree(demo.models[name], tmp_path / "model")
    text = [" ".join(tree.tokens).lower() for tree in sentences]
    kept = filtered(demo.models[name] / "rules.bin", text, copied / "rules.bin")
    about = RuleTable(demo.models[name] / "rules.bin").about
    assert 0 < kept < sum(rule_kinds(about).values())
    assert load(copied).n_best(sentences, 5) == demo.load(name).n_best(sentences, 5)


def test_reweighting_leaves_the_model_as_it_was(demo) -> None:
    model = demo.load("pbmt")
    before = model.translate(demo.texts())
    other = model.reweighted({"word_penalty": 3.0})
    assert sum(len(t.tokens) for t in other.translate(demo.texts())) < sum(len(t.tokens) for t in before)
    assert model.translate(demo.texts()) == before
    assert isinstance(other, Model) and other.weights["word_penalty"] == 3.0
