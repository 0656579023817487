"""A derivation of a chart shows its tree."""

from __future__ import annotations

import copy
import dataclasses
import itertools
import pickle
import xml.etree.ElementTree as ET
from collections import Counter

import pytest
from graphmt.model import Derivation, Step
from small_models import Trained

SVG = "{http://www.w3.org/2000/svg}"


def step(
    positions: tuple[int, ...],
    kind: str,
    target: str = "",
    places: tuple[int, ...] = (),
    children: tuple[int, ...] = (),
) -> Step:
    words = tuple(target.split())
    links = tuple(itertools.product(positions[:1], places[:1]))
    return Step(positions, kind, None, words, links, 2.0, places, children)


#: Three pieces: a rule with two holes that it keeps in order, an unknown word, a full stop.
PIECES = Derivation(
    ("im", "park", "mit", "dem", "Qwertz", "."),
    (),
    (
        step((), "glue", children=(1, 4, 5)),
        step((0, 2), "rule", "in the with", (0, 1, 3), (2, 3)),
        step((1,), "rule", "park", (2,)),
        step((3,), "rule", "the", (4,)),
        step((4,), "copy", "Qwertz", (5,)),
        step((5,), "rule", ".", (6,)),
    ),
)

#: Merges of two pieces each, straight and inverted.
MERGED = Derivation(
    ("weil", "er", "schläft", "heute"),
    (),
    (
        step((), "glue", children=(1,)),
        step((), "inverted", children=(2, 5)),
        step((), "straight", children=(3, 4)),
        step((2,), "rule", "sleeps", (0,)),
        step((3,), "rule", "today", (1,)),
        step((0, 1), "rule", "because he", (2, 3)),
    ),
)


def forty() -> Derivation:
    """Forty words, every rule with a word before and after its hole."""
    steps = [step((), "glue", children=(1,))]
    steps += [step((k, 39 - k), "rule", f"a{k} z{k}", (k, 39 - k), (k + 2,) if k < 19 else ()) for k in range(20)]
    return Derivation(tuple(f"w{k}" for k in range(40)), (), tuple(steps))


def test_rules_with_their_holes() -> None:
    assert str(PIECES).splitlines() == [
        " 1. glue  S → [1] [2] [3] | [1] [2] [3]",
        " 2.   rule  X → im [1] mit [2] | in the [1] with [2]",
        " 3.     rule  X → park | park",
        " 4.     rule  X → dem | the",
        " 5.   copy  X → Qwertz | Qwertz",
        " 6.   rule  X → . | .",
    ]
    assert str(MERGED).splitlines() == [
        " 1. glue  S → [1] | [1]",
        " 2.   inverted  X → [1] [2] | [2] [1]",
        " 3.     straight  X → [1] [2] | [1] [2]",
        " 4.       rule  X → schläft | sleeps",
        " 5.       rule  X → heute | today",
        " 6.     rule  X → weil er | because he",
    ]


def test_holes_show_their_labels_on_the_source_side() -> None:
    """The "X 的 X" structure with the labels of dgst; children are in target order, holes numbered in the source."""
    steps = (
        step((), "glue", children=(1,)),
        dataclasses.replace(step((1,), "rule", "of", (1,), (2, 3)), labels=("NN", "NN_P")),
        step((2,), "rule", "decision", (0,)),
        step((0,), "rule", "court", (2,)),
    )
    made = Derivation(("fating", "de", "jueding"), (), steps)
    assert str(made).splitlines()[1] == " 2.   rule  X → [NN_P 1] de [NN 2] | [2] of [1]"
    assert "<title>rule: [NN_P 1] de [NN 2] | [2] of [1]</title>" in made._repr_svg_()
    plain = dataclasses.replace(made, steps=(steps[0], dataclasses.replace(steps[1], labels=("X", "X")), *steps[2:]))
    assert str(plain).splitlines()[1] == " 2.   rule  X → [1] de [2] | [2] of [1]"


def test_in_characters() -> None:
    assert PIECES.picture().text.splitlines() == [
        "1+┬─2┬───── im      1   1 in     ─────┬2─┬1+",
        "  │  ├──3── park    3   2 the    ─────┤  │",
        "  │  ├───── mit         3 park   ──3──┤  │",
        "  │  └──4── dem     5   4 with   ─────┤  │",
        "  ├────5?── Qwertz  6   5 the    ──4──┘  │",
        "  └─────6── .       7   6 Qwertz ──5?────┤",
        "                        7 .      ──6─────┘",
    ]
    assert MERGED.picture().text.splitlines() == [
        "1+──2⇄┬────6┬─ weil     3   1 sleeps  ──4─┬3─┬2⇄──1+",
        "      │     └─ er           2 today   ──5─┘  │",
        "      └─3┬─4── schläft  1   3 because ─┬6────┘",
        "         └─5── heute    2   4 he      ─┘",
    ]


