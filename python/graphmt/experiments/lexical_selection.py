"""The tables of "Graph-Based Collective Lexical Selection for Statistical Machine Translation"."""

from graphmt.experiments.recipe import Ablation, Arm, Claim, Recipe

PAPER = "Graph-Based Collective Lexical Selection for Statistical Machine Translation"
CORPORA = ("3am-zh-en", "ted-zh-en", "multi30k-de-en")

LEXICAL_SELECTION = Recipe(
    name="lexical-selection",
    summary="HPB with collective lexical selection, rule selection, topic similarity, and two together",
    paper=f"{PAPER}, table 2",
    arms=(
        Arm("hpb", "hpb"),
        Arm("hpb+gm(lm)", "hpb", {"gm_relatedness": "lm"}, selection=("gm",)),
        Arm("hpb+gm(pmi)", "hpb", {"gm_relatedness": "pmi"}, selection=("gm",)),
        Arm("hpb+gm(lm, prior)", "hpb", {"gm_relatedness": "lm", "gm_prior": True}, selection=("gm",)),
        Arm("hpb+lrsm", "hpb", selection=("lrsm",)),
        Arm("hpb+tsm", "hpb", selection=("tsm",)),
        Arm("hpb+lrsm+gm", "hpb", selection=("lrsm", "gm")),
        Arm("hpb+tsm+gm", "hpb", selection=("tsm", "gm")),
    ),
    corpora=CORPORA,
    tuner="mert",
    claims=(
        Claim("hpb+gm(pmi)", "hpb", {"zh-en": 0.65}),
        Claim("hpb+lrsm", "hpb", {"zh-en": 0.8}),
        Claim("hpb+tsm", "hpb", {"zh-en": 0.6}),
        Claim("hpb+lrsm+gm", "hpb+lrsm", {"zh-en": 0.4}),
        Claim("hpb+tsm+gm", "hpb+tsm", {"zh-en": 0.45}),
    ),
)

#: 0.1 to 0.5 in steps of 0.05.
_LAMBDAS = [round(0.05 * k, 2) for k in range(2, 11)]

LEXICAL_SELECTION_WALK = Recipe(
    name="lexical-selection-walk",
    summary="collective lexical selection by the share λ that the walk gives back to its beginning",
    paper=f"{PAPER}, figure 3",
    arms=(
        Arm("hpb", "hpb"),
        *(Arm(f"lambda={value}", "hpb", {"gm_reallocation": value}, selection=("gm",)) for value in _LAMBDAS),
    ),
    corpora=CORPORA,
    tuner="mert",
    ablations=(Ablation("λ of the random walk", tuple((f"{value}", f"lambda={value}") for value in _LAMBDAS)),),
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
    tuner="mert",
    claims=(Claim("pbmt+gm", "pbmt", {}), Claim("gbmt-ctx+gm", "gbmt-ctx", {})),
)
