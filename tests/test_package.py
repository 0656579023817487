"""The public names of the package, and the version."""

from __future__ import annotations

import subprocess
import sys

import graphmt
import pytest


def test_every_public_name_is_there() -> None:
    for name in graphmt.__all__:
        assert getattr(graphmt, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'tranlsate'"):
        _ = graphmt.tranlsate  # type: ignore[attr-defined]


def test_importing_the_package_does_not_import_the_parts() -> None:
    """A worker process or a script that needs one part must not wait for all of them."""
    script = (
        "import sys, graphmt; print(sorted(m for m in sys.modules if m in ('numpy', 'rich', 'typer', 'sacremoses')))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
