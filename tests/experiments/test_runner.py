"""The experiment runner from end to end on the demo corpus, with a stand-in for the tuner."""

from __future__ import annotations

import dataclasses
import itertools
import json
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest
from graphmt.cli import app
from graphmt.corpus import read_trees
from graphmt.demo import DemoOptions, write
from graphmt.errors import InputError, OptionError
from graphmt.experiments import RECIPES, ExperimentOptions, Recipe, recipe, run
from graphmt.experiments.recipe import Arm, Claim
from graphmt.experiments.tuner import Asked, Tuned, tune
from graphmt.model import Model, SearchOptions
from graphmt.rules import ExtractOptions, rule_kinds
from graphmt.storage.files import lines
from graphmt.tune import TuneOptions
from typer.testing import CliRunner

OPTIONS = ExperimentOptions(seeds=2, aligner="ibm1", order=3, samples=20, trials=20, threads=2)
CORPUS = "demo-de-en"


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    write(folder / CORPUS, DemoOptions(train=400, dev=20, test=30, compress=True))
    return folder


class StandIn:
    """Turns one weight by the seed; remembers what it was asked, and stops when told to."""

    def __init__(self, stop_at: int | None = None) -> None:
        self.asked: list[tuple[str, str, int]] = []
        self.stop_at = stop_at

    def __call__(self, model, source, target, asked):
        if len(self.asked) == self.stop_at:
            raise KeyboardInterrupt
        assert len(list(read_trees(source))) == len(list(lines(target))) == 20
        seed = asked.seed
        assert asked.method == "mira" and asked.out.parent.is_dir()
        self.asked.append((model.system.name, model.search.rule_kinds, seed))
        weights = {**model.weights, "lm": model.weights["lm"] + 0.1 * seed}
        return Tuned(weights, [{"iteration": k, "bleu": 20.0 + k + seed} for k in range(1, 4)])


@pytest.fixture(scope="module")
def done(data, tmp_path_factory):
    out = tmp_path_factory.mktemp("out") / "experiment"
    tuner = StandIn()
    result = run(RECIPES["segmentation"], data, out, OPTIONS, corpora=[CORPUS], tuner=tuner)
    return out, tuner, result


def test_every_arm_is_tuned_with_every_seed(done) -> None:
    _, tuner, _ = done
    arms = [
        ("pbmt", "all"),
        ("tbmt", "all"),
        ("gbmt", "all"),
        ("gbmt-ctx", "all"),
        ("gbmt", "all"),
        ("gbmt-ctx", "basic+segmenting"),
        ("gbmt-ctx", "basic+selecting"),
    ]
    assert tuner.asked == [(*arm, seed) for arm in arms for seed in (1, 2)]


def test_the_result_has_what_the_paper_has_and_what_reproduces_it(done) -> None:
    out, _, result = done
    corpus = result["corpora"][CORPUS]
    assert corpus["pairs"] == {"train": 400, "dev": 20, "test": 30}
    assert corpus["rules"]["gbmt-ctx"]["segmenting"] > 0 == corpus["rules"]["gbmt"]["segmenting"]
    assert corpus["rules"]["gbmt-ctx"]["basic"] == corpus["rules"]["gbmt"]["basic"]
    gains = {(claim["arm"], claim["over"]): claim for claim in corpus["claims"]}
    assert gains["gbmt-ctx", "pbmt"]["paper"] == 0.7 and gains["gbmt-ctx", "gbmt"]["paper"] == 0.4
    means = {system["system"]: system["mean"] for system in corpus["scores"][0]["systems"]}
    gain, *p = gains["gbmt-ctx", "pbmt"]["gains"]["BLEU"]
    assert gain == pytest.approx(means["gbmt-ctx"] - means["pbmt"])
    assert len(p) == 2 and all(0 < value <= 1 for value in p)
    assert means["pbmt"] > 20, "a trained system translates the demo corpus"
    assert all(len(system["runs"]) == 2 for system in corpus["scores"][0]["systems"])
    assert set(corpus["data"]) == {
        f"{part}.{side}" for part in ("train", "dev", "test") for side in ("de.conllu.gz", "en.gz")
    }
    assert json.loads((out / "segmentation.json").read_text("utf-8")) == result
    tables = (out / "segmentation.md").read_text("utf-8")
    for expected in ("| gbmt-ctx over pbmt |", "+0.7", "basic + segmenting", "35–36 %", "SHA-256", "--seeds 2", "± "):
        assert expected in tables
    page = (out / CORPUS / "segmentation.html").read_text("utf-8")
    assert "Learning curve" in page and "GBMT-ctx by kind of rule" in page and "basic+selecting" not in page


