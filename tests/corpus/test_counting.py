"""Counts of a corpus, by hand and against naive counting."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from graphmt.corpus import statistics
from graphmt.errors import InputError
from hypothesis import given
from hypothesis import strategies as st
from random_trees import conllu


@given(st.lists(st.lists(st.sampled_from("aAbBc"), max_size=9).map(" ".join), min_size=1), st.booleans())
def test_naive_counts(tmp_path_factory: pytest.TempPathFactory, texts: list[str], lowercase: bool) -> None:
    path = tmp_path_factory.getbasetemp() / "count.txt"
    path.write_text("".join(f"{text}\n" for text in texts))
    (side,) = statistics(path, lowercase=lowercase).sides
    lengths = sorted(len(text.split()) for text in texts)
    words = Counter(word for text in texts for word in (text.lower() if lowercase else text).split())
    assert (side.sentences, side.tokens, side.longest) == (len(texts), sum(lengths), lengths[-1])
    assert (side.types, side.singletons) == (len(words), list(words.values()).count(1))
    assert side.empty == lengths.count(0) and side.mean == pytest.approx(sum(lengths) / len(lengths))
    assert side.median == lengths[(len(lengths) + 1) // 2 - 1]
    assert sum(side.lengths.values()) == len(texts)
    assert side.lengths["1-5"] == sum(1 <= length <= 5 for length in lengths)


def test_trees_ratio_and_unknown_words(tmp_path: Path) -> None:
    crossing = conllu("1 a 2", "2 b 0", "3 c 1")
    (tmp_path / "s.conllu").write_text(conllu("1 a 0") + crossing + conllu("1 x 1"))
    (tmp_path / "t").write_text("x y\n" * 3)
    (tmp_path / "u").write_text("a b d d\n")
    told = statistics(tmp_path / "s.conllu", tmp_path / "t", unknown=tmp_path / "u")
    trees = told.sides[0].trees
    assert trees is not None and (trees.non_projective, trees.faults) == (1, 1)
    assert trees.first_faults[0].startswith(f"{tmp_path / 's.conllu'}:7: no root")
    assert told.sides[1].trees is None
    assert told.ratio == 6 / 4
    assert told.unknown is not None
    assert (told.unknown.unknown_tokens, told.unknown.tokens) == (2, 4)
    assert (told.unknown.unknown_types, told.unknown.types) == (1, 3)
    assert told.as_dict()["target_source_ratio"] == 1.5 and len(told.files) == 3


def test_pairs_in_one_file(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("a b\tx\n")
    assert [side.tokens for side in statistics(tmp_path / "a.tsv").sides] == [2, 1]
    (tmp_path / "a.po").write_text('msgid "a b"\nmsgstr "x"\n')
    assert [side.tokens for side in statistics(tmp_path / "a.po").sides] == [2, 1]


def test_nothing_to_count(tmp_path: Path) -> None:
    (tmp_path / "e").write_text("")
    with pytest.raises(InputError, match="e: this file is empty"):
        statistics(tmp_path / "e")
