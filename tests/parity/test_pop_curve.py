"""Cube pruning finds at least what Moses finds with as many pops, on the 1,000 test sentences of Multi30k."""

from __future__ import annotations

import statistics
from pathlib import Path

import pytest
from graphmt.corpus import read_trees
from graphmt.model import Model, SearchOptions
from peers import moses


@pytest.mark.parametrize("pops", [100, 250])
def test_mean_scores(data: Path, tmp_path: Path, pops: int) -> None:
    curve = moses.pop_curve(data)
    model = Model(moses.own_model(data, tmp_path), search=SearchOptions(pop_limit=pops, stack_size=pops))
    scores = [one.score for one in model.translate(read_trees(moses.text(data) / "test.de.conllu.gz"))]
    theirs = curve.mean(pops)
    assert theirs is not None
    assert statistics.fmean(scores) > theirs
    # Fewer sentences than Moses leaves below its own best.
    assert curve.below(scores) < curve.below(curve.totals[pops])
