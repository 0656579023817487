"""How many examples of a property are tried: a part of them in `make test`, all of them in `make test-all`."""

from __future__ import annotations

import os

#: Whether this is a long run.
LONG = bool(os.environ.get("GRAPHMT_LONG"))
#: The share of the examples that an ordinary run tries.
SHARE = 0.2


def examples(number: int) -> int:
    """``number`` if GRAPHMT_LONG is set, and a fifth of it otherwise."""
    return number if LONG else max(10, round(SHARE * number))
