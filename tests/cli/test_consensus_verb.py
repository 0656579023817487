"""``graphmt consensus`` and ``graphmt translate --consensus`` as users run them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from graphmt.cli import app
from graphmt.consensus import ConsensusDecoder
from graphmt.errors import InputError, OptionError
from graphmt.model import load
from small_models import Trained
from typer.testing import CliRunner

runner = CliRunner()


def run(*arguments: object, fails: type[Exception] | None = None, said: str = "") -> str:
    result = runner.invoke(app, ["--quiet", *map(str, arguments)])
    if fails is None:
        assert result.exit_code == 0, result.exception or result.output
    else:
        assert isinstance(result.exception, fails) and said in str(result.exception), result.output
    return result.stdout


@pytest.fixture(scope="module")
def corpus(demo: Trained, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A training corpus and a development set of a few pairs, as text."""
    folder = tmp_path_factory.mktemp("corpus")
    trees = [block for block in demo.source.read_text("utf-8").split("\n\n") if block.strip()]
    targets = demo.target.read_text("utf-8").splitlines()
    for name, part in (("train", slice(0, 60)), ("dev", slice(100, 115))):
        (folder / f"{name}.de.conllu").write_text("".join(block + "\n\n" for block in trees[part]), "utf-8")
        (folder / f"{name}.en").write_text("".join(line + "\n" for line in targets[part]), "utf-8")
    return {path.name: path for path in folder.iterdir()}


def _learn(
    model: Path, corpus: dict[str, Path], *more: object, fails: type[Exception] | None = None, said: str = ""
) -> None:
    train = ("--source", corpus["train.de.conllu"], "--target", corpus["train.en"])
    run("consensus", model, *train, "--dev", corpus["dev.de.conllu"], corpus["dev.en"], *more, fails=fails, said=said)


def test_learning_and_translating(demo: Trained, corpus: dict[str, Path], tmp_path: Path) -> None:
    shutil.copytree(demo.models["hpb"], tmp_path / "hpb")
    _learn(tmp_path / "hpb", corpus, "--labels", 3)
    made = ConsensusDecoder.load(load(tmp_path / "hpb"))
    assert made.options.labels == 3
    out = run("translate", tmp_path / "hpb", demo.test, "--consensus", "--tokens").splitlines()
    assert out == [" ".join(one.tokens) for one in made.translate(demo.trees())]
    (tmp_path / "hpb" / "consensus").rename(tmp_path / "elsewhere")
    assert run(
        "translate", tmp_path / "hpb", demo.test, "--consensus-of", tmp_path / "elsewhere", "--tokens"
    ) == "".join(f"{line}\n" for line in out)
    (tmp_path / "elsewhere").rename(tmp_path / "hpb" / "consensus")
    own = ("--consensus", "--weights", tmp_path / "hpb" / "weights.toml")
    run("translate", tmp_path / "hpb", demo.test, *own, fails=OptionError, said="has its own weights")
    lists = run("translate", tmp_path / "hpb", demo.test, "--consensus", "--n-best", 2).splitlines()
    assert all("gc1= " in line and "lc4= " in line for line in lists)


def test_what_cannot_be_is_told(demo: Trained, corpus: dict[str, Path], tmp_path: Path) -> None:
    _learn(demo.models["pbmt"], corpus, fails=InputError)
    run("translate", demo.models["hpb"], demo.test, "--consensus", fails=InputError)
    short = {**corpus, "train.en": corpus["dev.en"]}
    _learn(demo.models["hpb"], short, "--out", tmp_path / "out", fails=InputError)
    assert not (tmp_path / "out").exists()
    (tmp_path / "file").touch()
    # The folder is looked at before the corpus, which is refused too.
    _learn(demo.models["hpb"], short, "--out", tmp_path / "file", fails=InputError, said="is not a folder")
    shutil.copytree(demo.models["hpb"], tmp_path / "hpb")
    _learn(tmp_path / "hpb", corpus)
    run("translate", tmp_path / "hpb", demo.test, "--consensus", "--search-graph", tmp_path / "g", fails=OptionError)
