"""How many steps Python code takes: its own, and the characters that methods of a text look at."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import graphmt

_PACKAGE = str(Path(graphmt.__file__).parent)


class CountedText(str):
    """A text whose methods count the characters that they look at."""

    steps = 0

    def count(self, *given: Any) -> int:
        start, end, _ = slice(*given[1:3]).indices(len(self)) if len(given) > 1 else (0, len(self), 1)
        CountedText.steps += max(0, end - start)
        return super().count(*given)

    def __getitem__(self, key: Any) -> CountedText:
        made = CountedText(super().__getitem__(key))
        CountedText.steps += len(made)
        return made

    def __contains__(self, key: Any) -> bool:
        CountedText.steps += len(self)
        return super().__contains__(key)

    def replace(self, *given: Any) -> CountedText:
        CountedText.steps += len(self)
        return CountedText(super().replace(*given))


def steps_of(work: Callable[[], object]) -> int:
    """The operations of the package that are carried out, and the characters of counted texts."""
    steps = 0

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal steps
        if event == "call" and not frame.f_code.co_filename.startswith(_PACKAGE):
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        steps += event == "opcode"
        return trace

    CountedText.steps = 0
    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return steps + CountedText.steps
