"""Examples of the documentation run as they stand."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def example(page: str) -> str:
    """The one Python example of a page."""
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text("utf-8"), re.S)
    return str(code)


def run(code: str, folder: Path) -> str:
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_first_translation_from_python(tmp_path: Path) -> None:
    code = example("README.md")
    assert len(code.strip().splitlines()) <= 10
    first, *rest = run(code, tmp_path).splitlines()
    score = float(first.rsplit(" ", 1)[1])
    assert rest[0].startswith(" 1. ") or rest[0].startswith("1. ")
    best = [line for line in rest if line.startswith("-")]
    assert len(best) == 5 and float(best[0].split(" ")[0]) == score


def test_re_ranking_from_python_shows_what_the_page_says(tmp_path: Path) -> None:
    code = example("docs/how-to/rerank.md")
    assert f"# {run(code, tmp_path).strip()}\n" in code
