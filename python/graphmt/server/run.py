"""Running the application with uvicorn, in one process or in several."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import logging
import os
import socket
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from graphmt.errors import InputError, OptionError
from graphmt.server import create_app, require_packages
from graphmt.server.logs import log_to
from graphmt.server.options import ServeOptions
from graphmt.server.served import ModelSource

log = logging.getLogger(__name__)

#: Passes the models and options to the worker processes.
_SETTINGS = "GRAPHMT_SERVE"


def serve(
    sources: Sequence[ModelSource],
    options: ServeOptions,
    *,
    host: str,
    port: int,
    ready: Callable[[str], object] = print,
) -> None:
    """Serve until a signal asks to stop; then finish what was accepted, as far as its time allows, and return.

    Work that can neither be finished nor ended in time ends with the process.

    ``ready`` is called with a sentence that has the address, when the models are opened.
    """
    require_packages()
    import uvicorn

    from graphmt.server.processes import Server, Workers

    bound = _bound(host, port)
    shown = f"[{host}]" if ":" in host else host
    address = f"Listening at http://{shown}:{bound.getsockname()[1]}/ (Ctrl-C stops)."
    how = settings(options)
    with contextlib.ExitStack() as stack:
        stack.enter_context(contextlib.closing(bound))
        if options.workers == 1:
            app = create_app(list(sources), options)
            server = Server(uvicorn.Config(app, **how))
            ready(address)
            log_to()
            # When it has stopped, uvicorn sends itself the signal again, for whoever handled it before.
            with contextlib.suppress(KeyboardInterrupt, SystemExit):
                server.run([bound])
            if app.state.context.has_threads:
                log.error("some work did not end in time; the process ends without it")
                os._exit(1)
            if not server.started:
                raise InputError("the server could not be started; the log has more.")
            return
        # Faults of models and keys are reported before any process is started.
        create_app(list(sources), options)
        ready(address)
        log_to()
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="graphmt-serve-"))
        given = [[dataclasses.asdict(one) for one in sources], options.as_dict(), folder]
        os.environ[_SETTINGS] = json.dumps(given)
        config = uvicorn.Config("graphmt.server.run:worker_app", factory=True, workers=options.workers, **how)
        with contextlib.suppress(KeyboardInterrupt, SystemExit):
            Workers(config, sockets=[bound]).run()


def settings(options: ServeOptions) -> dict[str, Any]:
    """How uvicorn serves."""
    return {
        "http": "graphmt.server.connections:Connection",
        # uvloop takes the lock of Python once a callback, this one once a round.
        "loop": "asyncio",
        "ws": "none",
        "log_config": None,
        "access_log": False,
        "server_header": False,
        "timeout_keep_alive": 5,
        "timeout_graceful_shutdown": options.grace,
        "limit_concurrency": None,
        "backlog": 2048,
        # For a replaced worker to be ready.
        "timeout_worker_healthcheck": 60,
    }


def worker_app() -> Any:
    """The application of a worker process."""
    log_to()
    from graphmt.server.app import make_app
    from graphmt.server.processes import prepare

    sources, given, folder = json.loads(os.environ[_SETTINGS])
    options = ServeOptions.from_mapping(given)
    app = make_app([ModelSource(**one) for one in sources], options, Path(folder))
    prepare(options.grace)
    return app


def _bound(host: str, port: int) -> socket.socket:
    """A socket at an address, so that a taken port is reported before the models are opened."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    except (OSError, UnicodeError):
        raise OptionError(f"there is no address {host!r}.", hint="For example: --host 127.0.0.1.") from None
    # asyncio turns off the delay of small packets only if the protocol is given.
    made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(address)
        # Whoever reads the address may connect at once; connections wait until the models are opened.
        made.listen(2048)
    except OSError as error:
        made.close()
        raise InputError(
            f"cannot listen at {host}, port {port}: {error.strerror or error}.", hint="Choose another --port."
        ) from None
    made.set_inheritable(True)
    return made