def test_finished_steps_are_not_done_again(done, data) -> None:
    out, _, result = done
    before = {path: path.stat().st_mtime_ns for path in (out / CORPUS).rglob("*") if path.is_file()}
    tuner = StandIn()
    assert run(RECIPES["segmentation"], data, out, OPTIONS, corpora=[CORPUS], tuner=tuner) == result
    assert tuner.asked == []
    assert {path: path.stat().st_mtime_ns for path in before} == before
    # A file that is gone is made again, and nothing else is.
    lost = out / CORPUS / "runs" / "gbmt-mira-2" / "test.txt"
    content = lost.read_text("utf-8")
    lost.unlink()
    run(RECIPES["segmentation"], data, out, OPTIONS, corpora=[CORPUS], tuner=tuner)
    assert lost.read_text("utf-8") == content and tuner.asked == []
    changed = {path for path, at in before.items() if path.stat().st_mtime_ns != at}
    assert changed == {
        lost,
        lost.with_name("test.jsonl.gz"),
        out / CORPUS / "steps" / "translate-gbmt-mira-2-test.json",
    }


SMALL = Recipe(
    "small",
    "two systems",
    "no paper",
    (Arm("pbmt", "pbmt"), Arm("gbmt", "gbmt")),
    (CORPUS,),
    claims=(Claim("gbmt", "pbmt", {}),),
)


@pytest.fixture
def begun(done, tmp_path):
    """The folder of a run that has its models and nothing else."""
    out = tmp_path / "begun"
    shutil.copytree(done[0] / CORPUS, out / CORPUS, ignore=shutil.ignore_patterns("runs", "*.html"))
    for record in (out / CORPUS / "steps").iterdir():
        if record.name.startswith(("tune", "translate", "scores")):
            record.unlink()
    return out


def test_a_run_that_was_stopped_goes_on(data, begun) -> None:
    first = StandIn(stop_at=3)
    with pytest.raises(KeyboardInterrupt):
        run(SMALL, data, begun, OPTIONS, tuner=first)
    assert not (begun / "small.json").exists()
    second = StandIn()
    resumed = run(SMALL, data, begun, OPTIONS, tuner=second)
    assert first.asked + second.asked == [
        ("pbmt", "all", 1),
        ("pbmt", "all", 2),
        ("gbmt", "all", 1),
        ("gbmt", "all", 2),
    ]
    assert resumed["corpora"][CORPUS]["claims"][0]["paper"] is None
    # One more seed: only its runs are new.
    third = StandIn()
    run(SMALL, data, begun, OPTIONS.replace(seeds=3), tuner=third)
    assert third.asked == [("pbmt", "all", 3), ("gbmt", "all", 3)]


