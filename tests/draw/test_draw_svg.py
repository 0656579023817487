"""SVG pictures: well formed, complete, and without lines that run over each other."""

from __future__ import annotations

import itertools
import re
import xml.etree.ElementTree as ET

import pytest
from amounts import examples
from graphmt.draw import Group, Picture, arcs_svg
from graphmt.draw.levels import levels, overlap
from graphmt.draw.measure import cells, ems
from graphmt.draw.palette import shade
from graphmt.draw.svg import INK
from graphmt.errors import InputError
from hypothesis import given, settings
from hypothesis import strategies as st
from trees import heads, projective_heads

SVG = "{http://www.w3.org/2000/svg}"
WORDS = ["Er", "ruft", "seine", "Schwester", "morgen", "an", "."]
HEADS = [1, -1, 3, 1, 1, 1, 1]
RELATIONS = ["nsubj", "root", "det:poss", "obj", "advmod", "compound:prt", "punct"]
TAGS = ["PRON", "VERB", "DET", "NOUN", "ADV", "ADP", "PUNCT"]
ENGLISH = ["He", "will", "call", "his", "sister", "tomorrow", "."]


def read(svg: str) -> ET.Element:
    return ET.fromstring(svg)


def of_class(root: ET.Element, name: str) -> list[ET.Element]:
    return [element for element in root.iter() if element.get("class") == name]


def texts(root: ET.Element) -> list[str]:
    return [element.text or "" for element in root.iter(f"{SVG}text")]


def test_everything_is_there() -> None:
    root = read(
        arcs_svg(
            WORDS,
            HEADS,
            RELATIONS,
            upos=TAGS,
            target=ENGLISH,
            alignment=[(0, 0), (1, 2), (5, 2), (2, 3), (3, 4), (4, 5), (6, 6)],
            possible=[(1, 1), (1, 2)],
            bigram_links=True,
            groups=[Group({1, 5}, target=[1, 2]), Group([2, 3], colour="#ffeeee", label="X & Y", target=[3])],
        )
    )
    labels = ["1", "X & Y", "1", "1", "X & Y"]
    assert sorted(texts(root)) == sorted([*WORDS, *RELATIONS, *TAGS, *ENGLISH, *labels])
    assert len(of_class(root, "arc")) == 6
    assert len(of_class(root, "root")) == 1
    assert len(of_class(root, "bigram")) == 6
    # (1, 2) is sure already, so it is not drawn a second time as possible.
    assert len(of_class(root, "link")) == 8
    assert sum(1 for link in of_class(root, "link") if link.get("stroke-dasharray")) == 1
    # The first group is in two pieces, the second in one; their translations below are in one each.
    assert [box.get("data-group") for box in of_class(root, "group")] == labels
    assert root.find(f"{SVG}title").text == " ".join(WORDS)  # type: ignore[union-attr]
    assert "ruft: root" in (root.find(f"{SVG}desc").text or "")  # type: ignore[union-attr]
    assert root.get("role") == "img"


def test_nothing_comes_from_elsewhere() -> None:
    svg = arcs_svg(WORDS, HEADS, RELATIONS)
    assert re.findall(r"https?://[^\"' ]+", svg) == ["http://www.w3.org/2000/svg"]
    assert "<script" not in svg and "<image" not in svg and "@import" not in svg


def test_words_are_escaped() -> None:
    words = ["<b>", "&amp;", '"', "'", "]]>"]
    root = read(arcs_svg(words, [-1, 0, 0, 0, 0], title='<"&', description="<&>"))
    assert texts(root) == words
    assert root.get("aria-label") == '<"&'


@given(heads())
@settings(max_examples=examples(60), deadline=None)
def test_any_tree(tree: list[int]) -> None:
    words = [f"w{i}" for i in range(len(tree))]
    root = read(arcs_svg(words, tree, [f"r{i}" for i in range(len(tree))]))
    assert [text for text in texts(root) if text.startswith("w")] == words
    assert len(of_class(root, "arc")) == len(tree) - 1


