"""Tables (TSV and CSV) with a header row: empty cells of the target column are filled."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from graphmt.corpus.header import named_columns
from graphmt.errors import InputError
from graphmt.localisation.document import Document, Edit, Unit, decoded
from graphmt.storage.compression import plain_name


class Cell(NamedTuple):
    """A cell: its text, its offsets and whether it is quoted."""

    text: str
    start: int
    end: int
    quoted: bool


def read(data: bytes, name: str, languages: tuple[str, str]) -> Document:
    """The rows with a source and an empty target; columns are found by the names in the first row."""
    text, encoding, mark = decoded(data, name)
    separator = "\t" if plain_name(name).lower().endswith(".tsv") else _separator(text)
    rows = _rows(text, separator, quotes=separator != "\t", name=name)
    header = rows[0][1] if rows else []
    columns = named_columns([cell.text for cell in header], languages)
    if columns is None:
        raise InputError(
            f"the first row ({', '.join(cell.text for cell in header)[:80]}) does not name columns for "
            f"{languages[0]} and {languages[1]}.",
            file=name,
            line=1,
            hint="Name them source and target, or by their language codes.",
        )
    source, target = (column - 1 for column in columns)
    units, others = [], 0
    for line, cells in rows[1:]:
        if len(cells) == 1 and not cells[0].text:
            continue
        if len(cells) <= max(source, target):
            message = f"a row of {len(cells)} columns; the first row has {len(header)}."
            raise InputError(message, file=name, line=line)
        if not cells[source].text.strip() or cells[target].text.strip():
            others += 1
        else:
            units.append(_unit(cells[source], cells[target], line, separator))
    return Document(name, text, encoding, tuple(units), others, mark)


def _unit(source: Cell, target: Cell, line: int, separator: str) -> Unit:
    def fill(translations: Sequence[str]) -> list[Edit]:
        text = translations[0]
        if separator == "\t":
            return [Edit(target.start, target.end, re.sub(r"[\t\r\n]+", " ", text))]
        if target.quoted or re.search(rf'[{re.escape(separator)}"\r\n]', text):
            text = '"' + text.replace('"', '""') + '"'
        return [Edit(target.start, target.end, text)]

    return Unit((source.text,), fill, line)


def _separator(text: str) -> str:
    first = text.split("\n", 1)[0]
    return max(",;\t", key=first.count)


def _rows(text: str, separator: str, *, quotes: bool, name: str) -> list[tuple[int, list[Cell]]]:
    rows: list[tuple[int, list[Cell]]] = []
    cells: list[Cell] = []
    at, line, first = 0, 1, 1
    plain = re.compile(rf"[^{re.escape(separator)}\r\n]*")
    quoted = re.compile(r'"(?:[^"]|"")*"')
    while at <= len(text):
        cell = quoted.match(text, at) if quotes and text[at : at + 1] == '"' else None
        if quotes and cell is None and text[at : at + 1] == '"':
            raise InputError("a quoted cell without a closing quote.", file=name, line=line)
        found = cell or plain.match(text, at)
        assert found is not None
        content = found[0][1:-1].replace('""', '"') if cell else found[0]
        cells.append(Cell(content, at, found.end(), cell is not None))
        line += found[0].count("\n")
        at = found.end()
        if text[at : at + 1] == separator:
            at += 1
            continue
        ending = re.compile(r"\r?\n|\r|\Z").match(text, at)
        if ending is None:
            raise InputError("text after a quoted cell.", file=name, line=line)
        if len(cells) > 1 or cells[0].text or ending[0]:
            rows.append((first, cells))
        if not ending[0]:
            break
        at, line, cells = ending.end(), line + 1, []
        first = line
    return rows
