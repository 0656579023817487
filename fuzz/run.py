"""The runner: workers for many readers at once, counters that survive a stop, and what was found."""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
import signal
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from fuzz.minimise import minimised
from fuzz.outcome import OK, REFUSED, Outcome, make_input
from fuzz.readers import Reader
from fuzz.readers.base import FUZZ, SEEDS
from fuzz.worker import SECONDS, Board, death, read_inputs, spawn

FOUND = FUZZ / "found"
#: The counters of a run that can be resumed.
PROGRESS = "progress.json"
#: Reproducers kept for failures of one cause.
KEPT = 3
#: Inputs after which a worker ends, so that the counters are written now and then.
BATCH = 5000


@dataclasses.dataclass
class Progress:
    """How far a reader is; with the seed, all that a run needs to go on."""

    next: int = 0
    ok: int = 0
    refused: int = 0
    failed: int = 0
    seconds: float = 0.0

    def line(self, name: str) -> str:
        """For people."""
        speed = self.next / self.seconds if self.seconds else 0.0
        counts = f"{self.next:>9,} inputs {self.ok:>9,} ok {self.refused:>9,} refused {self.failed:>6,} failed"
        return f"{name:18}{counts} {speed:>8,.0f}/s"


@dataclasses.dataclass
class _Worker:
    reader: Reader
    folder: Path
    board: Board
    begun: float


class Run:
    """Reads inputs ``0`` to ``inputs`` of every reader, ``jobs`` readers at a time."""

    def __init__(
        self,
        readers: Sequence[Reader],
        *,
        inputs: int,
        seed: int,
        jobs: int,
        found: Path = FOUND,
        resume: bool = False,
        seconds: float = SECONDS,
    ) -> None:
        self.readers, self.inputs, self.seed, self.jobs, self.found = list(readers), inputs, seed, jobs, found
        self.seconds = seconds
        self._record = found / PROGRESS if resume else None
        self.progress = {reader.name: Progress() for reader in readers}
        if self._record is not None and self._record.exists():
            known = json.loads(self._record.read_text("utf-8"))
            if known["seed"] == seed:
                stored = {name: Progress(**one) for name, one in known["readers"].items()}
                self.progress = {**stored, **{name: stored.get(name, one) for name, one in self.progress.items()}}

    def __call__(self) -> bool:
        """Run to the end; whether nothing failed. A run that is interrupted can be resumed."""
        waiting = [reader for reader in self.readers if self.progress[reader.name].next < self.inputs]
        running: dict[int, _Worker] = {}
        # Files that live for a millisecond belong into memory.
        shared = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        with tempfile.TemporaryDirectory(prefix="graphmt-fuzz-", dir=shared) as work:
            try:
                while waiting or running:
                    while waiting and len(running) < self.jobs:
                        running |= self._started(waiting.pop(0), Path(work))
                    pid, status = os.wait()
                    worker = running.pop(pid)
                    self._ended(worker, status)
                    self._save()
                    one = self.progress[worker.reader.name]
                    if one.next < self.inputs:
                        waiting.insert(0, worker.reader)
                    else:
                        print(one.line(worker.reader.name), flush=True)
            finally:
                for pid in running:
                    os.kill(pid, signal.SIGKILL)
                    os.waitpid(pid, 0)
        return not any(self.progress[reader.name].failed for reader in self.readers)

    def _started(self, reader: Reader, work: Path) -> dict[int, _Worker]:
        folder = Path(tempfile.mkdtemp(prefix=f"{reader.name}-", dir=work))
        begin = self.progress[reader.name].next
        worker = _Worker(reader, folder, Board(), time.monotonic())
        seeds = reader.seeds()
        numbers = range(begin, min(self.inputs, begin + BATCH))
        inputs = ((number, make_input(reader, seeds, self.seed, number)) for number in numbers)
        pid = spawn(lambda: self._work(worker, inputs), folder.with_suffix(".stderr"))
        return {pid: worker}

    def _work(self, worker: _Worker, inputs: Iterable[tuple[int, bytes]]) -> int:
        def failed(data: bytes, outcome: Outcome) -> None:
            (worker.folder / "failures").open("a").write(".")
            keep(self.found, worker.reader, data, outcome)

        return read_inputs(worker.reader, worker.folder, inputs, failed, worker.board, self.seconds)

    def _ended(self, worker: _Worker, status: int) -> None:
        one, (number, ok, refused) = self.progress[worker.reader.name], worker.board.read()
        one.seconds += time.monotonic() - worker.begun
        one.ok, one.refused = one.ok + ok, one.refused + refused
        failures = worker.folder / "failures"
        one.failed += failures.stat().st_size if failures.exists() else 0
        outcome = death(status, worker.folder)
        if number < 0:
            words = outcome.detail if outcome else "it read nothing"
            raise RuntimeError(f"{worker.reader.name} could not be set up: {words}")
        if outcome is not None:
            # The same bytes that the worker wrote before it died: inputs depend on their number alone.
            data = make_input(worker.reader, worker.reader.seeds(), self.seed, number)
            keep(self.found, worker.reader, data, outcome)
            one.failed += 1
        one.next = number + 1 if status else number
        shutil.rmtree(worker.folder)
        worker.folder.with_suffix(".stderr").unlink(missing_ok=True)

    def _save(self) -> None:
        if self._record is not None:
            content = {"seed": self.seed, "readers": {n: dataclasses.asdict(p) for n, p in self.progress.items()}}
            self._record.parent.mkdir(parents=True, exist_ok=True)
            draft = self._record.with_suffix(".part")
            draft.write_text(json.dumps(content, indent=1), "utf-8")
            draft.replace(self._record)


