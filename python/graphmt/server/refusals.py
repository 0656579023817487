"""Requests that are refused: the status, one sentence, and when to try again."""

from __future__ import annotations

from graphmt.errors import GraphmtError


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
