"""The bodies of requests: JSON that becomes a request of some kind, in a thread if it is long."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar, get_type_hints

from fastapi import Request, Response
from fastapi.routing import APIRoute
from pydantic import BaseModel, ValidationError

from graphmt.server.context import Context
from graphmt.server.refusals import Refused, worst
from graphmt.server.work import Work

B = TypeVar("B", bound=BaseModel)


async def read(work: Work, kind: type[B], body: bytes) -> B:
    """The request that a body holds, as JSON."""
    return await work.do(lambda: _parsed(kind, body), len(body))


def json_routes(context: Context) -> type[APIRoute]:
    """A class of routes whose bodies are read as here; FastAPI, which reads them in the loop of events, describes them.

    Their functions take the request and the body.
    """

    class JsonRoute(APIRoute):
        def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
            if self.body_field is None:
                return super().get_route_handler()
            kind: type[BaseModel] = get_type_hints(self.endpoint)["body"]

            async def answer(request: Request) -> Response:
                name = request.headers.get("content-type", "").partition(";")[0].strip().lower()
                if not (name.startswith("application/") and name.endswith("json")):
                    raise Refused(400, "the body is not JSON.", hint="Its Content-Type should be application/json.")
                asked = await read(context.work(request.scope), kind, await request.body())
                found: Response = await self.endpoint(request, asked)
                return found

            return answer

    return JsonRoute


def _parsed(kind: type[B], body: bytes) -> B:
    try:
        return kind.model_validate_json(body)
    except ValidationError:
        # Python's parser also takes UTF-16 and halves of surrogate pairs, so that their place can be told.
        pass
    try:
        given = json.loads(body)
    except (ValueError, RecursionError):
        raise Refused(400, "the body is not JSON.") from None
    try:
        return kind.model_validate(given)
    except ValidationError as error:
        first, sentence = worst(error.errors(include_url=False))
        place = ".".join(map(str, first["loc"]))
        raise Refused(422, f"{place or 'the body'}: {sentence}") from None
