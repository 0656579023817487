"""Topic similarity: its formulas by hand, documents, and topics of documents."""

from __future__ import annotations

import math

import numpy as np
import pytest
from graphmt import _core
from graphmt.errors import GraphmtError, InputError
from graphmt.selection import TsmOptions
from graphmt.selection.topics import Topics
from graphmt.selection.tsm import CorpusTopics
from tiny import corpus, values

f32 = np.float32


def train(made, folder, **changes: object) -> None:
    given = {
        "documents": [0, 1, 1],
        "source": np.array([[1, 0], [0.5, 0.5]], f32),
        "target": np.array([[0.8, 0.2], [0.2, 0.8]], f32),
        "source_words": np.array([0, 1, 1], np.int16),
        "target_words": np.array([1, 0, 0], np.int16),
        **changes,
    }
    options = TsmOptions(topics=2, max_memory=1, threads=1)
    _core.train_tsm(made, folder / "tsm.bin", options, CorpusTopics(**given), folder=folder)


def test_the_formulas_by_hand(tmp_path) -> None:
    """The rule a → x occurs once in the first document and twice in the second.

    P(z|r) = 1/3 (1, 0) + 2/3 (1/2, 1/2) = (2/3, 1/3) on the source side; 1/3 (0.8, 0.2) + 2/3 (0.2, 0.8) = (0.4, 0.6)
    on the target side. A word of target topic 1 is linked to one of source topic 0, two of topic 0 to topic 1:
    projected the target side is (0.6, 0.4). For a document about topic 0 alone: Σ (√P(z|d) − √P(z|r))² = 2 − 2 √P(0|r).
    """
    made = corpus(tmp_path, [("a", "x")] * 3)
    (tmp_path / "runs").mkdir()
    train(made, tmp_path)
    found = values(made, _core.open_tsm(tmp_path / "tsm.bin"), 4, "a", [1.0, 0.0])["x"]
    entropy = lambda *p: -sum(q * math.log(q) for q in p)  # noqa: E731
    wanted = [2 - 2 * math.sqrt(2 / 3), 2 - 2 * math.sqrt(0.6), entropy(2 / 3, 1 / 3), entropy(0.4, 0.6)]
    assert found == pytest.approx(wanted, abs=1e-4)
    # A document with the very topics of the rule is at no distance; a word that has no rule has no topics.
    found = values(made, _core.open_tsm(tmp_path / "tsm.bin"), 4, "a b", [2 / 3, 1 / 3])["x b"]
    other = (math.sqrt(2 / 3) - math.sqrt(0.6)) ** 2 + (math.sqrt(1 / 3) - math.sqrt(0.4)) ** 2
    assert found == pytest.approx([0, other, *wanted[2:]], abs=1e-4)


def test_what_does_not_go_together_is_refused(tmp_path) -> None:
    made = corpus(tmp_path, [("a", "x")] * 3)
    for changes in (
        {"documents": [0, 1]},
        {"documents": [0, 1, 2]},
        {"source_words": np.array([0, 1], np.int16)},
        {"target_words": np.array([0, 1, 2], np.int16)},
    ):
        with pytest.raises(GraphmtError, match=r"documents|topics"):
            train(made, tmp_path, **changes)
    train(made, tmp_path)
    with pytest.raises(InputError, match="0 topics; tsm expects 2"):
        values(made, _core.open_tsm(tmp_path / "tsm.bin"), 4, "a")


def test_the_topics_of_a_document() -> None:
    topics = Topics(("sun", "beach", "snow"), np.array([[0.5, 0.5, 0], [0, 0.1, 0.9]], f32), np.array([0.1, 0.1], f32))
    # One word of the first topic and none of the other: (1 + α) : α.
    assert topics.of(["sun"]).tolist() == pytest.approx([1.1 / 1.2, 0.1 / 1.2])
    assert topics.of(["sun", "who"]).tolist() == topics.of(["sun"]).tolist()
    assert topics.of([]).tolist() == [0.5, 0.5]
    assert topics.of(["beach", "snow", "snow"])[1] > 0.7


def test_topics_are_kept(tmp_path) -> None:
    topics = Topics(("sun",), np.array([[1.0], [1.0]], f32), np.array([0.1, 0.3], f32))
    topics.save(tmp_path / "topics.npz")
    assert Topics.load(tmp_path / "topics.npz").of(["sun"]).tolist() == topics.of(["sun"]).tolist()
    (tmp_path / "topics.npz").write_bytes(b"PK")
    with pytest.raises(InputError, match="not a topic file"):
        Topics.load(tmp_path / "topics.npz")
