"""Public names that are imported when they are first used: all of them, from the modules that type checkers see."""

from __future__ import annotations

import ast
import importlib
import pkgutil
from pathlib import Path

import graphmt
import pytest

PACKAGES = [
    one.name
    for one in pkgutil.iter_modules(graphmt.__path__, "graphmt.")
    if one.ispkg and "lazily(" in Path(graphmt.__path__[0], one.name.split(".")[1], "__init__.py").read_text("utf-8")
]


@pytest.mark.parametrize("package", PACKAGES)
def test_names_come_from_the_modules_that_type_checkers_see(package: str) -> None:
    module = importlib.import_module(package)
    tree = ast.parse(Path(str(module.__file__)).read_text("utf-8"))
    seen = {
        alias.name: node.module
        for block in tree.body
        if isinstance(block, ast.If)
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert sorted(seen) == sorted(module.__all__)
    for name, home in seen.items():
        assert getattr(module, name) is getattr(importlib.import_module(str(home)), name)
    # A module of the same name would take its place as soon as it is imported.
    assert not set(seen) & {one.name for one in pkgutil.iter_modules(module.__path__)}
    with pytest.raises(AttributeError, match="no attribute 'absent'"):
        module.absent  # noqa: B018
