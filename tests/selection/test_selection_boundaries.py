"""Constants of lexical selection at their boundaries: just below, at and just above."""

from __future__ import annotations

import pytest
from graphmt.errors import InputError
from graphmt.selection.topics import learn

pytest.importorskip("tomotopy", reason="needs tomotopy")


@pytest.mark.parametrize(("occurrences", "known"), [(1, False), (2, True), (3, True)])
def test_topics_need_words_that_occur_twice(occurrences: int, known: bool) -> None:
    documents = [["sun", "sun", "beach", "beach"], ["snow", "snow"], ["rare"] * occurrences]
    topics, _ = learn(documents, 2, iterations=2, seed=1, most_frequent=0)
    assert set(topics.words) == {"sun", "beach", "snow"} | ({"rare"} if known else set())


@pytest.mark.parametrize(("ignored", "learnt"), [(2, True), (3, False), (4, False)])
def test_some_word_must_be_left_to_learn_topics_from(ignored: int, learnt: bool) -> None:
    """Three words occur twice, and one once."""
    documents = [["sun", "sun", "beach", "beach"], ["snow", "snow", "rare"]]
    if learnt:
        assert len(learn(documents, 2, iterations=2, seed=1, most_frequent=ignored)[0].words) == 3 - ignored
        return
    with pytest.raises(InputError, match=f"3 words occur at least 2 times, and the {ignored} most frequent are"):
        learn(documents, 2, iterations=2, seed=1, most_frequent=ignored)
