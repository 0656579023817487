"""JSON that carries its own digest, so that damage is noticed and not taken for other values."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from graphmt.errors import InputError
from graphmt.storage.files import AnyPath
from graphmt.storage.formats import MALFORMED, read_json

#: The key of the digest.
DIGEST = "digest"


def sealed(content: dict[str, Any]) -> dict[str, Any]:
    """The content with its digest."""
    return {**content, DIGEST: _digest(content)}


def unsealed(content: dict[str, Any]) -> dict[str, Any]:
    """What was sealed; a :class:`ValueError` if it is not what it was."""
    rest = {name: value for name, value in content.items() if name != DIGEST}
    if content.get(DIGEST) != _digest(rest):
        raise ValueError("the content does not match its digest")
    return rest


def read_sealed(path: AnyPath) -> dict[str, Any] | None:
    """The sealed JSON of a file; None where there is no such file or it is damaged."""
    try:
        return unsealed(read_json(path))
    except (OSError, *MALFORMED):
        return None


def described(meta: str, path: AnyPath) -> dict[str, Any]:
    """What a binary file says of itself; a sentence if that cannot be read."""
    try:
        return dict(json.loads(meta))
    except (ValueError, TypeError, RecursionError):
        raise InputError(
            "this file is damaged: its description cannot be read.", file=path, hint="Copy or make it again."
        ) from None


def _digest(content: dict[str, Any]) -> str:
    """SHA-256 of the content, however it is laid out."""
    # As a reader will have it: tuples are lists, keys are strings.
    text = json.dumps(json.loads(json.dumps(content)), ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
