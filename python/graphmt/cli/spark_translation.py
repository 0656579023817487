"""``graphmt translate --engine spark``."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphmt.cli.display import note
from graphmt.errors import OptionError
from graphmt.progress import bar
from graphmt.storage.files import digest, writing

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: Sentences that are translated, for each core, before they are written as a portion that is not repeated.
SENTENCES_PER_CORE = 5_000

#: Failed sentences that are listed.
_SHOWN = 10


@dataclasses.dataclass(frozen=True)
class Outputs:
    """What is written."""

    out: Path
    n_best: int
    distinct: bool
    derivations: bool
    tokens: bool
    alignment: Path | None

    def line(self, row: Any) -> str:
        """A translation in the chosen format; a failed sentence is an empty line, and absent from n-best lists."""
        if row.error is not None:
            return "" if self.derivations or self.n_best > 1 else "\n"
        if self.derivations:
            return f"{row.derivation}\n"
        if self.n_best > 1:
            return f"{row.moses}\n"
        return f"{row.tokens if self.tokens else row.text}\n"


def translate_on_spark(
    session: SparkSession,
    model: Path,
    texts: Sequence[Path],
    wanted: Outputs,
    weights: Path | None,
    search: dict[str, Any],
) -> int:
    """Translate files in their order; returns the number of sentences that failed."""
    from graphmt.spark import translate
    from graphmt.spark.jobs import Stages, work_folder
    from graphmt.spark.reading import sentences

    if not texts:
        raise OptionError("the Spark engine translates files, not standard input.", hint="Give one file or several.")
    request = {
        "texts": [digest(path) for path in texts],
        "model": _identity(model),
        "weights": None if weights is None else digest(weights),
        "search": search,
        "wanted": [wanted.n_best, wanted.distinct, wanted.derivations],
    }
    with work_folder(wanted.out) as folder:
        read = Stages(session, folder, {"texts": request["texts"]})
        rows = sentences(read, texts)

        def made(portion: DataFrame) -> DataFrame:
            return translate(
                portion,
                model,
                n_best=wanted.n_best,
                distinct=wanted.distinct,
                derivations=wanted.derivations,
                weights=weights,
                search=search,
            )

        stages = Stages(session, folder / "translations", request)
        found = stages.portions("translations", "translating", rows, SENTENCES_PER_CORE, made, one="rank = 0")
        return _write(found.orderBy("number", "rank"), wanted, read.rows["sentences"])


def _identity(model: Path) -> list[list[Any]]:
    """What tells a model from another without reading it all."""
    files = sorted(path for path in model.rglob("*") if path.is_file())
    return [[str(path.relative_to(model)), path.stat().st_size, path.stat().st_mtime_ns] for path in files]


def _write(found: DataFrame, wanted: Outputs, sentences: int) -> int:
    from graphmt.spark.failures import errors_of_workers
    from graphmt.spark.row_numbers import require_written

    failed = written = 0
    with contextlib.ExitStack() as stack:
        stack.enter_context(errors_of_workers())
        stream = stack.enter_context(writing(wanted.out))
        links = stack.enter_context(writing(wanted.alignment)) if wanted.alignment else None
        advance = stack.enter_context(bar("sentences"))
        for row in found.toLocalIterator(prefetchPartitions=True):
            written += row.rank == 0
            if row.error is not None:
                failed += 1
                if failed <= _SHOWN:
                    note(f"Sentence {row.number + 1}: {row.error}")
            stream.write(wanted.line(row))
            if links:
                links.write(f"{row.alignment or ''}\n")
            advance(row.number + 1)
        require_written(written, sentences, wanted.out)
    return failed
