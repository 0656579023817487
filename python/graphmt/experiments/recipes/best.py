"""The best system of everything here, without a neural part, beside Transformers trained on the same pairs.

One is plain, the other has BPE-dropout, R-Drop and averaged weights; the lists of the latter are also re-ranked with
the training pairs.
"""

from __future__ import annotations

from graphmt.experiments.recipe import Arm, Claim, Recipe
from graphmt.experiments.recipes.consensus import reranked
from graphmt.experiments.recipes.graph_to_string_choices import CHANGES
from graphmt.experiments.recipes.hierarchical import CHART

#: Models of lexical selection that gain on held-out dev.
SELECTION = ("lrsm", "dwl")

#: Chart systems, and the same with lexical selection; all of them once more with their lists re-ranked.
SYSTEMS = (
    Arm("hpb", "hpb", CHART),
    Arm("hpb+selection", "hpb", CHART, selection=SELECTION),
    Arm("dgst+selection", "dgst", CHART, extract=CHANGES["any span, 3 external"], selection=SELECTION),
)
RERANKED = tuple(arm for one in SYSTEMS for arm in reranked(one.name) if arm.name == f"{one.name}+memory")
PLAIN = Arm("transformer", "transformer", lists="peers/transformer")
STRONG = Arm("strong transformer", "transformer", lists="peers/transformer-strong")
STRONG_RERANKED = tuple(
    arm
    for arm in reranked(STRONG.name, "LogProb")
    if arm.name in (f"{STRONG.name}+memory", f"{STRONG.name}+mbr-bleu", f"{STRONG.name}+retuned")
)
_STRONG_STEPS = tuple(Claim(arm.name, STRONG.name, {}) for arm in STRONG_RERANKED)
_STEPS = (
    Claim("hpb+selection", "hpb", {}),
    Claim("hpb+memory", "hpb", {}),
    Claim("hpb+selection+memory", "hpb+selection", {}),
    Claim("dgst+selection", "hpb+selection", {}),
    Claim("dgst+selection+memory", "hpb+selection+memory", {}),
)

BEST = Recipe(
    name="best",
    summary="chart systems with lexical selection and re-ranking, beside Transformers trained on the same pairs",
    paper="beyond the papers: everything together",
    arms=(PLAIN, *SYSTEMS, *RERANKED, STRONG, *STRONG_RERANKED),
    corpora=("multi30k-de-en", "tatoeba-de-en"),
    claims=(
        *(Claim(arm.name, base.name, {}) for base in (PLAIN, STRONG) for arm in (*SYSTEMS, *RERANKED)),
        *_STEPS,
        *_STRONG_STEPS,
    ),
)

BEST_CHOICES = Recipe(
    name="best-choices",
    summary="the systems of best; by dev alone",
    paper="beyond the papers: everything together",
    arms=(*SYSTEMS, *RERANKED),
    corpora=("multi30k-de-en", "tatoeba-de-en"),
    claims=_STEPS,
    part="held-out",
)
