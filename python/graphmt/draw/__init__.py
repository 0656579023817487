"""Pictures of a sentence's graph: dependencies as arcs, bigram links, groups of words, word alignments."""

from graphmt.draw.picture import Picture, arcs_svg, arcs_text
from graphmt.draw.scene import PALETTE, Group, Scene

__all__ = ["PALETTE", "Group", "Picture", "Scene", "arcs_svg", "arcs_text"]
