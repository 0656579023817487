"""The tables of "Graph-Based Collective Lexical Selection for Statistical Machine Translation"."""

from graphmt.experiments.recipe import Ablation, Arm, Claim, Recipe
from graphmt.experiments.recipes.hierarchical import CHART

PAPER = "Graph-Based Collective Lexical Selection for Statistical Machine Translation"
CORPORA = ("3am-zh-en", "ted-zh-en", "multi30k-de-en")
VECTORS = "hpb+gm(vectors, prior, keep)"
WITH_VECTORS = {"gm_relatedness": "embeddings", "gm_prior": True, "gm_keep": True}

LEXICAL_SELECTION = Recipe(
    name="lexical-selection",
    summary="HPB with collective lexical selection, rule selection, topic similarity, and two together",
    paper=f"{PAPER}, table 2",
    arms=(
        Arm("hpb", "hpb", CHART),
        Arm("hpb+gm(lm)", "hpb", {**CHART, "gm_relatedness": "lm"}, selection=("gm",)),
        Arm("hpb+gm(pmi)", "hpb", {**CHART, "gm_relatedness": "pmi"}, selection=("gm",)),
        # The best variant in bench/selection_diagnosis.py, on dev of 3am-zh-en.
        Arm(VECTORS, "hpb", {**CHART, **WITH_VECTORS}, selection=("gm",), training={"gm": {"dimensions": 100}}),
        Arm("hpb+lrsm", "hpb", CHART, selection=("lrsm",)),
        Arm("hpb+tsm", "hpb", CHART, selection=("tsm",)),
        Arm("hpb+lrsm+gm", "hpb", CHART, selection=("lrsm", "gm")),
        Arm("hpb+tsm+gm", "hpb", CHART, selection=("tsm", "gm")),
    ),
    corpora=CORPORA,
    claims=(
        Claim("hpb+gm(pmi)", "hpb", {"zh-en": 0.65}),
        Claim(VECTORS, "hpb", {}),
        Claim("hpb+lrsm", "hpb", {"zh-en": 0.8}),
        Claim("hpb+tsm", "hpb", {"zh-en": 0.6}),
        Claim("hpb+lrsm+gm", "hpb+lrsm", {"zh-en": 0.4}),
        Claim("hpb+tsm+gm", "hpb+tsm", {"zh-en": 0.45}),
    ),
)

#: 0.1 to 0.5 in steps of 0.05.
_LAMBDAS = [round(0.05 * k, 2) for k in range(2, 11)]
DEFAULT_LAMBDA, _GM = 0.15, "hpb+gm(pmi)"


def _walk(value: float) -> str:
    return _GM if value == DEFAULT_LAMBDA else f"lambda={value}"


LEXICAL_SELECTION_WALK = Recipe(
    name="lexical-selection-walk",
    summary="collective lexical selection by the share λ that the walk gives back to its beginning, with the weights "
    "of the default, 0.15",
    paper=f"{PAPER}, figure 3",
    arms=(
        Arm("hpb", "hpb", CHART),
        Arm(_GM, "hpb", {**CHART, "gm_relatedness": "pmi"}, selection=("gm",)),
        *(
            Arm(_walk(value), "hpb", {**CHART, "gm_reallocation": value}, tuned_as=_GM, selection=("gm",))
            for value in _LAMBDAS
            if value != DEFAULT_LAMBDA
        ),
    ),
    corpora=CORPORA,
    ablations=(Ablation("λ of the random walk", tuple((f"{value}", _walk(value)) for value in _LAMBDAS), "λ"),),
)

LEXICAL_SELECTION_SYSTEMS = Recipe(
    name="lexical-selection-systems",
    summary="collective lexical selection in the left-to-right systems",
    paper=f"{PAPER}; beyond it: PBMT and GBMT-ctx",
    arms=(
        Arm("pbmt", "pbmt"),
        Arm("pbmt+gm", "pbmt", selection=("gm",)),
        Arm("gbmt-ctx", "gbmt-ctx"),
        Arm("gbmt-ctx+gm", "gbmt-ctx", selection=("gm",)),
    ),
    corpora=CORPORA,
    claims=(Claim("pbmt+gm", "pbmt", {}), Claim("gbmt-ctx+gm", "gbmt-ctx", {})),
)
