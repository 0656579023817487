"""The application: routes, errors, and the page."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.middleware.cors import CORSMiddleware
from fastapi.responses import PlainTextResponse, Response
from starlette.exceptions import HTTPException

import graphmt
from graphmt.errors import GraphmtError, OptionError
from graphmt.server import libre, v1
from graphmt.server.context import Context, json_answer
from graphmt.server.direct import DirectRoutes
from graphmt.server.documents import FileStore
from graphmt.server.guard import UNEXPECTED, Guard, Receive, Scope, Send, error_body
from graphmt.server.options import ServeOptions
from graphmt.server.page_files import PageFile, page_files
from graphmt.server.refusals import Refused, refusal
from graphmt.server.served import ModelSource, ServedModels

log = logging.getLogger(__name__)

#: Addresses that must answer even if the server is busy.
OPERATION = ("/health", "/ready", "/metrics")

_ABOUT = "Translation with graphmt models. Errors are JSON: an error, and mostly a hint."


class GuardedApp(FastAPI):
    """FastAPI behind the guard, which sees a request first: the layers of FastAPI cost time, and not all need them."""

    guard: Guard

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or start and stop the application."""
        if scope["type"] == "http":
            await self.guard(scope, receive, send)
        else:
            await self.call_unguarded(scope, receive, send)

    async def call_unguarded(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request by the routes of FastAPI."""
        await super().__call__(scope, receive, send)


def make_app(sources: Sequence[ModelSource], options: ServeOptions, files: Path | None = None) -> FastAPI:
    """Open the models and make the application; translated files go to a folder that processes may share."""
    if options.memory_threshold != ServeOptions().memory_threshold and not any(one.memory for one in sources):
        raise OptionError("memory_threshold: there is no translation memory.", hint="Give one with --memory FILE.")
    models = ServedModels(sources, threshold=options.memory_threshold)
    for one in models:
        if one.needs_conllu:
            log.warning(f"{one.name} needs trees and has no parser: it translates CoNLL-U, no text (see --parser)")
    context = Context(models, options, FileStore(files))

    @contextlib.asynccontextmanager
    async def running(app: FastAPI) -> AsyncIterator[None]:
        context.start()
        watcher = asyncio.create_task(_watch(context)) if options.reload_interval else None
        log.info(f"serving {', '.join(one.name for one in models)}")
        try:
            yield
        finally:
            if watcher is not None:
                watcher.cancel()
            await asyncio.to_thread(context.stop)
            log.info("stopped")

    app = GuardedApp(
        title="graphmt",
        description=_ABOUT,
        version=graphmt.__version__,
        lifespan=running,
        # Answered below, from bytes that are made once.
        openapi_url=None,
        # Their pages would load scripts from another host.
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    app.state.context = context
    app.include_router(v1.router(context))
    app.include_router(libre.router(context))
    _add_operations(app, context)
    _add_errors(app)
    page = page_files()
    _add_page(app, page)
    if options.cors:
        app.add_middleware(
            CORSMiddleware, allow_origins=list(options.cors), allow_methods=["GET", "POST"], allow_headers=["*"]
        )
    endpoints = {"/v1/translate": v1.direct(context), "/translate": libre.direct(context)}
    guard = Guard(
        DirectRoutes(app.call_unguarded, endpoints, options),
        options,
        context.metrics,
        keys=context.keys,
        # The page needs many files at once, which cost nothing.
        unlimited=[*OPERATION, *(one.address for one in page)],
    )
    app.guard = guard
    metrics = context.metrics
    metrics.gauge("graphmt_requests_in_progress", lambda: guard.in_progress)
    metrics.gauge("graphmt_waiting_sentences", lambda: context.scheduler.waiting)
    metrics.gauge("graphmt_running_sentences", lambda: context.scheduler.running)
    return app


async def _watch(context: Context) -> None:
    """Take up models that are replaced on disk."""
    while True:
        await asyncio.sleep(context.options.reload_interval)
        for name in await asyncio.to_thread(context.models.refresh):
            opened = context.models.get(name)
            context.metrics.count("graphmt_model_reloads_total", model=name)
            log.info(f"{name}: the model was replaced; version {opened.version}")


def _add_operations(app: FastAPI, context: Context) -> None:
    """Health, readiness, metrics and the description of the addresses, without keys."""

    description = _Once(lambda: json.dumps(app.openapi(), ensure_ascii=False).encode())

    @app.get("/openapi.json", include_in_schema=False)
    async def openapi() -> Response:
        """All addresses and their fields."""
        return Response(await description(), media_type="application/json")

    @app.get("/health", tags=["operation"], summary="Is the process alive?", response_model=dict[str, str])
    async def health() -> Response:
        """Always ok, as long as the process answers."""
        return json_answer({"status": "ok"})

    @app.get(
        "/ready",
        tags=["operation"],
        summary="Can it take requests?",
        response_model=dict[str, str],
        responses={503: v1.REFUSALS[503]},
    )
    async def ready() -> Response:
        """503 while the server stops or its queue is full."""
        if context.is_stopping:
            raise Refused(503, "the server is stopping.", retry_after=5)
        if context.scheduler.waiting >= context.options.queue:
            raise Refused(503, "the queue is full.", retry_after=1)
        return json_answer({"status": "ready"})

    @app.get("/metrics", tags=["operation"], summary="Metrics for Prometheus", response_class=PlainTextResponse)
    async def metrics() -> Response:
        """Counters of this process in Prometheus' text format."""
        return PlainTextResponse(context.metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")


class _Once:
    """Bytes that one thread makes when they are first asked for; whoever asks meanwhile waits for the same."""

    def __init__(self, make: Callable[[], bytes]) -> None:
        self._make = make
        self._made: asyncio.Task[bytes] | None = None

    async def __call__(self) -> bytes:
        if self._made is None:
            self._made = asyncio.create_task(asyncio.to_thread(self._make))
        return await asyncio.shield(self._made)


def _add_page(app: FastAPI, files: list[PageFile]) -> None:
    """The files of the page, each with a route of its own."""
    for one in files:
        app.add_api_route(
            one.address, one.answer, methods=["GET", "HEAD"], include_in_schema=False, response_model=None
        )


def _add_errors(app: FastAPI) -> None:
    """Every error as JSON with one sentence."""

    def refused(error: Refused) -> Response:
        content, headers = error_body(error)
        return Response(content, error.status, headers, media_type="application/json")

    @app.exception_handler(GraphmtError)
    async def on_graphmt_error(request: Request, error: GraphmtError) -> Response:
        return refused(refusal(error))

    @app.exception_handler(Exception)
    async def on_unexpected(request: Request, error: Exception) -> Response:
        # The exception goes on to the guard, which logs it.
        return refused(UNEXPECTED)

    @app.exception_handler(HTTPException)
    async def on_http(request: Request, error: HTTPException) -> Response:
        said = {404: "there is nothing at this address.", 405: "this method is not allowed here."}
        return refused(Refused(error.status_code, said.get(error.status_code, f"{error.detail}")))
