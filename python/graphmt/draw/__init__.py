"""Pictures of a sentence's graph (dependencies as arcs, bigram links, groups, alignments) and of trees of rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmt.exports import lazily

if TYPE_CHECKING:
    from graphmt.draw.palette import PALETTE
    from graphmt.draw.picture import Drawing, Picture, TreePicture, arcs_svg, arcs_text
    from graphmt.draw.rule_tree import RuleNode, RuleTree
    from graphmt.draw.scene import Group, Scene

__all__ = [
    "PALETTE",
    "Drawing",
    "Group",
    "Picture",
    "RuleNode",
    "RuleTree",
    "Scene",
    "TreePicture",
    "arcs_svg",
    "arcs_text",
]

__getattr__ = lazily(
    __name__,
    {
        "palette": "PALETTE",
        "picture": "Drawing Picture TreePicture arcs_svg arcs_text",
        "rule_tree": "RuleNode RuleTree",
        "scene": "Group Scene",
    },
)
