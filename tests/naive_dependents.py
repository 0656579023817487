"""Dep2Str's fragments and rules by their definitions (Xie, Mi and Liu 2011), as plainly as they can be written."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import random_trees
from graphmt import _core
from hypothesis import strategies as st

TargetSpan = tuple[int, int]


@dataclass(frozen=True)
class Tagged:
    """A sentence pair with a tree and parts of speech; links are (source, target)."""

    source: tuple[str, ...]
    tags: tuple[str, ...]
    heads: tuple[int, ...]
    target: tuple[str, ...]
    links: frozenset[tuple[int, int]]


@st.composite
def tagged(draw: st.DrawFn, most: int = 6, words: str = "abc", target: str = "ABCD") -> Tagged:
    """Any tree; links between few words, so that many spans are consistent and some are not."""
    heads = draw(random_trees.heads(most))
    n, m = len(heads), draw(st.integers(1, most))
    some = st.lists(st.sampled_from(words), min_size=n, max_size=n)
    links = st.frozensets(st.tuples(st.integers(0, n - 1), st.integers(0, m - 1)), max_size=7)
    return Tagged(
        tuple(draw(some)),
        tuple(draw(st.lists(st.sampled_from("XY"), min_size=n, max_size=n))),
        tuple(heads),
        tuple(draw(st.lists(st.sampled_from(target), min_size=m, max_size=m))),
        draw(links),
    )


def write(folder: Path, corpus: Sequence[Tagged]) -> dict[str, Path]:
    """The files of a corpus, as the arguments that extraction takes."""
    files = {name: folder / name for name in ("source", "target", "alignment", "trees")}
    files["source"].write_text("".join(" ".join(pair.source) + "\n" for pair in corpus))
    files["target"].write_text("".join(" ".join(pair.target) + "\n" for pair in corpus))
    files["alignment"].write_text("".join(" ".join(f"{i}-{j}" for i, j in sorted(p.links)) + "\n" for p in corpus))
    files["trees"].write_text("".join(conllu(pair.source, pair.tags, pair.heads) for pair in corpus))
    return files


def conllu(words: Sequence[str], tags: Sequence[str], heads: Sequence[int]) -> str:
    """A tree with parts of speech."""
    rows = (
        f"{i}\t{word}\t_\t{tag}\t_\t_\t{head + 1}\t{'root' if head < 0 else 'dep'}\t_\t_\n"
        for i, (word, tag, head) in enumerate(zip(words, tags, heads, strict=True), 1)
    )
    return "".join(rows) + "\n"


@dataclass(frozen=True)
class Element:
    """A head, or one of its dependents with its subtree."""

    role: str
    word: int
    covers: tuple[int, ...]


def subtree(heads: Sequence[int], top: int) -> tuple[int, ...]:
    """A word and all that hangs below it."""

    def below(word: int) -> bool:
        return word == top or (heads[word] >= 0 and below(heads[word]))

    return tuple(word for word in range(len(heads)) if below(word))


def fragment(heads: Sequence[int], head: int) -> list[Element]:
    """A head with all of its dependents in the order of the sentence; head -1: the roots."""
    elements = [] if head < 0 else [Element("head", head, (head,))]
    for word in range(len(heads)):
        if heads[word] == head:
            covers = subtree(heads, word)
            elements.append(Element("leaf" if covers == (word,) else "internal", word, covers))
    return sorted(elements, key=lambda element: element.word)


def runs(elements: list[Element]) -> Iterator[list[Element]]:
    """Neighbouring elements, two or more."""
    for first, last in itertools.combinations(range(len(elements)), 2):
        yield elements[first : last + 1]


def aligned(pair: Tagged, words: Sequence[int]) -> TargetSpan | None:
    """The least target span of source words, if no other source word is aligned into it."""
    targets = [t for s, t in pair.links if s in words]
    if not targets:
        return None
    low, high = min(targets), max(targets)
    return (low, high) if all(s in words for s, t in pair.links if low <= t <= high) else None


def rules(pair: Tagged, *, partial: bool, phrasal: bool, max_source: int, max_target: int) -> list[str]:
    """Every rule occurrence of a pair as :func:`graphmt.rules.list_rules` writes it."""
    heads = _core.projectivise(list(pair.heads))
    found = [line for word in range(len(heads)) for line in _phrases(pair, (word,), max_target)]
    for head in range(-1, len(heads)):
        elements = fragment(heads, head)
        for run in runs(elements):
            with_head = any(element.role == "head" for element in run)
            if with_head and (partial or run == elements):
                found += _versions(pair, run)
            words = tuple(word for element in run for word in element.covers)
            if phrasal and len(words) <= max_source:
                found += _phrases(pair, words, max_target)
    return found


def _phrases(pair: Tagged, words: tuple[int, ...], most: int) -> Iterator[str]:
    least = aligned(pair, words)
    if least is None:
        return
    for first, last in itertools.product(range(least[0] + 1), range(least[1], len(pair.target))):
        added = [*range(first, least[0]), *range(least[1] + 1, last + 1)]
        if last - first < most and not any(t in added for _, t in pair.links):
            symbols = [(pair.source[word], word, None) for word in words]
            yield _line(pair, symbols, (first, last))


def _versions(pair: Tagged, run: list[Element]) -> set[str]:
    target = aligned(pair, [word for element in run for word in element.covers])
    own = [aligned(pair, element.covers) for element in run]
    if target is None or any(e.role == "internal" and o is None for e, o in zip(run, own, strict=True)):
        return set()
    found = set()
    for internal, leaves, head in itertools.product((False, True), repeat=3):
        symbols = []
        for element, span in zip(run, own, strict=True):
            word, tag = pair.source[element.word], pair.tags[element.word]
            label = {
                "internal": f"[+{tag}]" if internal else f"[:{word}]",
                "leaf": f"[.{tag}]" if leaves else None,
                "head": f"[^{tag}]" if head else None,
            }[element.role]
            is_hole = label is not None and span is not None
            symbols.append((label if is_hole else word, element.word, span if is_hole else None))
        if sum(hole is not None for _, _, hole in symbols) <= 5 and len(symbols) <= 16:
            found.add(_line(pair, symbols, target))
    return found


def _line(pair: Tagged, symbols: list[tuple[str | None, int, TargetSpan | None]], target: TargetSpan) -> str:
    holes = [hole for _, _, hole in symbols if hole is not None]
    shown, places = [], {}
    for t in range(target[0], target[1] + 1):
        inside = [number for number, (low, high) in enumerate(holes) if low <= t <= high]
        if not inside:
            places[t] = len(shown)
            shown.append(pair.target[t])
        elif holes[inside[0]][0] == t:
            shown.append(f"[{inside[0] + 1}]")
    points = [
        f"{k}-{places[t]}"
        for k, (_, word, hole) in enumerate(symbols)
        if hole is None
        for t in sorted(t for s, t in pair.links if s == word)
    ]
    source = " ".join(str(symbol) for symbol, _, _ in symbols)
    return f"{source} ||| {' '.join(shown)} ||| {' '.join(points)} ||| 1.000000"
