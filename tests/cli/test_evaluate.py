"""``graphmt evaluate`` and ``graphmt compare`` as users run them."""

from __future__ import annotations

import gzip
import json

import pytest
import sacrebleu
from graphmt.cli import app
from graphmt.errors import InputError, OptionError
from typer.testing import CliRunner

runner = CliRunner()
REFERENCE = [f"the man number {k} walks to the old house ." for k in range(30)]
QUICK = ["--samples", "50", "--trials", "50"]


def run(*arguments, fails=None):
    result = runner.invoke(app, [str(argument) for argument in arguments])
    if fails is None:
        assert result.exit_code == 0, result.exception or result.output
    else:
        assert isinstance(result.exception, fails), result.output
    return result


@pytest.fixture
def texts(tmp_path):
    (tmp_path / "ref.gz").write_bytes(gzip.compress("".join(f"{line}\n" for line in REFERENCE).encode()))
    for name, old, new in (("a", "walks to", "goes to"), ("b", "old", "big old"), ("c", "house", "home")):
        (tmp_path / f"{name}.txt").write_text("".join(line.replace(old, new) + "\n" for line in REFERENCE))
    return tmp_path


def test_scores_with_signatures(texts) -> None:
    out = run("evaluate", texts / "a.txt", texts / "ref.gz", "--tokenise", "none", *QUICK).stdout
    made = sacrebleu.BLEU(tokenize="none")
    lines = (texts / "a.txt").read_text().splitlines()
    expected = made.corpus_score(lines, [REFERENCE], n_bootstrap=50)
    # The very line that sacreBLEU prints, except for the precisions after it.
    assert out.startswith(f"BLEU|{made.get_signature()} = {expected.format(score_only=True).split(') ')[0]}")
    for line, other in zip(out.splitlines()[1:], (sacrebleu.CHRF(), sacrebleu.TER(case_sensitive=True)), strict=True):
        score = other.corpus_score(lines, [REFERENCE], n_bootstrap=50)
        assert line == score.format(signature=str(other.get_signature()))
    figures = json.loads(run("evaluate", texts / "a.txt", texts / "ref.gz", texts / "b.txt", "--json", *QUICK).stdout)
    assert figures["references"] == 2 and figures["sentences"] == 30


def test_a_comparison_and_its_report(texts) -> None:
    report = texts / "out" / "report.html"
    log = texts / "tune.jsonl"
    log.write_text('{"iteration": 1, "bleu": 30.0}\n{"iteration": 2, "bleu": 31.0}\n')
    given = ["compare", f"base={texts / 'a.txt'}", texts / "b.txt", "-r", texts / "ref.gz", *QUICK]
    result = run(*given, "--report", report, "--log", f"run={log}", "--title", "A and B")
    assert "p (bootstrap)" in result.stdout.replace("\n", " ") and "Wrote the report to" in result.stderr
    page = report.read_text("utf-8")
    assert "<h1>A and B</h1>" in page and "Learning curve" in page and "base" in page


def test_several_runs_of_a_system(texts) -> None:
    runs = f"many={texts / 'a.txt'},{texts / 'c.txt'}"
    figures = json.loads(run("compare", runs, texts / "b.txt", "-r", texts / "ref.gz", "--json", *QUICK).stdout)
    many, one = figures["scores"][0]["systems"]
    assert len(many["runs"]) == 2 and many["spread"] > 0 and one["spread"] is None
    assert set(one["p"]) == {"runs", "sentences"} and figures["baseline"] == "many"


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"short.txt": "one line\n"}, InputError, "short.txt has 1 lines, "),
        ({"short.txt": ""}, InputError, "short.txt: this file is empty"),
    ],
)
def test_files_that_do_not_go_together(texts, change, error, words) -> None:
    for name, content in change.items():
        (texts / name).write_text(content)
    for command in (
        ["evaluate", texts / "short.txt", texts / "ref.gz"],
        ["compare", texts / "a.txt", texts / "short.txt", "-r", texts / "ref.gz", "--report", texts / "r.html"],
    ):
        assert words in str(run(*command, fails=error).exception)
    assert not (texts / "r.html").exists()


def test_other_complaints(texts) -> None:
    one, reference = texts / "a.txt", ["-r", texts / "ref.gz"]
    assert "comparing needs at least two systems" in str(run("compare", one, *reference, fails=OptionError).exception)
    assert "two systems have the name 'a'" in str(run("compare", one, one, *reference, fails=OptionError).exception)
    model = run("compare", one, f"m={texts}", *reference, fails=OptionError)
    assert "is a model, but there is nothing to translate. Give --source" in str(model.exception)
    missing = run("compare", one, texts / "no.txt", *reference, fails=InputError)
    assert str(missing.exception) == f"{texts / 'no.txt'}: no such file or folder."
    wrong = run("evaluate", one, texts / "ref.gz", "--metrics", "blue", fails=OptionError)
    assert "did you mean 'bleu'?" in str(wrong.exception)


def test_tokens_that_would_be_split_again(texts) -> None:
    long = [line for line in REFERENCE for _ in range(4)]
    for name in ("long.txt", "long.ref"):
        (texts / name).write_text("".join(f"{line}\n" for line in long))
    said = run("evaluate", texts / "long.txt", texts / "long.ref", "--metrics", "bleu", *QUICK).stderr
    assert "120 lines end in a separate full stop" in said
    quiet = run("evaluate", texts / "long.txt", texts / "long.ref", "--metrics", "bleu", "--tokenise", "none", *QUICK)
    assert "full stop" not in quiet.stderr


def test_metrics_are_separated_by_commas_or_repeated(texts) -> None:
    given = ("evaluate", texts / "a.txt", texts / "ref.gz", *QUICK)
    both = run(*given, "--metrics", "ter,bleu").stdout
    assert both == run(*given, "--metrics", "ter", "--metrics", "bleu").stdout
    assert [line.split("|")[0] for line in both.splitlines()] == ["TER", "BLEU"]
    wrong = run(*given, "--metrics", "bleu,tre", fails=OptionError)
    assert "metrics cannot be 'tre' (did you mean 'ter'?)" in str(wrong.exception)


@pytest.mark.parametrize("before", [True, False])
def test_quiet_stands_before_or_after_the_verb(texts, before: bool) -> None:
    flag = ["-q"]
    given = ["compare", texts / "a.txt", texts / "b.txt", "-r", texts / "ref.gz", "--report", texts / "r.html", *QUICK]
    assert "Wrote the report" in run(*given).stderr
    assert run(*(flag if before else []), *given, *([] if before else flag)).stderr == ""
