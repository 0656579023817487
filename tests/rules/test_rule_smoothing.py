"""Discounted rule probabilities against a plain reading of the formulas."""

from __future__ import annotations

import random
from collections import Counter, defaultdict

import pytest
from graphmt.rules import ExtractOptions, RuleTable, extract_rules, list_rules
from graphmt.systems import SYSTEMS
from naive_rules import Pair
from small_corpora import write


@pytest.fixture(scope="module")
def corpus() -> list[Pair]:
    dice = random.Random(5)
    made = []
    for _ in range(150):
        n, m = dice.randint(1, 5), dice.randint(1, 5)
        words = tuple(dice.choice("aaabbcd") for _ in range(n))
        target = tuple(dice.choice("xxxyyzw") for _ in range(m))
        links = frozenset((dice.randrange(n), dice.randrange(m)) for _ in range(max(n, m)))
        made.append(Pair(words, (-1, *range(n - 1)), target, links))
    return made


def joint_counts(tmp_path, corpus) -> Counter[tuple[str, str]]:
    lines = list_rules(SYSTEMS["pbmt"], **write(tmp_path, corpus))
    return Counter((source, target) for source, target, _ in (line.split(" ||| ") for line in lines))


def table(tmp_path, corpus, smoothing: str) -> RuleTable:
    out = tmp_path / "rules.bin"
    options = ExtractOptions(smoothing=smoothing)
    extract_rules(SYSTEMS["pbmt"], **write(tmp_path, corpus), out=out, options=options)
    return RuleTable(out)


def found(rules: RuleTable, joint: Counter[tuple[str, str]]) -> dict[tuple[str, str], tuple[float, float]]:
    """p(s|t) and p(t|s) of every rule."""
    got = {}
    for source in {source for source, _ in joint}:
        (side,) = rules.find(source.split())
        for rule in side.rules:
            got[source, " ".join(rule.target)] = (rule.probabilities[0], rule.probabilities[2])
    return got


def test_good_turing(tmp_path, corpus) -> None:
    joint = joint_counts(tmp_path, corpus)
    seen = Counter(joint.values())
    totals = (Counter(), Counter())
    for (source, target), count in joint.items():
        totals[0][target] += count
        totals[1][source] += count

    def discounted(count: int) -> float:
        if count > 10 or not seen[count + 1]:
            return count
        return min(count, (count + 1) * seen[count + 1] / seen[count])

    assert any(discounted(count) < count for count in joint.values())
    for (source, target), (inverse, direct) in found(table(tmp_path, corpus, "good-turing"), joint).items():
        count = discounted(joint[source, target])
        assert inverse == pytest.approx(count / totals[0][target], rel=1e-5)
        assert direct == pytest.approx(count / totals[1][source], rel=1e-5)


def test_kneser_ney(tmp_path, corpus) -> None:
    """p(t|s) = (c - D(c)) / c(s) + a(s) n(t) / n, and it sums to one over all target sides, seen with s or not."""
    joint = joint_counts(tmp_path, corpus)
    seen = Counter(joint.values())
    y = seen[1] / (seen[1] + 2 * seen[2])
    discount = {c: c - (c + 1) * y * seen[c + 1] / seen[c] for c in (1, 2, 3)}
    assert all(0 < discount[c] < c for c in discount), "a corpus that needs no stand-ins"
    by_source: defaultdict[str, dict[str, int]] = defaultdict(dict)
    by_target: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for (source, target), count in joint.items():
        by_source[source][target] = count
        by_target[target][source] = count

    def wanted(count: int, this: dict[str, int], other: dict[str, int]) -> float:
        taken = sum(discount[min(c, 3)] for c in this.values())
        return (count - discount[min(count, 3)] + taken * len(other) / len(joint)) / sum(this.values())

    got = found(table(tmp_path, corpus, "kneser-ney"), joint)
    for (source, target), (inverse, direct) in got.items():
        count = joint[source, target]
        assert direct == pytest.approx(wanted(count, by_source[source], by_target[target]), rel=1e-5)
        assert inverse == pytest.approx(wanted(count, by_target[target], by_source[source]), rel=1e-5)
    for source, targets in by_source.items():
        taken = sum(discount[min(c, 3)] for c in targets.values()) / sum(targets.values())
        unseen = 1 - sum(len(by_target[target]) for target in targets) / len(joint)
        assert sum(got[source, target][1] for target in targets) + taken * unseen == pytest.approx(1, rel=1e-5)


def test_few_rules_get_the_usual_discounts(tmp_path) -> None:
    """One rule seen once: D = 0.5 is taken off and, there being no other target side, given back."""
    one = [Pair(("a",), (-1,), ("x",), frozenset({(0, 0)}))]
    (side,) = table(tmp_path, one, "kneser-ney").find(["a"])
    assert side.rules[0].probabilities[2] == pytest.approx(1.0)
