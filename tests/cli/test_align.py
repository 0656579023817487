"""``graphmt align`` and ``graphmt aer`` as users run them."""

from __future__ import annotations

import gzip
import json
import random
import subprocess

import programs
import pytest
from graphmt.align import read_alignment
from graphmt.cli import app
from graphmt.errors import InputError
from typer.testing import CliRunner

runner = CliRunner()
QUICK = ["--model", "ibm1", "--ibm1-iterations", "2"]


@pytest.fixture
def text(tmp_path):
    random.seed(3)
    sentences = [[random.randrange(20) for _ in range(random.randint(1, 6))] for _ in range(60)]
    # A chain: every word hangs on the one before it.
    rows = [[f"{i + 1}\tW{w}\t_\tX\t_\t_\t{i}\tdep\t_\t_" for i, w in enumerate(words)] for words in sentences]
    source = tmp_path / "train.de.conllu.gz"
    source.write_bytes(gzip.compress("".join("\n".join(row) + "\n\n" for row in rows).encode()))
    target = tmp_path / "train.en"
    target.write_text("".join(" ".join(f"v{w}" for w in words) + "\n" for words in sentences))
    return source, target


def run(*arguments, fails=None):
    result = runner.invoke(app, [str(argument) for argument in arguments])
    if fails is None:
        assert result.exit_code == 0, result.exception or result.output
    else:
        assert isinstance(result.exception, fails), result.output
    return result


def graphmt(*arguments):
    return subprocess.run([programs.graphmt(), *map(str, arguments)], capture_output=True, text=True)


def test_files_in_links_and_tables_out(text, tmp_path) -> None:
    source, target = text
    out, prefix = tmp_path / "model" / "aligned.gz", tmp_path / "model" / "lex"
    run("align", "--source", source, "--target", target, "--out", out, "--lexical", prefix, *QUICK)
    alignment = read_alignment(out)
    assert len(alignment) == 60
    f2e = gzip.decompress((tmp_path / "model" / "lex.f2e.gz").read_bytes()).decode()
    # The tables have the words as the files spell them.
    assert "v3 W3 " in f2e
    record = json.loads((tmp_path / "model" / "aligned.gz.json").read_text())
    assert record["options"]["model"] == "ibm1"
    assert record["links"] == alignment.links
    assert [path.name for path in sorted((tmp_path / "model").iterdir()) if path.name.startswith(".")] == []


def test_work_is_not_done_twice(text, tmp_path) -> None:
    source, target = text
    out = tmp_path / "aligned"
    arguments = ["align", "--source", source, "--target", target, "--out", out, *QUICK]
    run(*arguments)
    out.write_text("mark\n")
    assert "nothing to do" in run(*arguments).stderr
    assert out.read_text() == "mark\n"
    # The number of threads makes no difference, other options, other text and --overwrite do.
    run(*arguments, "--threads", "1")
    assert out.read_text() == "mark\n"
    for change in (["--symmetrise", "union"], ["--overwrite"]):
        run(*arguments, *change)
        assert out.read_text() != "mark\n"
        out.write_text("mark\n")
    run(*arguments)
    out.write_text("mark\n")
    target.write_text(target.read_text().replace("v1", "v2"))
    run(*arguments)
    assert out.read_text() != "mark\n"


def test_standard_output(text) -> None:
    source, target = text
    result = run("align", "--source", source, "--target", target, "--out", "-", *QUICK)
    assert len(result.stdout.splitlines()) == 60
    assert not list(source.parent.glob("*.json"))


def test_a_sentence_that_no_position_reaches(tmp_path) -> None:
    (tmp_path / "s").write_text("a\n" + "a " * 70_000 + "\n")
    (tmp_path / "t").write_text("x\nx\n")
    arguments = ["--source", tmp_path / "s", "--target", tmp_path / "t", "--out", tmp_path / "a"]
    result = run("align", *arguments, *QUICK, fails=InputError)
    assert str(result.exception).startswith(f"{tmp_path / 's'}:2: a sentence of 70000 words")


def test_notes_on_pairs_without_links(tmp_path) -> None:
    (tmp_path / "s").write_text("a b\n\n" + "a " * 30 + "\na b\n")
    (tmp_path / "t").write_text("x y\nz\nx\nx y\n")
    arguments = ["--source", tmp_path / "s", "--target", tmp_path / "t", "--out", tmp_path / "a"]
    result = run("align", *arguments, "--max-length", "20", *QUICK)
    assert "1 pairs have an empty side" in result.stderr
    assert "1 pairs have a side of more than 20 words" in result.stderr
    assert (tmp_path / "a").read_text().splitlines()[1:3] == ["", ""]


@pytest.mark.parametrize(
    ("source", "target", "words"),
    [
        ("a\nb\n", "x\n", "s has 2 sentences and "),
        ("", "", "this file has no sentences"),
    ],
)
def test_texts_that_cannot_be_aligned(tmp_path, source, target, words) -> None:
    (tmp_path / "s").write_text(source)
    (tmp_path / "t").write_text(target)
    arguments = ["--source", tmp_path / "s", "--target", tmp_path / "t", "--out", tmp_path / "a"]
    result = run("align", *arguments, *QUICK, fails=InputError)
    assert words in str(result.exception)
    assert not (tmp_path / "a").exists()


def test_exit_codes_and_one_sentence(tmp_path) -> None:
    missing = graphmt("align", "--source", tmp_path / "no", "--target", tmp_path / "no", "--out", tmp_path / "a")
    assert missing.returncode == 1
    assert missing.stderr == f"graphmt: {tmp_path / 'no'}: no such file or folder.\n"
    (tmp_path / "s").write_text("a\n")
    one = tmp_path / "s"
    wrong = graphmt("align", "--source", one, "--target", one, "--out", tmp_path / "a", "--model", "hmmm")
    assert wrong.returncode == 2
    assert "did you mean 'hmm'?" in wrong.stderr
    assert "Traceback" not in wrong.stderr


def test_error_rate_table_and_json(tmp_path) -> None:
    (tmp_path / "gold").write_text("1-1 2-2 2p3 3p4\n1-2\n")
    (tmp_path / "found").write_text("0-0 1-2 2-2 3-3\n0-1\n")
    result = run("aer", tmp_path / "gold", tmp_path / "found", "--one-based", "--json")
    figures = json.loads(result.stdout)
    assert figures["aer"] == pytest.approx(3 / 8)
    assert figures["precision"] == pytest.approx(3 / 5)
    assert figures["recall"] == pytest.approx(2 / 3)
    assert (figures["pairs"], figures["found"], figures["sure"], figures["possible"]) == (2, 5, 3, 5)
    table = run("aer", tmp_path / "gold", tmp_path / "found", "--one-based").stdout
    assert "37.50 %" in table


def test_error_rate_complaints(tmp_path) -> None:
    (tmp_path / "gold").write_text("0-0\n0-0\n")
    (tmp_path / "found").write_text("0-0\n")
    result = run("aer", tmp_path / "gold", tmp_path / "found", fails=InputError)
    assert "has 1 lines, but" in str(result.exception)
    (tmp_path / "found").write_text("0-0\n0:0\n")
    result = run("aer", tmp_path / "gold", tmp_path / "found", fails=InputError)
    assert str(result.exception).startswith(f'{tmp_path / "found"}:2: "0:0" is not a link.')
    result = run("aer", tmp_path / "gold", tmp_path / "found", "--one-based", fails=InputError)
    assert "start at 1" in str(result.exception)
