"""The chart systems without syntax beside phrases: the baselines of three of the papers."""

from graphmt.experiments.recipe import Arm, Recipe

HIERARCHICAL = Recipe(
    name="hierarchical",
    summary="PBMT, HPB and BTG, the baselines that the other papers start from",
    paper="the baselines of Collective Lexical Selection, Dependency Graph-to-String and Structured Label Propagation",
    arms=(Arm("pbmt", "pbmt"), Arm("hpb", "hpb"), Arm("btg", "btg")),
    corpora=("multi30k-de-en", "3am-zh-en", "ted-zh-en"),
    tuner="mert",
)
