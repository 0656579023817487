"""The source graph of a sentence: links between its words, and trees made projective.

Words are counted from 0 and ``heads[j]`` is the position of word j's head, -1 for the root word, as in
:class:`graphmt.corpus.Tree`. Heads that do not form a tree raise an ``InputError``.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from graphmt import _core
from graphmt.errors import OptionError
from graphmt.options import nearest

__all__ = ["check_tree", "is_projective", "links", "projectivise"]

#: The kinds of links a source graph can have.
LINKS = ("bigram", "dependency")


def links(heads: Sequence[int], kinds: Sequence[str] = LINKS) -> NDArray[np.int32]:
    """The undirected, untyped links as rows (smaller, larger), sorted.

    ``bigram`` joins j and j+1, ``dependency`` a word and its head; a pair that has both kinds has one link.
    With bigram links alone the heads give the length only and need not form a tree.
    """
    for kind in kinds:
        if kind not in LINKS:
            raise OptionError(f"unknown kind of link {kind!r}{nearest(kind, LINKS)}.")
    return _core.graph_links(heads, "bigram" in kinds, "dependency" in kinds)


def is_projective(heads: Sequence[int]) -> bool:
    """Whether every word between a word and its head is a descendant of that head."""
    return _core.is_projective(heads)


def projectivise(heads: Sequence[int]) -> tuple[int, ...]:
    """The heads after lifting (Nivre and Nilsson 2005): projective, and unchanged if the tree was projective.

    As long as an arc is not projective, the shortest one, the leftmost of several, is attached to its head's
    head. Labels stay with their words.
    """
    return tuple(_core.projectivise(heads))


def check_tree(heads: Sequence[int]) -> int:
    """The root's position; an error says why the heads are not a tree (a cycle, several roots, none, ...)."""
    return _core.check_tree(heads)
