"""A short way for the requests that translate: without the layers of FastAPI, which cost as much as a short search.

FastAPI has the same routes, for its description of the API and for all that is unusual: forms, methods that are not
allowed, pages of other origins.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from graphmt.errors import GraphmtError
from graphmt.server.guard import BODY, Receive, Scope, Send
from graphmt.server.options import ServeOptions
from graphmt.server.refusals import refusal

#: Answers a request with a body of JSON by JSON.
Endpoint = Callable[[Scope, bytes], Awaitable[bytes]]


@dataclasses.dataclass(frozen=True)
class _Route:
    """The route of a request, for the log and the metrics."""

    path: str


class DirectRoutes:
    """An ASGI application that answers POST requests with JSON to some paths and passes all others on.

    It must be called by :class:`graphmt.server.guard.Guard`, which has read the body.
    """

    def __init__(self, app: Any, endpoints: Mapping[str, Endpoint], options: ServeOptions) -> None:
        self.app = app
        self._routes = {path: (_Route(path), endpoint) for path, endpoint in endpoints.items()}
        self._cross_origin = bool(options.cors)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        found = self._routes.get(scope["path"]) if scope["method"] == "POST" else None
        if found is None or not self._is_usual(scope):
            await self.app(scope, receive, send)
            return
        scope["route"], endpoint = found
        try:
            content = await endpoint(scope, scope[BODY])
        except GraphmtError as error:
            raise refusal(error) from None
        headers = [(b"content-length", b"%d" % len(content)), (b"content-type", b"application/json")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": content})

    def _is_usual(self, scope: Scope) -> bool:
        """Whether a request has a body of JSON, no query, and does not come from a page of another origin."""
        kind = b""
        for name, value in scope["headers"]:
            if name == b"content-type" and not kind:
                kind = value
            elif name == b"origin" and self._cross_origin:
                return False
        return kind.partition(b";")[0].strip() == b"application/json" and not scope.get("query_string")
