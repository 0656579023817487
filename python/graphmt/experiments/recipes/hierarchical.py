"""Chart systems without syntax, and phrases: the baselines of three of the papers."""

from graphmt.experiments.recipe import Arm, Recipe

#: Half of the default pops: the best scores are lower by less than 0.01 in the mean.
CHART = {"pop_limit": 100}

HIERARCHICAL = Recipe(
    name="hierarchical",
    summary="PBMT, HPB and BTG, the baselines that the other papers start from",
    paper="the baselines of Collective Lexical Selection, Dependency Graph-to-String and Structured Label Propagation",
    arms=(Arm("pbmt", "pbmt"), Arm("hpb", "hpb", CHART), Arm("btg", "btg", CHART)),
    corpora=("multi30k-de-en", "3am-zh-en", "ted-zh-en"),
    movement=True,
)
