"""Fixed weights, for lists without a development set."""

from __future__ import annotations

import numpy as np
import pytest
import small_lists
from graphmt.consensus import Candidates, NBestList, Reranker, RerankOptions, explain, rerank
from graphmt.consensus.memory import stored_pairs
from graphmt.consensus.reranker import evidence_options
from graphmt.errors import OptionError
from graphmt.memory_features import MemoryResources, column_names, make_resources
from graphmt.memory_features.untuned import untuned_weights

MEMORY = small_lists.sentences(150, 1)
TEST = small_lists.sentences(30, 3)
LISTS = small_lists.lists(TEST, 5)
SOURCES = [source for source, _ in TEST]
OPTIONS = RerankOptions(features="memory,lm")
FOREIGN = [("etwas ganz anderes .", "something else altogether ."), ("noch ein satz .", "one more sentence .")]


@pytest.fixture(scope="module")
def resources() -> MemoryResources:
    groups = ("memory", "lm")
    return make_resources(stored_pairs(MEMORY), groups, evidence_options(RerankOptions()), lowercase=False)


def test_there_are_weights_for_every_column() -> None:
    for groups in (("memory",), ("memory", "lm"), ("memory", "lm", "lexicon")):
        assert set(untuned_weights(groups)) == {"own", *column_names(groups)}
        assert all(np.isfinite(list(untuned_weights(groups).values())))
    with pytest.raises(OptionError, match="lexicon need weights tuned on a development set"):
        untuned_weights(("lexicon",))


@pytest.mark.parametrize("scored", [True, False])
def test_the_memory_corrects_the_model(scored: bool) -> None:
    """Also candidates without scores, as of a language model."""
    lists = LISTS if scored else [[text for text, _ in own] for own in LISTS]
    found = rerank(SOURCES, lists, memory=MEMORY, options=OPTIONS)
    right = sum(one.best == target for one, (_, target) in zip(found, TEST, strict=True))
    before = sum(own[0][0] == target for own, (_, target) in zip(LISTS, TEST, strict=True))
    assert right >= before + 8


def test_a_memory_of_another_domain_changes_nothing() -> None:
    found = rerank(SOURCES, LISTS, memory=FOREIGN, options=OPTIONS)
    assert all(one.places[0] == 0 for one in found)
    always = rerank(SOURCES, LISTS, memory=FOREIGN, options=OPTIONS.replace(abstain=False))
    assert any(one.places != tuple(sorted(one.places)) for one in always)


def test_features_without_a_development_set() -> None:
    auto = RerankOptions()
    assert auto.settled(tuned=False, memory=1000).groups == ("memory", "lm")
    assert auto.settled(tuned=False, memory=1000).abstain
    small = auto.settled(tuned=False, memory=999)
    assert small.groups == ("gc",) and small.abstain and small.threshold == 0.5
    assert auto.settled(tuned=False, memory=None) == small
    assert auto.settled(tuned=True, memory=5).groups == ("memory", "lm", "lexicon")
    assert not auto.settled(tuned=True, memory=5).abstain
    assert auto.settled(tuned=True, memory=None).groups == ("gc", "lc")
    assert OPTIONS.settled(tuned=False, memory=5).abstain and not OPTIONS.settled(tuned=True, memory=5).abstain
    assert auto.replace(abstain=False).settled(tuned=False, memory=1000).abstain is False


def test_coverage_by_hand(resources: MemoryResources) -> None:
    made = Reranker.untuned(("score",), RerankOptions(features="memory,lm", score="score"), resources)
    assert made.fitted is not None
    sources = ["Der Mann läuft jetzt", "der mann fliegt jetzt im", "der", "haus der", ""]
    assert made.fitted.covered_trigrams(sources).tolist() == [[2, 2], [0, 3], [1, 1], [0, 1], [0, 0]]


def test_n_grams_and_pairs_explain_a_choice(resources: MemoryResources) -> None:
    options = RerankOptions(features="memory,lm", score="score", normalised="no")
    lists = [NBestList.of(k, own) for k, own in enumerate(LISTS)]
    candidates = Candidates(SOURCES, lists, None, options)
    reranker = Reranker.untuned(candidates.features, options, resources)
    ranked = reranker.rank(candidates)
    found = list(explain(candidates, reranker, ranked, 7))
    assert [one.sentence for one in found] == list(range(7, 37))
    changed = next(one for one in found if one.changed)
    gained = [one for one in changed.ngrams if one.chosen]
    assert gained and all(f" {one.words} " in f" {changed.chosen} " for one in gained)
    assert all(f" {one.words} " not in f" {changed.first} " for one in gained)
    best = gained[0]
    assert best.pairs and 0 < best.supporting <= best.examined
    assert all(best.words in pair.target and best.source in pair.source for pair in best.pairs)
    lost = [one for one in changed.ngrams if not one.chosen]
    assert lost and all(one.words in changed.first for one in lost)
    # The groups add up to the difference of the scores.
    start = candidates.starts[changed.sentence - 7]
    difference = ranked.scores[start + changed.place - 1] - ranked.scores[start]
    assert sum(changed.groups.values()) == pytest.approx(difference, rel=1e-6)
    assert set(changed.groups) == {"own", "memory", "lm", "words"}
    text = str(changed)
    assert "score compared with the first" in text and f"pairs with: {best.source}" in text
    assert "only in the first candidate" in text and "similar" not in text
    row = changed.as_dict()
    assert row["ngrams"][0]["pairs"][0]["target"] == best.pairs[0].target and "voices" not in row
    kept = next(one for one in found if not one.changed)
    assert kept.ngrams and all(one.chosen for one in kept.ngrams)


def test_neighbours_and_n_grams_together(resources: MemoryResources) -> None:
    from graphmt.consensus import learn, make_memory

    options = RerankOptions(features="memory,lm,gc", classifier="lr", score="score", normalised="no", alternations=1)
    lists = [NBestList.of(k, own) for k, own in enumerate(LISTS)]
    candidates = Candidates(SOURCES, lists, make_memory(MEMORY), options)
    made = learn(candidates, [[target] for _, target in TEST], options, resources)
    one = next(iter(explain(candidates, made, made.rank(candidates))))
    assert one.support and one.ngrams and {"gc", "memory", "lm", "own"} <= set(one.groups)
    assert {"voices", "ngrams", "groups"} <= set(one.as_dict())
