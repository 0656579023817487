"""Folders that the driver and all executors must see, and the proof that they do.

The driver writes a random token into a folder. Before a stage, every executor reads it and answers with a file that the
driver must see. Executors that are allocated later are checked by their tasks, each of which reads the token before it
begins.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import secrets
import socket
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from graphmt.errors import InputError
from graphmt.spark.shared_tokens import HINT, PROPERTY, eventually, put_token, require_token, token_path
from graphmt.spark.watching import watched

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: The beginning of the names of answers.
_ANSWER = "shared.answer-"

#: Rounds of tasks in which every executor should have had one.
_ROUNDS = 3

#: The folders that the executors of an application have been seen to share.
_PROVEN: set[tuple[str, str]] = set()


class Answer(NamedTuple):
    """What an executor says: its number and host, the name of its file, and why there is none."""

    executor: str
    host: str
    file: str
    failure: str | None


class SharedFolder:
    """A folder of a session that holds intermediate results."""

    def __init__(self, session: SparkSession, folder: Path) -> None:
        self.session, self.folder = session, folder
        self.token = put_token(folder)

    @property
    def is_on_this_machine(self) -> bool:
        """Whether all tasks are threads of the driver or processes below them, which see what it sees."""
        return (self.session.sparkContext.master or "").split("[")[0] == "local"

    def remove_token(self) -> None:
        """Remove the token from a folder that is kept."""
        with contextlib.suppress(OSError):
            token_path(self.folder).unlink(missing_ok=True)

    def prove(self, *, again: bool = False) -> None:
        """Reject the folder if an executor does not see it; once for an application, unless asked ``again``."""
        context = self.session.sparkContext
        known = any((context.applicationId, os.fspath(one)) in _PROVEN for one in (self.folder, *self.folder.parents))
        if self.is_on_this_machine or (known and not again):
            return
        folder, token = os.fspath(self.folder), self.token
        answers: list[Answer] = []
        for round_ in range(_ROUNDS):
            tasks = max(context.defaultParallelism, _executors(self.session))
            # A short pause keeps a quick executor from taking the tasks of the others.
            pause = 0.1 * (round_ + 1)
            ask = functools.partial(_answer, folder=folder, token=token, pause=pause)
            asked = context.parallelize(range(tasks), tasks).mapPartitions(ask)
            answers += watched(self.session, "checking the work folder", asked.collect)
            if len({answer.executor for answer in answers}) >= _executors(self.session):
                break
        require_answers(self.folder, token, answers)
        _PROVEN.add((context.applicationId, os.fspath(self.folder)))

    @contextlib.contextmanager
    def announced(self) -> Iterator[None]:
        """Let the tasks of jobs during the block check the folder, see :func:`require_announced`."""
        # None removes a property, which its annotation does not say.
        context: Any = self.session.sparkContext
        before = context.getLocalProperty(PROPERTY)
        context.setLocalProperty(PROPERTY, json.dumps([os.fspath(self.folder), self.token]))
        try:
            yield
        finally:
            context.setLocalProperty(PROPERTY, before)


def _answer(_: Iterable[int], folder: str, token: str, pause: float) -> Iterable[Answer]:
    """The answer of the executor that this task runs on."""
    file = f"{_ANSWER}{secrets.token_hex(8)}"
    failure = None
    try:
        require_token(folder, token)
        (Path(folder) / file).write_text(token, "ascii")
    except InputError as error:
        failure = error.message
    except OSError as error:
        failure = f"the executor on {socket.gethostname()} cannot write here ({error.strerror})."
    time.sleep(pause)
    return [Answer(_executor(), socket.gethostname(), file, failure)]


def _executor() -> str:
    """What tells the executor of a task from others: its worker processes have the same parent, the daemon's."""
    return f"{socket.gethostname()}-{os.getppid()}"


def _executors(session: SparkSession) -> int:
    """The number of executors at present."""
    java: Any = session.sparkContext._jsc
    return max(1, int(java.sc().getExecutorMemoryStatus().size()) - 1)


def require_answers(folder: Path, token: str, answers: Iterable[Answer]) -> None:
    """Reject a folder that an executor does not see, or whose answers the driver does not see."""
    failures: dict[str, str] = {}
    for answer in answers:
        path = folder / answer.file

        def is_seen(path: Path = path) -> bool:
            return path.read_text("ascii") == token

        if answer.failure is not None:
            failures.setdefault(answer.host, answer.failure)
        elif not eventually(is_seen):
            said = f"a file that the executor on {answer.host} wrote here is not seen by the driver."
            failures.setdefault(answer.host, said)
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)
    if failures:
        first, *others = failures.values()
        more = f" The same is true of {', '.join(list(failures)[1:])}." if others else ""
        raise InputError(f"{first}{more}", file=folder, hint=HINT)
