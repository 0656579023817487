"""Requests that are refused: the status, one sentence, and when to try again."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from graphmt.errors import GraphmtError, InternalError, MissingPackageError

log = logging.getLogger(__name__)


class Refused(GraphmtError):
    """A request that the server does not answer with a translation.

    Examples
    --------
    >>> from graphmt.server.refusals import Refused
    >>> Refused(503, "the queue is full.", retry_after=1).status
    503
    """

    def __init__(self, status: int, message: str, *, hint: str | None = None, retry_after: int | None = None) -> None:
        super().__init__(message, hint=hint)
        self.status = status
        #: Seconds, for the header ``Retry-After``.
        self.retry_after = retry_after


def worst(errors: Sequence[Mapping[str, Any]]) -> tuple[Mapping[str, Any], str]:
    """The error that explains the others, of those that pydantic found, and a sentence that says it."""
    for one in errors:
        # A value that may be a text or a list of texts has an error for each.
        if one["type"] == "string_unicode":
            return one, "this is not text: it has half of a surrogate pair (as in \\ud800)."
    return errors[0], f"{errors[0]['msg']}."


def refusal(error: GraphmtError) -> Refused:
    """How a request is answered that failed with an error."""
    if isinstance(error, Refused):
        return error
    if isinstance(error, InternalError | MissingPackageError):
        log.error("a request failed: %s", type(error).__name__)
        return Refused(500, "an internal error; the log of the server has more.")
    # Without the file: its path is nobody's business.
    return Refused(422, error.message, hint=error.hint)
