"""The tables of "Dependency Graph-to-String Translation"."""

from graphmt.experiments.hierarchical import CHART
from graphmt.experiments.recipe import Arm, Claim, Recipe

GRAPH_TO_STRING = Recipe(
    name="graph-to-string",
    summary="HPB, Dep2Str and DGST: what the dependency graph of the source adds to phrases with holes",
    paper="Dependency Graph-to-String Translation, tables 3 and 4",
    arms=(Arm("hpb", "hpb", CHART), Arm("dep2str", "dep2str", CHART), Arm("dgst", "dgst", CHART)),
    corpora=("multi30k-de-en", "3am-zh-en", "ted-zh-en"),
    tuner="mert",
    movement=True,
    claims=(Claim("dgst", "hpb", {"de-en": 0.55, "zh-en": 1.25}),),
)