@given(heads())
@settings(max_examples=examples(100), deadline=None)
def test_levels(tree: list[int]) -> None:
    arcs = Picture([""] * len(tree), tree).arcs
    placed = levels(arcs)
    assert len(placed) == len(arcs)
    for one in arcs:
        for other in arcs:
            if one != other and overlap(one, other):
                assert placed[one] != placed[other]
                if one.left <= other.left and other.right <= one.right:
                    assert placed[one] > placed[other]


def lines(path: str) -> tuple[float, float, float, float]:
    """Start, end, and the heights of the foot and of the level part of an arc."""
    number = r"(-?[\d.]+)"
    found = re.match(rf"M{number} {number} V.* H{number} Q{number} {number}", path)
    assert found
    start, foot, _, end, level = map(float, found.groups())
    return start, end, foot, level


@given(projective_heads())
@settings(max_examples=examples(80), deadline=None)
def test_lines_of_a_projective_tree_never_cross(tree: list[int]) -> None:
    root = read(arcs_svg([f"w{i}" for i in range(len(tree))], tree, ["label"] * len(tree)))
    arcs = [lines(arc.get("d") or "") for arc in of_class(root, "arc")]
    (down,) = [float(re.match(r"M([\d.]+)", e.get("d") or "").group(1)) for e in of_class(root, "root")]  # type: ignore[union-attr]
    for start, end, foot, level in arcs:
        assert level < foot
        left, right = sorted((start, end))
        assert not left < down < right
        for other_start, other_end, _, other_level in arcs:
            for x in (other_start, other_end):
                # An upright line at x goes from the foot up to the other arc's level.
                assert not (left < x < right and other_level < level), "a line crosses an arc"


@given(heads(most=12))
@settings(max_examples=examples(60), deadline=None)
def test_words_and_labels_have_room(tree: list[int]) -> None:
    words = [f"word{'x' * (7 * i % 11)}" for i in range(len(tree))]
    labels = [f"relation{'y' * (5 * i % 7)}" for i in range(len(tree))]
    root = read(arcs_svg(words, tree, labels))
    at = {e.text: float(e.get("x") or 0) for e in root.iter(f"{SVG}text") if (e.text or "").startswith("word")}
    ends = [(float(e.get("x") or 0), ems(e.text or "") * 16) for e in root.iter(f"{SVG}text") if e.text in words]
    assert len(at) <= len(words)
    for (x, width), (next_x, next_width) in itertools.pairwise(ends):
        assert x + width / 2 + 8 < next_x - next_width / 2
    total = float(root.get("width") or 0)
    assert ends[-1][0] + ends[-1][1] / 2 < total
    for arc, label in zip(of_class(root, "arc"), labels_in_order(tree, labels), strict=True):
        start, end, _, _ = lines(arc.get("d") or "")
        assert abs(end - start) >= ems(label) * 11


def labels_in_order(tree: list[int], labels: list[str]) -> list[str]:
    placed = levels(Picture([""] * len(tree), tree, labels).arcs)
    return [arc.label for arc in placed]


@pytest.mark.parametrize(
    ("text", "width"),
    [("Bank", 4), ("图书馆", 6), ("ｗ", 2), ("é", 1), ("e\u0301", 1), ("", 0), ("ねこ", 4), ("한", 2)],
)
def test_cells(text: str, width: int) -> None:
    assert cells(text) == width


def test_wide_characters_get_more_room() -> None:
    assert ems("图书馆") == 3.0
    assert ems("iii") < ems("nnn") < ems("mmm")
    narrow = read(arcs_svg(["a", "b"], [-1, 0]))
    wide = read(arcs_svg(["图书馆", "书"], [-1, 0]))
    assert float(wide.get("width") or 0) > float(narrow.get("width") or 0) + 30


def test_a_long_sentence() -> None:
    tree = [-1, *range(59)]
    root = read(arcs_svg([f"w{i}" for i in range(60)], tree))
    assert len(of_class(root, "arc")) == 59
    # A chain needs one level only: the picture grows sideways, not upwards.
    assert float(root.get("height") or 0) < 150


