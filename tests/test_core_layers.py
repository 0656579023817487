"""Imports of the core go one way: each module uses only those listed above it in ``lib.rs``."""

from __future__ import annotations

import re
from pathlib import Path

SOURCE = Path(__file__).parent.parent / "rust" / "src"


def modules() -> list[str]:
    """The modules of the core, from the bottom up."""
    return re.findall(r"^(?:pub )?mod (\w+);", (SOURCE / "lib.rs").read_text("utf-8"), re.M)


def test_every_folder_is_listed() -> None:
    found = {path.stem for path in SOURCE.iterdir() if path.name != "lib.rs"}
    assert found == set(modules())


def test_no_module_uses_one_above_it() -> None:
    rank = {name: number for number, name in enumerate(modules())}
    upward = [
        f"{path.relative_to(SOURCE)}:{number}: {line.strip()}"
        for path in sorted(SOURCE.rglob("*.rs"))
        if path.name != "lib.rs"
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        for used in re.findall(r"\bcrate::(\w+)", line)
        if rank[used] > rank[path.relative_to(SOURCE).parts[0].removesuffix(".rs")]
    ]
    assert not upward, "\n".join(upward)
