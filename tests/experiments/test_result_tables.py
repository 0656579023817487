"""Tables of an experiment's result, from hand-made results."""

from __future__ import annotations

import pytest
from graphmt.experiments import Ablation, Arm, Claim, Recipe
from graphmt.experiments.results import markdown


def result(runs: int, paper: float) -> dict:
    """Of two systems by BLEU alone."""
    tests = {"sentences": 0.9375, **({"runs": 0.5} if runs > 1 else {"bootstrap": 0.4})}
    spread = 0.1 if runs > 1 else None
    systems = [
        {"system": "a", "mean": 20.0, "spread": spread, "runs": [20.0] * runs, "difference": None, "p": {}},
        {"system": "b", "mean": 20.5, "spread": spread, "runs": [20.5] * runs, "difference": 0.5, "p": tests},
    ]
    gains = {"BLEU": [0.5, tests.get("runs"), 0.9375]}
    rows = [{"label": "0.1", "arm": "a", "gains": None}, {"label": "0.2", "arm": "b", "gains": gains}]
    corpus = {
        "corpus": "news-de-en",
        "languages": "de-en",
        "data": {"train.en.gz": "abc"},
        "pairs": {"train": 3, "dev": 2, "test": 1},
        "rules": {},
        "scores": [{"metric": "BLEU", "signature": "BLEU|…", "systems": systems}],
        "claims": [{"arm": "b", "over": "a", "paper": paper, "gains": gains}],
        "ablations": [{"title": "Walk", "varied": "λ", "rows": rows}],
    }
    options = {"tuner": "mira", "seeds": runs}
    return {
        "options": options,
        "command": "…",
        "features": {},
        "versions": {"graphmt": "0"},
        "corpora": {"news-de-en": corpus},
    }


RECIPE = Recipe(
    "small",
    "two",
    "no paper",
    (Arm("a", "pbmt"), Arm("b", "hpb")),
    ("news-de-en",),
    claims=(Claim("b", "a", {}),),
    ablations=(Ablation("Walk", (("0.1", "a"), ("0.2", "b")), "λ"),),
)


def rows_of(text: str) -> list[list[str]]:
    return [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("|")]


@pytest.mark.parametrize(("runs", "tests"), [(1, ["p (sentences)"]), (3, ["p (runs)", "p (sentences)"])])
def test_a_comparison_has_one_p_under_one_name(runs, tests) -> None:
    tables = rows_of(markdown(RECIPE, result(runs, 0.65)))
    values = ["0.500", "0.938"][-len(tests) :]
    scores, gain, ablation = (next(row for row in tables if row[0] == first) for first in ("system", "gain", "λ"))
    assert scores[3:-1] == ablation[3:] == tests
    assert gain[2:-1] == [test.replace(")", ", BLEU)") for test in tests]
    for first, place in (("b", slice(3, -1)), ("b over a", slice(2, -1)), ("0.2", slice(3, None))):
        assert next(row for row in tables if row[0] == first)[place] == values


@pytest.mark.parametrize(("paper", "shown"), [(0.65, "+0.65"), (0.7, "+0.7"), (2.0, "+2.0"), (-0.45, "-0.45")])
def test_a_paper_s_gain_has_the_digits_of_the_paper(paper, shown) -> None:
    tables = rows_of(markdown(RECIPE, result(1, paper)))
    assert next(row for row in tables if row[0] == "b over a")[-1] == shown
