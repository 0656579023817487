"""Threads, forked processes and processes of their own give the same bytes as one thread, for every system."""

from __future__ import annotations

import hashlib
import multiprocessing
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from graphmt.corpus import Tree, read_trees
from graphmt.model import Model
from graphmt.systems import SYSTEMS

from fuzz.readers.base import seed
from fuzz.readers.models import model_folder

THREADS = 8
MODELS = [(name, False) for name in SYSTEMS] + [("hpb", True)]


def trees() -> list[Tree]:
    found = list(read_trees(seed("conllu")))
    return [*found, *reversed(found)] * 2


def translated(model: Model, threads: int = 1) -> str:
    lists = model.n_best(trees(), 3, threads=threads)
    return "".join(one.as_json(number, rank) for number, best in enumerate(lists) for rank, one in enumerate(best))


def translated_in(folder: Path) -> str:
    """For another process."""
    return translated(Model(folder))


_INHERITED: dict[tuple[str, bool], Model] = {}


def translate_inherited(out: Path) -> None:
    """For a forked process: translate with every model that it inherited."""
    out.write_text("".join(translated(model, threads=2) for model in _INHERITED.values()), "utf-8")


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, bool], Path]:
    return {
        (name, selection): model_folder(tmp_path_factory.mktemp("model"), name, selection=selection)
        for name, selection in MODELS
    }


@pytest.mark.parametrize(("name", "selection"), MODELS)
def test_threads_that_share_a_model(name: str, selection: bool, folders) -> None:
    model = Model(folders[name, selection])
    expected = translated(model)
    assert translated(model, threads=2) == expected
    together = threading.Barrier(THREADS)

    def work(number: int) -> str:
        together.wait()
        return translated(model, threads=1 + number % 2)

    with ThreadPoolExecutor(THREADS) as pool:
        assert set(pool.map(work, range(THREADS))) == {expected}


@pytest.mark.skipif(sys.platform != "linux", reason="forking a process with threads is for Linux alone")
def test_forked_processes_after_use(folders, tmp_path: Path) -> None:
    """A fork gets the opened models, and none of the threads that used them."""
    models = {key: Model(folder) for key, folder in folders.items()}
    expected = "".join(translated(model, threads=2) for model in models.values())
    # What a fork inherits is not sent to it: it looks the models up where they were.
    _INHERITED.update(models)
    # Not by a pool, which also forks while its own threads run.
    fork = multiprocessing.get_context("fork")
    outs = [tmp_path / "first", tmp_path / "second"]
    started = [fork.Process(target=translate_inherited, args=(out,)) for out in outs]
    for process in started:
        process.start()
    for process in started:
        process.join()
    _INHERITED.clear()
    assert [process.exitcode for process in started] == [0, 0]
    assert [out.read_text("utf-8") for out in outs] == [expected, expected]


def test_processes_of_their_own(folders) -> None:
    """Two at the same time, on the same files."""
    expected = [translated(Model(folder)) for folder in folders.values()]
    here = Path(__file__)
    script = f"import sys; sys.path[:0] = {[str(here.parents[2]), str(here.parents[1])]}; " + (
        "from robustness.test_threads import *; "
        "print(hashlib.sha256(''.join(translated_in(Path(one)) for one in sys.argv[1:]).encode()).hexdigest())"
    )
    command = [sys.executable, "-c", script, *map(str, folders.values())]
    started = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    made = [process.communicate()[0].strip() for process in started]
    assert made == [hashlib.sha256("".join(expected).encode()).hexdigest()] * 2
