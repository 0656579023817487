"""Rule tables in several files that open as one."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from graphmt import load
from graphmt.cli.verbs import app
from graphmt.errors import InputError, OptionError
from graphmt.model.layout import RULES, is_part, rule_files
from graphmt.rules import RuleTable, filtered, pruned, split
from graphmt.systems import SYSTEMS
from small_models import Trained


@pytest.mark.parametrize("name", SYSTEMS)
def test_translations_with_a_table_in_parts_are_those_of_the_whole(name: str, demo: Trained, tmp_path: Path) -> None:
    model = demo.models[name]
    copy = tmp_path / name
    shutil.copytree(model, copy, ignore=shutil.ignore_patterns(RULES))
    parts = split(model / RULES, copy / RULES, part_size=2_000)
    assert parts > 5
    assert RuleTable(copy / RULES).about == {**RuleTable(model / RULES).about, "parts": parts}
    assert len(rule_files(copy)) == parts
    assert set(rule_files(copy)) <= set(load(copy).files)
    trees = demo.trees()[:12]
    expected, found = (
        [[one.as_json(0, 0) for one in best] for best in load(folder).n_best(trees, 5)] for folder in (model, copy)
    )
    assert found == expected
    # Joined again, it is the same file.
    assert split(copy / RULES, tmp_path / "whole.bin", part_size=2**40) == 1
    assert (tmp_path / "whole.bin").read_bytes() == (model / RULES).read_bytes()


def test_tables_in_parts_are_inspected_filtered_and_pruned_like_whole_ones(demo: Trained, tmp_path: Path) -> None:
    whole, parts = demo.models["hpb"] / RULES, tmp_path / "parts.bin"
    app(["inspect", "split", str(demo.models["hpb"]), str(parts), "--part-size", "0.01"], standalone_mode=False)
    app(["inspect", "verify", str(parts)], standalone_mode=False)
    texts = demo.texts()[:3]
    for name, made in (("filtered", lambda table, out: filtered(table, texts, out)), ("pruned", pruned)):
        assert made(parts, tmp_path / f"{name}.parts") == made(whole, tmp_path / f"{name}.whole")
        assert (tmp_path / f"{name}.parts").read_bytes() == (tmp_path / f"{name}.whole").read_bytes()
    word = texts[0].split()[0]
    assert RuleTable(parts).containing(word, 50) == RuleTable(whole).containing(word, 50)
    assert RuleTable(parts).to_moses(tmp_path / "parts.gz") == RuleTable(whole).to_moses(tmp_path / "whole.gz")


def test_incomplete_tables_are_refused(demo: Trained, tmp_path: Path) -> None:
    parts = tmp_path / RULES
    split(demo.models["pbmt"] / RULES, parts, part_size=10_000)
    with pytest.raises(InputError, match="this is part 1 of a rule table"):
        RuleTable(tmp_path / f"{RULES}.1")
    shutil.copy(tmp_path / f"{RULES}.2", tmp_path / f"{RULES}.1")
    with pytest.raises(InputError, match="not part 1 of the rule table beside it"):
        RuleTable(parts)
    (tmp_path / f"{RULES}.1").unlink()
    with pytest.raises(InputError, match="part 1 of the rule table is missing"):
        RuleTable(parts)
    with pytest.raises(OptionError, match="at least 1, not 0"):
        split(demo.models["pbmt"] / RULES, parts, part_size=0)
    # Further parts belong to the model and are replaced with it.
    assert is_part(f"{RULES}.12")
    assert not is_part(f"{RULES}.x")
