"""Mutation fuzzing of every reader of graphmt. See ``fuzz/README.md``."""
