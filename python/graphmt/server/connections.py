"""Connections: how many are open, and how long each may keep the server waiting.

uvicorn waits for ever for the head of a first request, and for a client that does not read its answer. It is given this
class for its connections; the time for bodies is limited by :class:`graphmt.server.guard.Guard`.
"""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from graphmt.server.guard import error_body
from graphmt.server.refusals import Refused

log = logging.getLogger(__name__)

#: Time for the head of a request, in seconds, from its first byte; for the first request, from the connection on.
HEAD_SECONDS = 10.0
#: Its size in bytes, as far as it comes in several parts.
HEAD_BYTES = 65_536
#: Bytes that are read at a time. The loop of events would take 256 KiB, and uvicorn half a second for those of a body
#: in tiny pieces, in which nobody else is answered.
PART_BYTES = 16_384
#: Requests that are sent without waiting for the answers to earlier ones.
MOST_PIPELINED = 16
#: Time in which a client that is slow to read has to take ``UNREAD_BYTES`` of its answer, in seconds.
UNREAD_SECONDS, UNREAD_BYTES = 10.0, 10 * 1024
#: Most connections of a process, and open files beside those there are at first.
MOST_CONNECTIONS, RESERVED = 1000, 64


class Connection(HttpToolsProtocol):
    """A connection of uvicorn with limits."""

    _room: Room
    #: What the last part holds of a body.
    _pieces: list[bytes]
    #: Ends the wait for a head.
    _head_timer: asyncio.TimerHandle | None = None
    #: Whether the parser is inside a head, and the bytes that it had of it.
    _in_head, _head_bytes = False, 0
    #: Ends the wait for a client that does not read, and the bytes that it had still to read before.
    _unread_timer: asyncio.TimerHandle | None = None
    _unread = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin to wait for the first request."""
        super().connection_made(transport)  # type: ignore[arg-type]
        self._room, self._pieces = Room.of(self.server_state), []
        transport.set_protocol(_Parts(self))
        self._head_timer = self.loop.call_later(HEAD_SECONDS, self._end_head)
        self._room.enter(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """End all waiting."""
        self._room.leave(self)
        self._stop_timers()
        # uvicorn keeps this one if the connection broke.
        self._unset_keepalive_if_required()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take a part of a request."""
        super().data_received(data)
        self._add_pieces()
        if self.transport.is_closing():
            return
        if self._in_head:
            self._head_bytes += len(data)
            if self._head_bytes > HEAD_BYTES:
                self.refuse(Refused(431, "the head of the request is too large."))
        if self._head_timer is None and not self.is_busy:
            # The next head, or the rest of a body whose request has its answer.
            self._head_timer = self.loop.call_later(HEAD_SECONDS, self._end_head)

    def on_message_begin(self) -> None:
        """A head begins."""
        super().on_message_begin()
        self._in_head, self._head_bytes = True, 0

    def on_headers_complete(self) -> None:
        """A head ends: there is a request."""
        self._in_head = False
        if len(self.pipeline) >= MOST_PIPELINED:
            raise ValueError("too many requests without waiting for an answer")
        super().on_headers_complete()
        self._cancel_head_timer()
        self._room.begin(self)

    def on_body(self, body: bytes) -> None:
        """A piece of a body; there may be thousands in a part."""
        self._pieces.append(body)

    def on_message_complete(self) -> None:
        """A body ends."""
        self._add_pieces()
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """A request has its answer."""
        super().on_response_complete()
        if self.transport.is_closing():
            self._abort_unread()
        elif not self.is_busy:
            self._room.wait(self)

    def timeout_keep_alive_handler(self) -> None:
        """Close a connection on which no further request came."""
        super().timeout_keep_alive_handler()
        self._abort_unread()

    def pause_writing(self) -> None:
        """The client is slow to read: see how it goes on."""
        super().pause_writing()
        self._watch_reader()

    def resume_writing(self) -> None:
        """The client has read most of its answer."""
        super().resume_writing()
        if self._unread_timer is not None:
            self._unread_timer.cancel()
            self._unread_timer = None

    @property
    def is_busy(self) -> bool:
        """Whether there is a request without a whole answer."""
        return self.cycle is not None and not self.cycle.response_complete

    @property
    def lacks_body(self) -> bool:
        """Whether the body of its request has not arrived."""
        return self.is_busy and self.cycle.more_body

    def refuse(self, error: Refused) -> None:
        """Close the connection, with an answer unless another one is due first."""
        if not self.is_busy:
            content, headers = error_body(error)
            fields = {
                "content-type": "application/json",
                "content-length": str(len(content)),
                "connection": "close",
                **headers,
            }
            head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
            self.transport.write(STATUS_LINE[error.status] + head.encode() + b"\r\n" + content)
        self.transport.close()
        self._abort_unread()

    def drop(self) -> None:
        """Close the connection at once."""
        self.transport.abort()

    def _add_pieces(self) -> None:
        """Add the pieces to the body at once: uvicorn copies all of it that is not yet read for each of them."""
        if self._pieces:
            super().on_body(b"".join(self._pieces))
            self._pieces.clear()

    def _end_head(self) -> None:
        self._head_timer = None
        if self.transport.is_closing():
            return
        if self._in_head:
            self.refuse(Refused(408, "the head of the request did not arrive in time."))
        else:
            self.drop()

    def _cancel_head_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _watch_reader(self) -> None:
        self._unread = self.transport.get_write_buffer_size()
        self._unread_timer = self.loop.call_later(UNREAD_SECONDS, self._check_reader)

    def _check_reader(self) -> None:
        if self.transport.get_write_buffer_size() > self._unread - UNREAD_BYTES:
            self.drop()
        else:
            self._watch_reader()

    def _abort_unread(self) -> None:
        """Give a client some time to read the end of its answer; the connection closes when it has."""
        if self._unread_timer is None and self.transport.get_write_buffer_size():
            self._unread_timer = self.loop.call_later(UNREAD_SECONDS, self.drop)

    def _stop_timers(self) -> None:
        self._cancel_head_timer()
        if self._unread_timer is not None:
            self._unread_timer.cancel()
            self._unread_timer = None


