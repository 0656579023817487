"""The library logs and reports progress; only the command prints. Bars show the total where it is known."""

from __future__ import annotations

import gzip
import io
import logging
import os
import subprocess
import sys
from pathlib import Path

import pytest
from graphmt import progress
from graphmt.cli import display
from graphmt.cli.display import show_messages
from rich.console import Console


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=True, width=100, color_system=None)
    monkeypatch.setattr(display, "console", lambda: console)
    monkeypatch.setenv("FORCE_COLOR", "1")
    show_messages(quiet=False)
    return stream


def test_a_bar_without_a_total_shows_the_count_alone(terminal: io.StringIO) -> None:
    with progress.bar("lines") as advance:
        advance(12345)
    assert "12,345" in terminal.getvalue()
    assert "/?" not in terminal.getvalue()
    with progress.phases() as report:
        report("reading", 7, 0)
        report("sorting", 8, 9)
    assert "8/9" in terminal.getvalue()
    assert "/?" not in terminal.getvalue()


def test_rounds_are_a_bar_on_a_terminal_and_lines_elsewhere(
    terminal: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    with progress.rounds("iteration", 5) as advance:
        advance(2, "BLEU 30")
    assert "iteration: BLEU 30" in terminal.getvalue() and "of at most 5:" not in terminal.getvalue()
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    show_messages(quiet=False)
    with progress.rounds("iteration", 5) as advance:
        advance(2, "BLEU 30")
    assert stream.getvalue() == "iteration 2 of at most 5: BLEU 30\n"


def test_the_command_prints_log_records_once_and_nothing_when_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    show_messages(quiet=False)
    show_messages(quiet=False)
    logging.getLogger("graphmt.lm.train").info("[%d] n-grams", 7)
    assert stream.getvalue() == "[7] n-grams\n"
    show_messages(quiet=True)
    logging.getLogger("graphmt.lm.train").warning("hidden")
    assert stream.getvalue() == "[7] n-grams\n"


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


def test_a_program_can_follow_the_work() -> None:
    seen: list[tuple[str, int, int | None]] = []
    with progress.on_progress(lambda *what: seen.append(what)):
        with progress.bar("lines", 9) as advance:
            advance(4)
        with progress.rounds("iteration", 3) as report:
            report(1, "BLEU 30")
    with progress.bar("lines", 9) as advance:
        advance(9)
    assert seen == [("lines", 4, 9), ("iteration", 1, 3)]


def test_the_library_prints_nothing(tmp_path: Path) -> None:
    """Warnings alone go to standard error, where nobody set up logging; records of INFO are there for whoever asks."""
    (tmp_path / "t").write_text("a b c\nb c d\nd e\n" * 3)
    work = f"from graphmt import lm; lm.train({os.fspath(tmp_path / 't')!r}, {os.fspath(tmp_path / 'm')!r})"

    def said(script: str) -> str:
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
        assert done.stdout == ""
        return done.stderr

    assert "n-grams of up to" not in said(work)
    asked = said(f"import logging; logging.basicConfig(level=logging.INFO); {work}")
    assert "INFO:graphmt.lm.train:" in asked and "n-grams of up to 5 words" in asked
