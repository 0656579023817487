"""Long calls into the core stop when a signal comes, and raise what its handler or a callback raised."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import small_corpora
from graphmt import _core
from graphmt.errors import InputError, OptionError
from graphmt.lm import LmOptions
from graphmt.rules import ExtractOptions
from graphmt.selection import GmOptions
from graphmt.selection.gm import MoreText
from naive_rules import Pair

needs_timer = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs an interval timer")


class Enough(BaseException):
    """What a handler raises."""


def stop(*_: object) -> None:
    raise Enough


#: Minutes of work: no machine is through before the timer.
ROWS = np.zeros((2, 1_000_000, 1))


@pytest.fixture
def timer() -> Iterator[None]:
    """A signal whose handler raises, in a moment."""
    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


@needs_timer
@pytest.mark.parametrize("threads", [1, 2])
def test_a_signal_stops_work(timer: None, threads: int) -> None:
    with pytest.raises(Enough):
        _core.shuffled_sums(ROWS, 10_000, 1, threads=threads)


@needs_timer
def test_a_signal_stops_waiting_for_input(timer: None, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = os.open(pipe, os.O_RDWR)
    try:
        with pytest.raises(Enough):
            _core.open_corpus(pipe)
    finally:
        os.close(writer)


@pytest.fixture
def files(tmp_path: Path) -> _core.CorpusFiles:
    links = frozenset({(0, 0), (1, 1)})
    made = small_corpora.write(tmp_path, [Pair(("a", "b"), (-1, 0), ("x", "y"), links)] * 3)
    return _core.CorpusFiles(made["source"], made["target"], made["alignment"], made["trees"])


def refuse(*_: object) -> list[str]:
    raise ValueError("no lemmas today")


Progress = Callable[[str, int, int], object]


def train_rules(files: _core.CorpusFiles, folder: Path, progress: Progress) -> None:
    options = ExtractOptions(max_memory=1, threads=2)
    settings = _core.ExtractSettings.strings(options)
    _core.train_rules(files, settings, folder / "rules.bin", options, folder=folder / "work", progress=progress)


def train_gm(
    files: _core.CorpusFiles,
    folder: Path,
    lemmatise: Callable[[str, list[str]], list[str]],
    progress: Progress,
) -> None:
    options = GmOptions(source_window=5, target_window=5, source_count=1, source_pmi=0.0, target_count=1, threads=2)
    how: Any = {"folder": folder / "work", "lemmatise": lemmatise, "progress": progress}
    _core.train_gm(files, MoreText(), folder / "gm.bin", options, **how)


def train_lm(text: Path, folder: Path, progress: Progress) -> None:
    options = LmOptions(order=2, max_memory=1, discount_fallback=True, threads=2)
    how: Any = {"arpa": False, "temporary": folder / "work", "progress": progress}
    _core.lm_train([text], folder / "lm.bin", options, **how)


def test_what_a_callback_raises_comes_back_as_it_was(files: _core.CorpusFiles, tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()

    def same(_: str, words: list[str]) -> list[str]:
        return words

    with pytest.raises(Enough):
        train_rules(files, tmp_path, stop)
    with pytest.raises(Enough):
        train_gm(files, tmp_path, same, stop)
    with pytest.raises(Enough):
        train_gm(files, tmp_path, stop, print)
    with pytest.raises(InputError, match="lemmatising failed: ValueError: no lemmas today"):
        train_gm(files, tmp_path, refuse, print)
    with pytest.raises(Enough):
        train_lm(files.source, tmp_path, stop)
    assert {path.name for path in tmp_path.iterdir()} == {"source", "target", "alignment", "trees", "work"}


@pytest.mark.parametrize("threads", [1, 2])
def test_a_cancelled_token_ends_the_work_of_its_thread_alone(threads: int) -> None:
    token = _core.Cancellation()
    began, ended = threading.Event(), []

    def work() -> None:
        with token:
            began.set()
            try:
                _core.shuffled_sums(ROWS, 10_000, 1, threads=threads)
            except _core.Cancelled:
                ended.append("in the call")
            # No other call begins.
            with pytest.raises(_core.Cancelled):
                _core.shuffled_sums(ROWS[:, :1], 1, 1)
            with pytest.raises(_core.Cancelled):
                _core.point()
        _core.point()
        ended.append("after it")

    working = threading.Thread(target=work)
    working.start()
    began.wait()
    time.sleep(0.01)
    token.cancel()
    # This thread has no token.
    assert _core.shuffled_sums(ROWS[:, :1], 1, 1).shape == (1, 2, 1)
    working.join()
    assert ended == ["in the call", "after it"]


def test_tokens_inside_each_other() -> None:
    outer, inner = _core.Cancellation(), _core.Cancellation()
    with outer, inner:
        _core.point()
        outer.cancel()
        with pytest.raises(_core.Cancelled):
            _core.point()
    assert (outer.is_cancelled, inner.is_cancelled) == (True, False)
    with pytest.raises(RuntimeError, match="not installed"):
        outer.__exit__(None, None, None)
    # No handler of failures takes it for one.
    assert not issubclass(_core.Cancelled, Exception)


def test_more_threads_than_sensible_are_refused() -> None:
    with pytest.raises(OptionError, match="threads must be at most 1024, not 2147483648"):
        _core.shuffled_sums(np.zeros((1, 1, 1)), 10, 1, threads=2**31)
