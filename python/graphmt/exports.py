"""Public names of packages, imported from their modules when they are first used.

A command needs few modules of the package, and to import all of them would take longer than most commands.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Any


def lazily(package: str, names: Mapping[str, str]) -> Callable[[str], Any]:
    """The ``__getattr__`` of a package that has each public name from a module of its own, or of another package.

    Examples
    --------
    >>> from graphmt.exports import lazily
    >>> lazily("graphmt.lm", {"options": "LmOptions", "step": "train"})("LmOptions")
    <class 'graphmt.lm.options.LmOptions'>
    """
    homes = {name: module for module, own in names.items() for name in own.split()}

    def get(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        home = homes[name] if homes[name].startswith("graphmt.") else f"{package}.{homes[name]}"
        value = getattr(importlib.import_module(home), name)
        # The next time it is found without this function.
        setattr(sys.modules[package], name, value)
        return value

    return get
