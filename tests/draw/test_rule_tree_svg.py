"""Trees of rules in SVG: well formed, complete, nothing on top of anything else."""

from __future__ import annotations

import itertools
import re
import xml.etree.ElementTree as ET
from collections import Counter

from amounts import examples
from graphmt.draw import RuleNode, TreePicture
from hypothesis import given, settings
from hypothesis import strategies as st
from rule_trees import rule_trees, scattered_trees

SVG = "{http://www.w3.org/2000/svg}"


def of_class(root: ET.Element, name: str) -> list[ET.Element]:
    return [element for element in root.iter() if element.get("class") == name]


def words(root: ET.Element) -> list[tuple[str, float, float]]:
    """The texts that are words, with their places: those straight in the picture, in the size of words."""
    found = [text for text in root.findall(f"{SVG}text") if text.get("font-size") == "16"]
    return [(text.text or "", float(text.get("x") or 0), float(text.get("y") or 0)) for text in found]


def numbers(text: str) -> list[float]:
    return [float(number) for number in re.findall(r"-?[\d.]+", text)]


def test_a_swap() -> None:
    picture = TreePicture(
        ["<im>", "park", "mit", "ihr"],
        ["with", "her", "&", "the", "park"],
        [RuleNode((0, 2), (0, 2, 3), (1, 2)), RuleNode((3,), (1,)), RuleNode((1,), (4,))],
        [(0, 2), (0, 3), (1, 4), (2, 0), (3, 1)],
    )
    root = ET.fromstring(picture.svg)
    assert [word for word, _, _ in words(root)] == [*picture.words, *picture.target]
    # The holes are numbered where they change places, on both sides; every rule has a badge on both.
    small = [text.text for text in root.findall(f"{SVG}text") if text.get("font-size") == "10"]
    assert sorted(small) == ["[1]", "[1]", "[2]", "[2]"]
    badges = of_class(root, "rule")
    assert Counter(badge.get("data-rule") for badge in badges) == {"1": 2, "2": 2, "3": 2}
    assert [badge.findtext(f"{SVG}text") for badge in badges[:3]] == ["1⇄", "2", "3"]
    assert badges[0].findtext(f"{SVG}title") == "rule: <im> [1] mit [2] | with [2] & the [1]"
    # Own words: im, mit, ihr, park; with, & the, her, park.
    assert [box.get("data-group") for box in of_class(root, "group")] == ["1", "1", "2", "3"] * 2
    assert len(of_class(root, "link")) == 5
    assert root.findtext(f"{SVG}title") == root.get("aria-label") == "<im> park mit ihr = with her & the park"
    assert "step 1, rule: <im> [step 3] mit [step 2]" in (root.findtext(f"{SVG}desc") or "")
    assert root.get("role") == "img"


def test_nothing_comes_from_elsewhere() -> None:
    svg = TreePicture(["a"], ["b"], [RuleNode((0,), (0,))]).svg
    assert re.findall(r"https?://[^\"' ]+", svg) == ["http://www.w3.org/2000/svg"]
    assert "<script" not in svg and "<image" not in svg and "@import" not in svg


@given(st.one_of(rule_trees(), scattered_trees()))
@settings(max_examples=examples(100), deadline=None)
def test_every_word_is_there_once_and_inside(tree: TreePicture) -> None:
    root = ET.fromstring(tree.svg)
    assert [word for word, _, _ in words(root)] == [*tree.words, *tree.target]
    width, height = float(root.get("width") or 0), float(root.get("height") or 0)
    for badge in of_class(root, "rule"):
        rect = badge.find(f"{SVG}rect")
        assert rect is not None
        x, y, across = (float(rect.get(name) or 0) for name in ("x", "y", "width"))
        assert x >= 0 and x + across <= width and y >= 0 and y + 17 <= height
    covered = sum(side.covers(k) for side in (tree.source_side, tree.target_side) for k in range(len(tree.nodes)))
    assert len(of_class(root, "rule")) == covered


@given(rule_trees())
@settings(max_examples=examples(100), deadline=None)
def test_badges_and_boxes_do_not_overlap(tree: TreePicture) -> None:
    root = ET.fromstring(tree.svg)
    rects = [rect for rect in root.iter(f"{SVG}rect") if rect.get("rx")]
    boxes = [tuple(float(rect.get(name) or 0) for name in ("x", "y", "width", "height")) for rect in rects]
    for (x, y, w, h), (a, b, c, d) in itertools.combinations(boxes, 2):
        assert x + w <= a + 0.2 or a + c <= x + 0.2 or y + h <= b or b + d <= y, "one lies on another"


@given(rule_trees())
@settings(max_examples=examples(100), deadline=None)
def test_lines_of_a_tree_never_cross(tree: TreePicture) -> None:
    """A foot goes straight down at its x; no level line of another rule may cut it."""
    root = ET.fromstring(tree.svg)
    level, upright = [], []
    for foot in of_class(root, "foot"):
        path = foot.get("d") or ""
        first, y = numbers(path)[:2]
        end = numbers(path)[-1]
        x = numbers(path.partition("Q")[2] or path.partition("H")[2])[0]
        level.append((*sorted((first, x)), y))
        upright.append((x, *sorted((y, end))))
    for (left, right, y), (x, low, high) in itertools.product(level, upright):
        assert not (left + 0.2 < x < right - 0.2 and low + 0.2 < y < high - 0.2), "lines cross"


def test_forty_words_stay_readable() -> None:
    """A comb, the deepest tree there is: words keep their size and distance, and lines to far words have a slope."""
    n = 40
    nodes = [RuleNode((k,), (n - 1 - k,), (k + 1,) if k + 1 < n else ()) for k in range(n)]
    words_of = [[f"{name}{k}" for k in range(n)] for name in ("wort", "word")]
    picture = TreePicture(*words_of, nodes, [(k, n - 1 - k) for k in range(n)])
    root = ET.fromstring(picture.svg)
    found = words(root)
    assert len(found) == 80
    for (word, x, y), (_, next_x, next_y) in itertools.pairwise(found):
        assert y != next_y or next_x - x >= 16 * 0.58 * len(word)
    assert found[-1][2] - found[0][2] > 200
    assert float(root.get("width") or 0) < 4000 and float(root.get("height") or 0) < 3000
