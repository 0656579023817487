"""Extraction against its definition, on random graphs and on the paper's example."""

from __future__ import annotations

import collections
import tempfile
from pathlib import Path

import pytest
from amounts import examples
from graphmt.rules import ExtractOptions, RuleTable, extract_rules, list_rules
from graphmt.systems import SYSTEMS, Links, SubgraphRules, System
from hypothesis import given, settings
from hypothesis import strategies as st
from naive_rules import Limits, joints, listed, rules
from small_corpora import pairs, write
from the_example import EXAMPLE, TURNED


def kinds(system: System) -> tuple[str, ...]:
    return tuple(kind for kind in ("bigram", "dependency") if getattr(system.links, kind))


def options(limits: Limits, **more: object) -> ExtractOptions:
    sizes = {"max_source": limits.source, "max_target": limits.target, "max_span": limits.span}
    return ExtractOptions(**sizes, threads=1, **more)


limits = st.builds(
    Limits,
    source=st.integers(1, 5),
    target=st.integers(1, 5),
    span=st.integers(1, 6),
    unaligned=st.sampled_from(("linked", "neighbours")),
)


@settings(max_examples=examples(120))
@given(
    st.lists(pairs(), min_size=1, max_size=2),
    st.sampled_from([name for name, system in SYSTEMS.items() if type(system.grammar) is SubgraphRules]),
    limits,
    st.sampled_from(("next", "rest")),
)
def test_the_rules_of_random_pairs_are_those_of_the_definition(corpus, name, limits, scope) -> None:
    system = SYSTEMS[name]
    wanted = scope if system.grammar.context else None
    expected = [listed(pair, *rule) for pair in corpus for rule in rules(pair, kinds(system), limits, wanted)]
    with tempfile.TemporaryDirectory() as folder:
        # Of continuous phrases there is one kind, and rules without contexts have no scope.
        more = {"unaligned": limits.unaligned} if system.links.dependency else {}
        chosen = options(limits, **more, **({"context_scope": scope} if system.grammar.context else {}))
        found = list_rules(system, **write(Path(folder), corpus), options=chosen)
    assert sorted(line.rstrip() for line in found) == sorted(line.rstrip() for line in expected)


@settings(max_examples=examples(60))
@given(
    st.lists(pairs(5), min_size=2, max_size=5),
    st.booleans(),
    st.booleans(),
    st.sampled_from(("links", "gaps")),
    st.sampled_from(("next", "rest")),
)
def test_counts_and_relative_frequencies(corpus, bigram, context, identity, scope) -> None:
    """p(t|g,c) and p(g,c|t), for basic and for contextual rules on their own."""
    system = System("any", "", Links(bigram, dependency=True), SubgraphRules(context), {})
    limits = Limits(4, 4, 5)
    counts: collections.Counter[tuple[object, ...]] = collections.Counter()
    for pair in corpus:
        for nodes, first, last, c in rules(pair, kinds(system), limits, scope if context else None):
            words = tuple(pair.source[i] for i in nodes)
            side = (words, joints(pair, nodes, kinds(system), identity))
            counts[side, c, pair.target[first : last + 1]] += 1
    if not counts:
        return
    of_source: collections.Counter[object] = collections.Counter()
    of_target: collections.Counter[object] = collections.Counter()
    for (side, c, target), count in counts.items():
        of_source[side, c] += count
        of_target[target, c is None] += count

    found = {}
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "rules.bin"
        chosen = options(limits, identity=identity, **({"context_scope": scope} if context else {}))
        extract_rules(system, **write(Path(folder), corpus), out=out, options=chosen)
        table = RuleTable(out)
        for word in "abcd":
            for side in table.containing(word, 10_000):
                joined = side.gaps if identity == "gaps" else side.links
                for rule in side.rules:
                    key = ((side.words, joined), rule.context, rule.target)
                    found[key] = (rule.count, rule.probabilities[0], rule.probabilities[2])
        about = table.about
    expected = {
        (side, c, target): (
            count,
            pytest.approx(count / of_target[target, c is None], rel=1e-5),
            pytest.approx(count / of_source[side, c], rel=1e-5),
        )
        for (side, c, target), count in counts.items()
    }
    assert found == expected
    by_kind = collections.Counter("basic" if c is None else "segmenting" if c else "selecting" for _, c, _ in counts)
    assert {kind: about[kind] for kind in ("basic", "segmenting", "selecting")} == {
        kind: by_kind[kind] for kind in ("basic", "segmenting", "selecting")
    }


def test_the_papers_example(tmp_path) -> None:
    """Rules (3), (4) and (6) of Li, Way and Liu (2017)."""
    found = list_rules(SYSTEMS["gbmt-ctx"], **write(tmp_path, [EXAMPLE]))
    assert "2010Nian FIFA Shijiebei ||| 2010 FIFA World Cup ||| 0-0 1-1 2-2 2-3" in found
    # Both words are linked to what comes next, Shijiebei (Zai Nanfei): by the tree, and FIFA also as its neighbour.
    assert "2010Nian FIFA ||| 2010 FIFA ||| 0-0 1-1 ||| 0 1" in found
    assert "2010Nian FIFA ||| 2010 FIFA ||| 0-0 1-1 ||| " not in found
    # Its own context rules that select: after "successfully" comes "in", and Chenggong is not linked to Zai.
    assert "Chenggong ||| successfully ||| 0-0 ||| " in found
    # As one node, "Zai Nanfei" is next to Chenggong: that is a segmenting rule.
    assert "Chenggong ||| successfully ||| 0-0 ||| 0" in found
    # A discontinuous source side, connected by the tree alone.
    assert "Shijiebei Juxing ||| World Cup was held ||| 0-0 0-1 1-2 1-3" in found


def test_the_papers_example_selects_when_what_follows_is_elsewhere(tmp_path) -> None:
    """Graph (7): Shijiebei Zai Nanfei is translated already, and nothing links to Chenggong Juxing."""
    found = list_rules(SYSTEMS["gbmt-ctx"], **write(tmp_path, [TURNED]))
    assert "2010Nian FIFA ||| 2010 FIFA ||| 0-0 1-1 ||| " in found
    assert "2010Nian FIFA ||| 2010 FIFA ||| 0-0 1-1 ||| 0 1" not in found


def test_systems_differ_in_their_links_alone(tmp_path) -> None:
    files = write(tmp_path, [EXAMPLE])
    found = {name: set(list_rules(system, **files)) for name, system in SYSTEMS.items()}
    assert found["pbmt"] < found["gbmt"] < found["gbmt-ctx"]
    assert found["tbmt"] < found["gbmt"]
    assert "Shijiebei Juxing ||| World Cup was held ||| 0-0 0-1 1-2 1-3" in found["tbmt"] - found["pbmt"]
    assert "2010Nian FIFA ||| 2010 FIFA ||| 0-0 1-1" in found["pbmt"] - found["tbmt"]
