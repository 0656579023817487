from __future__ import annotations

import subprocess
from pathlib import Path

import programs
import pytest
from graphmt.cli import app
from graphmt.lm import load
from typer.testing import CliRunner

TEXT = "a b c a b\nb c a\na b c\nc c b a\n"


def run(*arguments: object, stdin: str | None = None) -> str:
    result = CliRunner().invoke(app, ["lm", *map(str, arguments)], input=stdin)
    if result.exception:
        raise result.exception
    return result.stdout


@pytest.fixture
def model(tmp_path: Path) -> Path:
    (tmp_path / "t").write_text(TEXT)
    run("train", tmp_path / "t", "--out", tmp_path / "m.lm", "--order", 3)
    return tmp_path / "m.lm"


def test_score(model: Path, tmp_path: Path) -> None:
    opened = load(model)
    lines = ["a b c", "x y", ""]
    (tmp_path / "s").write_text("\n".join(lines) + "\n")
    out = run("score", model, tmp_path / "s")
    assert out == "".join(f"{opened.score(line):.6f}\t{line.count('x') + line.count('y')}\n" for line in lines)
    assert run("score", model, stdin="a b c\nx y\n\n") == out
    summary = run("score", model, tmp_path / "s", "--summary")
    assert summary == f"{opened.perplexity(lines)}\n"
    assert f"perplexity {opened.perplexity(lines).perplexity:.3f} with unknown words" in summary
    words = run("score", model, "-", "--words", stdin="a x\n").split()
    first, second, _ = opened.full_scores("a x")
    assert words[:2] == [f"a={first.log10:.6f}/{first.length}", f"x={second.log10:.6f}/1?"]


def test_info_build_and_export(model: Path, tmp_path: Path) -> None:
    info = dict(line.split("\t") for line in run("info", model, "--check").splitlines())
    assert info["order"] == "3" and info["words"] == info["1-grams"] == "6"
    assert int(info["bytes"]) == model.stat().st_size
    run("export", model, "--out", tmp_path / "m.arpa")
    run("train", tmp_path / "t", "--out", tmp_path / "direct.arpa", "--order", 3)
    assert (tmp_path / "m.arpa").read_bytes() == (tmp_path / "direct.arpa").read_bytes()
    run("build", tmp_path / "m.arpa", "--out", tmp_path / "again.lm")
    assert (tmp_path / "again.lm").read_bytes() == model.read_bytes()


def test_flags_and_config_reach_the_core(tmp_path: Path) -> None:
    (tmp_path / "t").write_text(TEXT)
    (tmp_path / "c.toml").write_text("[lm]\norder = 2\nprune = [0, 1]\n")
    run("train", tmp_path / "t", "--out", tmp_path / "a.arpa", "--config", tmp_path / "c.toml")
    run("train", tmp_path / "t", "--out", tmp_path / "b.arpa", "--order", 2, "--prune", 0, "--prune", 1)
    run("train", tmp_path / "t", "--out", tmp_path / "c.arpa", "--order", 2)
    pruned = (tmp_path / "a.arpa").read_text()
    assert pruned == (tmp_path / "b.arpa").read_text()
    assert "ngram 3" not in pruned and pruned != (tmp_path / "c.arpa").read_text()


def test_failures_end_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "t").write_text("a <s> b\n")
    command = [programs.graphmt(), "lm", "train", str(tmp_path / "t"), "--out", str(tmp_path / "m.lm")]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 1 and result.stdout == ""
    assert result.stderr.count("\n") == 1 and "t:1: the word <s> is reserved" in result.stderr
    result = subprocess.run([*command, "--prune", "2", "--prune", "1"], capture_output=True, text=True)
    assert result.returncode == 2 and "1 follows 2" in result.stderr
    assert sorted(p.name for p in tmp_path.iterdir()) == ["t"]
