"""Fixtures that take long to make: made once, though several processes run the tests."""

from __future__ import annotations

import os
import pickle
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

Made = TypeVar("Made")


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], Made]) -> Made:
    """What ``make`` returns for a folder of this name, shared by all processes of one test run.

    The first process to ask makes it, the others wait. What is returned must survive pickling.
    """
    if "PYTEST_XDIST_WORKER" not in os.environ:
        return make(factory.mktemp(name))
    root = factory.getbasetemp().parent
    folder, result = root / name, root / f"{name}.pickle"
    try:
        folder.mkdir()
    except FileExistsError:
        while not result.exists():
            time.sleep(0.05)
        made, error = pickle.loads(result.read_bytes())
        if error:
            pytest.fail(f"another process could not make {name}: {error}")
        return made
    made, error = None, ""
    try:
        made = make(folder)
        return made
    except BaseException as failure:
        error = repr(failure)
        raise
    finally:
        draft = root / f"{name}.draft"
        draft.write_bytes(pickle.dumps((made, error)))
        draft.replace(result)
