"""The engine of a command: this machine, or Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from graphmt.cli.flags import names
from graphmt.errors import OptionError
from graphmt.options import nearest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ENGINES = ("local", "spark")

EngineName = Annotated[
    str,
    typer.Option(
        "--engine",
        metavar="NAME",
        help="local: this machine; spark: a Spark cluster, with the same results. Needs graphmt\\[spark] and Java 17.",
        autocompletion=names(ENGINES),
    ),
]
Master = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Spark's master, e.g. local\\[4] or spark://HOST:7077. [dim]\\[default: local\\[*]][/dim]",
        show_default=False,
    ),
]


def session_of(engine: str, master: str | None) -> SparkSession | None:
    """The Spark session that --engine and --master ask for; None for this machine."""
    if engine not in ENGINES:
        raise OptionError(f"unknown engine {engine!r}{nearest(engine, ENGINES)}.")
    if engine == "local":
        if master is not None:
            raise OptionError("--master needs the Spark engine.", hint="Add --engine spark.")
        return None
    from graphmt.spark import open_session

    return open_session(master or "local[*]")
