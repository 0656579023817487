"""Versions of other packages, for what results carry to be reproduced."""

from __future__ import annotations

import importlib.metadata


def installed(*packages: str) -> dict[str, str]:
    """The versions of those of some packages that are installed."""
    found = {}
    for package in packages:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found
