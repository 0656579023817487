"""The program ``graphmt`` for tests that run it as a process of its own."""

from __future__ import annotations

import atexit
import contextlib
import functools
import os
import shutil
import socket
import sys
from pathlib import Path

from forked import ForkServer


@functools.cache
def fork_server() -> ForkServer:
    """The one server of this process, which ends with it."""
    stack = contextlib.ExitStack()
    atexit.register(stack.close)
    return stack.enter_context(ForkServer())


@functools.cache
def graphmt() -> str:
    """The path of ``graphmt``. Where processes can be forked, it spares the second that the imports take.

    Streams, folder and exit code are the command's own; signals and resource limits do not reach it.
    """
    if hasattr(os, "fork") and hasattr(socket, "AF_UNIX"):
        return str(fork_server().programs("graphmt") / "graphmt")
    return installed()


def installed() -> str:
    """The path of ``graphmt`` as it is installed."""
    found = shutil.which("graphmt", path=str(Path(sys.executable).parent))
    assert found is not None
    return found
