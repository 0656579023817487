"""Extraction of rules with holes and the rule table beside Moses', on Multi30k."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from graphmt.rules import RuleTable, from_moses
from peers import moses, moses_rules


def test_extraction_rule_for_rule(data, tmp_path) -> None:
    found = moses_rules.extraction_difference(data, tmp_path)
    assert (found.lines, found.lines_theirs) == (71_236, 71_236)
    assert (found.only_ours, found.only_theirs) == (0, 0)
    assert found.largest < 1e-4


@pytest.mark.long
def test_every_line_of_the_rule_table(data, tmp_path) -> None:
    report, table = moses_rules.full_table(moses.corpus(data, tmp_path), tmp_path / "rules.bin")
    assert report.kinds == {"lexical": 633_151, "one_hole": 2_734_575, "two_holes": 1_597_468}
    found = moses_rules.table_difference(data, table)
    assert (found.lines, found.missing, found.alignments) == (265_175, 0, 0)
    # Where Moses itself mixes up two orders of the holes.
    assert found.different == found.exchanged == 72
    assert max(found.largest) < 2e-5


@pytest.mark.long
def test_the_rule_table_goes_in_and_comes_out(data, tmp_path) -> None:
    path = moses.peer(data) / "rule-table.hiero.test60.gz"
    assert from_moses(path, tmp_path / "rules.bin") == 265_175
    assert RuleTable(tmp_path / "rules.bin").to_moses(tmp_path / "out.gz") == 265_175

    def lines(path: Path) -> tuple[list[tuple[str, ...]], np.ndarray]:
        """The rules in order, and the numbers of each."""
        fields = (line.split(" ||| ") for line in moses.read(path))
        rules = sorted(((f[0], f[1], *sorted(f[3].split())), (*f[2].split(), f[4].split()[2])) for f in fields)
        return [rule for rule, _ in rules], np.array([numbers for _, numbers in rules], dtype=np.float64)

    (rules, numbers), (rules_back, numbers_back) = lines(path), lines(tmp_path / "out.gz")
    assert rules == rules_back
    np.testing.assert_allclose(numbers, numbers_back, rtol=1e-5)
