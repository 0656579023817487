"""The tables of "Dependency Graph-to-String Translation"."""

from graphmt.experiments.recipe import Ablation, Arm, Claim, Recipe
from graphmt.experiments.recipes.graph_to_string_choices import CHANGES, LINKS
from graphmt.experiments.recipes.hierarchical import CHART

PAPER = "Dependency Graph-to-String Translation"
#: The best variant on held-out dev of 3am-zh-en: coarser rules, which are more frequent, and more of them.
_CHOSEN = "no structure, 3 external"
COARSER = f"dgst, {_CHOSEN}"
#: The same with rules over any span, chosen on held-out dev of three corpora.
_MIXED = "any span, 3 external"
MIXED = f"dgst, {_MIXED}"
#: With shorter labels, which are as good on held-out dev of Multi30k and better on that of Tatoeba.
_SHORTER = "any span, ends, 3 external"
SHORTER = f"dgst, {_SHORTER}"
#: The same with words chosen by the words that they are linked to.
LINKED = "dgst, any span+links"
#: The same with the order of linked words.
ORDERED = "dgst, any span+order"

GRAPH_TO_STRING = Recipe(
    name="graph-to-string",
    summary="HPB, Dep2Str and DGST: what the dependency graph of the source adds to phrases with holes",
    paper=f"{PAPER}, tables 2 to 4",
    arms=(
        Arm("hpb", "hpb", CHART),
        Arm("dep2str", "dep2str", CHART),
        Arm("dgst", "dgst", CHART),
        Arm(COARSER, "dgst", CHART, extract=CHANGES[_CHOSEN]),
        Arm(MIXED, "dgst", CHART, extract=CHANGES[_MIXED]),
        Arm(SHORTER, "dgst", CHART, extract=CHANGES[_SHORTER]),
        Arm("hpb+links", "hpb", CHART, selection=("dwl",), training=LINKS),
        Arm(LINKED, "dgst", CHART, extract=CHANGES[_SHORTER], selection=("dwl",), training=LINKS),
        Arm("hpb+order", "hpb", CHART, selection=("order",)),
        Arm(ORDERED, "dgst", CHART, extract=CHANGES[_SHORTER], selection=("order",)),
    ),
    corpora=("multi30k-de-en", "3am-zh-en", "ted-zh-en"),
    # The paper reports it.
    extra_metrics=("meteor",),
    movement=True,
    claims=(
        Claim("dgst", "hpb", {"de-en": 0.55, "zh-en": 1.25}),
        Claim(COARSER, "hpb", {}),
        Claim(COARSER, "dgst", {}),
        Claim(MIXED, "hpb", {}),
        Claim(SHORTER, "hpb", {}),
        Claim("hpb+links", "hpb", {}),
        Claim(LINKED, "hpb", {}),
        Claim(LINKED, "hpb+links", {}),
        Claim("hpb+order", "hpb", {}),
        Claim(ORDERED, "hpb", {}),
        Claim(ORDERED, "hpb+order", {}),
        Claim(ORDERED, SHORTER, {}),
    ),
)

_SPANS, _DEFAULT = (10, 20, 30, 40, 50), 20


def _arm(system: str, span: int) -> str:
    return system if span == _DEFAULT else f"{system}, {span} words"


GRAPH_TO_STRING_SPANS = Recipe(
    name="graph-to-string-spans",
    summary="HPB and DGST by the most source words that a rule may cover, with the weights of the default, 20",
    paper=f"{PAPER}, figure 5",
    arms=tuple(
        Arm(
            _arm(system, span),
            system,
            {**CHART, "max_span": span},
            tuned_as="" if span == _DEFAULT else system,
        )
        for system in ("hpb", "dgst")
        for span in sorted(_SPANS, key=lambda span: span != _DEFAULT)
    ),
    corpora=GRAPH_TO_STRING.corpora,
    movement=True,
    claims=tuple(Claim(_arm("dgst", span), _arm("hpb", span), {}) for span in _SPANS),
    ablations=tuple(
        Ablation(f"max_span of {system}", tuple((f"{span} words", _arm(system, span)) for span in _SPANS), "max_span")
        for system in ("hpb", "dgst")
    ),
)
