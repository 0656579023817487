"""The Rust core. Long calls release the GIL; errors are those of ``graphmt.errors``."""

__version__: str
