"""Tables without rare or insignificant rules."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path

import pytest
from graphmt.errors import InputError, OptionError
from graphmt.rules import ExtractOptions, RuleTable, extract_rules, pruned
from graphmt.systems import system
from small_models import Trained


def table(folder: Path, lines: list[tuple[str, str, str]]) -> Path:
    files = [folder / name for name in ("source", "target", "alignment")]
    for path, column in zip(files, zip(*lines, strict=True), strict=True):
        path.write_text("".join(f"{line}\n" for line in column), "utf-8")
    extract_rules(system("pbmt"), *files, folder / "rules.bin")
    return folder / "rules.bin"


def fisher(joint: int, source: int, target: int, everything: int) -> float:
    """-ln p by the definition."""
    ways = sum(
        math.comb(source, k) * math.comb(everything - source, target - k) for k in range(joint, min(source, target) + 1)
    )
    return -math.log(Fraction(ways, math.comb(everything, target)))


def rules_of(path: Path) -> dict[tuple[str, str], float]:
    words = "abcxyz"
    sides = [side for word in words for side in RuleTable(path).find([word])]
    return {(side.words[0], rule.target[0]): rule.count for side in sides for rule in side.rules}


LINES = (
    [("a", "x", "0-0")] * 5 + [("a", "y", "0-0")] * 2 + [("b", "y", "0-0")] * 3 + [("c", "z", "0-0"), ("b", "x", "0-0")]
)


def test_counts(tmp_path: Path) -> None:
    made = pruned(table(tmp_path, LINES), tmp_path / "out.bin", min_count=2)
    assert (made.kept, made.dropped) == (3, 2)
    assert rules_of(tmp_path / "out.bin") == {("a", "x"): 5, ("a", "y"): 2, ("b", "y"): 3}
    before, after = (RuleTable(tmp_path / name).find(["b"])[0].rules[0] for name in ("rules.bin", "out.bin"))
    assert after == before


@pytest.mark.parametrize("margin", [-2.0, -1.0, -0.01, 0.01, 1.0])
def test_significance_is_that_of_the_definition(margin: float, tmp_path: Path) -> None:
    path = table(tmp_path, LINES)
    counts = rules_of(path)
    everything = len(LINES)

    def significance(source: str, target: str) -> float:
        of_source, of_target = (
            sum(int(n) for pair, n in counts.items() if pair[at] == side) for at, side in enumerate((source, target))
        )
        return fisher(int(counts[source, target]), of_source, of_target, everything)

    expected = {pair for pair in counts if significance(*pair) >= math.log(everything) + margin}
    assert ("c", "z") in expected or margin > 0
    if not expected:
        with pytest.raises(InputError, match="no rule is left"):
            pruned(path, tmp_path / "out.bin", significance=margin)
        return
    made = pruned(path, tmp_path / "out.bin", significance=margin)
    assert set(rules_of(tmp_path / "out.bin")) == expected
    assert made.kept == len(expected)


def test_every_grammar_and_no_limit(demo: Trained, tmp_path: Path) -> None:
    for name in ("gbmt-ctx", "hpb", "dgst", "dep2str"):
        rules = demo.models[name] / "rules.bin"
        made = pruned(rules, tmp_path / f"{name}.bin")
        assert made.dropped == 0 or name in ("hpb", "dgst")
        everything = pruned(rules, tmp_path / f"{name}.all", min_count=0)
        assert (tmp_path / f"{name}.all").read_bytes() == rules.read_bytes()
        fewer = pruned(rules, tmp_path / f"{name}.bin", min_count=0, significance=0.01)
        assert 0 < fewer.kept < everything.kept
        RuleTable(tmp_path / f"{name}.bin").verify()


def test_limits_are_numbers(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="min_count must be a number"):
        pruned(tmp_path, tmp_path, min_count=math.nan)


def test_extraction_with_a_minimum_count_drops_the_same_rules(tmp_path: Path) -> None:
    path = table(tmp_path, LINES)
    pruned(path, tmp_path / "pruned.bin", min_count=2)
    files = [tmp_path / name for name in ("source", "target", "alignment")]
    report = extract_rules(system("pbmt"), *files, tmp_path / "few.bin", options=ExtractOptions(min_count=2))
    assert (report.rules, report.source_sides) == (3, 2)
    assert rules_of(tmp_path / "few.bin") == rules_of(tmp_path / "pruned.bin")
    sides = [RuleTable(tmp_path / name).find(["b"]) for name in ("few.bin", "pruned.bin")]
    assert sides[0] == sides[1]
    with pytest.raises(InputError, match="or the minimum count is too high"):
        extract_rules(system("pbmt"), *files, tmp_path / "none.bin", options=ExtractOptions(min_count=9))
