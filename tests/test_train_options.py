"""Training options from Python: a mapping as in a TOML file, or dataclasses."""

from __future__ import annotations

import graphmt
import pytest
from graphmt import TrainOptions
from graphmt.errors import OptionError
from graphmt.lm import LmOptions
from small_models import Trained


@pytest.mark.parametrize(
    "given",
    [
        {"lm": {"order": 3}, "extract": {"max-length": 4}},
        {"lm": LmOptions(order=3), "extract": {"max_length": 4}},
        TrainOptions(lm=LmOptions(order=3), extract=graphmt.rules.ExtractOptions(max_length=4)),
    ],
)
def test_all_forms_are_the_same(given) -> None:
    made = TrainOptions.of(given)
    assert made == TrainOptions.of({"lm": {"order": 3}, "extract": {"max_length": 4}})
    assert (made.lm.order, made.extract.max_length, made.tune) == (3, 4, graphmt.tune.TuneOptions())


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"lmm": {}}, r"no stage 'lmm' \(did you mean 'lm'\?\)"),
        ({"lm": {"ordr": 3}}, r"unknown option 'ordr' \(did you mean 'order'\?\)"),
        ({"lm": 3}, r"LmOptions or a mapping, not 'int'"),
        ({"lm": graphmt.tune.TuneOptions()}, r"LmOptions or a mapping, not 'TuneOptions'"),
        (LmOptions(order=3), r"a mapping from stages to their options, not 'LmOptions'.*\"lm\""),
    ],
)
def test_what_is_rejected(given, said: str) -> None:
    with pytest.raises(OptionError, match=said):
        graphmt.train("pbmt", source="none", target="none", out="none", options=given)


def test_they_reach_the_model(demo: Trained, tmp_path) -> None:
    files = {"source": demo.source, "target": demo.target, "alignment": demo.alignment, "language_model": demo.lm}
    options = {"extract": {"max_source": 2, "threads": 1}, "search": {"pop_limit": 7}}
    model = graphmt.train("pbmt", **files, out=tmp_path / "m", options=options)
    assert model.manifest.options["extract"]["max_source"] == 2 and model.search.pop_limit == 7
    with pytest.raises(graphmt.GraphmtError, match=r"no feature 'lmm' \(did you mean 'lm'\?\)"):
        graphmt.train("pbmt", **files, out=tmp_path / "n", weights={"lmm": 1.0})
