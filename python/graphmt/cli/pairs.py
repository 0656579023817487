"""How commands read files of pairs: their languages, columns and headers."""

from __future__ import annotations

import re
from typing import Annotated

import typer

from graphmt.corpus.header import Columns as PairColumns
from graphmt.errors import OptionError

Columns = Annotated[
    str | None,
    typer.Option(
        metavar="S,T",
        help="Columns of source and target in a table of pairs: numbers from 1, or names in its header.",
    ),
]
Languages = Annotated[
    tuple[str, str] | None,
    typer.Option(metavar="SOURCE TARGET", help="Languages of source and target in a file of pairs, as in de en."),
]
Header = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header",
        help="Whether the first line of a table of pairs names the columns; detected by default.",
        show_default=False,
    ),
]


def parsed_columns(text: str | None) -> PairColumns | None:
    """The value of --columns."""
    if text is None:
        return None
    parts = [part.strip() for part in text.split(",")]
    are_numbers = [re.fullmatch(r"[0-9]{1,6}", part) is not None for part in parts]
    if len(parts) != 2 or not all(parts) or are_numbers[0] != are_numbers[1] or any(map(_is_no_name, parts)):
        raise OptionError(f"columns takes two numbers like 1,2 or two names like de,en, not {text[:80]!r}.")
    return (int(parts[0]), int(parts[1])) if all(are_numbers) else (parts[0], parts[1])


def _is_no_name(part: str) -> bool:
    """Whether it is a number out of range: -1, 1.5 or a very large one."""
    return re.fullmatch(r"[-+]?[0-9.]+", part) is not None and re.fullmatch(r"[0-9]{1,6}", part) is None
