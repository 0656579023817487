"""The chart beside Moses', with its rule table, language model and weights, on the first 60 test sentences."""

from __future__ import annotations

from pathlib import Path

import pytest
from graphmt.model import SearchOptions
from peers import moses, moses_hiero


@pytest.fixture(scope="module")
def folder(reference: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not moses.peer(reference).is_dir():
        pytest.skip(f"needs {moses.peer(reference)}")
    return moses_hiero.model(reference, tmp_path_factory.mktemp("moses"))


@pytest.mark.long
def test_best_scores(reference: Path, folder: Path) -> None:
    found = moses_hiero.best_scores(reference, folder, SearchOptions(pop_limit=1000, stack_size=200))
    assert found.largest_error < 2e-3
    assert len(found.worse) <= 1, found.worse
    # Moses itself finds nothing better for these sentences with five times the pops.
    assert found.better == 0


@pytest.mark.long
def test_few_pops_cost_little(reference: Path, folder: Path) -> None:
    """At a fifth of Moses' pops one sentence at most is worse."""
    found = moses_hiero.best_scores(reference, folder, SearchOptions(pop_limit=200, stack_size=200))
    assert len(found.worse) <= 1, found.worse
    assert found.mean > found.mean_theirs - 0.01
