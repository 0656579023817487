"""Training with its large stages on Spark."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from graphmt.lm import LmOptions
from graphmt.rules import ExtractOptions, ExtractReport
from graphmt.spark.jobs import Stages
from graphmt.spark.lm import estimate
from graphmt.spark.reading import aligned_pairs, text_lines
from graphmt.spark.rules import extract_rules
from graphmt.storage.files import AnyPath, digest
from graphmt.systems import System

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class SparkEngine:
    """Runs rule extraction and language model estimation of :func:`graphmt.train` on Spark.

    Parameters
    ----------
    session
        The session, as of :func:`open_session`.

    Examples
    --------
    >>> import graphmt
    >>> from graphmt import spark
    >>> engine = spark.SparkEngine(spark.open_session("local[2]"))
    >>> model = graphmt.train(
    ...     "pbmt",
    ...     source="corpus/train.de.conllu",
    ...     target="corpus/train.en",
    ...     alignment="aligned.gz",
    ...     out="on-spark",
    ...     options={"lm": {"order": 3}, "extract": {"max_source": 4}},
    ...     engine=engine,
    ... )
    >>> model.system.name
    'pbmt'
    """

    def __init__(self, session: SparkSession) -> None:
        self.session = session

    def extract_rules(
        self,
        system: System,
        source: AnyPath,
        target: AnyPath,
        alignment: AnyPath,
        out: AnyPath,
        *,
        trees: AnyPath | None,
        options: ExtractOptions,
        work: Path,
    ) -> ExtractReport:
        """Extract the rules of a corpus."""
        files = {"source": source, "target": target, "alignment": alignment, "trees": trees}
        request = {role: None if path is None else digest(path) for role, path in files.items()}
        stages = Stages(self.session, work / "corpus", request)
        pairs = aligned_pairs(stages, source, target, alignment, trees)
        return extract_rules(pairs, system, out, options=options, work=work, request=request)

    def train_lm(self, text: AnyPath, out: AnyPath, options: LmOptions, *, work: Path) -> None:
        """Estimate a language model."""
        request = {"text": digest(text)}
        lines = text_lines(Stages(self.session, work / "corpus", request), [text])
        estimate(lines, out, options, work=work, request=request)
