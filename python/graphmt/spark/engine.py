"""Training with its large stages on Spark."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphmt.align import AlignOptions
from graphmt.align.step import Outputs, align_files
from graphmt.align.step import write_links as write_here
from graphmt.lm import LmOptions
from graphmt.rules import ExtractOptions, ExtractReport
from graphmt.spark.alignment import write_links
from graphmt.spark.jobs import Stages
from graphmt.spark.lm import estimate
from graphmt.spark.reading import aligned_pairs, text_lines
from graphmt.spark.rules import extract_rules
from graphmt.storage.files import AnyPath, digest
from graphmt.systems import System

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class SparkEngine:
    """Runs word alignment, rule extraction and language model estimation of :func:`graphmt.train` on Spark.

    Words are aligned on Spark if the options of alignment have a sample, and otherwise by the driver.

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

    def align(
        self, source: AnyPath, target: AnyPath, outputs: Outputs, options: AlignOptions, *, work: Path
    ) -> dict[str, Any]:
        """Align the words of a corpus; on this machine if the aligner is to be trained on all of it."""
        write = functools.partial(write_links, self.session, work) if options.sample else write_here
        return align_files(source, target, outputs, options, overwrite=True, write=write) or {}

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
