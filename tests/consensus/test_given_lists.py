"""Lists that Python code gives: empty candidates, missing scores, lengths and characters that do not fit."""

from __future__ import annotations

import unicodedata
from typing import Any

import numpy as np
import pytest
import small_lists
from graphmt.align import Alignment, LexicalTable
from graphmt.consensus import Candidates, DevSet, NBestList, Reranker, RerankOptions, merged, plain_lists, rerank
from graphmt.errors import InputError
from graphmt.memory_features import LexicalScorer, Lexicon

MEMORY = small_lists.sentences(150, 1)
DEV, TEST = small_lists.sentences(40, 2), small_lists.sentences(40, 3)
SOURCES = [source for source, _ in TEST]
LISTS = small_lists.lists(TEST, 5)
TEXTS = [[text for text, _ in own] for own in LISTS]
SCORED = [[(text, values["score"]) for text, values in own] for own in LISTS]
DEV_SET = DevSet(
    [source for source, _ in DEV], [[text for text, _ in own] for own in small_lists.lists(DEV, 4)], [t for _, t in DEV]
)


@pytest.mark.parametrize(
    ("features", "memory"),
    [("gc", None), ("gc,lc", None), ("lc", None), ("gc", MEMORY), ("memory", MEMORY), ("memory,lm", MEMORY)],
)
@pytest.mark.parametrize("number", [1, 3])
def test_empty_candidates_do_not_win(features: str, memory: Any, number: int) -> None:
    """Similar sentences have an empty candidate in common, and nothing says how good the others are."""
    options = RerankOptions(features=features, abstain=False, threads=1)
    unlike = [[f"{text} {k}" for text in own[:number]] for k, own in enumerate(TEXTS)]
    for lists in ([[*own, ""] for own in TEXTS], [[*own, ""] for own in unlike]):
        assert all(one.best for one in rerank(SOURCES, lists, memory=memory, options=options))
    # The model may find them likely: fewer words, fewer factors.
    scored = [[*own, ("", -0.5)] for own in SCORED]
    assert all(one.best for one in rerank(SOURCES, scored, memory=memory, options=options))


def test_empty_candidates_have_no_support() -> None:
    lists = [NBestList.of(k, [("a b c", 0.0), ("", 0.0)]) for k in range(2)]
    candidates = Candidates(["x y z"] * 2, lists, None, RerankOptions())
    found = np.exp(candidates.consensus(candidates.posterior(candidates.scores, 1.0))[:, :4])
    assert np.allclose(found[1::2], 1e-4) and (found[::2] > 0.4).all()


def test_empty_candidates_stay_where_nothing_was_said() -> None:
    options = RerankOptions(features="gc", abstain=False)
    lists: list[list[tuple[str, float]]] = [[("", -0.1), ("a word", -0.2)], [("", -0.1), ("", -0.3)]]
    assert [one.best for one in rerank(["", "x"], lists, options=options)] == ["", ""]
    assert [one.best for one in rerank(["x", "x"], lists, options=RerankOptions(method="none"))] == ["", ""]


def test_lists_with_and_without_scores_are_not_mixed(monkeypatch: pytest.MonkeyPatch) -> None:
    tuned = RerankOptions(features="gc")
    assert len(rerank(SOURCES, TEXTS, memory=MEMORY, options=tuned, dev=DEV_SET)) == 40
    candidates = Candidates(SOURCES, [NBestList.of(k, own) for k, own in enumerate(SCORED)], None, tuned)
    known = Reranker(tuned, ("score",), 1.0, ({"score": 1.0},), scored=False)
    with pytest.raises(InputError, match="the lists have scores, and those that were tuned on had no scores"):
        known.rank(candidates)
    monkeypatch.setattr(plain_lists, "prepare_memory", None)
    with pytest.raises(InputError, match="the lists have scores, and those that were tuned on had no scores"):
        rerank(SOURCES, SCORED, memory=MEMORY, options=tuned, dev=DEV_SET)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"references": DEV_SET.references[1:]}, "the development set: 39 references for 40 n-best lists"),
        ({"sources": DEV_SET.sources[1:]}, "the development set: 39 source sentences for 40 n-best lists"),
        ({"vectors": np.ones((39, 2))}, "the development set: 39 vectors for 40 n-best lists"),
        ({"vectors": np.ones((40, 3))}, "vectors with 2 and 3 values"),
    ],
)
def test_lengths_are_compared_first(monkeypatch: pytest.MonkeyPatch, changed: dict[str, Any], said: str) -> None:
    fields = {name: getattr(DEV_SET, name) for name in ("sources", "candidates", "references")}
    dev = DevSet(**{**fields, **changed})
    vectors = (np.ones((40, 2)), np.ones((150, 2))) if "vectors" in changed else None
    monkeypatch.setattr(plain_lists, "prepare_memory", None)
    with pytest.raises(InputError, match=said):
        rerank(SOURCES, TEXTS, memory=MEMORY, dev=dev, vectors=vectors)


def test_equal_candidates_of_several_systems_in_two_forms() -> None:
    texts = ("un café", unicodedata.normalize("NFD", "un café"))
    lists = [NBestList.of(0, [(text, -0.1)]) for text in texts]
    assert merged(lists).texts == texts[:1] and merged(lists[::-1]).texts == texts[1:]


def test_a_lexicon_in_another_form() -> None:
    table = LexicalTable.count(["fenêtre"], ["café"], Alignment.from_pairs([[(0, 0)]]), threads=1)
    lexicon = Lexicon.from_table(table)
    wanted = LexicalScorer(lexicon).features("fenêtre", ["café", "tea"])
    other = Lexicon(
        [unicodedata.normalize("NFD", word) for word in lexicon.source_words],
        [unicodedata.normalize("NFD", word) for word in lexicon.target_words],
        *(lexicon.starts, lexicon.target, lexicon.target_given_source, lexicon.source_given_target),
    )
    assert (LexicalScorer(other).features("fenêtre", ["café", "tea"]) == wanted).all()
    assert wanted[0, 2] == 0 and wanted[1, 2] == 1
