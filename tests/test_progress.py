"""Progress bars say the whole where it is known, and never a question mark."""

from __future__ import annotations

import gzip
import io
import os
from pathlib import Path

import pytest
from graphmt import progress
from rich.console import Console


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    stream = io.StringIO()
    monkeypatch.setattr(progress, "console", Console(file=stream, force_terminal=True, width=100, color_system=None))
    return stream


def test_a_bar_without_a_whole_shows_the_count_alone(terminal: io.StringIO) -> None:
    with progress.bar("lines") as advance:
        advance(12345)
    assert "12,345" in terminal.getvalue()
    assert "/?" not in terminal.getvalue()
    with progress.phases() as report:
        report("reading", 7, 0)
        report("sorting", 8, 9)
    assert "8/9" in terminal.getvalue()
    assert "/?" not in terminal.getvalue()


def test_sentences_are_counted_where_that_is_cheap(terminal: io.StringIO, tmp_path: Path) -> None:
    text, trees, zipped = (tmp_path / name for name in ("a.txt", "a.conllu", "a.gz"))
    text.write_text("a\nb\n\n")
    trees.write_text("1\ta\n2\tb\n\n1\ta\n\n")
    zipped.write_bytes(gzip.compress(b"a\n"))
    assert progress.sentences_in(text, trees) == 5
    for unknown in (zipped, tmp_path, tmp_path / "none", "-"):
        assert progress.sentences_in(text, unknown) is None
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
        assert progress.sentences_in(tmp_path / "pipe") is None


def test_nothing_is_counted_where_nothing_is_shown(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a\n")
    assert progress.sentences_in(tmp_path / "a.txt") is None
