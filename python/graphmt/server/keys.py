"""API keys: read from a file, compared in constant time."""

from __future__ import annotations

import hashlib
import hmac
import re

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

    def require(self, given: str | None) -> None:
        """Refuse a request without a known key. All keys are compared, whichever matches."""
        if not self._digests:
            return
        if given is None:
            raise Refused(403, "an API key is needed.", hint="Send it as api_key, or as Authorization: Bearer KEY.")
        wanted = _digest(given)
        # Digests of equal length, all of them compared: the time says nothing about the keys.
        if not sum(hmac.compare_digest(one, wanted) for one in self._digests):
            raise Refused(403, "invalid API key.")


def _digest(key: str) -> bytes:
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()
