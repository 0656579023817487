"""Readers of the formats of other programs, written from their definitions, and all derivations of what they read.

A derivation is its score and its words.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Derivations = list[tuple[float, tuple[str, ...]]]

#: tails, words with the numbers of holes from 0, score.
Edge = tuple[tuple[int, ...], tuple["str | int", ...], float]

_OSG = re.compile(
    r"(?P<sentence>\d+) hyp=(?P<hyp>\d+) stack=(?P<stack>\d+) back=(?P<back>\d+) score=(?P<score>\S+)"
    r" transition=(?P<transition>\S+)(?: recombined=(?P<recombined>\d+))? forward=(?P<forward>-?\d+)"
    r" fscore=(?P<fscore>\S+) covered=(?P<first>\d+)-(?P<last>\d+) out=(?P<out>.*)"
)


def osg(text: str) -> tuple[dict[int, list[Edge]], int, list[dict[str, str]]]:
    """The edges into each node, the goal, and the fields of the hypotheses."""
    first, *lines = text.splitlines()
    assert re.fullmatch(r"\d+ hyp=0 stack=0", first)
    rows = [match.groupdict() for line in lines if (match := _OSG.fullmatch(line))]
    assert len(rows) == len(lines)
    edges: dict[int, list[Edge]] = {}
    for row in rows:
        node = int(row["recombined"] or row["hyp"])
        edges.setdefault(node, []).append(((int(row["back"]),), (0, *row["out"].split()), float(row["transition"])))
    goals = {int(row["recombined"] or row["hyp"]) for row in rows if row["forward"] == "-1"}
    (goal,) = goals or {0}
    return edges, goal, rows


def slf(text: str) -> tuple[dict[int, list[Edge]], int]:
    """The edges into each node, and the last node; the lattice's own counts are checked."""
    head: dict[str, str] = {}
    nodes: list[int] = []
    edges: dict[int, list[Edge]] = {}
    links = []
    for line in text.splitlines():
        fields = dict(part.split("=", 1) for part in line.split())
        if "J" in fields:
            links.append(fields)
        elif "I" in fields:
            nodes.append(int(fields["I"]))
        else:
            head |= fields
    assert head["VERSION"] == "1.0" and head["UTTERANCE"].startswith("Sentence_")
    assert nodes == list(range(int(head["NODES"]))) and len(links) == int(head["LINKS"])
    assert [int(link["J"]) for link in links] == list(range(len(links)))
    for link in links:
        words = () if link["W"] == "!NULL" else (re.sub(r"\\(.)", r"\1", link["W"]),)
        edges.setdefault(int(link["E"]), []).append(((int(link["S"]),), (0, *words), float(link["a"])))
    starts = {int(link["S"]) for link in links} - set(edges)
    ends = set(edges) - {int(link["S"]) for link in links}
    assert (starts, ends) == ({0}, {nodes[-1]}), "a lattice has one start and one end"
    assert all(before < node for node, into in edges.items() for (before,), _, _ in into), "and no cycles"
    assert {0, *edges} == set(nodes)
    return edges, nodes[-1]


def cdec(text: str) -> tuple[dict[int, list[Edge]], int, list[str]]:
    """The edges into each node, the goal, and the source sides; keys are read in order, as cdec does."""
    assert text.count("\n") == 1 and text.endswith("\n")
    rules: dict[int, tuple[list[str], list[str]]] = {}
    features: list[str] = []
    waiting: list[dict[str, Any]] = []
    made = 0
    edges: dict[int, list[Edge]] = {}
    cats: list[str] = []
    sides: list[str] = []
    for key, value in json.loads(text, object_pairs_hook=list):
        if key == "rules":
            for number, rule in zip(value[::2], value[1::2], strict=True):
                lhs, source, target = (part.strip() for part in rule.split("|||"))
                rules[number] = source.split(), target.split()
                assert re.fullmatch(r"\[[SX]\]", lhs)
                sides.append(source)
        elif key == "features":
            features = value
        elif key == "edges":
            waiting = [dict(one) for one in value]
        else:
            node = dict(value)
            assert key == "node" and node["in_edges"] == list(range(made, made + len(waiting)))
            made += len(waiting)
            edges[len(cats)] = [_of_cdec(edge, rules, features, cats) for edge in waiting]
            cats.append(node["cat"])
    return edges, len(cats) - 1, sides


def _of_cdec(edge: dict[str, Any], rules: Mapping[int, Any], features: list[str], cats: Sequence[str]) -> Edge:
    source, target = rules[edge["rule"]]
    tails = tuple(edge["tail"])
    # Nonterminals are numbered in source order, with the category of their node, and appear once on the target side.
    holes = [word for word in source if re.fullmatch(r"\[\w+,\d\]", word)]
    assert holes == [f"[{cats[tail]},{k}]" for k, tail in enumerate(tails, 1)]
    words = tuple(int(word[1]) - 1 if re.fullmatch(r"\[\d\]", word) else word for word in target)
    assert sorted(word for word in words if isinstance(word, int)) == list(range(len(tails)))
    assert features == ["score"] and edge["feats"][0] == 0 and len(edge["spans"]) == 4
    return tails, words, edge["feats"][1]


def derivations(edges: Mapping[int, Iterable[Edge]], goal: int, start: int | None = None) -> Derivations:
    """All derivations of the goal, best first, by brute force; a node without edges is the start."""
    found: dict[int, Derivations] = {} if start is None else {start: [(0.0, ())]}
    for node in sorted(edges):
        found[node] = []
        for tails, words, score in edges[node]:
            for parts in itertools.product(*(found[tail] for tail in tails)):
                text = (w for word in words for w in (parts[word][1] if isinstance(word, int) else (word,)))
                found[node].append((score + sum(part[0] for part in parts), tuple(text)))
    return sorted(found[goal], key=lambda one: -one[0])


def best(edges: Mapping[int, Iterable[Edge]], goal: int, start: int | None = None) -> tuple[float, tuple[str, ...]]:
    """The best derivation of the goal, by dynamic programming."""
    scores: dict[int, float] = {} if start is None else {start: 0.0}
    texts: dict[int, tuple[str, ...]] = {} if start is None else {start: ()}
    for node in sorted(edges):
        tails, words, score = max(edges[node], key=lambda edge: edge[2] + sum(scores[tail] for tail in edge[0]))
        scores[node] = score + sum(scores[tail] for tail in tails)
        parts = (texts[tails[word]] if isinstance(word, int) else (word,) for word in words)
        texts[node] = tuple(word for part in parts for word in part)
    return scores[goal], texts[goal]
