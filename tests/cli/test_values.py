"""Commands without arguments; values of options, which are typer's own where these can be compared."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Annotated, Any

import programs
import pytest
import typer
from graphmt.cli.help import App
from typer.testing import CliRunner


@pytest.mark.parametrize("group", [[], ["corpus"], ["lm"], ["parser"], ["inspect"]], ids=str)
def test_without_arguments_the_help_text_is_shown(group: list[str]) -> None:
    bare, asked = (
        subprocess.run([programs.graphmt(), *group, *more], capture_output=True, text=True) for more in ([], ["--help"])
    )
    assert (bare.returncode, bare.stdout) == (2, "")
    assert bare.stderr == asked.stdout and "Usage: graphmt" in bare.stderr


def verb(made: Any, seen: list[Any]) -> Any:
    @made.command()
    def show(
        files: Annotated[list[Path] | None, typer.Argument()] = None,
        count: Annotated[int, typer.Option(min=1, max=9)] = 3,
        share: float | None = None,
        name: str = "a",
        two: Annotated[tuple[Path, int] | None, typer.Option()] = None,
        many: Annotated[list[int] | None, typer.Option()] = None,
        quick: bool = False,
    ) -> None:
        seen.append((files, count, share, name, two, many, quick))

    return made


#: Arguments, and whether they are accepted.
GIVEN = {
    "": True,
    "a b --count 9": True,
    "--count 10": False,
    "--count 0": False,
    "--count x": False,
    "--count 1.5": False,
    "--share 0.5 --name=": True,
    "--share 1e-3": True,
    "--share x": False,
    "--two a 5": True,
    "--two a b": False,
    "--many 1 --many 2": True,
    "--many x": False,
    "--quick -- -a": True,
}


@pytest.mark.parametrize("given", GIVEN)
def test_values_are_those_of_typer(given: str) -> None:
    ours: list[Any] = []
    usual: list[Any] = []
    done = CliRunner().invoke(verb(App(), ours), given.split())
    wanted = CliRunner().invoke(verb(typer.Typer(), usual), given.split())
    assert (done.exit_code == 0) == (wanted.exit_code == 0) == GIVEN[given]
    assert ours == usual and len(ours) == GIVEN[given]


#: Packages that take long to import, and commands that need none of them before they begin.
SLOW = ("pydantic", "rich.console", "email", "asyncio")
COMMANDS = ["--version", "corpus stats none", "lm score none none", "aer none none", "translate none"]


@pytest.mark.parametrize("command", COMMANDS)
def test_slow_packages_are_imported_only_when_they_are_needed(command: str, tmp_path: Path) -> None:
    code = (
        "import sys\nfrom graphmt.cli import main\nsys.argv = ['graphmt', *sys.argv[1:]]\n"
        f"try:\n    main()\nexcept SystemExit:\n    print([name for name in {SLOW} if name in sys.modules])\n"
    )
    run = [sys.executable, "-c", code, *command.split()]
    done = subprocess.run(run, capture_output=True, text=True, cwd=tmp_path)
    assert done.stdout.splitlines()[-1] == "[]", done.stderr