class _Parts(asyncio.BufferedProtocol):
    """Reads a connection in parts of some size, as the loops of events do only for a protocol of this class."""

    def __init__(self, connection: Connection) -> None:
        self._connection, self._part = connection, bytearray(PART_BYTES)

    def get_buffer(self, sizehint: int) -> bytearray:
        """Where the next part is read to."""
        return self._part

    def buffer_updated(self, nbytes: int) -> None:
        """A part was read."""
        self._connection.data_received(bytes(memoryview(self._part)[:nbytes]))

    def eof_received(self) -> None:
        """The client sends nothing more."""
        self._connection.eof_received()

    def pause_writing(self) -> None:
        """The client is slow to read."""
        self._connection.pause_writing()

    def resume_writing(self) -> None:
        """The client has read on."""
        self._connection.resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection is closed."""
        self._connection.connection_lost(exc)


class Room:
    """The open connections of a server, of which there are only so many.

    If there is no room for a new one, the one that has waited longest for a request is closed, or else one whose body
    is still to come. If all of them have requests that are worked on, the new one is refused.
    """

    _all: ClassVar[WeakKeyDictionary[Any, Room]] = WeakKeyDictionary()

    def __init__(self, limit: int) -> None:
        self.limit = limit
        #: Without a request, the one that has waited longest first; and the others, in the order of their requests.
        self._waiting: dict[Connection, None] = {}
        self._busy: dict[Connection, None] = {}

    @classmethod
    def of(cls, server: Any) -> Room:
        """The room of a server of uvicorn."""
        found = cls._all.get(server)
        if found is None:
            found = cls._all[server] = cls(most_connections())
        return found

    def __len__(self) -> int:
        return len(self._waiting) + len(self._busy)

    def enter(self, new: Connection) -> None:
        """Take up a connection, if need be in the place of another one."""
        if len(self) >= self.limit:
            old = next(iter(self._waiting), None) or next((one for one in self._busy if one.lacks_body), None)
            if old is None:
                new.refuse(Refused(503, "the server has too many connections.", retry_after=1))
                return
            self.leave(old)
            old.drop()
        self._waiting[new] = None

    def begin(self, one: Connection) -> None:
        """A connection has a request."""
        if self._waiting.pop(one, self) is None:
            self._busy[one] = None

    def wait(self, one: Connection) -> None:
        """A connection has no request any more."""
        if self._busy.pop(one, self) is None:
            self._waiting[one] = None

    def leave(self, one: Connection) -> None:
        """A connection is closed."""
        self._waiting.pop(one, None)
        self._busy.pop(one, None)


def most_connections() -> int:
    """The connections that a process may have, with the files that it may open; the soft limit of these is raised."""
    try:
        import resource
    except ImportError:
        return MOST_CONNECTIONS
    used = _open_files() + RESERVED
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return MOST_CONNECTIONS
    wanted = MOST_CONNECTIONS + used
    if soft < wanted and soft != hard:
        new = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (new, hard))
            soft = new
        except (OSError, ValueError):
            pass
    limit = max(8, min(MOST_CONNECTIONS, soft - used))
    if limit < MOST_CONNECTIONS:
        log.warning(f"at most {limit} connections: the process may open {soft} files")
    return limit


def _open_files() -> int:
    try:
        return len(list(Path("/dev/fd").iterdir()))
    except OSError:
        return 32
