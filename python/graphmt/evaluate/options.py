"""Options of evaluation."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from graphmt.errors import OptionError
from graphmt.options import Options, nearest, option

#: The metrics by name; meteor needs a program of its own.
METRICS = ("bleu", "chrf", "ter", "meteor")
#: sacreBLEU's tokenisers that need no further package.
TOKENISERS = ("13a", "none", "intl", "char", "zh")
RANKINGS = ("chrf", "bleu")


@dataclasses.dataclass(frozen=True)
class EvaluateOptions(Options):
    """How translations are scored and compared."""

    metrics: tuple[str, ...] = option(("bleu", "chrf", "ter"), "Metrics: bleu, chrf, ter, meteor.")
    tokenise: str = option(
        "13a",
        "How sacreBLEU splits words for BLEU: 13a is its default, for text as people write it; none for text that has "
        "its tokens already, on both sides.",
        choices=TOKENISERS,
    )
    lowercase: bool = option(False, "Score without regard to case.")
    samples: int = option(1000, "Resamples of the bootstrap.", minimum=10)
    trials: int = option(10_000, "Trials of approximate randomisation.", minimum=10)
    seed: int = option(12345, "Seed of both; 12345 is sacreBLEU's.", minimum=0, maximum=2**32 - 1)
    rank_by: str = option("chrf", "Sentence score by which the sentences that differ most are found.", choices=RANKINGS)
    examples: int = option(20, "Sentences that differ most, in a report.", minimum=0)
    meteor: Path | None = option(  # noqa: RUF009
        None, "The METEOR 1.5 jar; none: what GRAPHMT_METEOR names. Needs java."
    )
    meteor_language: str = option("en", "Language of METEOR's word lists.", unit="code")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.metrics:
            raise OptionError("no metric was chosen.", hint=f"Choose among {', '.join(METRICS)}.")
        for name in self.metrics:
            if name not in METRICS:
                raise OptionError(f"there is no metric {name!r}{nearest(str(name), METRICS)}.")
        if len(set(self.metrics)) < len(self.metrics):
            raise OptionError("a metric was chosen twice.")
