"""METEOR as a metric of recipes: where its program is installed, and where it is not."""

from __future__ import annotations

import logging

import pytest
from graphmt.errors import MissingPackageError
from graphmt.experiments import RECIPES, Arm, Recipe
from graphmt.experiments.scoring import measurable

PLAIN = ("bleu", "chrf", "ter")


def recipe(metrics=PLAIN, extra=()):
    return Recipe("small", "", "", (Arm("pbmt", "pbmt"),), ("a-de-en",), metrics=metrics, extra_metrics=extra)


@pytest.fixture(params=[True, False])
def is_there(request, monkeypatch):
    def require(options):
        if not (request.param and options.meteor_language == "en"):
            raise MissingPackageError("METEOR needs its program.")

    monkeypatch.setattr("graphmt.experiments.scoring.require_meteor", require)
    return request.param


def test_extra_metrics_are_added_where_they_can_be(is_there, caplog) -> None:
    caplog.set_level(logging.WARNING, "graphmt")
    found = measurable(RECIPES["graph-to-string"], ["en"])
    assert (found.metrics, found.extra_metrics) == ((*PLAIN, "meteor") if is_there else PLAIN, ())
    assert [record.getMessage() for record in caplog.records] == (
        [] if is_there else ["Without METEOR: METEOR needs its program."]
    )
    assert measurable(recipe(extra=("meteor",)), ["en", "xx"]).metrics == PLAIN


def test_metrics_that_are_asked_for_must_be_there(is_there) -> None:
    asked = recipe(("bleu", "meteor"))
    if is_there:
        assert measurable(asked, ["en"]) == asked
    with pytest.raises(MissingPackageError):
        measurable(asked, ["en", "xx"])
    assert measurable(recipe(), ["xx"]) == recipe()
