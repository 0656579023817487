"""A derivation shows how the graph was segmented."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from graphmt.model import Derivation, Step

SVG = "{http://www.w3.org/2000/svg}"

#: He calls his sister Qwertz: a separable verb, one of each kind of rule.
DERIVATION = Derivation(
    ("er", "ruft", "seine", "schwester", "Qwertz", "an"),
    (1, -1, 3, 1, 3, 1),
    (
        Step((0,), "basic", None, ("he",), ((0, 0),), 12),
        Step((1, 5), "segmenting", (1,), ("is", "calling"), ((1, 2), (5, 2)), 3),
        Step((2, 3), "selecting", (), ("his", "sister"), ((2, 3), (3, 4)), 5),
        Step((4,), "copy", None, ("Qwertz",), ((4, 5),), 0),
    ),
)


def test_the_picture_has_a_group_for_each_step() -> None:
    root = ET.fromstring(DERIVATION._repr_svg_())
    groups = [rect.get("data-group") for rect in root.iter(f"{SVG}rect") if rect.get("class") == "group"]
    # The verb's two parts are two boxes with one label, and every step has one around its target words.
    assert sorted(groups) == ["1", "1", "2→", "2→", "2→", "3∅", "3∅", "4?", "4?"]
    links = [path for path in root.iter(f"{SVG}path") if path.get("class") == "link"]
    assert len(links) == 6
    shown = [text.text for text in root.iter(f"{SVG}text")]
    assert {*DERIVATION.source, *DERIVATION.target, *groups} <= set(shown)
    told = root.find(f"{SVG}desc")
    assert told is not None and "step 2, segmenting: ruft an = is calling, before seine schwester;" in (told.text or "")
    # The context of step 2 is ruft, which is linked to the untranslated seine and schwester; er and an are translated.
    contexts = [path.get("class") for path in root.iter(f"{SVG}path") if "context" in (path.get("class") or "")]
    assert sorted(contexts) == ["arc context", "bigram context"]


def test_in_characters() -> None:
    text = DERIVATION.picture().text
    assert "[2→ seine schwester]" in text and "[3∅]" in text and "[4?]" in text
    rows = [line for line in text.splitlines() if "[2→" in line]
    assert len(rows) == 2 and "ruft" in rows[0] and "an" in rows[1]
    assert str(DERIVATION).splitlines()[1] == " 2. segmenting ruft[1] an[5] → is calling"


def test_without_a_tree_there_are_no_arcs() -> None:
    flat = Derivation(DERIVATION.source, (), DERIVATION.steps)
    root = ET.fromstring(flat._repr_svg_())
    kinds = {path.get("class") for path in root.iter(f"{SVG}path")}
    assert "arc" not in kinds and "root" not in kinds and "bigram" in kinds
    assert "[1]" in flat.picture().text


def test_derivations_of_real_translations_can_be_drawn(demo) -> None:
    for name in demo.models:
        model = demo.load(name)
        best = model.translate(demo.trees()[0] if model.system.needs_trees else demo.texts()[0])
        root = ET.fromstring(best.derivation._repr_svg_())
        shown = [text.text for text in root.iter(f"{SVG}text")]
        assert set(best.tokens) <= set(shown)
