"""Graph-based statistical machine translation."""

from graphmt._core import __version__

__all__ = ["__version__"]
