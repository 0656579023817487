"""Limits of what commands print: just below, at and just above."""

from __future__ import annotations

from pathlib import Path

import pytest
from graphmt import localisation
from graphmt.cli import app
from graphmt.localisation import DocumentReport
from small_models import Trained
from typer.testing import CliRunner


@pytest.mark.parametrize(
    ("repaired", "listed", "more"), [(9, 9, ""), (10, 10, ""), (11, 10, "1 more units were repaired.")]
)
def test_ten_repairs_are_listed(
    demo: Trained, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, repaired: int, listed: int, more: str
) -> None:
    report = DocumentReport(filled=repaired, others=0, repaired=tuple((k, "added {x}") for k in range(1, repaired + 1)))
    monkeypatch.setattr(localisation, "translate_document", lambda *_, **__: report)
    (tmp_path / "todo.po").write_text('msgid "a"\nmsgstr ""\n', "utf-8")
    command = ["translate", str(demo.models["pbmt"]), str(tmp_path / "todo.po"), "--out", str(tmp_path / "done.po")]
    done = CliRunner().invoke(app, command, env={"COLUMNS": "500"})
    assert done.exit_code == 0
    assert done.stderr.count("repaired: added {x}.") == listed
    assert ("more units" in done.stderr) is bool(more) and more in done.stderr
