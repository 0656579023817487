"""Re-ranking with the features memory, lm and lexicon."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
import small_lists
from graphmt.align import LexicalTable
from graphmt.consensus import Candidates, DevSet, NBestList, Reranker, RerankOptions, learn, rerank
from graphmt.consensus.memory import stored_pairs
from graphmt.consensus.reranker import evidence_options
from graphmt.errors import InputError, OptionError
from graphmt.memory_features import LexicalScorer, Lexicon, MemoryPairs, MemoryResources, make_resources
from graphmt.tune import corpus_bleu

MEMORY = small_lists.sentences(150, 1)
DEV, TEST = small_lists.sentences(40, 2), small_lists.sentences(40, 3)
DEV_LISTS, TEST_LISTS = small_lists.lists(DEV, 4), small_lists.lists(TEST, 5)
OPTIONS = RerankOptions(features="memory,lm,lexicon", classifier="lr", threads=1)


def candidates(pairs: list[tuple[str, str]], lists: small_lists.Lists) -> Candidates:
    given = [NBestList.of(number, own) for number, own in enumerate(lists)]
    return Candidates([source for source, _ in pairs], given, None, OPTIONS)


@pytest.fixture(scope="module")
def pairs() -> MemoryPairs:
    return stored_pairs(MEMORY)


@pytest.fixture(scope="module")
def resources(pairs: MemoryPairs) -> MemoryResources:
    return make_resources(pairs, OPTIONS.memory_groups, evidence_options(OPTIONS), lowercase=False)


@pytest.fixture(scope="module")
def tuned(resources: MemoryResources) -> Reranker:
    return learn(candidates(DEV, DEV_LISTS), [[target] for _, target in DEV], OPTIONS, resources)


def test_the_memory_corrects_the_model(tuned: Reranker) -> None:
    given = candidates(TEST, TEST_LISTS)
    ranked = tuned.rank(given)
    assert corpus_bleu([own[0][0] for own in TEST_LISTS], [[target] for _, target in TEST]) < 90
    assert given.best(ranked.scores) == [target for _, target in TEST]
    assert {"memory1", "memory-lm", "memory-lex-target", "memory-words"} <= set(ranked.added)


def test_a_saved_folder_ranks_the_same(tuned: Reranker, pairs: MemoryPairs, tmp_path: Path) -> None:
    folder = tmp_path / "reranker"
    tuned.save(folder)
    loaded = Reranker.load(folder)
    given = candidates(TEST, TEST_LISTS)
    with pytest.raises(OptionError, match="without its memory"):
        loaded.rank(given)
    again = loaded.with_memory(folder, pairs)
    assert (again.rank(given).scores == tuned.rank(given).scores).all()
    (folder / "lexicon.npz").write_bytes(b"x")
    with pytest.raises(InputError, match="not a lexicon"):
        loaded.with_memory(folder, pairs)


def test_lexical_features_by_hand(tmp_path: Path) -> None:
    lexicon = Lexicon.from_table(_loaded_table(tmp_path))
    lexicon.save(tmp_path / "lexicon.npz")
    scorer = LexicalScorer(Lexicon.open(tmp_path / "lexicon.npz"))
    found = scorer.features("das haus neu", ["the house", "the", ""])
    log = lambda p: math.log(p + 1e-3)  # noqa: E731
    assert found[0] == pytest.approx([log(0.5) + log(1), log(1) + log(1) + log(0), 0], abs=1e-5)
    assert found[1] == pytest.approx([log(0.5), log(1) + 2 * log(0), 1], abs=1e-5)
    assert found[2] == pytest.approx([0, 3 * log(0), 2], abs=1e-5)


def _loaded_table(folder: Path) -> LexicalTable:
    (folder / "lex.f2e").write_text("the das 0.5\na das 0.5\nhouse haus 1\n")
    (folder / "lex.e2f").write_text("das the 1\ndas a 1\nhaus house 1\n")
    return LexicalTable.load(folder / "lex")


def test_plain_lists_without_scores() -> None:
    dev = DevSet([s for s, _ in DEV], [[text for text, _ in own] for own in DEV_LISTS], [t for _, t in DEV])
    options = OPTIONS.replace(features="memory,lm")
    texts = [[text for text, _ in own] for own in TEST_LISTS]
    found = rerank([source for source, _ in TEST], texts, memory=MEMORY, options=options, dev=dev)
    assert [one.best for one in found] == [target for _, target in TEST]


def test_without_a_development_set_lists_without_neighbours_keep_their_order() -> None:
    lists = [["one thing here", "another thing there"], ["the man runs in the house now ."]]
    found = rerank(["ganz etwas anderes", "der mann läuft jetzt im haus ."], lists, memory=MEMORY)
    assert found[0].places == (0, 1)


def test_lower_cased_lists_meet_a_cased_memory(caplog: pytest.LogCaptureFixture) -> None:
    cased = [(source.title(), target.title()) for source, target in MEMORY]
    with caplog.at_level("INFO", logger="graphmt"):
        found = rerank([source for source, _ in TEST], TEST_LISTS, memory=cased)
    assert "in lower case" in caplog.text
    changed = np.mean([one.places[0] != 0 for one in found])
    assert changed > 0.1


@pytest.mark.parametrize("features", ["memory,lx", "none,gc", ""])
def test_unknown_groups_are_refused(features: str) -> None:
    with pytest.raises(OptionError, match="features cannot be"):
        RerankOptions(features=features)


def test_held_out_pairs_and_their_translations(pairs: MemoryPairs) -> None:
    source = MEMORY[0][0]
    kept = pairs.without([source.upper()])
    assert len(kept) < len(pairs) and source not in {own for own, _ in kept}
    assert pairs.references([source])[source] == [MEMORY[0][1]]
