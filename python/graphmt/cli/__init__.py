"""The ``graphmt`` command: one verb, one thin function.

This module imports little, so that :func:`main` handles interrupts and failures that happen while the rest is imported.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from graphmt.cli.verbs import app

__all__ = ["app", "main"]


def main() -> None:
    """Run the command; every failure ends in one sentence and an exit code."""
    from graphmt.cli import process

    process.run(_command)


def _command() -> None:
    from graphmt._core import exit_when_out_of_memory
    from graphmt.cli.verbs import app

    exit_when_out_of_memory()
    app()


def __getattr__(name: str) -> object:
    if name == "app":
        from graphmt.cli.verbs import app

        return app
    raise AttributeError(f"module 'graphmt.cli' has no attribute {name!r}")