def test_many_groups_differ_in_colour_or_border() -> None:
    words = [f"w{i}" for i in range(32)]
    boxes = of_class(read(Picture(words, [], groups=[{i} for i in range(32)]).svg), "group")
    assert len({(box.get("fill"), box.get("stroke"), box.get("stroke-dasharray")) for box in boxes}) == 32


def luminance(colour: str) -> float:
    """As WCAG defines it."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(share * part for share, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("k", range(16))
def test_words_and_lines_have_contrast(k: int) -> None:
    """4.5 for text on its box, 3 for lines on white and on the box (WCAG 2.2, AA)."""
    colours = shade(k)
    assert contrast(INK, colours.fill) >= 4.5
    assert min(contrast(colours.line, ground) for ground in ("#ffffff", colours.fill)) >= 3


def test_contexts_are_links_in_the_colour_of_their_group() -> None:
    """An arc, a bigram link that is drawn for the context alone, and one over a distance."""
    picture = Picture(WORDS, HEADS, groups=[{1}, {2}], contexts=[(1, 3), (2, 1), (2, 5)])
    root = read(picture.svg)
    arcs, bigrams = of_class(root, "arc context"), of_class(root, "bigram context")
    assert [path.get("stroke") for path in arcs] == [shade(0).line]
    assert [path.get("stroke") for path in bigrams] == [shade(1).line] * 2
    assert len(of_class(root, "arc")) == 5 and not of_class(root, "bigram")
    rows = picture.text.splitlines()
    assert rows[1].endswith("[1 Schwester]") and rows[2].endswith("[2 ruft an]")


@settings(max_examples=examples(40), deadline=None)
@given(st.lists(st.text("abil.", max_size=6), min_size=1, max_size=12), st.data())
def test_boxes_lie_beside_one_another(words: list[str], data: st.DataObject) -> None:
    owners = [data.draw(st.integers(0, 30)) for _ in words]
    groups = [
        Group(places, label=f"{k + 1}→", target=places)
        for k in range(31)
        for places in [[i for i, owner in enumerate(owners) if owner == k]]
    ]
    root = read(Picture(words, [], groups=groups, target=words).svg)
    boxes = [tuple(float(box.get(name) or 0) for name in ("x", "y", "width")) for box in of_class(root, "group")]
    stretches = sum(1 for _ in itertools.groupby(owners))
    assert len(boxes) == 2 * stretches
    for (x, y, width), (next_x, next_y, _) in itertools.pairwise(boxes):
        assert y != next_y or x + width < next_x
    assert all(x > 0 and x + width < float(root.get("width") or 0) for x, _, width in boxes)


@pytest.mark.parametrize(
    ("words", "tree", "more", "message"),
    [
        (["a", "b"], [-1], {}, "2 words but 1 heads"),
        (["a", "b"], [-1, 0], {"deprels": ["root"]}, "2 words but 1 deprels"),
        (["a", "b"], [-1, 2], {}, "word 1 .* has the head 2"),
        (["a", "b"], [-1, 1], {}, "word 1 .* has the head 1"),
        (["a", "b"], [-1, 0], {"groups": [{2}]}, "a group contains position 2"),
        (["a", "b"], [-1, 0], {"groups": [Group({0}, target=[1])], "target": ["x"]}, "translation contains position 1"),
        (["a", "b"], [-1, 0], {"contexts": [(0, 2)]}, r"a context contains \(0, 2\)"),
        (["a", "b"], [-1, 0], {"bigram_links": [(0, 5)]}, r"a bigram link contains \(0, 5\)"),
        (["a", "b"], [-1, 0], {"target": ["x"], "alignment": [(0, 1)]}, r"an alignment contains \(0, 1\)"),
    ],
)
def test_bad_input(words: list[str], tree: list[int], more: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Picture(words, tree, **more)  # type: ignore[arg-type]
