"""N-best lists as columns, for tuning: the same words and values as those of translations."""

from __future__ import annotations

import pytest
from graphmt import _core
from graphmt.errors import OptionError
from graphmt.systems import SYSTEMS


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("narrow", [False, True])
def test_words_and_values(demo, system: str, narrow: bool) -> None:
    limit = "max_span" if system in ("hpb", "btg", "dgst") else "table_limit"
    model = demo.load(system, **({limit: 3} if narrow else {}))
    trees = demo.trees()[:6]
    given = trees if model.needs_trees else [" ".join(tree.tokens) for tree in trees]
    columns = model.n_best_columns(model.prepare(given), 20, distinct=True, threads=1)
    lists = model.n_best(given, 20, distinct=True, threads=1)
    words = [columns.words[number] for number in columns.numbers]
    row = 0
    for sentence, best in enumerate(lists):
        assert columns.hypotheses[sentence + 1] - columns.hypotheses[sentence] == len(best) > 1
        for one in best:
            assert tuple(words[columns.tokens[row] : columns.tokens[row + 1]]) == one.derivation.target
            values = dict(zip(model.weights, columns.values[row].tolist(), strict=True))
            assert values == pytest.approx(one.features)
            row += 1
    assert row == columns.hypotheses[-1]


def test_values_of_a_feature_that_does_not_exist(demo) -> None:
    model = demo.load("pbmt")
    prepared = model.prepare(["ein Haus"])
    column = len(_core.FEATURES)
    with pytest.raises(OptionError, match=f"column {column} of values, but there are {column} features"):
        model._decoder.n_best_columns(prepared, [0, column], n_best=1, distinct=False, threads=1)
