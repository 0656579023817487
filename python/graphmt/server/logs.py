"""The log: a line of JSON for each request and event, without users' text unless it is asked for."""

from __future__ import annotations

import datetime
import json
import logging
import os
import sys
import time
from typing import Any, TextIO

#: The logger of requests; its records carry their fields in ``fields``.
requests = logging.getLogger("graphmt.server.requests")

_written = json.JSONEncoder(ensure_ascii=False).encode
#: The attributes that the records of all requests share.
_RECORD = vars(logging.LogRecord(requests.name, logging.INFO, __file__, 0, "request", (), None))


def log_request(fields: dict[str, Any]) -> None:
    """Log an answered request. The record is copied: to make one takes a good part of the time of a short request."""
    if requests.isEnabledFor(logging.INFO):
        record = object.__new__(logging.LogRecord)
        now = time.time()
        record.__dict__.update(_RECORD, created=now, msecs=int(now % 1 * 1000), process=os.getpid(), fields=fields)
        requests.handle(record)


class JsonLines(logging.Formatter):
    """A record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        at = datetime.datetime.fromtimestamp(record.created, datetime.timezone.utc)
        row: dict[str, Any] = {
            "time": at.isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "process": record.process,
            "message": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info and record.exc_info[0] is not None:
            # The place, not the message: that of an unexpected exception may contain text of the request.
            trace = record.exc_info[2]
            while trace is not None and trace.tb_next is not None:
                trace = trace.tb_next
            row["exception"] = record.exc_info[0].__name__
            if trace is not None:
                row["at"] = f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}"
        return _written(row)


def log_to(stream: TextIO | None = None, level: int = logging.INFO) -> None:
    """Send the messages of graphmt and uvicorn to a stream as JSON lines."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonLines())
    for name in ("graphmt", "uvicorn", "uvicorn.error"):
        logger = logging.getLogger(name)
        logger.handlers = [handler] if name != "uvicorn.error" else []
        logger.propagate = name == "uvicorn.error"
        logger.setLevel(level)
    # Its lines contain whole addresses, in which some clients send their text and their key.
    logging.getLogger("uvicorn.access").disabled = True
