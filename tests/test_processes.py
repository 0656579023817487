"""Worker processes: of scripts without a main guard, of parents that are killed, and workers that fail."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from graphmt.errors import GraphmtError, InputError
from graphmt.processes import WorkerPool

#: Calls everything that starts processes. The name of a start method is filled in.
SCRIPT = """
import multiprocessing, sys
multiprocessing.set_start_method({method!r})
import graphmt
from graphmt.align import AlignOptions
from graphmt.consensus import RerankOptions, memory
from graphmt.corpus.parsers.running import parse_batches

print("begins")
memory.CHUNK = 1
pairs = [(f"Das ist das Haus {{k}}.", f"This is the house {{k}}.") for k in range(4)]
options = RerankOptions(features="gc", tokenise=True, threads=2)
lists = [["That is it.", "This is the house 2."]]
[choice] = graphmt.rerank(["Das ist das Haus 2."], lists, memory=pairs, options=options)
print(choice.best)
parser = f"command:{{sys.executable}} -c " + {parser!r}
print([len(tree.forms) for trees in parse_batches(parser, ["a b", "c"], batch=1, processes=2) for tree in trees])
aligned = graphmt.align.align(["a b", "b a"], ["x y", "y x"], AlignOptions(model="ibm1", threads=2)).alignment
print(len(list(aligned)))
"""

#: A parser: every word depends on the first.
PARSER = """'
import sys
for line in sys.stdin:
    for number, word in enumerate(line.split(), 1):
        print(number, word, word, *"XX_", min(number - 1, 1), "dep" if number > 1 else "root", *"__", sep="\\t")
    print()
'"""


@pytest.mark.parametrize(("way", "method"), [("file", "spawn"), ("-c", "fork"), ("-", "forkserver")])
def test_a_script_needs_no_main_guard(tmp_path: Path, way: str, method: str) -> None:
    import multiprocessing

    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"no {method} on this system")
    script = SCRIPT.format(method=method, parser=PARSER)
    (tmp_path / "script.py").write_text(script, "utf-8")
    # Workers find modules where the script does, and not in the current folder.
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "pickle.py").write_text("raise SystemExit('the wrong module')\n", "utf-8")
    arguments = {"file": [str(tmp_path / "script.py")], "-c": ["-c", script], "-": ["-"]}[way]
    folder = tmp_path / "work" if way == "file" else tmp_path
    given = script if way == "-" else ""
    done = subprocess.run([sys.executable, *arguments], cwd=folder, input=given, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "begins\nThis is the house 2.\n[2, 1]\n2\n"), done.stderr


def refuse(line: int) -> None:
    raise InputError("an empty line.", file="train.de", line=line)


class Stubborn(Exception):
    """Can be pickled, but not read back."""

    def __init__(self, one: str, two: str) -> None:
        super().__init__(one)


def complain() -> None:
    raise Stubborn("so it", "is")


def test_results_and_failures_come_back() -> None:
    with WorkerPool(1) as pool:
        assert pool.submit(divmod, 17, 5).result() == (3, 2)
        # What a library prints is not mistaken for an answer, and it reads nothing of the requests.
        assert pool.submit(print, "something").result() is None
        with pytest.raises(InputError) as refused:
            pool.submit(refuse, 7).result()
        assert str(refused.value) == "train.de:7: an empty line."
        assert "in refuse" in str(refused.value.__cause__)
        with pytest.raises(RuntimeError, match="Stubborn: so it"):
            pool.submit(complain).result()
        assert pool.submit(len, "abc").result() == 3


def test_a_worker_that_is_ended() -> None:
    with WorkerPool(1) as pool:
        with pytest.raises(GraphmtError, match=r"a worker process was ended with exit code 3\. If memory is short"):
            pool.submit(os._exit, 3).result()
        # Another takes its place.
        assert pool.submit(len, "abc").result() == 3


def test_leaving_ends_what_still_runs() -> None:
    with WorkerPool(1) as pool:
        number = pool.submit(os.getpid).result()
        pool.submit(time.sleep, 1000)
        pool.submit(time.sleep, 1000)
    if os.name == "posix":
        with pytest.raises(ProcessLookupError):
            os.kill(number, 0)


@pytest.mark.skipif(os.name != "posix", reason="kills a process")
def test_workers_end_with_a_parent_that_is_killed() -> None:
    script = """
import os, time
from graphmt.processes import WorkerPool
with WorkerPool(1) as pool:
    print(pool.submit(os.getpid).result(), flush=True)
    pool.submit(time.sleep, 1000).result()
"""
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        worker = int(parent.stdout.readline())
        parent.kill()
    while is_running(worker):
        time.sleep(0.02)


def is_running(number: int) -> bool:
    """Whether a process runs; one that has ended may wait for a parent that asks for its exit code."""
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{number}/stat")
    return not status.exists() or status.read_text().rpartition(")")[2].split()[0] != "Z"