def keep(found: Path, reader: Reader, data: bytes, outcome: Outcome) -> None:
    """Keep an input that failed as ``FOUND/READER/KIND-CAUSE-N``, with the failure as text beside it."""
    folder = found / reader.name
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(KEPT):
        path = folder / f"{outcome.name}-{number}"
        if not path.exists():
            path.write_bytes(data)
            path.with_name(f"{path.name}.txt").write_text(f"{outcome.signature}\n\n{outcome.detail}\n", "utf-8")
            return


def check_files(reader: Reader, files: Sequence[Path], *, seconds: float = SECONDS) -> Iterator[tuple[Path, Outcome]]:
    """Read files as they are, each in a process of its own; a seed must be accepted, others may be refused."""
    for path in files:
        outcome = isolated(reader, path.read_bytes(), seconds=seconds)
        if outcome.kind == REFUSED and path.parent == SEEDS / reader.name:
            outcome = Outcome(
                "refused seed", detail="The format has changed: make the seeds again, see fuzz/README.md."
            )
        if outcome.failed:
            yield path, outcome


def isolated(reader: Reader, data: bytes, *, seconds: float = SECONDS) -> Outcome:
    """The outcome of one input, read in a process of its own."""
    with tempfile.TemporaryDirectory(prefix="graphmt-fuzz-") as work:
        folder, board, kept = Path(work) / "in", Board(), Path(work) / "outcome"
        folder.mkdir()

        def failed(_: bytes, outcome: Outcome) -> None:
            kept.write_text(json.dumps(dataclasses.asdict(outcome)), "utf-8")

        inputs = [(0, data)]
        pid = spawn(lambda: read_inputs(reader, folder, inputs, failed, board, seconds), folder.with_suffix(".stderr"))
        _, status = os.waitpid(pid, 0)
        if kept.exists():
            return Outcome(**json.loads(kept.read_text("utf-8")))
        return death(status, folder) or Outcome(OK if board.read()[1] else REFUSED)


def minimise_found(readers: Sequence[Reader], found: Path = FOUND) -> None:
    """Make the first reproducer of every cause as small as is cheap, as ``NAME.min``."""
    for reader in readers:
        for path in sorted((found / reader.name).glob("*-0")):
            small = path.with_name(f"{path.name}.min")
            wanted = isolated(reader, path.read_bytes())
            if not wanted.failed or small.exists():
                continue
            small.write_bytes(
                minimised(path.read_bytes(), lambda data, w=wanted, r=reader: isolated(r, data).name == w.name)
            )
            print(f"{path.relative_to(found)}: {path.stat().st_size} bytes, {small.stat().st_size} when minimised")
