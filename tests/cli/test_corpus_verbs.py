"""``graphmt corpus`` through the installed command."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import programs
import pytest
from graphmt.cli import app
from random_trees import conllu
from typer.testing import CliRunner


def run(*arguments: object, text: str | None = None) -> str:
    done = CliRunner().invoke(app, ["corpus", *map(str, arguments)], input=text, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def command(*arguments: object) -> subprocess.CompletedProcess[str]:
    line = [programs.graphmt(), "corpus", *map(str, arguments)]
    return subprocess.run(line, capture_output=True, text=True, encoding="utf-8")


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    (tmp_path / "s.conllu").write_text(conllu("1 a 2", "2 b 0", "3 c 1") + conllu("1 A 0") * 2)
    (tmp_path / "t").write_text("x y\nX\nX\n")
    (tmp_path / "p.tsv").write_text("1\ta b\tx\n2\tc\ty\n")
    return tmp_path


def test_languages_and_headers(tmp_path: Path) -> None:
    sides = "".join(f'<tuv xml:lang="{code}"><seg>{code} x</seg></tuv>' for code in ("de", "en", "fr"))
    memory, table = tmp_path / "m.tmx", tmp_path / "p.tsv"
    memory.write_text(f'<tmx version="1.4"><header srclang="de"/><body><tu>{sides}</tu></body></tmx>')
    table.write_text("source\ttarget\na\tb\n")
    outs = (tmp_path / "a", tmp_path / "b")
    for verb in ("stats", "convert", "clean"):
        more = {"stats": [], "convert": outs, "clean": ["--out-source", outs[0], "--out-target", outs[1]]}[verb]
        refused = command(verb, memory, *more)
        assert refused.returncode == 1 and "--languages de en" in refused.stderr
        run(verb, memory, *more, "--languages", "fr", "en")
        run(verb, table, *more, "--no-header")
    assert outs[0].read_text() == "source\na\n"
    run("convert", table, *outs)
    assert outs[0].read_text() == "a\n"
    assert json.loads(run("stats", memory, "--languages", "fr", "de", "--json"))["sides"][0]["sentences"] == 1


def test_clean(corpus: Path) -> None:
    outs = ["--out-source", corpus / "so.conllu", "--out-target", corpus / "to"]
    shown = run("clean", corpus / "s.conllu", corpus / "t", *outs)
    assert "2 of 3 pairs kept" in shown and "duplicate" in shown
    report = json.loads(run("clean", corpus / "s.conllu", corpus / "t", *outs, "--json", "--max-source", 2))
    assert report["dropped"] == {"too long": 1, "duplicate": 1} and report["options"]["max_source"] == 2
    assert (corpus / "to").read_text() == "X\n"
    (corpus / "c.toml").write_text("[clean]\nduplicates = 'keep'\n")
    run(
        "clean",
        corpus / "p.tsv",
        "--columns",
        "2,3",
        "--out-source",
        corpus / "o.tsv",
        "--config",
        corpus / "c.toml",
    )
    assert (corpus / "o.tsv").read_text() == "a b\tx\nc\ty\n"


def test_stats(corpus: Path) -> None:
    report = json.loads(run("stats", corpus / "s.conllu", corpus / "t", "--unknown", corpus / "t", "--json"))
    assert [side["tokens"] for side in report["sides"]] == [5, 4]
    assert report["sides"][0]["trees"]["non_projective"] == 1
    assert report["unknown"]["unknown_tokens"] == 4
    assert "33.33%" in run("stats", corpus / "s.conllu")


def test_tokenise_and_undo(corpus: Path) -> None:
    (corpus / "raw").write_text("Das Haus (dort). Er sieht das Haus.\n")
    assert run("tokenise", corpus / "raw", "-", "--language", "de", "--case", "true", "--save", corpus / "m") == (
        "das Haus ( dort ) . Er sieht das Haus .\n"
    )
    run("tokenise", corpus / "raw", corpus / "tok", "--steps", corpus / "m")
    run("tokenise", corpus / "tok", corpus / "back", "--steps", corpus / "m", "--undo")
    assert (corpus / "back").read_text() == (corpus / "raw").read_text()


def test_convert_and_projectivise(corpus: Path) -> None:
    run("convert", corpus / "p.tsv", corpus / "a", corpus / "b", "--columns", "2,3")
    assert (corpus / "b").read_text() == "x\ny\n"
    assert run("convert", corpus / "s.conllu", "-", "--lowercase") == "a b c\na\na\n"
    run("projectivise", corpus / "s.conllu", corpus / "o.conllu")
    assert (corpus / "o.conllu").read_text().startswith(conllu("1 a 2", "2 b 0", "3 c 2"))


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["stats", "missing"], 1, "missing: no such file"),
        (
            ["clean", "s", "t", "--out-source", "a", "--out-target", "b"],
            1,
            "s ends after 1 sentence, t has 2",
        ),
        (["projectivise", "bad.conllu", "o"], 1, "bad.conllu:1: no root"),
        (["stats", "bad.po"], 1, "bad.po:2: a string without a closing quote"),
        (["convert", "s", "a", "b", "--columns", "x"], 2, "columns takes two numbers like 1,2"),
        (["tokenise", "s", "o", "--language", "xyzw"], 2, "language takes a code"),
    ],
)
def test_failures_are_one_sentence_and_an_exit_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], code: int, words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("s").write_text("a\n")
    Path("t").write_text("x\ny\n")
    Path("bad.conllu").write_text(conllu("1 a 1"))
    Path("bad.po").write_text('msgid "a"\nmsgstr "b\n')
    before = sorted(tmp_path.iterdir())
    done = command(*arguments)
    assert (done.returncode, done.stdout) == (code, "")
    assert done.stderr.startswith("graphmt: ") and words in done.stderr and done.stderr.count("\n") == 1
    assert sorted(tmp_path.iterdir()) == before


def test_standard_input_is_read_once(corpus: Path) -> None:
    trees = (corpus / "s.conllu").read_text() * 2000
    done = command_with_input(trees, "stats", "-", "--json")
    side = json.loads(done.stdout)["sides"][0]
    assert side["sentences"] == 6000 and side["trees"]["non_projective"] == 2000
    text = "a b\n" * 50_000
    assert command_with_input(text, "convert", "-", "-").stdout == text


def command_with_input(text: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    line = [programs.graphmt(), "corpus", *arguments]
    return subprocess.run(line, input=text, capture_output=True, text=True, encoding="utf-8", check=True)
