"""Options of memory n-gram posteriors."""

from __future__ import annotations

import dataclasses

from graphmt.options import MOST_THREADS, Options, option


@dataclasses.dataclass(frozen=True)
class EvidenceOptions(Options):
    """How n-gram posteriors are predicted from a translation memory."""

    classifier: str = option(
        "gb",
        "gb: gradient boosting of trees, the more accurate; lr: logistic regression, quicker to fit and steadier with "
        "few sentences.",
        choices=("gb", "lr"),
    )
    folds: int = option(
        5,
        "Parts of the development set; each gets the predictions of classifiers fitted to the others.",
        minimum=2,
    )
    skip_identical: bool = option(
        False,
        "Ignore memory pairs whose source is the input itself, for tuning on sentences that the memory contains.",
    )
    lowercase: bool = option(True, "Compare words without regard to case.")
    threads: int = option(
        0,
        "Threads; 0 means one for each core. The results are the same for any number.",
        minimum=0,
        maximum=MOST_THREADS,
    )

    sample: int = option(
        150, "Most memory pairs examined for a source n-gram; more takes longer.", unit="pairs", minimum=1
    )
    prior: float = option(
        1.5, "How many pairs the frequency of an n-gram in the whole memory counts as.", unit="pairs", minimum=0
    )
    frequent: int = option(
        2000, "Source n-grams in so many pairs or more are not used to find neighbours.", unit="pairs", minimum=1
    )
    compared: int = option(60, "Memory pairs compared with the input by edit distance.", unit="pairs", minimum=0)

    c: float = option(1.0, "lr: inverse strength of the L2 penalty.", minimum=1e-6)
    trees: int = option(120, "gb: trees for each n-gram order.", minimum=0)
    rate: float = option(0.08, "gb: learning rate.", minimum=0, maximum=1)
    leaves: int = option(15, "gb: most leaves of a tree.", minimum=1)
    leaf_rows: int = option(60, "gb: fewest n-grams of a leaf.", minimum=1)
    penalty: float = option(1.0, "gb: L2 penalty on the values of leaves.", minimum=0)
