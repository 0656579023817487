"""Choices that the papers of the left-to-right systems leave open, one at a time, scored on held-out halves of dev."""

from graphmt.experiments.recipe import Arm, Claim, Recipe

BASE = {"identity": "links", "context_scope": "next", "smoothing": "none", "unaligned": "linked"}


def _changed(**extract: str) -> dict[str, str]:
    return {**BASE, **extract}


#: Contexts of words: the words that a word has links to choose its translation.
_LINKED_WORDS = {"dwl": {"context": "links"}}

CHANGES = (
    Arm("gaps", "gbmt-ctx", extract=_changed(identity="gaps")),
    Arm("rest", "gbmt-ctx", extract=_changed(context_scope="rest")),
    Arm("neighbours", "gbmt-ctx", extract=_changed(unaligned="neighbours")),
    Arm("good-turing", "gbmt-ctx", extract=_changed(smoothing="good-turing")),
    Arm("kneser-ney", "gbmt-ctx", extract=_changed(smoothing="kneser-ney")),
    Arm("features", "gbmt-ctx", {"contexts": "features"}, extract=_changed()),
    Arm("features-rest", "gbmt-ctx", {"contexts": "features"}, extract=_changed(context_scope="rest")),
    Arm("words", "gbmt-ctx", extract=_changed(), selection=("dwl",), training=_LINKED_WORDS),
)

SEGMENTATION_CHOICES = Recipe(
    name="segmentation-choices",
    summary="rule identity, context scope, unaligned words, smoothing, contexts as features and of words; by dev alone",
    paper="Context-Aware Graph Segmentation for Graph-Based Translation: what it leaves open",
    arms=(
        Arm("gbmt-ctx", "gbmt-ctx", extract=_changed()),
        *CHANGES,
        Arm("gbmt", "gbmt", extract=_changed()),
        Arm("gbmt-words", "gbmt", extract=_changed(), selection=("dwl",), training=_LINKED_WORDS),
        Arm("gbmt-gaps", "gbmt", extract=_changed(identity="gaps")),
        Arm("pbmt", "pbmt", extract=_changed()),
        Arm("pbmt-good-turing", "pbmt", extract=_changed(smoothing="good-turing")),
        Arm("pbmt-kneser-ney", "pbmt", extract=_changed(smoothing="kneser-ney")),
    ),
    corpora=("multi30k-de-en", "3am-zh-en"),
    claims=(
        Claim("gbmt-ctx", "pbmt", {}),
        Claim("gbmt-ctx", "gbmt", {}),
        Claim("features", "gbmt", {}),
        Claim("features-rest", "gbmt", {}),
        Claim("words", "gbmt", {}),
        Claim("gbmt-words", "gbmt", {}),
        Claim("words", "gbmt-words", {}),
        Claim("gbmt-gaps", "gbmt", {}),
        Claim("pbmt-good-turing", "pbmt", {}),
        Claim("pbmt-kneser-ney", "pbmt", {}),
    ),
    part="held-out",
)
