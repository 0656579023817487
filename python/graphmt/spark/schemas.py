"""The columns of the engine's DataFrames, as Spark writes them. ``docs/reference/spark.md`` explains them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmt.errors import InputError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

#: Aligned sentence pairs: the place of the pair in the corpus from 0, both sides as tokens, links ``i-j``, and the tree
#: of the source side as CoNLL-U for systems that need trees.
PAIRS = "number long, source string, target string, alignment string, tree string"

#: Sentences to translate: text, or a tree as CoNLL-U.
SENTENCES = "number long, text string, tree string"

#: Translations: the best has rank 0. ``error`` is set, and the rest empty, where a sentence failed.
TRANSLATIONS = (
    "number long, rank int, text string, tokens string, score double, alignment string, moses string, "
    "derivation string, error string"
)

#: Lines of a text, numbered from 0.
LINES = "number long, text string"

#: The first place of a symbol (a word, or the symbol of a hole) of a side in the corpus; or, of the kind ``pairs``,
#: where pairs were written, and how many.
SYMBOLS = "kind string, symbol string, place long"

#: What the steps of a table pass on: bytes of the core, for a part, with their origin or order.
PIECES = "kind string, part int, origin int, data binary"


def require_columns(frame: DataFrame, schema: str, *, optional: tuple[str, ...] = ()) -> DataFrame:
    """The columns of a schema, in its order and types; optional ones that are missing are null."""
    from pyspark.sql import functions

    wanted = dict(column.split() for column in schema.split(", "))
    missing = [name for name in wanted if name not in frame.columns and name not in optional]
    if missing:
        raise InputError(
            f"the DataFrame has no column {missing[0]!r}; its columns are {', '.join(frame.columns) or 'none'}.",
            hint=f"The columns are: {schema}.",
        )
    columns = [
        (functions.col(name) if name in frame.columns else functions.lit(None)).cast(kind).alias(name)
        for name, kind in wanted.items()
    ]
    return frame.select(*columns)
