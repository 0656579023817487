"""METEOR 1.5 (Denkowski and Lavie 2014) by its authors' program, through a pipe."""

from __future__ import annotations

import hashlib
import math
import os
import shutil
import subprocess
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import IO

import numpy as np
import numpy.typing as npt

from graphmt.errors import InputError, MissingPackageError
from graphmt.evaluate.options import EvaluateOptions

VARIABLE = "GRAPHMT_METEOR"
#: Memory of the Java process.
HEAP = "-Xmx2G"


class Meteor:
    """The METEOR program, started on first use; counts of sentences are additive."""

    name = "METEOR"
    lower_is_better = False
    _process: subprocess.Popen[str] | None = None

    def __init__(self, options: EvaluateOptions, references: Sequence[Sequence[str]]) -> None:
        self._jar, self._java = _find(options)
        self._language, self._lowercase = options.meteor_language, options.lowercase
        self._references = references
        # One request at a time: answers have no identifiers.
        self._lock = threading.Lock()

    @property
    def signature(self) -> str:
        """Jar, language, case."""
        digest = hashlib.sha256(self._jar.read_bytes()).hexdigest()[:12]
        case = "lc" if self._lowercase else "mixed"
        refs = len(self._references)
        return f"METEOR|nrefs:{refs}|case:{case}|lang:{self._language}|jar:{self._jar.name}|sha256:{digest}"

    def rows(self, hypotheses: Sequence[str]) -> npt.NDArray[np.float64]:
        """The counts of each sentence."""
        rows = []
        for number, hypothesis in enumerate(hypotheses):
            texts = [*(reference[number] for reference in self._references), hypothesis]
            rows.append(self._numbers(self._ask("SCORE", *map(self._plain, texts))))
            if len(rows[-1]) != len(rows[0]):
                raise InputError(f"METEOR returned {len(rows[0])} counts, then {len(rows[-1])}.", file=self._jar)
        return np.array(rows, dtype=np.float64)

    def score(self, counts: npt.NDArray[np.float64]) -> float:
        """The score, from 0 to 100, of summed counts."""
        with self._lock:
            self._say("EVAL", " ".join(f"{count:.10g}" for count in counts))
            # One line for the row of counts, one for the total.
            self._heard()
            return 100 * self._numbers(self._heard())[0]

    def close(self) -> None:
        """End the program."""
        if self._process is not None:
            self._process.terminate()
            self._process.communicate()
            self._process = None

    def __del__(self) -> None:
        self.close()

    def _plain(self, text: str) -> str:
        text = text.lower() if self._lowercase else text
        return " ".join(text.replace("|||", "").split())

    def _numbers(self, line: str) -> list[float]:
        try:
            numbers = [float(number) for number in line.split()]
            if not numbers or not all(map(math.isfinite, numbers)):
                raise ValueError
            return numbers
        except ValueError:
            raise InputError(f"METEOR answered {line[:80]!r}; numbers were expected.", file=self._jar) from None

    def _ask(self, *parts: str) -> str:
        with self._lock:
            self._say(*parts)
            return self._heard()

    def _say(self, *parts: str) -> None:
        stream = self._started().stdin
        try:
            _open(stream).write(" ||| ".join(parts) + "\n")
            _open(stream).flush()
        except OSError:
            raise self._died() from None

    def _heard(self) -> str:
        line = _open(self._started().stdout).readline()
        if not line:
            raise self._died()
        return line.strip()

    def _started(self) -> subprocess.Popen[str]:
        if self._process is None:
            command = [self._java, HEAP, "-jar", str(self._jar), "-", "-", "-stdio", "-l", self._language]
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                encoding="utf-8",
                errors="replace",
            )
        return self._process

    def _died(self) -> InputError:
        said = ""
        if self._process is not None:
            said = " ".join(self._process.communicate()[1].split())[:300]
            self._process = None
        return InputError(f"METEOR exited unexpectedly: {said or 'no message'}.", file=self._jar)


def _open(stream: IO[str] | None) -> IO[str]:
    if stream is None:  # pragma: no cover
        raise InputError("METEOR has no input or output.")
    return stream


def _find(options: EvaluateOptions) -> tuple[Path, str]:
    named = options.meteor or os.environ.get(VARIABLE)
    hint = f"Get METEOR 1.5 from its authors and give the path of meteor-1.5.jar with --meteor or {VARIABLE}."
    if not named:
        raise MissingPackageError("METEOR needs its program, a jar file.", hint=hint)
    jar = Path(named)
    if not jar.is_file():
        raise MissingPackageError("no such METEOR jar.", file=jar, hint=hint)
    java = shutil.which("java")
    if java is None:
        raise MissingPackageError("METEOR needs java, which was not found.", hint="Install a Java runtime.")
    return jar, java
