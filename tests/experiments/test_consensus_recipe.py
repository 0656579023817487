"""Re-ranking arms of an experiment: over a model's lists, and over lists of a system that is not ours."""

from __future__ import annotations

import dataclasses
import gzip
import json
from pathlib import Path

import pytest
import small_lists
from graphmt.demo import DemoOptions, write
from graphmt.errors import InputError, OptionError
from graphmt.experiments import RECIPES, Arm, ExperimentOptions, Recipe, run
from graphmt.experiments.corpora import HALVES
from graphmt.experiments.recipes.consensus import decoded, reranked
from graphmt.storage.files import lines

OPTIONS = ExperimentOptions(seeds=1, aligner="ibm1", order=3, samples=20, trials=20, threads=2)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus with a neural system's lists beside it, and the demo corpus."""
    folder = tmp_path_factory.mktemp("data")
    write(folder / "data" / "demo-de-en", DemoOptions(train=400, dev=15, test=15, compress=True))
    corpus, peers = folder / "data" / "small-de-en", folder / "peers" / "transformer"
    corpus.mkdir()
    peers.mkdir(parents=True)
    for part, number, seed in (("train", 150, 1), ("dev", 40, 2), ("test", 40, 3)):
        pairs = small_lists.sentences(number, seed)
        words = [(source.split(), target) for source, target in pairs]
        trees = "".join(
            "".join(f"{k}\t{w}\t_\t_\t_\t_\t{k - 1}\t_\t_\t_\n" for k, w in enumerate(source, 1)) + "\n"
            for source, _ in words
        )
        (corpus / f"{part}.de.conllu").write_text(trees, "utf-8")
        (corpus / f"{part}.en").write_text("".join(f"{target}\n" for _, target in words), "utf-8")
        rows = [
            f"{number} ||| {text} ||| LogProb= {values['score']:.4f} ||| {values['score']:.4f}\n"
            for number, own in enumerate(small_lists.lists(pairs, seed))
            for text, values in own
        ]
        (peers / f"small-de-en.{part}.nbest.gz").write_bytes(gzip.compress("".join(rows).encode()))
    return folder


def test_lists_of_another_system(data: Path, tmp_path: Path) -> None:
    result = run(RECIPES["consensus-lists"], data, tmp_path, OPTIONS, corpora=["small-de-en"])
    scores = {one["system"]: one["mean"] for one in result["corpora"]["small-de-en"]["scores"][0]["systems"]}
    assert set(scores) == {arm.name for arm in RECIPES["consensus-lists"].arms}
    assert scores["transformer"] < 90 < 99 < scores["transformer+g-rerank"]
    assert scores["transformer+g-rerank-gc"] > 95
    folder = tmp_path / "small-de-en"
    assert not (folder / "lm.bin").exists() and not (folder / "models").exists()
    saved = json.loads((folder / "runs" / "transformer+g-rerank-lc-mert-1" / "reranker.json").read_text())
    assert set(saved["stages"][-1]) == {"score", "LogProb", "lc1", "lc2", "lc3", "lc4"}
    tables = (tmp_path / "consensus-lists.md").read_text("utf-8")
    assert "transformer+g-rerank over transformer+mbr-bleu" in tables
    # Asked again, nothing is made anew.
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*.txt")}
    run(RECIPES["consensus-lists"], data, tmp_path, OPTIONS, corpora=["small-de-en"])
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*.txt")} == before


def test_lists_of_a_model(data: Path, tmp_path: Path) -> None:
    wanted = ("pbmt+mbr-bleu", "pbmt+g-rerank-gc")
    arms = tuple(arm for arm in reranked("pbmt") if arm.name in wanted)
    recipe = Recipe("one", "", "", (Arm("pbmt", "pbmt"), *arms), ("demo-de-en",), tuner="untuned")
    run(recipe, data, tmp_path, OPTIONS)
    runs = tmp_path / "demo-de-en" / "runs"
    lists = list(lines(runs / "pbmt-untuned-1" / "test.nbest.gz"))
    assert len(lists) > 15 and lists[0].startswith("0 ||| ") and "lm= " in lists[0]
    for name in wanted:
        assert len(list(lines(runs / f"{name}-untuned-1" / "test.txt"))) == 15
    saved = json.loads((runs / "pbmt+g-rerank-gc-untuned-1" / "reranker.json").read_text())
    assert "lm" in saved["features"] and "gc1" in saved["stages"][-1]


def test_missing_lists_and_unknown_bases_are_told(data: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no lists peers/transformer/demo-de-en\.test\.nbest\.gz"):
        run(RECIPES["consensus-lists"], data, tmp_path, OPTIONS, corpora=["demo-de-en"])
    with pytest.raises(OptionError, match="unknown arm 'btg'"):
        dataclasses.replace(RECIPES["consensus-lists"], arms=(Arm("a", "a", over="btg"),), claims=())


def test_held_out_halves_are_re_ranked_and_decoded_with_all_that_was_tuned_on_the_other(
    data: Path, tmp_path: Path
) -> None:
    arms = (
        Arm("btg", "btg", {"pop_limit": 10}),
        *(arm for arm in reranked("btg") if arm.name == "btg+memory"),
        *(arm for arm in decoded("btg") if arm.name == "btg+g-decode-memory"),
    )
    recipe = Recipe("halves", "", "", arms, ("demo-de-en",), tuner="mira", part="held-out")
    result = run(recipe, data, tmp_path, OPTIONS)
    assert result["corpora"]["demo-de-en"]["sentences"] == 15
    runs = tmp_path / "demo-de-en" / "runs"
    for arm in arms[1:]:
        made = list(lines(runs / f"{arm.name}-mira-1" / "held-out.txt"))
        assert made[0::2] == list(lines(runs / f"{arm.name}-mira-1-dev-even" / "dev-odd.txt"))
        assert made[1::2] == list(lines(runs / f"{arm.name}-mira-1-dev-odd" / "dev-even.txt"))
    for on in HALVES:
        # Both halves have lists with the weights of the one.
        assert all((runs / f"btg-mira-1-{on}" / f"{half}.nbest.gz").exists() for half in HALVES)
        saved = json.loads((runs / f"btg+g-decode-memory-mira-1-{on}" / "consensus" / "consensus.json").read_text())
        assert "memory4" in saved["stages"][-1]
    with pytest.raises(OptionError, match="lists of another system cannot be tuned on the halves of dev"):
        run(dataclasses.replace(RECIPES["consensus-lists"], part="held-out"), data, tmp_path, corpora=["small-de-en"])
