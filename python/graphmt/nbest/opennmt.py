"""The log of OpenNMT-py's ``onmt_translate -verbose``: SENT, PRED, PRED SCORE, and BEST HYP with ``-n_best``.

Numbers count from 1. The output file of OpenNMT-py, k lines for each sentence, is plain text (see
:mod:`graphmt.nbest.plain`).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from graphmt.errors import InputError
from graphmt.nbest import plain
from graphmt.nbest.record import Candidate, Lines
from graphmt.nbest.scores import SCORE
from graphmt.nbest.texts import shown

NAME = "opennmt"
SHAPE = "SENT 1: …, PRED 1: translation, PRED SCORE: score, BEST HYP: with lines [score] ['word', …]"

_HEAD = re.compile(r"(SENT|PRED) (\d{1,18}): ?(.*)", re.DOTALL)
_SCORE = re.compile(r"PRED SCORE: (\S+)\s*")
_STRING = r"""(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
_LIST = re.compile(rf"\[(?:{_STRING}(?:, {_STRING})*)?\]")
_HYPOTHESIS = re.compile(r"\[(-?[0-9.eE+-]+)\] (.*)", re.DOTALL)
#: Other lines of the log.
_OTHER = re.compile(
    r"(?:GOLD|ALIGN|BEST HYP:|PRED AVG|GOLD AVG|Total translation|Average translation|Tokens per second|Time w/o)|"
    r"\[\d{4}-\d\d-\d\d|\s*$"
)


def recognises(line: str) -> bool:
    """Whether a line begins a sentence or its translation."""
    return _HEAD.fullmatch(line) is not None


def is_report(line: str) -> bool:
    """Whether a line is a message of the program."""
    return _OTHER.match(line) is not None


def candidates(lines: Lines, name: str, list_size: int | None) -> Iterator[Candidate]:
    """The candidates of a log, or of an output file if ``list_size`` is given."""
    if list_size is not None:
        yield from plain.candidates(lines, name, list_size)
        return
    number, source, at_best = -1, None, 0
    best: str | None = None
    score: float | None = None
    listed = False
    for at, line in lines:
        try:
            if found := _HEAD.fullmatch(line):
                if found[1] == "SENT" or int(found[2]) - 1 != number:
                    if best is not None and not listed:
                        yield _candidate(number, best, score, source, at_best)
                    number, best, score, listed, source = int(found[2]) - 1, None, None, False, None
                if found[1] == "SENT":
                    source = _words(found[3]) if _LIST.fullmatch(found[3]) else found[3]
                else:
                    best, at_best = found[3], at
            elif found := _SCORE.fullmatch(line):
                score = float(found[1])
            elif found := _HYPOTHESIS.fullmatch(line):
                listed = True
                yield _candidate(number, _words(found[2]), float(found[1]), source, at)
            elif not _OTHER.match(line):
                raise ValueError
        except (ValueError, SyntaxError):
            raise InputError(
                f"not a line of OpenNMT-py's log: {shown(line)}.", file=name, line=at, hint=f"Expected: {SHAPE}."
            ) from None
    if best is not None and not listed:
        yield _candidate(number, best, score, source, at_best)


def _candidate(number: int, text: str, score: float | None, source: str | None, at: int) -> Candidate:
    return Candidate(number, text, {} if score is None else {SCORE: score}, text, at, source=source)


def _words(text: str) -> str:
    """The words of a list as Python prints it, or a text as it is."""
    if not text.startswith("["):
        return text
    if not _LIST.fullmatch(text):
        raise ValueError
    found = " ".join(ast.literal_eval(text))
    found.encode("utf-8")
    return found
