"""API keys: read from a file, compared in constant time."""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Iterable

from graphmt.errors import InputError
from graphmt.server.refusals import Refused
from graphmt.storage.files import AnyPath, lines


class Keys:
    """The keys that a server accepts; none: it accepts every request.

    Examples
    --------
    >>> from graphmt.server.keys import Keys
    >>> keys = Keys(["a-long-secret"])
    >>> keys.require("a-long-secret")
    >>> Keys([]).required
    False
    """

    def __init__(self, keys: list[str]) -> None:
        self._digests = [_digest(key) for key in keys]

    @classmethod
    def read(cls, path: AnyPath) -> Keys:
        """The keys of a file, one per line."""
        found = [line.partition("#")[0].strip() for line in lines(path)]
        keys = [key for key in found if key]
        for number, key in enumerate(found, 1):
            if key and (len(key) < 8 or not re.fullmatch(r"[\x21-\x7e]+", key)):
                raise InputError(
                    "a key of 8 or more letters, digits and signs without spaces was expected.", file=path, line=number
                )
        if not keys:
            raise InputError("no keys.", file=path, hint="Write one key per line, or leave out --keys.")
        return cls(keys)

    @property
    def required(self) -> bool:
        """Whether requests need a key."""
        return bool(self._digests)

    def has(self, given: str) -> bool:
        """Whether a key is known. All keys are compared, whichever matches."""
        wanted = _digest(given)
        # Digests of equal length, all of them compared: the time says nothing about the keys.
        return bool(sum(hmac.compare_digest(one, wanted) for one in self._digests))

    def require(self, given: str | None) -> None:
        """Refuse a request without a known key."""
        if not self._digests:
            return
        if given is None:
            raise Refused(403, "an API key is needed.", hint="Send it as api_key, or as Authorization: Bearer KEY.")
        if not self.has(given):
            raise Refused(403, "invalid API key.")


def key_in(headers: Iterable[tuple[bytes, bytes]]) -> str | None:
    """The key in the headers of a request: ``Authorization: Bearer KEY``, or else ``X-API-Key``."""
    found: dict[bytes, str] = {}
    for name, value in headers:
        if name in (b"authorization", b"x-api-key"):
            found.setdefault(name, value.decode("latin-1"))
    bearer = found.get(b"authorization", "")
    return bearer[7:].strip() if bearer[:7].lower() == "bearer " else found.get(b"x-api-key")


def _digest(key: str) -> bytes:
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()
