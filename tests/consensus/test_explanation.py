"""Who spoke for a choice: those who did, by what ranked."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import small_lists
from graphmt.consensus import (
    Candidates,
    Explanation,
    NBestList,
    NeighbourSupport,
    Outputs,
    Reranker,
    RerankOptions,
    explain,
    make_memory,
    rerank_files,
)
from graphmt.errors import OptionError

MEMORY = small_lists.sentences(150, 1)
TEST = small_lists.sentences(40, 3)
LISTS = [NBestList.of(number, own) for number, own in enumerate(small_lists.lists(TEST, 5))]


def made(options: RerankOptions) -> tuple[Candidates, Reranker]:
    candidates = Candidates([source for source, _ in TEST], LISTS, make_memory(MEMORY, options), options)
    return candidates, Reranker.untuned(candidates.features, options)


def told(candidates: Candidates, reranker: Reranker, most: int = 5) -> list[Explanation]:
    return list(explain(candidates, reranker, reranker.rank(candidates).scores, most=most))


@pytest.mark.parametrize("scale", [0.25, 4.0])
@pytest.mark.parametrize("method", ["g-rerank", "struct-lp"])
def test_the_graph_that_ranked_is_the_one_that_is_told_of(method: str, scale: float) -> None:
    """Its posterior, scale and similarity: what the voices say sums up to the p that is the score or the feature."""
    candidates, reranker = made(RerankOptions(method=method, scale=scale, rounds=200, tolerance=1e-12))
    ranked = reranker.rank(candidates)
    similarities = ("bleu",) if method == "struct-lp" else ("dice1", "dice2", "dice3", "dice4")
    graph = candidates.made_graph(similarities)
    values = candidates.propagated(graph, candidates.posterior(candidates.scores, scale))
    for one, order in zip(told(candidates, reranker, 1000), candidates.order(ranked.scores), strict=True):
        start = candidates.starts[one.sentence]
        loud = np.array([row.added for row in graph.support(values, one.sentence, order[0])])
        p = ranked.scores if method == "struct-lp" else np.exp(ranked.added["gc1"])
        assert loud[:, 0].sum() == pytest.approx(p[start + order[0]], rel=1e-6)
        shares = np.sort(loud.mean(axis=1) / loud.mean(axis=1).sum())[::-1]
        assert [voice.share for voice in one.support] == pytest.approx(shares[shares > 0], rel=1e-6)


def test_a_tuned_reranker_is_told_of_by_its_last_turn() -> None:
    candidates, reranker = made(RerankOptions(features="gc"))
    first, last = reranker.stages[0], {**reranker.stages[-1], "gc1": 9.0}
    twice = Reranker(reranker.options, reranker.features, 1.0, (first, last, reranker.stages[-1]))
    once = Reranker(reranker.options, reranker.features, 1.0, (first, last))
    values = candidates.propagated(candidates.graph, candidates.posterior(once.rank(candidates).scores, 1.0))
    one = told(candidates, twice, 1000)[0]
    order = candidates.order(twice.rank(candidates).scores)[0]
    loud = [np.mean(row.added) for row in candidates.graph.support(values, 0, order[0])]
    assert [voice.share for voice in one.support] == pytest.approx(sorted(np.array(loud) / sum(loud))[::-1])


@pytest.mark.parametrize(
    "options",
    [{"method": "none"}, {"method": "mbr-bleu"}, {"method": "mbr-chrf"}, {"features": "lc"}, {"features": "none"}],
)
def test_where_nobody_spoke_nobody_is_named(options: dict[str, str], tmp_path: Path) -> None:
    candidates, reranker = made(RerankOptions(**options))  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="uses no neighbours"):
        explain(candidates, reranker, reranker.rank(candidates).scores)
    small_lists.write(tmp_path, "test", TEST, small_lists.lists(TEST, 5))
    with pytest.raises(OptionError, match="uses no neighbours"):
        out = Outputs(tmp_path / "out", explain=tmp_path / "why")
        rerank_files(tmp_path / "test.nbest", tmp_path / "test.de", None, reranker.options, out)
    assert not (tmp_path / "out").exists() and not (tmp_path / "why").exists()


def test_sentences_without_source_are_nobodys_neighbours() -> None:
    lists = [NBestList.of(k, [("x y", 0.0), ("x z", -1.0)]) for k in range(3)]
    options = RerankOptions()
    candidates = Candidates(["", "a b c", ""], lists, make_memory([("a b c", "x z")]), options)
    assert np.diff(candidates.graph.links().starts).tolist() == [0, 1, 0]
    assert "no similar sentence" in str(told(candidates, Reranker.untuned(candidates.features, options))[0])


def test_neighbours_are_counted_as_sentences() -> None:
    """Two sentences of the memory are similar; one has two translations, and both speak."""
    lists = [NBestList.of(0, [("x y", 0.0), ("x z", -1.0)])]
    options = RerankOptions()
    pairs = [("a b c d e", "x z"), ("a b c d e", "x y z"), ("a b c d f", "u v")]
    candidates = Candidates(["a b c d g"], lists, make_memory(pairs), options)
    reranker = Reranker.untuned(candidates.features, options)
    [one] = told(candidates, reranker)
    assert (one.neighbours, len(one.support), one.unnamed) == (2, 2, 1)
    assert {voice.number for voice in one.support} == {0} and str(one).endswith("and 1 similar sentence more\n")
    silent = Candidates(["a b c d g"], lists, make_memory([(source, "u v") for source, _ in pairs]), options)
    assert str(told(silent, reranker)[0]).endswith("     2 similar sentences, none shares an n-gram\n")
    single = Candidates(["a b c d g"], lists, make_memory([("a b c d e", "u v")]), options)
    assert str(told(single, reranker)[0]).endswith("     1 similar sentence, which shares no n-gram\n")


def test_all_that_is_named_is_not_more() -> None:
    voices = tuple(NeighbourSupport("s", f"t {k}", 0.5, k > 1, 0.3, 0.1, number) for k, number in enumerate((4, 4, 4)))
    one = Explanation(0, "s", "t", "t", 1, 2, voices)
    assert one.unnamed == 0 and "more" not in str(one)
