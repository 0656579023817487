"""Translation of large inputs: every worker process opens the model once, from a local copy."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphmt.corpus import Tree, read_trees
from graphmt.errors import GraphmtError, InputError, OptionError
from graphmt.model import Model, Translation, load
from graphmt.options import MOST
from graphmt.spark.failures import for_workers
from graphmt.spark.row_numbers import numbers_of
from graphmt.spark.schemas import SENTENCES, TRANSLATIONS, require_columns
from graphmt.spark.worker_files import loaded, send_file, send_folder
from graphmt.storage.files import AnyPath
from graphmt.storage.temporary import temporary_folder

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame

#: Sentences translated at once.
_CHUNK = 64


@dataclasses.dataclass(frozen=True)
class _Request:
    """What workers are asked for."""

    model: str
    search: Mapping[str, Any]
    #: The name of a file; empty for the model's own weights.
    weights: str
    n_best: int
    distinct: bool
    derivations: bool

    def opened(self) -> Model:
        def read(paths: list[Path]) -> Model:
            return load(paths[0], weights=paths[1] if self.weights else None, **self.search)

        names = (self.model, self.weights) if self.weights else (self.model,)
        return loaded("model", names, read, str(sorted(self.search.items())))


def translate(
    sentences: DataFrame,
    model: AnyPath,
    *,
    n_best: int = 1,
    distinct: bool = False,
    derivations: bool = False,
    weights: AnyPath | None = None,
    search: Mapping[str, Any] | None = None,
) -> DataFrame:
    """Translate sentences, or find their n best translations.

    A sentence that fails gets a row with its error; the others are not affected.

    Parameters
    ----------
    sentences
        Sentences with the columns ``number`` and ``text``, or ``tree`` (CoNLL-U) for systems that need trees.
    model
        The model's folder, which workers of other machines get a copy of.
    n_best
        How many translations; there may be fewer.
    distinct
        Only translations that differ as text.
    derivations
        Also write the derivations, as JSON.
    weights
        A weights file to use instead of the model's own.
    search
        Options of the search instead of the model's own.

    Returns
    -------
    DataFrame
        A row for each translation: ``number``, ``rank`` (from 0), ``text``, ``tokens``, ``score``, ``alignment``,
        ``moses`` (a line of Moses' n-best format), ``derivation`` and ``error``. Their order is by number and rank.
        Write or cache the rows before they are sorted: Spark computes twice what it sorts.

    Raises
    ------
    InputError
        If the model cannot be opened.
    OptionError
        If an option is unknown, or the model translates whole documents.

    Examples
    --------
    >>> from graphmt import spark
    >>> session = spark.open_session("local[2]")
    >>> sentences = session.createDataFrame([(0, "er schläft .")], "number long, text string")
    >>> [row.text for row in spark.translate(sentences, "pbmt").collect()]
    ['He is sleeping .']
    """
    if not 1 <= n_best <= MOST:
        raise OptionError(f"the number of translations must be from 1 to {MOST}, not {n_best}.")
    opened = load(model, weights=weights, **(search or {}))
    if opened.sees_documents:
        raise OptionError(
            "this model translates whole documents, which the Spark engine does not keep together.",
            hint="Translate on one machine, or train without topics.",
        )
    session = sentences.sparkSession
    sent = "" if weights is None else send_file(session, Path(weights))
    asked = _Request(send_folder(session, Path(model)), dict(search or {}), sent, n_best, distinct, derivations)
    rows = require_columns(sentences, SENTENCES, optional=("text", "tree"))
    return rows.mapInArrow(functools.partial(_translate, asked=asked), TRANSLATIONS)


@for_workers
def _translate(batches: Iterator[pyarrow.RecordBatch], asked: _Request) -> Iterator[pyarrow.RecordBatch]:
    model: Model | None = None
    for batch in batches:
        numbers_of(batch)
        model = model or asked.opened()
        rows = batch.to_pylist()
        for start in range(0, len(rows), _CHUNK):
            yield _as_batch(_chunk(model, rows[start : start + _CHUNK], asked))


def _chunk(model: Model, rows: list[dict[str, Any]], asked: _Request) -> list[tuple[Any, ...]]:
    """The translations of a chunk; if it fails, sentence by sentence."""
    try:
        found = _found(model, _sentences(rows), asked)
    except GraphmtError as error:
        if len(rows) == 1:
            return [(rows[0]["number"], 0, *(None,) * 6, str(error))]
        return [made for row in rows for made in _chunk(model, [row], asked)]
    return [
        (row["number"], rank, *_columns(row["number"], rank, one, asked), None)
        for row, best in zip(rows, found, strict=True)
        for rank, one in enumerate(best)
    ]


def _sentences(rows: list[dict[str, Any]]) -> list[str | Tree]:
    """Texts and trees; the core reads trees from a file."""
    written = [row["tree"].strip("\n") for row in rows if row["tree"] is not None]
    if not written:
        return [row["text"] or "" for row in rows]
    with temporary_folder("trees") as folder:
        path = folder / "trees.conllu"
        path.write_text("".join(f"{tree}\n\n" for tree in written), "utf-8", newline="\n")
        trees = list(read_trees(path))
    if len(trees) != len(written):
        raise InputError(
            f"{len(trees)} trees in {len(written)} rows.", hint="Each row has one tree, without blank lines in it."
        )
    rest = iter(trees)
    return [(row["text"] or "") if row["tree"] is None else next(rest) for row in rows]


def _found(model: Model, sentences: list[str | Tree], asked: _Request) -> list[list[Translation]]:
    return model.n_best(sentences, asked.n_best, distinct=asked.distinct, threads=1)


def _columns(number: int, rank: int, one: Translation, asked: _Request) -> tuple[Any, ...]:
    links = " ".join(f"{i}-{j}" for i, j in one.alignment)
    derivation = one.as_json(number, rank) if asked.derivations else None
    return one.text, " ".join(one.tokens), one.score, links, one.as_moses(number), derivation


def _as_batch(rows: list[tuple[Any, ...]]) -> pyarrow.RecordBatch:
    import pyarrow

    names = [column.split()[0] for column in TRANSLATIONS.split(", ")]
    kinds = [pyarrow.int64(), pyarrow.int32(), pyarrow.string(), pyarrow.string(), pyarrow.float64()]
    kinds += [pyarrow.string()] * (len(names) - len(kinds))
    columns = zip(*rows, strict=True)
    arrays = [pyarrow.array(column, kind) for column, kind in zip(columns, kinds, strict=True)]
    return pyarrow.RecordBatch.from_arrays(arrays, names)
