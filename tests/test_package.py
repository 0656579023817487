"""The public names of the package, and the version."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import graphmt
import pytest

ROOT = Path(__file__).parent.parent


def test_every_public_name_is_there() -> None:
    for name in graphmt.__all__:
        assert getattr(graphmt, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'tranlsate'"):
        _ = graphmt.tranlsate  # type: ignore[attr-defined]


def test_functions_are_not_hidden_by_modules() -> None:
    """A module that is imported later must not take the place of a function of the same name."""
    script = (
        "import graphmt, graphmt.evaluate.compare, graphmt.tune.step, graphmt.model.model\n"
        "names = 'train', 'tune_model', 'compare', 'load', 'rerank'\n"
        "print([type(getattr(graphmt, name)).__name__ for name in names])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert set(ast.literal_eval(done.stdout)) == {"function"}


def test_importing_the_package_does_not_import_the_parts() -> None:
    """A worker process or a script that needs one part must not wait for all of them."""
    script = (
        "import sys; before = set(sys.modules); import graphmt\n"
        "print(sorted(name for name in set(sys.modules) - before if name != '__future__'))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['graphmt']"


def test_modules_that_the_documentation_teaches_are_public() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    taught = {name for page in pages for name in re.findall(r"(?:from|import) graphmt\.(\w+)", page.read_text("utf-8"))}
    taught |= {name for page in pages for name in re.findall(r"\bgraphmt\.(\w+)\(", page.read_text("utf-8"))}
    assert {"corpus", "train", "load"} <= taught
    assert taught <= set(graphmt.__all__)