KILLED = """
import sys, time
sys.path.insert(0, {tests!r})
from test_runner import OPTIONS, SMALL, StandIn
from graphmt.experiments import run
class Slow(StandIn):
    def __call__(self, *given):
        if self.asked:
            print("waiting", flush=True)
            time.sleep(60)
        return super().__call__(*given)
run(SMALL, {data!r}, {out!r}, OPTIONS, tuner=Slow())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="kills by signal")
def test_a_run_that_was_killed_leaves_nothing_half(data, begun) -> None:
    script = KILLED.format(tests=str(Path(__file__).parent), data=str(data), out=str(begun))
    child = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "waiting\n"
    time.sleep(0.05)
    child.send_signal(signal.SIGKILL)
    child.communicate()
    assert (begun / CORPUS / "runs" / "pbmt-mira-1" / "weights.toml").exists()
    assert not (begun / CORPUS / "runs" / "pbmt-mira-2" / "weights.toml").exists()
    tuner = StandIn()
    run(SMALL, data, begun, OPTIONS, tuner=tuner)
    assert tuner.asked == [("pbmt", "all", 2), ("gbmt", "all", 1), ("gbmt", "all", 2)]


def test_gbmt_ctx_with_basic_rules_alone_is_gbmt(done, data) -> None:
    models = done[0] / CORPUS / "models"
    trees = list(read_trees(data / CORPUS / "test.de.conllu.gz"))
    gbmt = Model(models / "gbmt").translate(trees)
    by_kind = {
        kinds: Model(models / "gbmt-ctx", search=SearchOptions(rule_kinds=kinds)).translate(trees)
        for kinds in ("basic", "basic+segmenting", "basic+selecting", "all")
    }
    assert [one.tokens for one in by_kind["basic"]] == [one.tokens for one in gbmt]
    used = {kinds: {s.kind for t in made for s in t.derivation.steps} for kinds, made in by_kind.items()}
    assert used["basic"] <= {"basic", "copy"}
    assert "segmenting" in used["basic+segmenting"] and "selecting" not in used["basic+segmenting"]
    assert "segmenting" not in used["basic+selecting"] and "segmenting" in used["all"]


def test_untuned_is_one_run_with_the_first_weights(data, begun) -> None:
    tuner = StandIn()
    result = run(SMALL, data, begun, OPTIONS.replace(tuner="untuned"), tuner=tuner)
    assert tuner.asked == []
    systems = result["corpora"][CORPUS]["scores"][0]["systems"]
    assert all(len(system["runs"]) == 1 for system in systems)
    assert "Tuning: untuned" in (begun / "small.md").read_text("utf-8")


def test_arms_that_extract_other_rules_have_models_of_their_own(data, begun) -> None:
    trained = (begun / CORPUS / "models" / "pbmt" / "manifest.json").stat().st_ino
    arms = (SMALL.arms[0], Arm("reordering", "pbmt", extract={"reordering": True}))
    on_dev = dataclasses.replace(SMALL, arms=arms, claims=(), part="dev")
    result = run(on_dev, data, begun, OPTIONS.replace(tuner="untuned"))
    corpus = result["corpora"][CORPUS]
    assert corpus["sentences"] == 20 and set(corpus["rules"]) == {"pbmt", "pbmt-reordering-True"}
    assert "reorder_next_swap" in Model(begun / CORPUS / "models" / "pbmt-reordering-True").weights
    # The model that was there already is not trained again.
    assert (begun / CORPUS / "models" / "pbmt" / "manifest.json").stat().st_ino == trained


def test_features_of_search_options_are_tuned_and_used(data, begun) -> None:
    arms = (SMALL.arms[0], Arm("informed", "gbmt-ctx", {"contexts": "features", "soft_context": True}))
    recipe_ = dataclasses.replace(SMALL, arms=arms, claims=(), part="dev")
    run(recipe_, data, begun, OPTIONS.replace(seeds=1, tuner="untuned"))
    weights = (begun / CORPUS / "runs" / "informed-untuned-1" / "weights.toml").read_text("utf-8")
    assert "context_gain" in weights and "context_mismatch" in weights


def test_the_report_shows_what_lexical_selection_did(tmp_path, monkeypatch) -> None:
    """In the sentences shown, of the arm that has it, with the weights of its first run."""
    # Reading the dictionaries of lemmas would take longer than all the rest: the first letters stand in for them.
    monkeypatch.setattr("graphmt.selection.gm._lemmas", lambda *_: lambda words: [word[:4] for word in words])
    # In fewer pairs, no words are related.
    write(tmp_path / "data" / CORPUS, DemoOptions(train=1200, dev=20, test=30, compress=True))
    arms = (SMALL.arms[0], Arm("pbmt+gm", "pbmt", selection=("gm",)))
    recipe_ = dataclasses.replace(SMALL, arms=arms, claims=())
    report = tmp_path / "out" / CORPUS / "small.html"

    def tuner(model, source, target, asked):
        weights = {**model.weights, **({"gm": 4.0} if "gm" in model.weights else {})}
        return Tuned(weights, [{"iteration": 1, "bleu": 20.0}])

    run(recipe_, tmp_path / "data", tmp_path / "out", OPTIONS.replace(seeds=1), tuner=tuner)
    root = ElementTree.fromstring(report.read_text("utf-8").removeprefix("<!DOCTYPE html>\n"))
    parts = [part for part in root.iter("details") if part.findtext("summary") == "Lexical selection"]
    assert len(parts) == len(list(root.iter("article"))) > 0
    figures = [figure for part in parts for figure in part.iter("figure")]
    assert {figure.findtext("figcaption") for figure in figures} == {"pbmt+gm"}
    # Systems differ most where the weight of gm, and nothing else, makes the difference.
    for article, figure in zip(root.iter("article"), figures, strict=True):
        said = {
            row.text: "".join(next_.itertext()) for row, next_ in itertools.pairwise(article.iter()) if row.tag == "dt"
        }
        assert said["pbmt+gm"] == said["with"] != said["without"] == said["pbmt"]
        assert list(figure.iter("{http://www.w3.org/2000/svg}svg"))


def test_what_is_held_out_is_translated_with_weights_that_have_not_seen_it(data, begun) -> None:
    trees = [tree.forms for tree in read_trees(data / CORPUS / "dev.de.conllu.gz")]
    texts = [line.lower() for line in lines(data / CORPUS / "dev.en.gz")]
    tuned_on = []

    def tuner(model, source, target, asked):
        halves = [tree.forms for tree in read_trees(source)], list(lines(target))
        tuned_on.append(halves)
        # The odd half makes long translations, the even half short ones.
        longer = -3.0 if halves[0] == trees[0::2] else 1.0
        assert model.weights["rule_penalty"] == 0.5
        return Tuned({**model.weights, "word_penalty": longer}, [{"iteration": 1, "bleu": 20.0}])

    arms = (Arm("pbmt", "pbmt", start={"rule_penalty": 0.5}),)
    held_out = dataclasses.replace(SMALL, arms=arms, claims=(), part="held-out")
    result = run(held_out, data, begun, OPTIONS.replace(seeds=1), tuner=tuner)
    assert tuned_on == [(trees[0::2], texts[0::2]), (trees[1::2], texts[1::2])]
    assert result["corpora"][CORPUS]["sentences"] == 20
    model = Model(begun / CORPUS / "models" / "pbmt").reweighted({"rule_penalty": 0.5})
    sentences = list(read_trees(data / CORPUS / "dev.de.conllu.gz"))
    by_weight = {
        weight: [one.tokens for one in model.reweighted({"word_penalty": weight}).translate(sentences)]
        for weight in (-3.0, 1.0)
    }
    path = begun / CORPUS / "runs" / "pbmt-mira-1" / "held-out.jsonl.gz"
    found = [json.loads(line) for line in lines(path)]
    assert [row["sentence"] for row in found] == list(range(20))
    expected = [by_weight[1.0 if number % 2 == 0 else -3.0][number] for number in range(20)]
    assert [tuple(row["tokens"]) for row in found] == [tuple(tokens) for tokens in expected]
    assert by_weight[-3.0] != by_weight[1.0]


def test_arms_of_graph_to_string_choices_are_models_of_their_own(tmp_path) -> None:
    """Each arm extracts otherwise; its options are known, and it is judged without the test set."""
    choices = recipe("graph-to-string-choices")
    assert (choices.part, choices.tuner, choices.seeds) == ("held-out", "mira", 1)
    assert choices.corpora == ("multi30k-de-en", "3am-zh-en")
    assert [arm.system for arm in choices.arms] == ["hpb", *["dgst"] * 13, *["hpb", "dgst"] * 2, "dep2str", "dep2str"]
    others, (informed, *more, heads, counted) = choices.arms[:13], choices.arms[13:]
    assert len({arm.model for arm in others}) == len(others) == 13
    # These have the rules of another arm, and other features.
    assert (informed.model, informed.search["contexts"]) == (others[-2].model, "features")
    assert [arm.selection for arm in more] == [("order",)] * 2 + [("dwl",)] * 2
    assert len({arm.model for arm in more}) == len(more)
    assert (counted.model, counted.search["count_general"]) == (heads.model, True)
    assert {arm.search["pop_limit"] for arm in choices.arms} == {100}
    made = [ExtractOptions(**arm.extract) for arm in others]
    assert [(one.labels, one.structure, one.max_external) for one in made] == [
        ("all", True, 2),
        ("all", True, 2),
        ("all", False, 2),
        ("ends", True, 2),
        ("none", True, 2),
        ("none", False, 2),
        ("all", True, 3),
        ("all", False, 3),
        ("ends", False, 2),
        ("ends", False, 3),
        ("all", False, 2),
        ("all", False, 3),
        ("ends", False, 3),
    ]
    assert [one.any_span for one in made] == [*[False] * 10, True, True, True]
    write(tmp_path / "data" / CORPUS, DemoOptions(train=100, dev=6, test=1, compress=True))
    options = OPTIONS.replace(tuner="untuned", seeds=1)
    result = run(choices, tmp_path / "data", tmp_path / "out", options, corpora=[CORPUS])
    counts = result["corpora"][CORPUS]["rules"]
    rules = {arm.name: sum(rule_kinds(counts[arm.model]).values()) for arm in choices.arms}
    # Every bit of labels and structure tells more rules apart; larger fragments give more of them.
    assert rules["neither"] < rules["labels none"] < rules["labels ends"] <= rules["dgst"] < rules["3 external"]
    assert rules["neither"] < rules["no structure"] < rules["dgst"]
    assert rules["3 external"] < rules["hpb"] < rules["any span"] < rules["any span, 3 external"]
    assert rules["hpb"] < rules["any span, ends, 3 external"] <= rules["any span, 3 external"]


def test_the_command(data, tmp_path) -> None:
    runner = CliRunner()
    listed = runner.invoke(app, ["experiment", "--list"])
    assert listed.exit_code == 0 and listed.stdout.startswith("segmentation: ")
    for arguments, words in (
        (["experiment", "segmentatoin", "--data", data, "--out", tmp_path], "did you mean 'segmentation'?"),
        (["experiment"], "no experiment was given"),
        (["experiment", "segmentation", "--data", data], "needs --data FOLDER and --out FOLDER"),
    ):
        result = runner.invoke(app, [str(part) for part in arguments])
        assert isinstance(result.exception, OptionError) and words in str(result.exception)
    base = ["experiment", "segmentation", "--out", str(tmp_path / "o")]
    for folder, corpus, words in (
        (data, "dem-de-en", "unknown corpus 'dem-de-en' (did you mean 'demo-de-en'?)"),
        (tmp_path / "no", CORPUS, "no such folder"),
    ):
        result = runner.invoke(app, [*base, "--data", str(folder), "--corpus", corpus])
        assert isinstance(result.exception, InputError) and words in str(result.exception)
    assert not (tmp_path / "o").exists()


def test_some_arms_alone(data, tmp_path) -> None:
    table = RECIPES["lexical-selection-walk"]
    assert [arm.name for arm in table.only(["lambda=0.3"]).arms] == ["hpb", "hpb+gm(pmi)", "lambda=0.3"]
    assert [[name for name, _ in one.rows] for one in table.only(["lambda=0.3"]).ablations] == [["0.15", "0.3"]]
    pairs = RECIPES["lexical-selection"].only(["hpb+lrsm+gm", "hpb+lrsm"]).claims
    assert [(claim.arm, claim.over) for claim in pairs] == [("hpb+lrsm", "hpb"), ("hpb+lrsm+gm", "hpb+lrsm")]
    with pytest.raises(OptionError, match=r"unknown arm 'lamda=0\.3' \(did you mean 'lambda=0\.3'"):
        table.only(["lamda=0.3"])
    tuner = StandIn()
    result = run(RECIPES["segmentation"], data, tmp_path, OPTIONS, corpora=[CORPUS], arms=["gbmt"], tuner=tuner)
    assert tuner.asked == [(system, "all", seed) for system in ("pbmt", "gbmt") for seed in (1, 2)]
    assert "--corpus demo-de-en --arm gbmt --seeds 2 --tuner mira" in result["command"]


def test_a_corpus_with_a_file_missing(data, tmp_path) -> None:
    folder = tmp_path / "x-de-en"
    folder.mkdir()
    for path in (data / CORPUS).iterdir():
        if path.name != "dev.en.gz":
            (folder / path.name).write_bytes(path.read_bytes())
    with pytest.raises(InputError, match=r"x-de-en: this corpus has neither dev.en nor dev.en.gz"):
        run(SMALL, tmp_path, tmp_path / "out", OPTIONS, corpora=["x-de-en"])


def test_recipes_that_name_what_is_not_there() -> None:
    with pytest.raises(OptionError, match="did you mean 'pbmt'"):
        dataclasses.replace(SMALL, ablation_only=("pbtm",))
    with pytest.raises(OptionError, match="two arms have the same name"):
        dataclasses.replace(SMALL, arms=(SMALL.arms[0], SMALL.arms[0]), claims=())
    with pytest.raises(OptionError, match="did you mean 'segmentation'"):
        recipe("segmentations")


def test_the_tuner_is_asked_as_it_wants_to_be(tmp_path, monkeypatch) -> None:
    @dataclasses.dataclass
    class Row:
        iteration: int
        bleu: float

    given = []

    def tune_stand_in(*arguments, **named):
        given.append((arguments, named))
        return SimpleNamespace(weights={"lm": 1.0}, history=(Row(1, 20.0),))

    monkeypatch.setattr("graphmt.experiments.tuner.tune_model", tune_stand_in)
    asked = Asked("mert", 5, tmp_path / "weights.toml", 2)
    found = tune("model", Path("dev.de"), Path("dev.en"), asked)
    assert found == Tuned({"lm": 1.0}, [{"iteration": 1, "bleu": 20.0}])
    options = TuneOptions(tuner="mert", seed=5, threads=2)
    assert given == [(("model", Path("dev.de"), Path("dev.en"), options), {"out": tmp_path / "weights.toml"})]


def test_tasks_in_any_order_give_the_same_result(done, data, tmp_path) -> None:
    _, _, expected = done
    waves: list[list[tuple[tuple[str, ...], tuple[tuple[str, int], ...]]]] = []

    def backwards(tasks) -> None:
        waves.append([(task.models, task.arms) for task in tasks])
        for task in reversed(tasks):
            task.run()

    tuner = StandIn()
    arms = ["pbmt", "tbmt"]
    result = run(
        RECIPES["segmentation"], data, tmp_path, OPTIONS, corpora=[CORPUS], arms=arms, tuner=tuner, spread=backwards
    )
    assert waves[0] == [((arm,), ()) for arm in arms]
    assert waves[1] == [((), ((arm, seed),)) for arm in arms for seed in (1, 2)]
    # Every arm and seed was tuned once, by its task.
    assert tuner.asked == [(arm, "all", seed) for arm in reversed(arms) for seed in (2, 1)]
    found, known = (one["corpora"][CORPUS] for one in (result, expected))
    assert {arm: found["rules"][arm] for arm in arms} == {arm: known["rules"][arm] for arm in arms}
    runs = {
        name: {system["system"]: system["runs"] for system in one["scores"][0]["systems"]}
        for name, one in (("found", found), ("known", known))
    }
    assert {arm: runs["found"][arm] for arm in arms} == {arm: runs["known"][arm] for arm in arms}


def test_arms_over_one_arm_are_one_task() -> None:
    from graphmt.experiments.tasks import ArmTask, waves

    chosen = next(one for one in RECIPES.values() if any(arm.over for arm in one.arms))
    tasks = list(waves(ArmTask(chosen, None, None, OPTIONS, tune), [1, 2]))
    in_order = [name for wave in tasks for task in wave for name, seed in task.arms if seed == 1]
    assert sorted(in_order) == sorted(arm.name for arm in chosen.arms)
    for arm in chosen.arms:
        assert not arm.over or in_order.index(arm.over) < in_order.index(arm.name)
    bases = [{chosen.arm(name).over for name, _ in task.arms} for task in tasks[-1]]
    assert all(len(base) == 1 for base in bases)
