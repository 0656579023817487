"""Code blocks of the documentation."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
#: Blocks in these languages run; the others are shown only.
RUN = ("python", "sh")
SHOWN = ("text", "toml", "json", "xml")
#: A comment in front of a block that does not run says why.
REASON = re.compile(r"<!-- not run: (.+?) -->")


@dataclasses.dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    page: str
    line: int
    language: str
    code: str
    #: Why it does not run; empty if it does.
    reason: str

    @property
    def place(self) -> str:
        return f"{self.page}:{self.line}"


def pages() -> list[str]:
    """README and every page of the documentation, by their paths from the root."""
    found = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md"))
    return ["README.md", *found]


def blocks(page: str) -> Iterator[Block]:
    """The blocks of a page in their order."""
    language, start, code, before, reason = None, 0, [], "", ""
    for number, line in enumerate((ROOT / page).read_text("utf-8").splitlines(), start=1):
        fence = line.strip().startswith("```")
        if fence and language is None:
            found = REASON.fullmatch(before)
            language, start, code, reason = line.strip()[3:].strip(), number, [], found[1] if found else ""
        elif fence:
            yield Block(page, start, str(language), "\n".join(code) + "\n", reason)
            language = None
        elif language is not None:
            code.append(line)
        if line.strip():
            before = line.strip()
    assert language is None, f"{page}:{start}: the block has no end"
