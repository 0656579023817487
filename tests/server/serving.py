"""Servers on ports of their own, in a thread of this process."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Iterator, Sequence

import uvicorn
from graphmt.server import ModelSource, ServeOptions, create_app
from graphmt.server.run import settings


@contextlib.contextmanager
def serving(sources: Sequence[ModelSource], options: ServeOptions) -> Iterator[str]:
    """The address of a server that clients reach over loopback, until the block ends."""
    server = uvicorn.Server(uvicorn.Config(create_app(list(sources), options), **settings(options)))
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        thread = threading.Thread(target=server.run, args=([bound],), daemon=True)
        thread.start()
        while not server.started and thread.is_alive():
            time.sleep(0.01)
        try:
            yield f"http://127.0.0.1:{bound.getsockname()[1]}/"
        finally:
            server.should_exit = True
            thread.join()
