"""Cleaning: each reason by hand, a naive cleaner on random corpora, outputs that stay parallel."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from graphmt.corpus import CleanOptions, clean, read_pairs
from graphmt.errors import InputError, OptionError
from hypothesis import given
from hypothesis import strategies as st
from random_trees import conllu

LIMITS = CleanOptions(max_source=5, max_target=6, max_ratio=3, max_word=10, drop_copies=True)


def reasons(tmp_path: Path, pairs: list[tuple[str, str]], options: CleanOptions = LIMITS) -> list[str]:
    """Which reason each pair got, told by the numbers in the report."""
    for side, name in enumerate("st"):
        (tmp_path / name).write_text("".join(f"{pair[side]}\n" for pair in pairs), encoding="utf-8")
    report = clean(
        tmp_path / "s",
        tmp_path / "t",
        out_source=tmp_path / "so",
        out_target=tmp_path / "to",
        options=options,
    )
    found = ["kept"] * len(pairs)
    for reason, numbers in report.examples.items():
        for number in numbers:
            found[number - 1] = reason
    kept = [pair for pair, reason in zip(pairs, found, strict=True) if reason == "kept"]
    if all(count <= 5 for count in report.dropped.values()):
        assert list(read_pairs(tmp_path / "so", tmp_path / "to")) == kept
        assert report.kept == len(kept)
    assert report.pairs == len(pairs) == report.kept + sum(report.dropped.values())
    return found


@pytest.mark.parametrize(
    ("source", "target", "reason"),
    [
        ("a b", "x y", "kept"),
        ("", "x", "empty side"),
        ("a", " \u00a0", "empty side"),
        ("a\x07 b", "x", "control character"),
        ("a", "x\ufffd", "control character"),
        ("a\u200b b", "x", "kept"),
        ("a" * 11, "x", "long word"),
        ("ä" * 10, "x", "kept"),
        ("a b c d e f", "x y", "too long"),
        ("a b", "1 2 3 4 5 6 7", "too long"),
        ("a b c d", "x", "length ratio"),
        ("a b c", "x", "kept"),
        ("same", "same", "copy"),
    ],
)
def test_every_reason_by_hand(tmp_path: Path, source: str, target: str, reason: str) -> None:
    assert reasons(tmp_path, [("first", "erste"), (source, target)]) == ["kept", reason]


def test_lengths_and_repetitions(tmp_path: Path) -> None:
    pairs = [("a", "x"), ("a", "x"), ("a", "y"), ("b", "x"), ("a  ", "x")]
    repeated = ["kept", "duplicate", "kept", "kept", "duplicate"]
    assert reasons(tmp_path, pairs) == repeated
    assert reasons(tmp_path, pairs, LIMITS.replace(duplicates="sources")) == [
        "kept",
        "duplicate",
        "duplicate",
        "kept",
        "duplicate",
    ]
    assert reasons(tmp_path, pairs, LIMITS.replace(duplicates="keep")) == ["kept"] * 5
    assert reasons(tmp_path, [("a b", "x")], LIMITS.replace(min_target=2)) == ["too short"]
    assert reasons(tmp_path, [("a", "a")], LIMITS.replace(drop_copies=False)) == ["kept"]
    assert reasons(tmp_path, [("\x07", "a")], LIMITS.replace(drop_control=False)) == ["kept"]
    loose = LIMITS.replace(max_ratio=0, max_word=0)
    assert reasons(tmp_path, [("a b c d e", "x" * 99)], loose) == ["kept"]


lines = st.lists(st.sampled_from(["a", "b", "longerword!", "\x01"]), max_size=4).map(" ".join)


@given(st.lists(st.tuples(lines, lines), min_size=1, max_size=30))
def test_a_naive_cleaner_agrees(tmp_path_factory: pytest.TempPathFactory, pairs: list[tuple[str, str]]) -> None:
    options = CleanOptions(max_source=3, max_target=3, max_ratio=2, max_word=10, drop_copies=True)
    seen: set[tuple[str, str]] = set()
    wanted: list[tuple[str, str]] = []
    for source, target in pairs:
        counts = sorted((len(source.split()), len(target.split())))
        bad = (
            counts[0] == 0
            or counts[1] > 3
            or counts[1] > 2 * counts[0]
            or "\x01" in source + target
            or "longerword!" in source + target
            or source == target
            or (source, target) in seen
        )
        if not bad:
            seen.add((source, target))
            wanted.append((source, target))
    folder = tmp_path_factory.getbasetemp()
    table, out = folder / "in.tsv", folder / "out.tsv"
    table.write_text("".join(f"{source}\t{target}\n" for source, target in pairs))
    report = clean(table, out_source=out, options=options)
    assert list(read_pairs(out)) == wanted and report.kept == len(wanted)


def test_trees_and_alignment_stay_parallel(tmp_path: Path) -> None:
    trees = [conllu("# kept as it is", "1-2 im _", "1 in 2", "2 dem 0"), conllu("1 a 1"), conllu("1 b 0")]
    (tmp_path / "s.conllu.gz").write_bytes(gzip.compress("".join(trees).encode()))
    (tmp_path / "t").write_text("x\ny\nz\n")
    (tmp_path / "a").write_text("0-0\n1-1\n2-2\n")
    outs = [tmp_path / name for name in ("so.conllu", "to.gz", "ao")]
    report = clean(
        tmp_path / "s.conllu.gz",
        tmp_path / "t",
        out_source=outs[0],
        out_target=outs[1],
        alignment=tmp_path / "a",
        out_alignment=outs[2],
    )
    assert report.dropped == {"bad tree": 1} and report.examples == {"bad tree": [2]}
    assert outs[0].read_text() == trees[0] + trees[2]
    assert gzip.decompress(outs[1].read_bytes()) == b"x\nz\n"
    assert outs[2].read_text() == "0-0\n2-2\n"
    (tmp_path / "a").write_text("0-0\n")
    with pytest.raises(InputError, match="a ends after 1 sentence, "):
        clean(
            tmp_path / "s.conllu.gz",
            tmp_path / "t",
            out_source=tmp_path / "x",
            out_target=tmp_path / "y",
            alignment=tmp_path / "a",
            out_alignment=tmp_path / "z",
        )
    assert not any((tmp_path / name).exists() for name in "xyz")


def test_numbers_go_on_over_chunks_and_examples_are_few(tmp_path: Path) -> None:
    (tmp_path / "p.tsv").write_text("".join(f"{n}\tx\n" for n in range(5000)) + "\tx\n" * 7)
    report = clean(tmp_path / "p.tsv", out_source=tmp_path / "o.tsv")
    assert report.dropped == {"empty side": 7}
    assert report.examples == {"empty side": [5001, 5002, 5003, 5004, 5005]}
    assert json.loads(json.dumps(report.as_dict()))["kept"] == 5000


def test_nothing_is_written_when_something_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "s").write_text("a\n" * 5000)
    (tmp_path / "t").write_text("x\n" * 4999)
    before = sorted(tmp_path.iterdir())
    with pytest.raises(InputError, match="ends after 4,999"):
        clean(tmp_path / "s", tmp_path / "t", out_source=tmp_path / "so", out_target=tmp_path / "to")
    (tmp_path / "e").write_text("")
    with pytest.raises(InputError, match="nothing to clean"):
        clean(tmp_path / "e", tmp_path / "e", out_source=tmp_path / "so", out_target=tmp_path / "to")
    (tmp_path / "e").unlink()
    (tmp_path / "c.conllu").write_text(conllu("1 a 0"))
    with pytest.raises(OptionError, match="cannot be written as tab-separated pairs"):
        clean(tmp_path / "c.conllu", tmp_path / "c.conllu", out_source=tmp_path / "so")
    (tmp_path / "c.conllu").unlink()
    assert sorted(tmp_path.iterdir()) == before


def test_options_that_contradict_one_another(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"min-source \(9\) is above max-source \(3\)"):
        CleanOptions(min_source=9, max_source=3)
    with pytest.raises(OptionError, match="must be given together"):
        clean("s", "t", out_source="a", out_target="b", alignment="c")
    with pytest.raises(OptionError, match="two outputs have the same name a"):
        clean("s", "t", out_source="a", out_target="a")
