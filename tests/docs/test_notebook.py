"""The tutorial as a notebook: it runs from top to bottom, and is stored without what it showed."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from typing import Any

import pytest
from doc_blocks import ROOT

DOCS = ROOT / "docs"
NOTEBOOKS = sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.ipynb"))


def cells(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((DOCS / name).read_text("utf-8"))["cells"]
    return found


def value_of(code: str, names: dict[str, Any]) -> Any:
    """Run a cell; the value of its last line, as the notebook would show it."""
    tree = ast.parse(code)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<cell>", "exec"), names)
    return None if last is None else eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)


def test_there_is_a_tutorial() -> None:
    assert NOTEBOOKS == ["tutorial.ipynb"]


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_the_cells_run_in_their_order(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "__main__"}
    shown = [value_of("".join(one["source"]), names) for one in cells(name) if one["cell_type"] == "code"]
    for one in shown:
        for kind in ("_repr_html_", "_repr_svg_"):
            assert getattr(one, kind, lambda: "<")().startswith("<")
    # Trees and translations are drawn; statistics, a model, lists, choices and comparisons are tables.
    assert [hasattr(one, "_repr_html_") for one in shown].count(True) >= 6
    assert [hasattr(one, "_repr_svg_") for one in shown].count(True) == 2


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_nothing_that_was_shown_is_stored(name: str) -> None:
    text = (DOCS / name).read_text("utf-8")
    content = json.loads(text)
    assert (content["nbformat"], content["nbformat_minor"]) == (4, 5)
    assert text == json.dumps(content, ensure_ascii=False, indent=1) + "\n"
    for one in content["cells"]:
        assert set(one) - {"outputs", "execution_count"} == {"cell_type", "id", "metadata", "source"}
        assert one["metadata"] == {} and re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", one["id"])
        if one["cell_type"] == "code":
            assert one["outputs"] == [] and one["execution_count"] is None
    ids = [one["id"] for one in content["cells"]]
    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_links_lead_somewhere(name: str) -> None:
    places = [
        place
        for one in cells(name)
        if one["cell_type"] == "markdown"
        for place in re.findall(r"\]\(([^)#:]+)\)", "".join(one["source"]))
    ]
    assert places and all(((DOCS / name).parent / place).is_file() for place in places)
