"""uvicorn's server and its worker processes, which end in time whatever they are doing."""

from __future__ import annotations

import gc
import json
import logging
import os
import pickle
import socket
import sys
import time

from uvicorn import Config
from uvicorn import Server as UvicornServer
from uvicorn.config import STARTUP_FAILURE
from uvicorn.supervisors.multiprocess import Multiprocess, Process

from graphmt import _core

log = logging.getLogger(__name__)

#: How long a process may live on after the time for accepted requests, and its parent after that, in seconds.
LAST = 1.5
#: How long a worker may be too busy to answer its parent, in seconds.
HUNG = 60.0
#: How long a thread that translates may keep the interpreter's lock while the loop of events wants it, in seconds.
#: Each part of an answer needs it several times, and Python's own 5 ms add up.
SWITCH = 0.0005
#: Objects after which garbage in cycles is looked for among the new ones, in units of this among older ones, and in
#: units of that among all. To look through all of them stops every thread for a tenth of a second.
COLLECTED = 10_000, 4, 500


def prepare(grace: float) -> None:
    """Prepare a process that has opened its models to answer quickly, whatever it works on, and to end in time."""
    sys.setswitchinterval(SWITCH)
    # What there is by now stays: looking through it for garbage again and again would stop all threads each time.
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECTED)
    end_in_time(grace)


def end_in_time(grace: float) -> None:
    """End the process a little after the time that a signal leaves to requests, whatever it is doing then.

    A call that holds the interpreter's lock would keep a timer of Python from doing this.
    """
    said = {"level": "error", "process": os.getpid(), "message": "some work did not end in time; the process ends"}
    _core.end_after_signal(grace + LAST, f"{json.dumps(said)}\n")


class Server(UvicornServer):
    """The server of a single process."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, when the handlers of signals have been set."""
        prepare(float(self.config.timeout_graceful_shutdown or 0))
        await super().startup(sockets)

    def run(self, sockets: list[socket.socket] | None = None) -> None:
        """Serve until a signal asks to stop."""
        try:
            super().run(sockets)
        finally:
            _core.end_no_more()


class Workers(Multiprocess):
    """Worker processes, each of which is replaced if it has died or hangs.

    uvicorn waits for the answer of a busy worker, and sees no signal meanwhile.
    """

    def __init__(self, config: Config, sockets: list[socket.socket]) -> None:
        super().__init__(config, sockets)
        #: Since when a worker has been asked whether it lives.
        self._asked: dict[Process, float] = {}

    def keep_subprocess_alive(self) -> None:
        """Replace the workers that have died or hang."""
        for number, process in enumerate(self.processes):
            if self.should_exit.is_set():
                return
            if process.process.is_alive() and self._answers(process):
                continue
            self._asked.pop(process, None)
            process.kill()
            process.join()
            if process.exitcode == STARTUP_FAILURE:
                # It would fail in the same way again.
                log.error("a worker could not be started; the server stops")
                self.should_exit.set()
                return
            log.warning(f"worker {process.pid} died or did not answer; it is replaced")
            self.processes[number] = Process(self.config, self.sockets)
            self.processes[number].start()

    def _answers(self, process: Process) -> bool:
        """Whether a worker has answered the last question, or still has time to do so."""
        since = self._asked.get(process)
        try:
            if since is None:
                process.parent_conn.send(b"ping")
                self._asked[process] = time.monotonic()
            elif process.parent_conn.poll(0):
                process.parent_conn.recv()
                del self._asked[process]
            else:
                return time.monotonic() - since < HUNG
        except (OSError, EOFError, pickle.UnpicklingError):
            return False
        return True

    def join_all(self) -> None:
        """Wait for the workers to end, and kill those that do not."""
        until = time.monotonic() + float(self.config.timeout_graceful_shutdown or 0) + 2 * LAST
        for process in self.processes:
            process.process.join(max(0.0, until - time.monotonic()))
            if process.process.is_alive():
                log.error(f"worker {process.pid} did not end in time; it is killed")
                process.process.kill()
                process.process.join()
