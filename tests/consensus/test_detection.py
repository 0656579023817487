"""Case, tokenisation, pieces and the meaning of scores, as told from the input."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from graphmt.consensus import Candidates, NBestList, Reranker, RerankOptions, rerank
from graphmt.consensus.detection import Sample, detected
from graphmt.consensus.scores import detected_score
from graphmt.corpus.raw_text import is_tokenised
from graphmt.errors import InputError, OptionError
from graphmt.nbest import ScoreMeaning, lists_of

WORDS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]


def sums(number: int, *, average: bool, column: str | None = None) -> list[NBestList]:
    """Lists whose log-probability is -0.3 for each token and some noise, as a sum or an average."""
    chance = np.random.default_rng(1)
    made = []
    for sentence in range(number):
        rows = []
        for size in chance.integers(3, 10, 3):
            total = -(size + 1) * chance.uniform(0.2, 0.4)
            score = total / (size + 1) if average else total
            values = {"score": score} if column is None else {"score": total / (size + 1), column: total}
            rows.append((" ".join(WORDS[:size]), values))
        made.append(NBestList.of(sentence, rows))
    return made


def columns(lists: list[NBestList], **options: str) -> tuple[str, str]:
    found = detected_score(lists, RerankOptions(**options))
    return found.score, found.normalised


def test_the_meaning_of_scores(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO", logger="graphmt"):
        assert columns(sums(40, average=True)) == ("score", "yes")
        assert "look like log-probabilities divided by the length" in caplog.text
        assert columns(sums(40, average=False)) == ("score", "no")
        assert columns(sums(40, average=True, column="LogProb")) == ("LogProb", "no")
        # A name that says nothing: the score is its quotient by the length.
        assert columns(sums(40, average=True, column="f0")) == ("f0", "no")
        assert "The score is f0 divided by the length" in caplog.text
    assert columns(sums(40, average=True), normalised="no") == ("score", "no")
    assert columns(sums(40, average=True, column="f0"), score="score") == ("score", "no")
    assert columns(lists_of([["a", "b"]])) == ("score", "no")


@pytest.mark.parametrize("number", [15, 40])
@pytest.mark.parametrize("average", [True, False])
def test_scores_near_zero(number: int, average: bool) -> None:
    """A confident system: all log-probabilities are near 0, those of long sentences not lower than others."""
    chance = np.random.default_rng(2)
    lists = []
    for sentence in range(number):
        shortest = int(chance.integers(4, 12))
        rows = []
        for more in range(5):
            words = " ".join((WORDS * 2)[: shortest + more])
            # Every further word of a sum costs something; an average stays the same.
            rows.append((words, -0.02 * chance.uniform(1, 3) - (0.0 if average else 0.1 * more)))
        lists.append(NBestList.of(sentence, rows))
    assert columns(lists) == ("score", "yes" if average else "no")


def test_positive_scores_are_no_averages() -> None:
    lists = [NBestList.of(k, [("a b c d e", 2.0 + k), ("a b c d", 1.0)]) for k in range(30)]
    assert columns(lists) == ("score", "no")


def test_averages_become_log_probabilities() -> None:
    """By the length that the system counts: a column, pieces, or words and the end."""
    given = [NBestList.of(0, [("a b c", {"score": -0.5, "Length": 7.0}), ("a b", {"score": -1.0, "Length": 5.0})])]
    options = RerankOptions(features="none", normalised="yes")
    made = Candidates(["x"], given, None, options)
    assert made.features == ("score", "Length", "log_probability")
    assert made.scores.tolist() == [-3.5, -5.0]
    pieces = lists_of([[["▁a", "b", "▁c"], ["▁a"]]], [[-0.5, -0.2]], meaning=ScoreMeaning.NORMALISED)
    assert Candidates(["x"], pieces, None, RerankOptions()).scores.tolist() == [-2.0, -0.4]
    plain = lists_of([["a b c", "a"]], [[-0.5, -0.2]], meaning=ScoreMeaning.NORMALISED)
    found = Candidates(["x"], plain, None, RerankOptions())
    assert found.scores.tolist() == [-2.0, -0.4] and found.options.normalised == "yes"
    reranker = Reranker.untuned(found.features, found.options.replace(features="gc"))
    assert reranker.stages[0] == {"score": 0.0, "log_probability": 1.0}


def test_a_computed_column_does_not_replace_one_of_the_list() -> None:
    lists = [NBestList.of(0, [("a", {"score": -1.0, "log_probability": -2.0})])]
    with pytest.raises(OptionError, match="have a column log_probability already"):
        Candidates(["x"], lists, None, RerankOptions(score="score", normalised="yes"))


@pytest.mark.parametrize(
    ("texts", "tokenised"),
    [
        (["The house is small.", "Is it?"], False),
        (["The house is small .", "is it ?"], True),
        (["no punctuation here"], True),
        (["e.g. this , and that"], True),
        (["«Ja», sagte er.", "Nein!"], False),
        (["房子很小。它是新的，"], False),
        (["房子 很 小 。"], True),
        (["at 10:30 a.m. , he left ."], True),
        ([], True),
    ],
)
def test_tokenisation(texts: list[str], tokenised: bool) -> None:
    assert is_tokenised(texts) is tokenised


def test_case_and_tokenisation_of_both_sides(caplog: pytest.LogCaptureFixture) -> None:
    lists = lists_of([["the house is small ."]])
    pairs = [("Das Haus ist klein.", "The house is small.")]
    with caplog.at_level("INFO", logger="graphmt"):
        found = detected(RerankOptions(), Sample(lists, ["das haus ist klein ."], pairs))
    assert found.lowercase and found.tokenise
    assert "differ in case" in caplog.text
    assert "Not tokenised: memory's source, memory's target." in caplog.text
    same = detected(RerankOptions(), Sample(lists, ["das haus ist klein ."], [("das haus .", "the house .")]))
    assert same.lowercase is False and same.tokenise is False
    said = detected(RerankOptions(lowercase=False, tokenise=False), Sample(lists, [], pairs))
    assert said.lowercase is False and said.tokenise is False
    # A lower-cased memory and cased lists.
    assert detected(RerankOptions(), Sample(lists_of([["The house ."]]), [], [("x", "the house .")])).lowercase


def test_detokenised_cased_output_is_ranked_and_returned_as_it_is() -> None:
    lists = [["The man sleeps, at present.", "The man sleeps now."]]
    memory = [("Der Mann schläft jetzt.", "The man sleeps now."), ("Die Frau schläft jetzt.", "The woman sleeps now.")]
    options = RerankOptions(features="gc")
    [found] = rerank(["Der Mann schläft jetzt."], lists, memory=memory, options=options)
    assert found.best == "The man sleeps now."


def test_pieces_of_sources_and_memories_are_joined(caplog: pytest.LogCaptureFixture) -> None:
    memory = [("▁der ▁Ma nn ▁schlä ft ▁jetzt", "▁the ▁man ▁sleep s ▁now")]
    lists = [["the man sleeps today", "the man sleeps now"]]
    with caplog.at_level("INFO", logger="graphmt"):
        [found] = rerank(["der Ma@@ nn schläft jetzt"], lists, memory=memory, options=RerankOptions(features="gc"))
    assert found.best == "the man sleeps now"
    assert "Subword pieces (@@) of the source" in caplog.text and "Subword pieces (▁) of the memory" in caplog.text


def test_flat_lists_and_files(tmp_path: Path) -> None:
    sources = ["der mann", "die frau"]
    flat = ["the man", "a man", "the woman", "a woman"]
    found = rerank(sources, flat, [-0.5, -0.6, -0.1, -0.9], options=RerankOptions(method="none"))
    assert [one.best for one in found] == ["the man", "the woman"]
    with pytest.raises(InputError, match="3 candidates in one list for 2 sentences"):
        rerank(sources, flat[:3])
    (tmp_path / "memory.tsv").write_text("der mann\ta man\ndie frau\ta woman\n", "utf-8")
    by_file = rerank(sources, flat, memory=tmp_path / "memory.tsv", options=RerankOptions(features="gc"))
    assert [one.best for one in by_file] == ["a man", "a woman"]
