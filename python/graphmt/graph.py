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
    """List the undirected, untyped links of a source graph.

    A pair with both kinds of link has one row. With bigram links alone the heads give only the length and need not
    form a tree.

    Parameters
    ----------
    heads
        The head of each word, from 0; -1 for the root.
    kinds
        ``bigram`` joins j and j+1, ``dependency`` a word and its head.

    Returns
    -------
    NDArray[np.int32]
        Rows (smaller, larger), sorted.

    Examples
    --------
    >>> from graphmt import graph
    >>> graph.links([2, 2, -1]).tolist()
    [[0, 1], [0, 2], [1, 2]]
    """
    for kind in kinds:
        if kind not in LINKS:
            raise OptionError(f"unknown kind of link {kind!r}{nearest(kind, LINKS)}.")
    return _core.graph_links(heads, "bigram" in kinds, "dependency" in kinds)


def is_projective(heads: Sequence[int]) -> bool:
    """Whether every word between a word and its head is a descendant of that head.

    Parameters
    ----------
    heads
        The head of each word, from 0; -1 for the root.

    Returns
    -------
    bool
        True for a projective tree.

    Examples
    --------
    >>> from graphmt import graph
    >>> graph.is_projective([1, -1, 1]), graph.is_projective([2, 3, -1, 2])
    (True, False)
    """
    return _core.is_projective(heads)


def projectivise(heads: Sequence[int]) -> tuple[int, ...]:
    """Lift arcs until a tree is projective (Nivre and Nilsson 2005).

    As long as an arc is not projective, the shortest one, the leftmost of several, is attached to its head's head.
    Labels stay with their words.

    Parameters
    ----------
    heads
        The head of each word, from 0; -1 for the root.

    Returns
    -------
    tuple[int, ...]
        The new heads; unchanged if the tree was projective.

    Examples
    --------
    >>> from graphmt import graph
    >>> graph.projectivise([2, 3, -1, 2])
    (2, 2, -1, 2)
    """
    return tuple(_core.projectivise(heads))


def check_tree(heads: Sequence[int]) -> int:
    """Check that heads form a tree.

    Parameters
    ----------
    heads
        The head of each word, from 0; -1 for the root.

    Returns
    -------
    int
        The position of the root.

    Raises
    ------
    InputError
        If they do not: a cycle, several roots, none.

    Examples
    --------
    >>> from graphmt import graph
    >>> graph.check_tree([1, -1, 1])
    1
    """
    return _core.check_tree(heads)
