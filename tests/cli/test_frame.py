"""The frame of the command line: help, version, exit codes, flags made from options."""

from __future__ import annotations

import dataclasses
import subprocess
from pathlib import Path

import graphmt
import programs
import pytest
import typer
from graphmt import stages
from graphmt.cli import flags
from graphmt.options import Options, option
from typer.testing import CliRunner


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([programs.graphmt(), *arguments], capture_output=True, text=True)


def test_version_and_tour() -> None:
    assert run("--version").stdout == f"graphmt {graphmt.__version__}\n"
    tour = run("--help").stdout
    for verb in ("demo", "corpus", "align", "lm"):
        assert verb in tour


def test_an_unknown_verb_is_a_usage_error() -> None:
    done = run("tranlsate")
    assert done.returncode == 2
    assert "tranlsate" in done.stderr


@dataclasses.dataclass(frozen=True)
class Sample(Options):
    order: int = option(5, "Longest n-gram.", minimum=1, maximum=6)
    upper: bool = option(False, "A switch.")
    limits: tuple[int, ...] = option((), "Thresholds.")


@pytest.fixture
def app(monkeypatch: pytest.MonkeyPatch) -> typer.Typer:
    monkeypatch.setitem(stages.STAGES, "sample", Sample)
    made = typer.Typer()

    @made.command()
    @flags.with_options(sample=Sample)
    def show(text: str, sample: Sample) -> None:
        print(text, sample)

    return made


def test_flags_override_the_file_and_the_file_the_defaults(app: typer.Typer, tmp_path: Path) -> None:
    config = tmp_path / "a.toml"
    config.write_text("[sample]\norder = 3\nupper = true\n")
    invoke = CliRunner().invoke
    assert invoke(app, ["t"]).output.split(" ", 1)[1].strip() == str(Sample())
    both = invoke(app, ["t", "--config", str(config), "--order", "2", "--limits", "1", "--limits", "2"])
    assert both.output.strip() == f"t {Sample(order=2, upper=True, limits=(1, 2))}"
    off = invoke(app, ["t", "--config", str(config), "--no-upper"])
    assert off.output.strip() == f"t {Sample(order=3)}"


def test_help_shows_the_true_defaults(app: typer.Typer) -> None:
    shown = CliRunner().invoke(app, ["--help"]).output
    assert "Longest n-gram." in shown
    assert "default: 5" in shown
    assert "default: off" in shown
