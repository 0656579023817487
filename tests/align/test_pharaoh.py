"""Alignment files."""

from __future__ import annotations

import gzip

import numpy as np
import pytest
from amounts import examples
from graphmt.align import Alignment, read_alignment, write_alignment
from graphmt.errors import InputError
from hypothesis import given, settings
from hypothesis import strategies as st

links = st.lists(st.lists(st.tuples(st.integers(0, 65535), st.integers(0, 65535)), max_size=6), max_size=20)


@settings(max_examples=examples(100), deadline=None)
@given(links)
def test_there_and_back(tmp_path_factory, sentences) -> None:
    alignment = Alignment.from_pairs(sentences)
    for name in ("a.gz", "a.txt"):
        path = tmp_path_factory.mktemp("a") / name
        write_alignment(alignment, path)
        assert read_alignment(path) == alignment
    assert [alignment[k] for k in range(len(alignment))] == [sorted(set(pairs)) for pairs in sentences]
    columns = alignment.columns()
    assert Alignment.from_columns(columns.offsets, columns.source, columns.target) == alignment
    assert alignment.transposed().transposed() == alignment


def test_more_sentences_than_a_block_has(tmp_path) -> None:
    path = tmp_path / "long"
    path.write_text("0-0\n\n1-2 0-1\n" * 6000)
    alignment = read_alignment(path)
    assert (len(alignment), alignment.links) == (18000, 18000)
    write_alignment(alignment, tmp_path / "again.gz")
    assert gzip.decompress((tmp_path / "again.gz").read_bytes()).decode() == "0-0\n\n0-1 1-2\n" * 6000


def test_possible_links_and_positions_from_one(tmp_path) -> None:
    path = tmp_path / "gold"
    path.write_text("1-1 2p3 3?2 2-3\n")
    gold = read_alignment(path, one_based=True)
    assert gold[0] == [(0, 0), (1, 2), (2, 1)]
    assert gold.has_possible
    # 2-3 is both sure and possible: it is sure. Positions are written from 0.
    assert gold.text() == "0-0 1-2 2p1\n"


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("0-0\n0_0\n", 2, '"0_0" is not a link'),
        ("0-0 1-\n", 1, '"1-" is not a link'),
        ("\n\n-1-0\n", 3, '"-1-0" is not a link'),
        ("0-0\n0-70000\n", 2, "position 70000 is beyond 65535"),
        ("٣-0\n", 1, "is not a link"),
    ],
)
def test_bad_lines_are_named(tmp_path, text, line, words) -> None:
    path = tmp_path / "bad.txt"
    path.write_text(text)
    with pytest.raises(InputError, match=words) as caught:
        read_alignment(path)
    assert (caught.value.file, caught.value.line) == (str(path), line)


def test_the_line_of_an_error_far_down(tmp_path) -> None:
    path = tmp_path / "bad.txt"
    path.write_text("0-0\n" * 20000 + "x\n")
    with pytest.raises(InputError) as caught:
        read_alignment(path)
    assert caught.value.line == 20001


def test_zero_in_a_file_that_counts_from_one(tmp_path) -> None:
    path = tmp_path / "gold"
    path.write_text("1-1\n0-1\n")
    with pytest.raises(InputError, match="start at 1") as caught:
        read_alignment(path, one_based=True)
    assert caught.value.line == 2


def test_positions_beyond_the_sentence(tmp_path) -> None:
    path = tmp_path / "a"
    path.write_text("0-0 2-1\n0-1\n")
    lengths = {"source_lengths": np.array([3, 1], np.uint32), "target_lengths": np.array([2, 1], np.uint32)}
    with pytest.raises(InputError, match=r"0-1 points to target word 1 .* has 1 word\.") as caught:
        read_alignment(path, **lengths)
    assert caught.value.line == 2
    lengths["target_lengths"][1] = 2
    assert read_alignment(path, **lengths).links == 3


@pytest.mark.parametrize(("text", "words"), [("0-0\n", "ends after 1 lines"), ("0-0\n\n\n", "more lines than")])
def test_line_count_mismatch(tmp_path, text, words) -> None:
    path = tmp_path / "a"
    path.write_text(text)
    two = np.array([1, 1], np.uint32)
    with pytest.raises(InputError, match=words):
        read_alignment(path, source_lengths=two, target_lengths=two)


def test_columns_that_do_not_fit_are_refused() -> None:
    one = np.array([0], np.uint16)
    with pytest.raises(InputError, match="offsets must increase"):
        Alignment.from_columns(np.array([0, 2]), one, one)
    with pytest.raises(IndexError):
        Alignment()[0]
