"""What the routes share: models, threads, keys, limits and metrics."""

from __future__ import annotations

import json
import logging
from typing import Any

from fastapi.responses import Response

from graphmt import _core
from graphmt.server.detect import ModelLanguages
from graphmt.server.documents import FileStore
from graphmt.server.guard import Scope
from graphmt.server.keys import Keys, key_in
from graphmt.server.metrics import Metrics
from graphmt.server.options import ServeOptions
from graphmt.server.refusals import Refused
from graphmt.server.scheduler import Scheduler
from graphmt.server.served import OpenedModel, ServedModels
from graphmt.server.work import Translated, Work

log = logging.getLogger(__name__)


class Context:
    """The state of a server process; the threads run between start and stop."""

    def __init__(self, models: ServedModels, options: ServeOptions, files: FileStore) -> None:
        self.models, self.options = models, options
        self.keys = Keys.read(options.keys) if options.keys else Keys([])
        self.metrics = Metrics()
        self.languages = ModelLanguages(models)
        self.files = files
        self._scheduler: Scheduler | None = None
        self.is_stopping = False

    def start(self) -> None:
        """Start the threads."""
        self._scheduler = Scheduler(self.options.threads, self.options.queue)
        self.is_stopping = False

    def stop(self) -> None:
        """Finish what was accepted, as far as its time allows, and end the threads."""
        self.is_stopping = True
        if self._scheduler is not None and not self._scheduler.stop(self.options.grace):
            log.warning("work that does not end in time is left behind")
        self.files.close()

    @property
    def has_threads(self) -> bool:
        """Whether a thread still works."""
        return self._scheduler is not None and self._scheduler.is_alive

    @property
    def scheduler(self) -> Scheduler:
        """The threads."""
        if self._scheduler is None:
            raise Refused(503, "the server is starting.", retry_after=1)
        return self._scheduler

    def work(self, scope: Scope) -> Work:
        """The work of a request, whose time begins with the first call."""
        state = scope["state"]
        if "work" not in state:
            state["work"] = Work(self.scheduler, self.options)
        work: Work = state["work"]
        return work

    def require_key(self, scope: Scope, given: str | None = None) -> None:
        """Refuse a request without a known key, in its body or in a header."""
        if not self.keys.required:
            return
        self.keys.require(given or key_in(scope["headers"]))

    def note(self, scope: Scope, opened: OpenedModel, done: list[Translated]) -> None:
        """Count translated sentences, and add them to the log."""
        words = sum([len(one.prepared) for one in done])
        self.metrics.count_sentences(opened.name, len(done), words)
        fields = scope["state"]["fields"]
        fields.update(
            model=opened.name, sentences=fields.get("sentences", 0) + len(done), words=fields.get("words", 0) + words
        )
        if self.options.log_text:
            fields.setdefault("text", []).extend(" ".join(one.prepared.surface) for one in done)


_written = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode


def json_bytes(content: Any) -> bytes:
    """JSON, without the validation that would cost more than a short translation."""
    return _written(content).encode("utf-8", "replace")


def long_json(content: Any, depth: int = 3) -> bytes:
    """The same JSON, written piece by piece down to some depth.

    To write JSON holds up all other threads, and cancelled work can end between any two pieces.
    """
    _core.point()
    if depth and isinstance(content, dict) and content:
        pieces = (b"%s:%s" % (json_bytes(name), long_json(value, depth - 1)) for name, value in content.items())
        return b"{%s}" % b",".join(pieces)
    if depth and isinstance(content, list) and content:
        return b"[%s]" % b",".join([long_json(one, depth - 1) for one in content])
    return json_bytes(content)


def json_answer(content: Any, status: int = 200) -> Response:
    """An answer of JSON."""
    return Response(json_bytes(content), status, media_type="application/json")
