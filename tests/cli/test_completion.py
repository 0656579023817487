"""Completion in shells: the scripts, and what they offer."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import programs
import pytest
from graphmt.cli import app
from graphmt.experiments import RECIPES
from graphmt.systems import SYSTEMS
from typer.testing import CliRunner

SHELLS = ("bash", "zsh", "fish")


def run(*arguments: str, **environment: str) -> Any:
    return CliRunner().invoke(app, arguments, env=environment, prog_name="graphmt")


def offered(shell: str, line: str) -> set[str]:
    words = line.split(" ")
    if shell == "bash":
        done = run(_GRAPHMT_COMPLETE="complete_bash", COMP_WORDS=line, COMP_CWORD=str(len(words) - 1))
        return set(done.stdout.split())
    asked = {"_TYPER_COMPLETE_FISH_ACTION": "get-args"} if shell == "fish" else {}
    done = run(_GRAPHMT_COMPLETE=f"complete_{shell}", _TYPER_COMPLETE_ARGS=line, **asked)
    if shell == "fish":
        return {row.split("\t")[0] for row in done.stdout.splitlines()}
    return set(re.findall(r'(?:\(\(|^)"([\w+-]+)"', done.stdout, re.M))


@pytest.mark.parametrize("shell", SHELLS)
def test_scripts_are_installed(shell: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """``--install-completion`` asks which shell runs it; with this variable it takes the name instead."""
    monkeypatch.setenv("_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION", "1")
    monkeypatch.setenv("HOME", str(tmp_path))
    script = run("--show-completion", shell)
    assert script.exit_code == 0 and "_GRAPHMT_COMPLETE" in script.stdout and "graphmt" in script.stdout
    done = run("--install-completion", shell)
    assert done.exit_code == 0 and f"{shell} completion installed in {tmp_path}" in " ".join(done.stdout.split())
    written = [path for path in tmp_path.rglob("*graphmt*") if path.is_file()]
    assert [path for path in written if "_GRAPHMT_COMPLETE" in path.read_text()]
    if shutil.which(shell):
        assert subprocess.run([shell, "-n", written[0]], capture_output=True).returncode == 0


def test_the_shell_that_runs_the_command_is_found(tmp_path: Path) -> None:
    if shutil.which("bash") is None:
        pytest.skip("needs bash")
    # A process of its own: one that is forked has other ancestors.
    command = f"{programs.installed()} --show-completion; true"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert "complete -o default -F" in done.stdout


@pytest.mark.parametrize("shell", SHELLS)
def test_verbs_and_systems_are_completed(shell: str) -> None:
    assert {"train", "translate"} <= offered(shell, "graphmt tr")
    assert "train" not in offered(shell, "graphmt tu")
    assert {"gbmt", "gbmt-ctx"} <= offered(shell, "graphmt train --system gb")
    assert not offered(shell, "graphmt train --system gb") & (set(SYSTEMS) - {"gbmt", "gbmt-ctx"})


def test_other_names_are_completed() -> None:
    assert offered("bash", "graphmt experiment ") == set(RECIPES)
    assert offered("bash", "graphmt translate --search c") == {"cube"}
    assert offered("bash", "graphmt train --wit") == {"--with"}
