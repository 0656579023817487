"""Small corpora on disk, and random ones."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import random_trees
from hypothesis import strategies as st
from naive_rules import Pair


@st.composite
def pairs(draw: st.DrawFn, most: int = 6) -> Pair:
    heads = draw(random_trees.heads(most))
    n = len(heads)
    m = draw(st.integers(1, most))
    links = draw(st.frozensets(st.tuples(st.integers(0, n - 1), st.integers(0, m - 1)), max_size=8))
    return Pair(
        tuple(draw(st.lists(st.sampled_from("abcd"), min_size=n, max_size=n))),
        tuple(heads),
        tuple(draw(st.lists(st.sampled_from("xyz"), min_size=m, max_size=m))),
        links,
    )


def conllu(words: Sequence[str], heads: Sequence[int]) -> str:
    rows = [
        f"{i}\t{word}\t_\tX\t_\t_\t{head + 1}\t{'root' if head < 0 else 'dep'}\t_\t_\n"
        for i, (word, head) in enumerate(zip(words, heads, strict=True), 1)
    ]
    return "".join(rows) + "\n"


def write(folder: Path, corpus: Sequence[Pair]) -> dict[str, Path]:
    """The files of a corpus, as the arguments that extraction takes."""
    files = {name: folder / name for name in ("source", "target", "alignment", "trees")}
    files["source"].write_text("".join(" ".join(pair.source) + "\n" for pair in corpus))
    files["target"].write_text("".join(" ".join(pair.target) + "\n" for pair in corpus))
    files["alignment"].write_text("".join(" ".join(f"{i}-{j}" for i, j in sorted(p.links)) + "\n" for p in corpus))
    files["trees"].write_text("".join(conllu(pair.source, pair.heads) for pair in corpus))
    return files
