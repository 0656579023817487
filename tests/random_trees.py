"""Random trees for property tests, and CoNLL-U written by hand in few characters."""

from __future__ import annotations

from hypothesis import strategies as st


@st.composite
def heads(draw: st.DrawFn, most: int = 12) -> list[int]:
    """Any tree: the words in a drawn order, each attached to an earlier one of that order."""
    order = draw(st.permutations(range(draw(st.integers(1, most)))))
    found = [-1] * len(order)
    for place, word in enumerate(order[1:], 1):
        found[word] = order[draw(st.integers(0, place - 1))]
    return found


def conllu(*rows: str) -> str:
    """A sentence from rows ``id form head``; a row that starts with ``#`` is a comment."""
    text = ""
    for row in rows:
        if row.startswith("#"):
            text += f"{row}\n"
            continue
        ident, form, head = row.split(" ")
        label = "_" if head == "_" else "root" if head == "0" else "dep"
        text += f"{ident}\t{form}\t_\t_\t_\t_\t{head}\t{label}\t_\t_\n"
    return text + "\n"
