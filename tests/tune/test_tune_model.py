"""Tuning a trained model: the Python call, the command, training with a development set."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from graphmt.cli import app
from graphmt.errors import InputError
from graphmt.lm import LmOptions
from graphmt.model import Model, load_weights
from graphmt.storage.files import writing
from graphmt.training import TrainOptions, train
from graphmt.tune import TunedModel, TuneOptions, corpus_bleu, tune_model
from typer.testing import CliRunner

GERMAN = ("der", "die", "hund", "katze", "sieht", "mag", "roten", "alten", "ball", "baum", "heute", "nie")
ENGLISH = ("the", "the", "dog", "cat", "sees", "likes", "red", "old", "ball", "tree", "today", "never")


def _pairs(number: int, shift: int) -> list[tuple[list[int], list[int]]]:
    """Sentences over twelve words; every third has its last two words in the other order on the target side."""
    made = []
    for k in range(number):
        source = [(k * 7 + shift + step * (k % 5 + 1)) % len(GERMAN) for step in range(4 + k % 4)]
        target = source[:-2] + source[:-3:-1] if k % 3 == 0 else source
        made.append((source, target))
    return made


def _write(path: Path, rows: list[str]) -> Path:
    with writing(path) as out:
        out.writelines(row + "\n" for row in rows)
    return path


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus with alignment, a development set, and a model trained on it."""
    folder = tmp_path_factory.mktemp("tune")
    for name, pairs in (("train", _pairs(120, 0)), ("dev", _pairs(24, 3))):
        _write(folder / f"{name}.de", [" ".join(GERMAN[word] for word in source) for source, _ in pairs])
        _write(folder / f"{name}.en", [" ".join(ENGLISH[word] for word in target) for _, target in pairs])
        links = [" ".join(f"{i}-{target.index(word)}" for i, word in enumerate(source)) for source, target in pairs]
        _write(folder / f"{name}.align", links)
    options = TrainOptions(lm=LmOptions(order=3))
    files = {"source": folder / "train.de", "target": folder / "train.en", "alignment": folder / "train.align"}
    train("pbmt", **files, out=folder / "model", options=options)
    return folder


def test_lists_are_searched_with_a_share_of_the_pops(corpus: Path) -> None:
    model = Model(corpus / "model")
    sentences = (corpus / "dev.de").read_text("utf-8").splitlines()

    def hypotheses(share: float) -> int:
        tuned = TunedModel(model, sentences, TuneOptions(n_best=50, pop_share=share))
        return len(tuned.decode(tuned.features).values)

    expected = [sum(map(len, model.with_pop_limit(n).n_best(sentences, 50, distinct=True))) for n in (200, 100, 1)]
    assert [hypotheses(share) for share in (1.0, 0.5, 0.0)] == expected
    assert expected[2] < expected[0]


def test_an_opened_model_gets_the_weights_of_its_folder(corpus: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(corpus / "model", tmp_path / "model")
    model, options = Model(folder), TuneOptions(n_best=10, iterations=2)
    sentences = (corpus / "dev.de").read_text("utf-8").splitlines()
    copy, start = model.reweighted({}), dict(model.weights)
    kept = tune_model(model, corpus / "dev.de", corpus / "dev.en", options, out=tmp_path / "w.toml")
    assert model.weights == start != kept.weights
    result = tune_model(model, corpus / "dev.de", corpus / "dev.en", options)
    assert model.weights == result.weights == Model(folder).weights
    assert model.translate(sentences) == Model(folder).translate(sentences)
    assert copy.weights == start
    # Tuning it once more starts from there.
    assert tune_model(model, corpus / "dev.de", corpus / "dev.en", options).history[0].weights == result.weights


def test_weights_get_better_and_the_old_ones_stay(corpus: Path, tmp_path: Path) -> None:
    model = Model(corpus / "model")
    sentences = (corpus / "dev.de").read_text("utf-8").splitlines()
    references = [[line] for line in (corpus / "dev.en").read_text("utf-8").splitlines()]

    def score(used: Model) -> float:
        return corpus_bleu([" ".join(one.tokens) for one in used.translate(sentences)], references)

    out = tmp_path / "tuned.toml"
    result = tune_model(model, corpus / "dev.de", corpus / "dev.en", TuneOptions(tuner="mira", n_best=20), out=out)
    assert result.history[0].bleu == score(model)
    assert result.bleu == score(Model(corpus / "model", weights=out)) > score(model)
    assert load_weights(out, model.features) == result.weights
    assert result.weights["unknown"] == model.weights["unknown"]
    log = [json.loads(line) for line in (tmp_path / "tuned.tuning.jsonl").read_text("utf-8").splitlines()]
    assert [row["bleu"] for row in log] == [one.bleu for one in result.history]
    assert log[0]["weights"] == model.weights
    # Nothing else is left, and the model is as it was.
    assert sorted(path.name for path in tmp_path.iterdir()) == ["tuned.toml", "tuned.tuning.jsonl"]
    assert Model(corpus / "model").weights == model.weights


def test_the_command_changes_the_model(corpus: Path, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    shutil.copytree(corpus / "model", folder)
    before = Model(folder).weights
    dev = ["--source", str(corpus / "dev.de"), "--target", str(corpus / "dev.en")]
    done = CliRunner().invoke(app, ["tune", str(folder), *dev, "--tuner", "mira", "--iterations", "3"])
    assert done.exit_code == 0, done.output
    assert "dev BLEU" in done.stderr and "before tuning" in done.stderr
    assert Model(folder).weights != before
    assert Model(folder, weights=folder / "weights.start.toml").weights == before
    assert (folder / "weights.tuning.jsonl").exists()
    assert not list(folder.glob("*.toml.tuning"))


def test_several_references_and_case(corpus: Path, tmp_path: Path) -> None:
    loud = _write(tmp_path / "loud.en", (corpus / "dev.en").read_text("utf-8").upper().splitlines())
    options = TuneOptions(iterations=1, lowercase=True)
    references = [corpus / "dev.en", loud]
    both = tune_model(corpus / "model", corpus / "dev.de", references, options, out=tmp_path / "w.toml")
    one = tune_model(corpus / "model", corpus / "dev.de", corpus / "dev.en", options, out=tmp_path / "w.toml")
    assert both.bleu == one.bleu


def test_a_development_set_of_two_lengths_is_refused(corpus: Path, tmp_path: Path) -> None:
    short = _write(tmp_path / "short.en", ["one line"])
    with pytest.raises(InputError, match=r"1 lines, but .*dev\.de has 24 sentences"):
        tune_model(corpus / "model", corpus / "dev.de", short, out=tmp_path / "w.toml")
    assert not (tmp_path / "w.toml").exists()


def test_training_tunes_on_a_development_set(corpus: Path, tmp_path: Path) -> None:
    arguments = ["train", str(tmp_path / "model"), "--system", "pbmt", "--order", "3"]
    for name, path in (("source", "train.de"), ("target", "train.en"), ("alignment", "train.align")):
        arguments += [f"--{name}", str(corpus / path)]
    arguments += ["--dev", str(corpus / "dev.de"), str(corpus / "dev.en")]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.output
    start = Model(corpus / "model").weights
    assert Model(tmp_path / "model", weights=tmp_path / "model" / "weights.start.toml").weights == start
    assert Model(tmp_path / "model").weights != start
