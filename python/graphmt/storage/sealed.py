"""JSON with its own digest, so that damage is detected."""

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
    """The content without its digest; :class:`ValueError` if they do not match."""
    rest = {name: value for name, value in content.items() if name != DIGEST}
    if content.get(DIGEST) != _digest(rest):
        raise ValueError("the content does not match its digest")
    return rest


def read_sealed(path: AnyPath) -> dict[str, Any] | None:
    """The sealed JSON of a file; None if it is missing or damaged."""
    try:
        return unsealed(read_json(path))
    except (OSError, *MALFORMED):
        return None


def described(meta: str, path: AnyPath) -> dict[str, Any]:
    """The metadata of a binary file; ``InputError`` if it is damaged."""
    try:
        return dict(json.loads(meta))
    except (ValueError, TypeError, RecursionError):
        raise InputError(
            "this file is damaged: its description cannot be read.", file=path, hint="Copy or create it again."
        ) from None


def _digest(content: dict[str, Any]) -> str:
    """SHA-256 of the content, independent of its layout."""
    # As a reader sees it: tuples are lists, keys are strings.
    text = json.dumps(json.loads(json.dumps(content)), ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
