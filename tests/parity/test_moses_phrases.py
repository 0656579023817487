"""Extraction, phrase table and search beside Moses', on Multi30k."""

from __future__ import annotations

from pathlib import Path

import pytest
from graphmt.model import SearchOptions
from peers import moses


@pytest.fixture(scope="module")
def moses_model(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return moses.model(data, tmp_path_factory.mktemp("moses"))


def test_extraction_pair_for_pair(data, tmp_path) -> None:
    only_moses, only_ours = moses.extraction_difference(data, tmp_path)
    assert (only_moses, only_ours) == ({}, {})


def test_every_line_of_the_phrase_table(data, tmp_path) -> None:
    report, table = moses.full_table(data, tmp_path)
    assert report.rules == 791_339
    found = moses.table_difference(data, table)
    assert found.lines == 28_425
    assert (found.missing, found.counts, found.alignments) == (0, 0, 0)
    assert max(found.largest) < 2e-5


@pytest.mark.parametrize(
    ("search", "better"),
    [(SearchOptions(), 0), (SearchOptions(pop_limit=1000, stack_size=1000), 1)],
    ids=["default", "cube 1000"],
)
def test_best_scores(data, moses_model, search, better) -> None:
    found = moses.best_scores(data, moses_model, search)
    assert found.largest_error < 2e-3
    assert len(found.worse) <= 1, found.worse
    # Moses' cube 1000 and stack 200 agree on every sentence, so that hardly more is to be had.
    assert found.better == better
