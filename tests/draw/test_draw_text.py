"""Pictures in characters: every head can be read off the lanes again."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from amounts import examples
from graphmt.draw import Group, Picture, arcs_text
from graphmt.draw.measure import cells
from graphmt.draw.text import ARROW, lanes
from graphmt.errors import InputError
from hypothesis import given, settings
from rich.console import Console
from trees import heads

UP, DOWN = set("└├┴┼│"), set("┌├┬┼│")
JOINTS = set("┌└├┬┴┼")


def read_back(rows: list[str]) -> list[int]:
    """The heads that a drawing shows: follow the lane of each arrow to the line that it starts from."""
    found = [-1] * len(rows)
    for i, row in enumerate(rows):
        for at in range(0, len(row), 2):
            if row[at + 1] != ARROW:
                continue
            step = 1 if row[at] in DOWN else -1
            j = i + step
            while rows[j][at] == "│":
                j += step
            assert rows[j][at] in JOINTS and rows[j][at] in (UP if step == 1 else DOWN)
            assert found[i] == -1, "two arrows at one word"
            found[i] = j
    return found


@given(heads())
@settings(max_examples=examples(200), deadline=None)
def test_heads_can_be_read_back(tree: list[int]) -> None:
    rows = lanes(Picture([f"w{i}" for i in range(len(tree))], tree))
    assert len({len(row) for row in rows}) == 1
    assert read_back(rows) == tree


def test_a_separable_verb() -> None:
    words = ["Er", "ruft", "seine", "Schwester", "morgen", "an", "."]
    relations = ["nsubj", "root", "det:poss", "obj", "advmod", "compound:prt", "punct"]
    assert arcs_text(words, [1, -1, 3, 1, 1, 1, 1], relations) == "\n".join(
        [
            "        ┌► Er         nsubj",
            "┌─┬─┬─┬─┴─ ruft       root",
            "│ │ │ │ ┌► seine      det:poss",
            "│ │ │ └►┴─ Schwester  obj",
            "│ │ └►──── morgen     advmod",
            "│ └►────── an         compound:prt",
            "└►──────── .          punct",
        ]
    )


def test_crossing_arcs() -> None:
    # 0 → 2 and 1 → 3 cross; 0 is the root and heads 1.
    assert arcs_text(list("abcd"), [-1, 0, 0, 1]) == "\n".join(
        [
            "  ┌─┬─ a",
            "┌─│─┴► b",
            "│ └►── c",
            "└►──── d",
        ]
    )


def test_wide_characters_keep_the_columns_straight() -> None:
    rows = arcs_text(["我", "喜欢", "tea"], [1, -1, 1], ["nsubj", "root", "obj"]).splitlines()
    starts = {cells(row[: row.index(label)]) for row, label in zip(rows, ("nsubj", "root", "obj"), strict=True)}
    assert len(starts) == 1


def test_groups_and_translations_are_columns() -> None:
    rows = arcs_text(
        ["Er", "ruft", "an"],
        [1, -1, 1],
        groups=[Group({1, 2}, label="call")],
        target=["He", "is", "calling"],
        alignment=[(0, 0), (1, 2), (2, 2)],
        possible=[(1, 1)],
    ).splitlines()
    assert rows[0].split()[-1] == "He"
    assert rows[1].endswith("ruft  [call]  (is) calling")
    assert rows[2].endswith("an    [call]  calling")


def test_colours_only_on_a_terminal() -> None:
    picture = Picture(["Er", "schläft"], [1, -1], groups=[{0}])

    stream = io.StringIO()
    picture.show(Console(file=stream, force_terminal=True, color_system="truecolor", width=40))
    assert "\x1b[" in stream.getvalue()
    stream = io.StringIO()
    picture.show(Console(file=stream, width=40))
    assert stream.getvalue() == picture.text + "\n"


def test_a_long_sentence_fits_its_lanes() -> None:
    rows = arcs_text([f"w{i}" for i in range(60)], [-1, *[0] * 59]).splitlines()
    assert len(rows) == 60
    assert read_back(lanes(Picture([""] * 60, [-1, *range(59)]))) == [-1, *range(59)]


def test_saving(tmp_path: Path) -> None:
    picture = Picture(["Er", "schläft"], [1, -1])
    assert picture.save(tmp_path / "a.svg").read_text(encoding="utf-8") == picture._repr_svg_()
    assert picture.save(tmp_path / "a.txt").read_text(encoding="utf-8") == f"{picture}\n"
    with pytest.raises(InputError, match=r"\.png"):
        picture.save(tmp_path / "a.png")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.svg", "a.txt"]


def test_the_documentation_shows_what_is_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    docs = Path(__file__).parent.parent.parent / "docs"
    drawn = (docs / "how-to" / "draw.md").read_text(encoding="utf-8")
    code = drawn.partition("```python\n")[2].partition("```")[0]
    monkeypatch.chdir(tmp_path)
    names: dict[str, Picture] = {}
    exec(code, names)
    assert f"```text\n{names['picture'].text}\n```" in drawn
    assert (tmp_path / "call.svg").read_text(encoding="utf-8") == (docs / "pictures" / "draw.svg").read_text(
        encoding="utf-8"
    )
