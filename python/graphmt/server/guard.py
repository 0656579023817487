"""What surrounds every request: limits, security headers, metrics and the log."""

from __future__ import annotations

import asyncio
import json
import logging
import random
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any

from graphmt.server import logs
from graphmt.server.keys import Keys, key_in
from graphmt.server.metrics import Metrics
from graphmt.server.options import ServeOptions
from graphmt.server.refusals import Refused

log = logging.getLogger(__name__)

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

#: On every answer. Pages may load nothing from other hosts, and nobody may frame them.
SECURITY_HEADERS = {
    "Content-Security-Policy": "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
_HEADERS = [(name.lower().encode(), value.encode()) for name, value in SECURITY_HEADERS.items()]
#: The key of a scope under which inner applications find the whole body, without a call of ``receive``.
BODY = "graphmt.body"
#: How long a request runs before its client is watched, in seconds.
_UNWATCHED = 0.1
#: The answer to a request that failed unexpectedly.
UNEXPECTED = Refused(500, "an unexpected error; the log of the server has more.")
#: Time for the body of a request, in seconds, and the bytes that each further second has to bring.
BODY_SECONDS, BODY_RATE = 10.0, 1024


class Guard:
    """An ASGI application around another one.

    Bodies are read here, up to their limit, so that no handler sees a larger one. If a client goes away, its handler is
    cancelled, and with it the work on its sentences.

    Parameters
    ----------
    app
        The application.
    options
        The limits.
    metrics
        Counts the requests.
    keys
        Those that make a client of its own; a made-up one is worth nothing.
    unlimited
        Addresses that any number of requests of a client may ask for at a time.
    """

    def __init__(
        self, app: Any, options: ServeOptions, metrics: Metrics, *, keys: Keys, unlimited: Iterable[str] = ()
    ) -> None:
        self.app, self.options, self.metrics = app, options, metrics
        self._keys, self._unlimited = keys, frozenset(unlimited)
        self._clients: Counter[str] = Counter()
        self._limit = options.max_body * 1024
        self._headers = [one for one in _HEADERS if not options.cors or one[0] != b"cross-origin-resource-policy"]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request; other kinds of connections are passed on."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        began = time.perf_counter()
        answer = _Answer(send, self._headers)
        client = self._client(scope)
        fields: dict[str, Any] = {}
        scope.setdefault("state", {})["fields"] = fields
        self._clients[client] += 1
        try:
            if self._clients[client] > self.options.concurrency and scope["path"] not in self._unlimited:
                raise Refused(
                    429, "too many requests at a time.", hint="Wait for the answers to earlier ones.", retry_after=1
                )
            body = await self._body(scope, receive)
            if body is None:
                return
            await self._answer(scope, body, receive, answer)
        except Refused as error:
            await answer.refuse(error)
        except asyncio.CancelledError:
            # The server stops, and the time that it leaves to requests is over.
            await answer.refuse(Refused(503, "the server is stopping.", retry_after=5))
        except Exception:
            log.exception("a request failed unexpectedly")
            await answer.refuse(UNEXPECTED)
        finally:
            self._clients[client] -= 1
            if not self._clients[client]:
                del self._clients[client]
            self._note(scope, answer, time.perf_counter() - began, fields)

    @property
    def in_progress(self) -> int:
        """Requests that are being answered."""
        return self._clients.total()

    async def _body(self, scope: Scope, receive: Receive) -> bytes | None:
        """The whole body; None if the client went away."""
        length = next((value for name, value in scope["headers"] if name == b"content-length"), b"0")
        if length.isdigit() and int(length) > self._limit:
            raise self._too_large()
        parts, size, more = [], 0, True
        began = time.monotonic()
        try:
            while more:
                # A client that sends a byte now and then does not get more time with each of them.
                limit = min(self.options.timeout, BODY_SECONDS + size / BODY_RATE)
                message = await _within(began + limit - time.monotonic(), receive)
                if message["type"] == "http.disconnect":
                    return None
                parts.append(message.get("body", b""))
                size += len(parts[-1])
                if size > self._limit:
                    raise self._too_large()
                more = message.get("more_body", False)
        except asyncio.TimeoutError:
            raise Refused(408, "the body of the request did not arrive in time.") from None
        return b"".join(parts)

    def _client(self, scope: Scope) -> str:
        """Whose request it is: that of a known key in its header, or of its address."""
        if self._keys.required:
            key = key_in(scope["headers"])
            if key is not None and self._keys.has(key):
                return f"key {key}"
        return str(scope["client"][0]) if scope.get("client") else ""

    def _too_large(self) -> Refused:
        return Refused(413, f"the body is larger than {self.options.max_body} KiB.", hint="Send less at a time.")

    async def _answer(self, scope: Scope, body: bytes, receive: Receive, answer: _Answer) -> None:
        scope[BODY] = body
        gone = asyncio.Event()
        given = False
        handler = asyncio.current_task()

        async def replay() -> Message:
            nonlocal given
            if not given:
                given = True
                return {"type": "http.request", "body": body, "more_body": False}
            await gone.wait()
            return {"type": "http.disconnect"}

        async def watch() -> None:
            while (await receive())["type"] != "http.disconnect":
                pass
            gone.set()
            if handler is not None and not answer.finished:
                handler.cancel()

        watchers: list[asyncio.Task[None]] = []
        loop = asyncio.get_running_loop()
        # Most requests are answered before it is worth a task to see whether their client is still there.
        timer = loop.call_later(_UNWATCHED, lambda: watchers.append(loop.create_task(watch())))
        try:
            await self.app(scope, replay, answer)
        except asyncio.CancelledError:
            if not gone.is_set():
                raise
        finally:
            timer.cancel()
            for watcher in watchers:
                watcher.cancel()

    def _note(self, scope: Scope, answer: _Answer, seconds: float, fields: dict[str, Any]) -> None:
        # The route, not the path: a path may contain anything, and a query may contain texts and keys.
        route = getattr(scope.get("route"), "path", None) or "other"
        self.metrics.count_request(route, str(answer.status or "gone"), seconds)
        row = {
            "request": answer.identity,
            "method": scope["method"],
            "route": route,
            "status": answer.status,
            "milliseconds": round(1000 * seconds, 1),
            **fields,
        }
        logs.log_request(row)


class _Answer:
    """Sends an answer with the security headers and remembers its status."""

    def __init__(self, send: Send, headers: list[tuple[bytes, bytes]]) -> None:
        self._send, self._headers = send, headers
        self.identity = f"{random.getrandbits(48):012x}"
        self.status: int | None = None
        self.finished = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            message["headers"] = [
                *message.get("headers", ()),
                *self._headers,
                (b"x-request-id", self.identity.encode()),
            ]
        elif message["type"] == "http.response.body" and not message.get("more_body", False):
            self.finished = True
        await self._send(message)

    async def refuse(self, error: Refused) -> None:
        """Send an error, unless an answer has begun."""
        if self.status is not None:
            return
        content, headers = error_body(error)
        raw = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
        raw += [(b"content-type", b"application/json"), (b"content-length", str(len(content)).encode())]
        if error.status in (408, 413):
            # The rest of the body is not read.
            raw.append((b"connection", b"close"))
        await self({"type": "http.response.start", "status": error.status, "headers": raw})
        await self({"type": "http.response.body", "body": content})


if sys.version_info >= (3, 11):

    async def _within(seconds: float, receive: Receive) -> Message:
        """The next message, if it comes within some time; without a task of its own."""
        async with asyncio.timeout(seconds):
            return await receive()

else:

    async def _within(seconds: float, receive: Receive) -> Message:
        """The next message, if it comes within some time."""
        return await asyncio.wait_for(receive(), seconds)


def error_body(error: Refused) -> tuple[bytes, dict[str, str]]:
    """The body of an error, and its headers."""
    content = {"error": error.message, **({"hint": error.hint} if error.hint else {})}
    headers = {"Retry-After": str(error.retry_after)} if error.retry_after is not None else {}
    return json.dumps(content, ensure_ascii=False).encode("utf-8", "replace"), headers
