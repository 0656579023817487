"""The tables of "Learning Translation Consensus with Structured Label Propagation": re-ranking.

Over graphmt's models, and over lists of an external system. To add another system's lists as a base, declare an arm for
it and ``reranked(base)``.
"""

from __future__ import annotations

from typing import Any

from graphmt.experiments.recipe import Arm, Claim, Recipe
from graphmt.experiments.recipes.hierarchical import CHART

PAPER = "Learning Translation Consensus with Structured Label Propagation, table 3"

#: Gains over the baseline on IWSLT, Chinese to English (table 3).
GAINS = {"struct-lp": 0.81, "g-rerank": 1.79, "g-rerank-gc": 1.23, "g-rerank-lc": 1.11}
DECODING_GAINS = {"g-decode": 2.58, "g-decode-gc": 1.48, "g-decode-lc": 1.44}

#: The variants for every base. "-gc" and "-lc" add only these features to the lists' own; "as printed" normalises
#: formula (8) over the neighbour's translations; "anchored" multiplies p by a tuned power of the posterior; "memory" is
#: not of the paper: n-gram posteriors, language model and lexicon of the training corpus.
VARIANTS: dict[str, dict[str, Any]] = {
    "retuned": {"method": "g-rerank", "features": "none"},
    "mbr-bleu": {"method": "mbr-bleu"},
    "mbr-chrf": {"method": "mbr-chrf"},
    "struct-lp-as-printed": {"method": "struct-lp", "normalise": "neighbour"},
    "struct-lp": {"method": "struct-lp"},
    "struct-lp-anchored": {"method": "struct-lp", "anchor": None},
    "g-rerank-gc-as-printed": {"method": "g-rerank", "features": "gc", "normalise": "neighbour"},
    "g-rerank-gc": {"method": "g-rerank", "features": "gc"},
    "g-rerank-lc": {"method": "g-rerank", "features": "lc"},
    "g-rerank": {"method": "g-rerank"},
    "memory": {"method": "g-rerank", "features": "memory+lm+lexicon"},
}


def reranked(base: str, score: str = "score") -> tuple[Arm, ...]:
    """An arm for each variant of re-ranking the lists of a base; ``score`` is the column of its log-probability."""
    return tuple(
        Arm(f"{base}+{name}", base, over=base, rerank={**options, "score": score}) for name, options in VARIANTS.items()
    )


def claims(base: str) -> tuple[Claim, ...]:
    """The paper's gains over the baseline, and the gains of consensus over MBR."""
    found = [Claim(f"{base}+{name}", base, {"zh-en": gain}) for name, gain in GAINS.items()]
    return (*found, Claim(f"{base}+g-rerank", f"{base}+mbr-bleu", {}), Claim(f"{base}+g-rerank", f"{base}+retuned", {}))


#: Decoding with consensus, of the paper's baseline. "-split" has GC from the memory and from spans of the input as
#: separate features; "-memory" adds n-gram posteriors; "-only-memory" has nothing else.
DECODING = {
    "g-decode": "gc+lc",
    "g-decode-gc": "gc",
    "g-decode-lc": "lc",
    "g-decode-split": "gc-memory+gc-spans+lc",
    "g-decode-memory": "gc-memory+gc-spans+lc+memory",
    "g-decode-only-memory": "memory",
}


def decoded(base: str) -> tuple[Arm, ...]:
    """An arm for each variant of consensus decoding of a chart model."""
    return tuple(
        Arm(f"{base}+{name}", base, over=base, consensus={"features": features}) for name, features in DECODING.items()
    )


#: The paper's own baseline first.
BASES = {"btg": CHART, "hpb": CHART, "gbmt-ctx": {}}

CONSENSUS = Recipe(
    name="consensus",
    summary="consensus re-ranking over the lists of btg, hpb and gbmt-ctx, consensus decoding of btg, and MBR",
    paper=PAPER,
    arms=(
        *(arm for base, search in BASES.items() for arm in (Arm(base, base, search), *reranked(base))),
        *decoded("btg"),
    ),
    corpora=("tatoeba-de-en", "multi30k-de-en"),
    tuner="mert",
    claims=(
        *(claim for base in BASES for claim in claims(base)),
        *(Claim(f"btg+{name}", "btg", {"zh-en": gain}) for name, gain in DECODING_GAINS.items()),
        Claim("btg+g-decode", "btg+g-rerank", {}),
        Claim("btg+g-decode", "btg+mbr-bleu", {}),
    ),
)

CONSENSUS_LISTS = Recipe(
    name="consensus-lists",
    summary="the same over the lists of a neural system, DATA/peers/transformer/CORPUS.PART.nbest.gz",
    paper=PAPER,
    arms=(Arm("transformer", "transformer", lists="peers/transformer"), *reranked("transformer", "LogProb")),
    corpora=("tatoeba-de-en", "multi30k-de-en"),
    tuner="mert",
    claims=claims("transformer"),
)

#: The choice of the features of consensus decoding, beside re-ranking of the lists of the same models.
CONSENSUS_CHOICES = Recipe(
    name="consensus-choices",
    summary="features of consensus decoding of btg, and re-ranking of the same models' lists; by dev alone",
    paper=PAPER,
    arms=(
        Arm("btg", "btg", CHART),
        *(arm for arm in reranked("btg") if arm.name in ("btg+retuned", "btg+g-rerank", "btg+memory")),
        *(arm for arm in decoded("btg") if arm.name not in ("btg+g-decode-gc", "btg+g-decode-lc")),
    ),
    corpora=("tatoeba-de-en", "multi30k-de-en"),
    claims=(
        *(Claim(f"btg+{name}", "btg", {}) for name in ("g-decode", "g-decode-split", "g-decode-memory")),
        Claim("btg+g-decode-split", "btg+g-decode", {}),
        Claim("btg+g-decode-memory", "btg+g-decode", {}),
        Claim("btg+g-decode-memory", "btg+memory", {}),
    ),
    part="held-out",
)
