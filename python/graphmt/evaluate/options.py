"""Options of evaluation."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from graphmt.errors import OptionError
from graphmt.options import Options, option

#: The metrics by name; meteor needs an external program.
METRICS = ("bleu", "chrf", "ter", "meteor")
#: sacreBLEU's tokenisers that need no additional package.
TOKENISERS = ("13a", "none", "intl", "char", "zh")
RANKINGS = ("chrf", "bleu")


@dataclasses.dataclass(frozen=True)
class EvaluateOptions(Options):
    """How translations are scored and compared.

    Examples
    --------
    >>> from graphmt.evaluate import EvaluateOptions
    >>> EvaluateOptions(metrics=("bleu",), tokenise="none")
    EvaluateOptions(metrics=('bleu',), tokenise='none')
    """

    metrics: tuple[str, ...] = option(("bleu", "chrf", "ter"), "Metrics.", choices=METRICS)
    tokenise: str = option(
        "13a",
        "sacreBLEU's tokeniser for BLEU: 13a is its default, for untokenised text; none for text that is tokenised on "
        "both sides.",
        choices=TOKENISERS,
    )
    lowercase: bool = option(False, "Ignore case.")
    samples: int = option(1000, "Bootstrap resamples.", minimum=10)
    trials: int = option(10_000, "Approximate randomisation trials.", minimum=10)
    seed: int = option(12345, "Random seed of both; 12345 is sacreBLEU's.", minimum=0, maximum=2**32 - 1)
    rank_by: str = option("chrf", "Sentence score that ranks the sentences that differ most.", choices=RANKINGS)
    examples: int = option(20, "Number of sentences that differ most to show in a report.", minimum=0)
    meteor: Path | None = option(  # noqa: RUF009
        None, "The METEOR 1.5 jar; none: the value of GRAPHMT_METEOR, or that of graphmt[meteor]. Needs java."
    )
    meteor_language: str = option("en", "Language of METEOR's word lists and parameters.", unit="code")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.metrics:
            raise OptionError("no metric was given.", hint=f"Choose among {', '.join(METRICS)}.")
        if len(set(self.metrics)) < len(self.metrics):
            raise OptionError("a metric was given twice.")
