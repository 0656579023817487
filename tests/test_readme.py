"""The README's first translation runs as it stands."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

README = Path(__file__).parent.parent / "README.md"


def test_the_first_translation_from_python(tmp_path: Path) -> None:
    blocks = re.findall(r"```python\n(.*?)```", README.read_text("utf-8"), re.S)
    (code,) = blocks
    assert len(code.strip().splitlines()) <= 10
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    first, *rest = done.stdout.splitlines()
    score = float(first.rsplit(" ", 1)[1])
    assert rest[0].startswith(" 1. ") or rest[0].startswith("1. ")
    best = [line for line in rest if line.startswith("-")]
    assert len(best) == 5 and float(best[0].split(" ")[0]) == score
