"""One input: how it is made, and how reading it ends."""

from __future__ import annotations

import dataclasses
import hashlib
import random
import re
import traceback
from collections.abc import Sequence
from pathlib import Path

from graphmt.errors import GraphmtError, InternalError

from fuzz.readers import Reader
from fuzz.readers.base import Read

OK, REFUSED = "ok", "refused"

_NUMBERS = re.compile(r"\d+")


@dataclasses.dataclass(frozen=True)
class Outcome:
    """``ok``, ``refused`` (a sentence for the user), or a kind of failure."""

    kind: str
    #: Equal for failures that probably have one cause.
    signature: str = ""
    detail: str = ""

    @property
    def failed(self) -> bool:
        """Whether the reader has a defect."""
        return self.kind not in (OK, REFUSED)

    @property
    def name(self) -> str:
        """A file name that failures of one cause share."""
        return f"{self.kind}-{hashlib.sha256(self.signature.encode()).hexdigest()[:8]}"


def make_input(reader: Reader, seeds: Sequence[bytes], seed: int, number: int) -> bytes:
    """Input ``number`` of a run: the same for the same seed files and the same ``seed``."""
    chance = random.Random(f"{reader.name} {seed} {number}")
    return reader.damage(chance, chance.choice(seeds), seeds)


def attempt(read: Read, path: Path) -> Outcome:
    """Read a file. A crash or a hang ends the process, which is for the caller to notice."""
    try:
        read(path)
    except InternalError as error:
        return _failure("internal", error)
    except GraphmtError:
        return Outcome(REFUSED)
    except KeyboardInterrupt:
        raise
    except MemoryError as error:
        return _failure("memory", error)
    except BaseException as error:
        return _failure("exception", error)
    return Outcome(OK)


def _failure(kind: str, error: BaseException) -> Outcome:
    # Where the package is left, not where the library it calls gives up: one cause, one place.
    own = [frame for frame in traceback.extract_tb(error.__traceback__) if "graphmt" in Path(frame.filename).parts]
    place = " ".join(f"{Path(frame.filename).name}:{frame.lineno}" for frame in own[-2:])
    message = _NUMBERS.sub("0", str(error))[:80] if kind == "internal" else ""
    detail = "".join(traceback.format_exception(error))[-4000:]
    return Outcome(kind, f"{kind} {type(error).__name__} {message} {place}", detail)
