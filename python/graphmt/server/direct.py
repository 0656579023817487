"""A short way for the requests that translate: without the layers of FastAPI, which cost as much as a short search.

FastAPI has the same routes, for its description of the API and for all that is unusual: bodies that are malformed,
methods that are not allowed, pages of other origins.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from graphmt.errors import GraphmtError
from graphmt.server.guard import Message, Receive, Scope, Send
from graphmt.server.options import ServeOptions
from graphmt.server.refusals import refusal

#: Answers a request with its body, or returns None to leave it to FastAPI.
Endpoint = Callable[[Request, bytes], Awaitable[Response | None]]


@dataclasses.dataclass(frozen=True)
class _Route:
    """The route of a request, for the log and the metrics."""

    path: str


class DirectRoutes:
    """An ASGI application that answers POST requests to some paths and passes all others on.

    The whole body must come in one message, as from :class:`graphmt.server.guard.Guard`.
    """

    def __init__(self, app: Any, endpoints: Mapping[str, Endpoint], options: ServeOptions) -> None:
        self.app = app
        self._routes = {path: (_Route(path), endpoint) for path, endpoint in endpoints.items()}
        self._cross_origin = bool(options.cors)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        found = self._routes.get(scope["path"]) if scope["type"] == "http" and scope["method"] == "POST" else None
        if found is None or (self._cross_origin and any(name == b"origin" for name, _ in scope["headers"])):
            await self.app(scope, receive, send)
            return
        route, endpoint = found
        scope["route"] = route
        message = await receive()
        unread = [message]

        async def again() -> Message:
            return unread.pop() if unread else await receive()

        try:
            answer = await endpoint(Request(scope, again), message["body"])
        except GraphmtError as error:
            raise refusal(error) from None
        if answer is None:
            await self.app(scope, again, send)
        else:
            await answer(scope, receive, send)
