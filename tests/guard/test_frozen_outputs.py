"""No change of the code changes a result: what commands make of a small frozen corpus has the fingerprints of before.

A change that is meant to alter results writes them anew: ``GRAPHMT_FINGERPRINTS=write pytest tests/guard``.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import sys
from pathlib import Path

import pytest
from graphmt.cli import app
from typer.testing import CliRunner

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))

from outputs import differences, fingerprints

HERE = Path(__file__).parent
FROZEN = HERE / "fingerprints.json"

pytest.importorskip("tomotopy", reason="needs the extra 'selection'")
_LIBRARY, _, _VERSION = "-".join(platform.libc_ver()).partition("-")
pytestmark = pytest.mark.skipif(
    _LIBRARY != "glibc" or tuple(map(int, _VERSION.split("."))) >= (2, 41) or platform.machine() != "x86_64",
    reason="other processors and C libraries, glibc from 2.41 on too, round logarithms in other ways",
)


def invoke(command: list[str], folder: Path) -> None:
    os.chdir(folder)
    result = CliRunner().invoke(app, ["--quiet", *command])
    assert result.exit_code == 0, f"{' '.join(command)}\n{result.output}\n{result.exception!r}"


def test_outputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(HERE / "corpus", tmp_path, dirs_exist_ok=True)
    found = fingerprints(tmp_path, invoke)
    if os.environ.get("GRAPHMT_FINGERPRINTS") == "write":
        FROZEN.write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    assert differences(found, json.loads(FROZEN.read_text("utf-8"))) == []