@pytest.mark.parametrize("derivation", [PIECES, MERGED, forty()], ids=["pieces", "merged", "forty"])
def test_the_svg_has_every_word_and_every_rule(derivation: Derivation) -> None:
    root = ET.fromstring(derivation._repr_svg_())
    shown = [text.text for text in root.findall(f"{SVG}text") if text.get("font-size") == "16"]
    assert shown == [*derivation.source, *derivation.target]
    badges = Counter(g.get("data-rule") for g in root.iter(f"{SVG}g") if g.get("class") == "rule")
    # Once in source order, once in target order.
    assert badges == {str(k): 2 for k in range(1, len(derivation.steps) + 1)}
    links = [path for path in root.iter(f"{SVG}path") if path.get("class") == "link"]
    assert len(links) == sum(len(one.alignment) for one in derivation.steps)
    assert f"step 2, {derivation.steps[1].kind}: " in (root.findtext(f"{SVG}desc") or "")


def test_the_graph_of_the_sentence_does_not_get_in_the_way() -> None:
    with_heads = dataclasses.replace(PIECES, heads=(1, -1, 1, 4, 1, 1))
    assert with_heads.picture(deprels=["x"] * 6, bigram_links=True).svg == PIECES.picture().svg


def test_target_words_stand_where_the_steps_say() -> None:
    assert " ".join(PIECES.target) == "in the park with the Qwertz ."
    assert " ".join(MERGED.target) == "sleeps today because he"
    flat = tuple(dataclasses.replace(one, places=(), children=()) for one in PIECES.steps[1:])
    assert " ".join(Derivation(PIECES.source, (), flat).target) == "in the with park the Qwertz ."


def test_a_very_deep_tree_is_no_trouble() -> None:
    n = 1500
    steps = [step((k,), "rule", f"t{k}", (k,), (k + 1,) if k + 1 < n else ()) for k in range(n)]
    deep = Derivation(tuple(f"w{k}" for k in range(n)), (), tuple(steps))
    assert len(str(deep).splitlines()) == n
    assert deep.tree.source_side.height == n


def test_what_the_chart_finds_can_be_drawn(demo: Trained) -> None:
    """Rules and glue of a real model: filling the holes spells the sentence and its translation."""

    def spelt(derivation: Derivation, k: int, side: int) -> str:
        line = f" {derivation.tree.written(k)[side]} "
        for number, child in enumerate(derivation.tree.holes(k), 1):
            line = line.replace(f" [{number}] ", f" {spelt(derivation, child, side)} ")
        return line.strip()

    best = demo.load("hpb").translate(demo.texts()[:20])
    assert any(one.derivation.tree.is_reordered(k) for one in best for k in range(len(one.derivation.steps)))
    for one in best:
        derivation = one.derivation
        assert derivation.is_tree and derivation.target == one.tokens
        assert spelt(derivation, 0, 0).split() == list(derivation.source)
        assert spelt(derivation, 0, 1).split() == list(one.tokens)
        ET.fromstring(derivation.picture().svg)
        assert len(derivation.picture().text.splitlines()) >= max(len(derivation.source), len(derivation.target))


def test_steps_made_on_request_are_made_once_and_equal_those_given() -> None:
    made = []

    def steps() -> tuple[Step, ...]:
        made.append(1)
        return PIECES.steps

    deferred = Derivation.deferred(PIECES.source, PIECES.heads, steps)
    assert not made
    assert deferred == PIECES and hash(deferred) == hash(PIECES)
    assert deferred.steps is PIECES.steps and made == [1]
    with pytest.raises(AttributeError, match="no attribute 'rules'"):
        _ = deferred.rules  # type: ignore[attr-defined]
    # The function cannot be pickled: the steps are.
    again = Derivation.deferred(PIECES.source, PIECES.heads, lambda: PIECES.steps)
    for copied in (pickle.loads(pickle.dumps(again)), copy.deepcopy(again), dataclasses.replace(again)):
        assert copied == PIECES and copied.as_dict() == PIECES.as_dict()
