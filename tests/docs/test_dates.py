"""Every table of results says of which day it is; the index of benchmarks says which commit a day stands for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

DOCS = Path(__file__).parents[2] / "docs"
PAGES = sorted([*(DOCS / "papers").rglob("*.md"), *(DOCS / "benchmarks").rglob("*.md"), *DOCS.glob("[rs]*.md")])
DATE = re.compile(r"2026-\d\d-\d\d")
#: Sections whose tables have figures of a paper, or repeat those of the sections below.
WITHOUT_DATES = ("What the paper says", "What holds and what does not")


class Table(NamedTuple):
    """A table, with the headings that it is under and what stands below each of them up to the table itself."""

    line: int
    rows: str
    sections: tuple[tuple[str, str], ...]


def tables(text: str) -> Iterator[Table]:
    sections: list[tuple[int, str, list[str]]] = []
    lines, is_code = text.split("\n"), False
    for number, line in enumerate(lines):
        is_code ^= line.startswith("```")
        if not is_code and (heading := re.match(r"(#+) (.*)", line)):
            sections = [one for one in sections if one[0] < len(heading[1])]
            sections.append((len(heading[1]), heading[2], []))
        elif line.startswith("|") and not is_code and not lines[number - 1].startswith("|"):
            end = next(k for k in range(number, len(lines) + 1) if k == len(lines) or not lines[k].startswith("|"))
            found = tuple((title, "\n".join(below)) for _, title, below in sections)
            yield Table(number + 1, "\n".join(lines[number:end]), found)
        if sections:
            sections[-1][2].append(line)


def is_dated(table: Table) -> bool:
    has_figures = len(re.findall(r"\d\.\d|\d,\d{3}", table.rows)) >= 3
    texts = [table.rows, *(below for _, below in table.sections)]
    return not has_figures or any(map(DATE.search, texts)) or any(t in WITHOUT_DATES for t, _ in table.sections)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(DOCS).as_posix())
def test_every_table_has_a_date(page: Path) -> None:
    assert [table.line for table in tables(page.read_text("utf-8")) if not is_dated(table)] == []


def test_a_table_without_a_date_is_found() -> None:
    table = "|a|b|\n|-|-|\n|1.5|2.5|\n|3.5|4.5|\n"
    given = f"# Page\n\nOf 2026-11-15:\n\n## One\n\n{table}\n"
    assert list(map(is_dated, tables(given))) == [True]
    assert list(map(is_dated, tables(given.replace("2026-11-15", "today")))) == [False]
    assert list(map(is_dated, tables(f"# Page\n\n## One\n\n2026-11-15\n\n## Two\n\n{table}"))) == [False]


def test_every_day_has_a_commit() -> None:
    days = {day for page in PAGES for day in DATE.findall(page.read_text("utf-8"))}
    known = re.findall(rf"^\| ({DATE.pattern}) \| [0-9a-f]{{8}} \|$", (DOCS / "benchmarks/index.md").read_text(), re.M)
    assert days <= set(known) and len(known) > 3
