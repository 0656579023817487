"""Lexical weights of Moses' phrase table, rebuilt from its alignment and the training text."""

from __future__ import annotations

import collections
import gzip
import itertools
import math
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from amounts import LONG
from graphmt.align import LexicalTable, read_alignment
from graphmt.corpus import tokenised
from peers.moses import ESCAPES

DATA = Path(os.environ.get("GRAPHMT_DATA", Path(__file__).parents[2] / ".." / "shared"))
TEXT = DATA / "data" / "multi30k-de-en"
PEER = DATA / "peers" / "moses-multi30k-de-en"

pytestmark = pytest.mark.skipif(
    not (TEXT.is_dir() and PEER.is_dir()), reason=f"needs {TEXT} and {PEER} (set GRAPHMT_DATA)"
)

TOLERANCE = 5e-6

Links = tuple[tuple[int, int], ...]


def escaped(path: Path) -> Iterator[str]:
    table = str.maketrans(ESCAPES)
    return (line.translate(table) for line in tokenised(path, lowercase=True))


@pytest.fixture(scope="module")
def text() -> tuple[list[str], list[str]]:
    return list(escaped(TEXT / "train.de.conllu.gz")), list(escaped(TEXT / "train.en.gz"))


@pytest.fixture(scope="module")
def alignment():
    return read_alignment(PEER / "aligned.gdfa.gz")


def entries() -> Iterator[tuple[list[str], list[str], float, float, Links]]:
    with gzip.open(PEER / "phrase-table.dev100.gz", "rt", encoding="utf-8") as stream:
        for line in stream:
            source, target, scores, links = line.split(" ||| ")[:4]
            _, f_given_e, _, e_given_f = map(float, scores.split())
            pairs = tuple((int(i), int(j)) for i, j in (link.split("-") for link in links.split()))
            yield source.split(), target.split(), f_given_e, e_given_f, pairs


def same(found: float, expected: float) -> bool:
    return math.isclose(found, expected, rel_tol=TOLERANCE, abs_tol=1e-12)


def test_the_alignment_is_whole(alignment) -> None:
    assert (len(alignment), alignment.links) == (29_000, 395_772)


def test_every_lexical_weight(text, alignment) -> None:
    table = LexicalTable.count(*text, alignment)
    apart = []
    number = 0
    # Every fifth in an ordinary run.
    for source, target, f_given_e, e_given_f, links in itertools.islice(entries(), 0, None, 1 if LONG else 5):
        number += 1
        ours = table.weights(source, target, links)
        assert same(ours[0], e_given_f), (source, target)
        if not same(ours[1], f_given_e):
            apart.append((source, target, f_given_e))
    assert number == (28_425 if LONG else 28_425 // 5)
    # Moses shows the alignment that lex(e|f) used; of two equally frequent ones lex(f|e) may use the other.
    assert len(apart) <= 261
    where = occurrences(text, {tuple(source) for source, *_ in apart})
    for source, target, f_given_e in apart:
        chosen = most_frequent(source, target, where[tuple(source)], text, alignment)
        ours = table.weights(source, target, chosen)
        assert same(ours[1], f_given_e), (source, target)


def occurrences(text, phrases) -> dict[tuple[str, ...], list[tuple[int, int]]]:
    """Sentence and first position of every occurrence of these source phrases."""
    found = collections.defaultdict(list)
    lengths = {len(phrase) for phrase in phrases}
    for number, line in enumerate(text[0]):
        words = line.split()
        for length in lengths:
            for start in range(len(words) - length + 1):
                if (phrase := tuple(words[start : start + length])) in phrases:
                    found[phrase].append((number, start))
    return found


def most_frequent(source, target, where, text, alignment) -> Links:
    """The most frequent alignment of a phrase pair; of equals the largest as lists, by source word, of target
    positions."""
    counts: collections.Counter[Links] = collections.Counter()
    for number, start in where:
        words = text[1][number].split()
        links = alignment[number]
        for first in range(len(words) - len(target) + 1):
            if words[first : first + len(target)] != target:
                continue
            inside = [
                (i - start, j - first, start <= i < start + len(source), first <= j < first + len(target))
                for i, j in links
            ]
            if all(a == b for *_, a, b in inside) and any(a for *_, a, _ in inside):
                counts[tuple((i, j) for i, j, a, _ in inside if a)] += 1

    def by_source(links: Links) -> list[list[int]]:
        return [sorted(j for i, j in links if i == at) for at in range(len(source))]

    return max(counts, key=lambda links: (counts[links], by_source(links)))
