"""``graphmt options``."""

from __future__ import annotations

from typing import Annotated

import typer

from graphmt import options as pages
from graphmt.stages import STAGES
from graphmt.systems.reads import only_for


def options(
    markdown: Annotated[bool, typer.Option("--markdown", help="As a documentation page.")] = False,
) -> None:
    """Print every option of every stage with its default, as a TOML file for [bold]--config[/bold]."""
    print((pages.markdown if markdown else pages.template)(STAGES, only_for), end="")
