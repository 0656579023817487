"""Many equal sentences and long lists: time and memory that do not grow with a square."""

from __future__ import annotations

import numpy as np
import pytest
from graphmt import _core
from graphmt.consensus import Candidates, NBestList, RerankOptions, make_memory

LISTS = [["that is good .", "this is good .", "it is fine ."], ["that 's good .", "it is good ."]]


def test_equal_sentences_are_one_node() -> None:
    number = 3000
    sources = ["das ist gut ."] * number + ["das ist gut ."]
    lists = [NBestList.of(k, [(text, -0.1 * k) for text in LISTS[0]]) for k in range(number)]
    lists.append(NBestList.of(number, [(text, 0.0) for text in LISTS[1]]))
    options = RerankOptions(features="gc")
    candidates = Candidates(sources, lists, make_memory([("das ist gut .", "that is good .")], options), options)
    links = candidates.graph.links()
    assert len(links.nodes) == 3 * number + 2, "the memory, the other equal sentences, the other list"
    assert links.counts[:3].tolist() == [1, number - 1, 1] and links.nodes[1] == 1
    assert links.counts[-2:].tolist() == [1, number]
    posterior = candidates.posterior(candidates.scores, 1.0)
    found = candidates.graph.propagate(posterior, options.replace(rounds=5, tolerance=0.0)).values
    # The scores of a list differ by nothing, so all equal lists get the same.
    assert found[: 3 * number].reshape(number, 3, 4) == pytest.approx(np.broadcast_to(found[:3], (number, 3, 4)))
    support = candidates.graph.support(found, 0, 0)
    assert sum(one.count for one in support if one.label == LISTS[0][0]) == 1 + number - 1
    again = candidates.graph.propagate(posterior, options.replace(rounds=6, tolerance=0.0)).values
    assert np.sum([one.added for one in support], axis=0) == pytest.approx(again[0], abs=1e-9)


@pytest.mark.parametrize("normalise", ["receiver", "neighbour", "plain"])
def test_of_long_lists_the_most_probable_candidates_support_others(normalise: str) -> None:
    words = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"]
    texts = [" ".join((x, y, z)) for x in words for y in words for z in words][:1100]
    posterior = np.where(np.arange(1100) % 11 == 3, 0.0, 1e-3)
    probable = posterior > 0
    kept, dropped = [t for t, p in zip(texts, probable, strict=True) if p], texts[3::11]
    options = RerankOptions(normalise=normalise)
    whole, short = _core.CandidateLists([texts]), _core.CandidateLists([kept])
    for gain in ("bleu", "chrf"):
        found = whole.expected_gain(posterior, gain)
        assert found[probable] == pytest.approx(short.expected_gain(posterior[probable], gain))
        (other,) = _core.CandidateLists([[*kept, dropped[0]]]).expected_gain(np.append(posterior[probable], 0.0), gain)[
            -1:
        ]
        assert found[3] == pytest.approx(other)
    found = whole.local_consensus(posterior, ["dice1", "bleu"], options)
    if normalise == "receiver":
        # The support is divided among all candidates, and only that of the improbable ones is lost.
        assert found.sum(axis=0) == pytest.approx([posterior.sum()] * 2)
    else:
        wanted = short.local_consensus(posterior[probable], ["dice1", "bleu"], options)
        assert found[probable] == pytest.approx(wanted)
