"""Calibrated constants at their boundaries: just below, at and just above, where what users get changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import pytest
import small_lists
from graphmt.consensus import (
    Candidates,
    ConsensusOptions,
    Explanation,
    NBestList,
    Reranker,
    RerankOptions,
    decode_learning,
    explain,
    learn,
    learn_decoding,
    learning,
    make_memory,
    make_span_memory,
    merged,
    rerank,
)
from graphmt.consensus.direction import warn_if_foreign
from graphmt.consensus.explanation import NeighbourSupport
from graphmt.consensus.learning import best_scale
from graphmt.consensus.memory import stored_pairs
from graphmt.consensus.report import ChangedChoices
from graphmt.consensus.reranker import evidence_options
from graphmt.consensus.scores import detected_score
from graphmt.consensus.tied import TiedModel
from graphmt.memory_features import LexicalScorer, Lexicon, MemoryResources, make_resources
from graphmt.nbest import ScoreMeaning, lists_of
from graphmt.tune import TuneResult
from small_models import Trained

MEMORY = small_lists.sentences(150, 1)


@pytest.fixture(scope="module")
def resources() -> MemoryResources:
    groups = ("memory", "lm")
    return make_resources(stored_pairs(MEMORY), groups, evidence_options(RerankOptions()), lowercase=False)


@pytest.mark.parametrize(("covered", "changes"), [(2, False), (3, True), (4, True)])
def test_a_memory_with_three_tenths_of_the_trigrams_may_change_the_order(
    resources: MemoryResources, covered: int, changes: bool
) -> None:
    """Of the ten trigrams of a source, the memory has those of its first words."""
    known = ["der", "mann", "läuft", "jetzt", "im", "haus"][: covered + 2]
    source = " ".join([*known, *(f"fremd{k}" for k in range(12 - len(known)))])
    lists = [NBestList.of(0, [("into a wood runs man", -1.0), ("the man runs in the house now .", -1.1)])]
    options = RerankOptions(features="memory,lm", score="score", normalised="no", abstain=True)
    candidates = Candidates([source], lists, None, options)
    ranked = Reranker.untuned(candidates.features, options, resources).rank(candidates)
    assert ranked.covered is not None and ranked.covered.tolist() == [[covered, 10]]
    assert ranked.orders(candidates) == [[1, 0] if changes else [0, 1]]
    always = Reranker.untuned(candidates.features, options.replace(abstain=False), resources)
    assert always.rank(candidates).orders(candidates) == [[1, 0]]


@pytest.mark.parametrize(("pairs", "groups"), [(999, "gc"), (1000, "memory,lm"), (1001, "memory,lm")])
def test_small_memories_are_searched_for_neighbours_only(pairs: int, groups: str) -> None:
    assert RerankOptions().settled(tuned=False, memory=pairs).groups == tuple(groups.split(","))


@pytest.mark.parametrize(
    ("similar", "moves"),
    [
        # Similarities by formula (10) of 0.43 and 0.55; that of the option is 0.3.
        ("a b c d x y z", False),
        ("a b c d x f g", True),
    ],
)
def test_only_close_neighbours_without_a_development_set(similar: str, moves: bool) -> None:
    lists = [[("one two", -1.0), ("eins zwei", -1.01)]]
    [found] = rerank(["a b c d e f g"], lists, memory=[(similar, "eins zwei")])
    assert found.places == ((1, 0) if moves else (0, 1))


# Tuning.


def tuned(options: RerankOptions, number: int = 1) -> Reranker:
    texts = ["the small house", "the house", "a small house"]
    lists = lists_of([texts] * number, [[-1.0, -1.3, -2.0]] * number, meaning=ScoreMeaning.SUM)
    candidates = Candidates(["das kleine haus"] * number, lists, None, options)
    return learn(candidates, [["the small house"]] * number, options)


@pytest.mark.parametrize(("number", "warned"), [(99, True), (100, False), (101, False)])
def test_tuning_on_few_sentences_warns(number: int, warned: bool, caplog: pytest.LogCaptureFixture) -> None:
    tuned(RerankOptions(method="mbr-bleu", scale=1.0), number)
    assert ("can be worse than without tuning" in caplog.text) is warned


def stubbed(monkeypatch: pytest.MonkeyPatch, values: Sequence[float]) -> Iterator[float]:
    """BLEU of the development set is the next of these values, each time it is computed."""
    rest = iter(values)
    monkeypatch.setattr(learning, "corpus_bleu", lambda *_, **__: next(rest))
    return rest


@pytest.mark.parametrize(("gain", "scale"), [(0.19, 1.0), (0.2, 1.0), (0.21, 2.0)])
def test_mbr_takes_another_scale_for_more_than_noise(
    monkeypatch: pytest.MonkeyPatch, gain: float, scale: float
) -> None:
    """The scales are 1/4, 1/2, 1, 2 and 4; that of log-probabilities is 1."""
    rest = stubbed(monkeypatch, [-1, -1, 0, gain, -1])
    assert tuned(RerankOptions(method="mbr-bleu")).scale == scale
    assert not list(rest)


@pytest.mark.parametrize("best", range(5))
def test_scales_from_a_quarter_to_four_are_tried(monkeypatch: pytest.MonkeyPatch, best: int) -> None:
    # If the largest is best, twice as much is tried.
    rest = stubbed(monkeypatch, [float(place == best) for place in range(5 + (best == 4))])
    assert tuned(RerankOptions(method="mbr-bleu")).scale == 2.0 ** (best - 2)
    assert not list(rest)


@pytest.mark.parametrize("best", range(3))
def test_weights_are_tuned_for_half_and_double_the_scale(monkeypatch: pytest.MonkeyPatch, best: int) -> None:
    bleus = [0.0, *(float(place == best) for place in range(3 + (best == 2)))]
    assert turns(monkeypatch, bleus, alternations=1).scale == 2.0 ** (best - 1)


@pytest.mark.parametrize("best", range(6))
def test_exponents_from_none_to_four_are_tried(monkeypatch: pytest.MonkeyPatch, best: int) -> None:
    rest = stubbed(monkeypatch, [float(place == best) for place in range(6)])
    assert (
        tuned(RerankOptions(method="struct-lp", scale=1.0, anchor=None)).options.anchor == [0, 0.25, 0.5, 1, 2, 4][best]
    )
    assert not list(rest)


@pytest.mark.parametrize(("peak", "found"), [(4, 4), (32, 32), (64, 64), (128, 64)])
def test_larger_scales_are_tried_up_to_64(peak: float, found: float) -> None:
    scale, _ = best_scale((1.0, 2.0), lambda scale: scale, lambda scale: -abs(scale - peak))
    assert scale == found


def turns(monkeypatch: pytest.MonkeyPatch, bleus: Sequence[float], **changes: float) -> Reranker:
    """Tuned weights that reach these values of BLEU, one turn after the other."""
    rest = iter(bleus)

    def reached(candidates: Candidates, values: object, start: dict[str, float], *_: object) -> object:
        return learning._Turn(dict(start), next(rest))

    monkeypatch.setattr(learning, "_tuned", reached)
    return tuned(RerankOptions(features="lc").replace(**changes))


@pytest.mark.parametrize(("gain", "stages"), [(0.009, 2), (0.01, 3), (0.011, 3)])
def test_turns_that_gain_little_are_the_last(monkeypatch: pytest.MonkeyPatch, gain: float, stages: int) -> None:
    """Weights without consensus, a first turn, then one that gains as much, and one that loses."""
    made = turns(monkeypatch, [0.0, 0.0, gain, -1.0], scale=1.0, alternations=5)
    assert len(made.stages) == len(made.bleu) == stages


@pytest.mark.parametrize("most", [1, 2, 3])
def test_turns_end_with_the_alternations_asked_for(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    made = turns(monkeypatch, [float(k) for k in range(10)], scale=1.0, alternations=most)
    assert len(made.stages) == most + 1


# Spans.


@pytest.mark.parametrize(("translations", "kept"), [(4, 4), (5, 5), (6, 5)])
def test_a_span_keeps_its_five_most_frequent_translations(demo: Trained, translations: int, kept: int) -> None:
    """The k-th translation occurs k times."""
    pairs = [("er schläft .", f"u{k} v{k}") for k in range(1, translations + 1) for _ in range(k)]
    memory, _ = make_span_memory(demo.load("btg"), pairs, threads=1)
    [entry] = memory.entries(0, len(memory))
    wanted = [f"u{k} v{k}" for k in range(translations, translations - kept, -1)]
    assert sorted(one.text for one in entry.translations) == sorted(wanted)


# What is shown.


@pytest.mark.parametrize(("similar", "shown"), [(4, 4), (5, 5), (6, 5)])
def test_five_neighbours_explain_a_choice(similar: int, shown: int) -> None:
    options = RerankOptions(features="gc")
    memory = make_memory([(f"a b c d e f u{k}", "eins zwei") for k in range(similar)], options)
    candidates = Candidates(["a b c d e f g"], [NBestList.of(0, [("eins zwei", -1.0), ("x", -2.0)])], memory, options)
    reranker = Reranker.untuned(candidates.features, options)
    [one] = explain(candidates, reranker, reranker.rank(candidates))
    assert (one.neighbours, len(one.support)) == (similar, shown)


@pytest.mark.parametrize(("number", "shown"), [(49, 49), (50, 50), (51, 50)])
def test_fifty_choices_are_on_a_page(number: int, shown: int) -> None:
    """Those with the strongest neighbour; the first is the weakest."""
    changed = ChangedChoices()
    for k in range(number):
        support = NeighbourSupport("s", "t", 0.5, True, 0.5, (k + 1) / 100, 0)
        changed.add(Explanation(k, "s", "chosen", "first", 2, 1, (support,)))
    assert changed.count == number
    assert [one.sentence for one in changed.strongest()] == list(range(number))[::-1][:shown]


@pytest.mark.parametrize(("other", "score"), [(999.0, 1.0), (1000.0, 1.0), (2000.0, 2.0)])
def test_tied_weights_keep_the_score_as_a_breaker_of_ties(other: float, score: float) -> None:
    """Beside weights of consensus that are larger than a thousand times, the weight of the score grows with them."""

    class Tuned:
        features: ClassVar = {"lm": 0.5, "gc1": 0.0}

    tied = TiedModel(Tuned(), ["gc1"])  # type: ignore[arg-type]
    assert tied.weights({"score": 1.0, "gc1": -other}) == pytest.approx({"lm": 0.5, "gc1": -other / score})
    assert tied.weights({"score": 0.0, "gc1": 0.0}) == {"lm": 0.5, "gc1": 0.0}


@pytest.mark.parametrize(("gain", "turns"), [(0.009, 1), (0.01, 2), (0.011, 2)])
def test_turns_of_tuning_in_decoding_end_as_well(
    demo: Trained, monkeypatch: pytest.MonkeyPatch, gain: float, turns: int
) -> None:
    """A first turn, one that gains as much, and one that loses."""
    rest = iter([0.0, gain, -1.0])

    def reached(tuned: TiedModel, *_: object, **__: object) -> TuneResult:
        return TuneResult(dict(tuned.features), next(rest), (), "stubbed")

    monkeypatch.setattr(decode_learning, "optimise", reached)
    model = demo.load("btg", pop_limit=15)
    memory, _ = make_span_memory(model, [("er schläft .", "he sleeps .")], threads=1)
    options = ConsensusOptions(alternations=5, threads=1)
    made = learn_decoding(model, memory, ["er schläft ."], [["he sleeps ."]], options)
    assert len(made.bleu) == turns


# The meaning of scores.


def meaning(lists: Sequence[NBestList]) -> tuple[str, str]:
    found = detected_score(lists, RerankOptions())
    return found.score, found.normalised


def words(number: int) -> str:
    return " ".join(["w"] * number)


@pytest.mark.parametrize(("score", "normalised"), [(-1.4, "yes"), (-1.5, "yes"), (-1.6, "no")])
def test_averages_are_above_three_halves(score: float, normalised: str) -> None:
    assert meaning([NBestList.of(0, [(words(5), score)])])[1] == normalised


@pytest.mark.parametrize(("number", "normalised"), [(3, "no"), (4, "yes")])
def test_one_sentence_of_few_words_says_nothing(number: int, normalised: str) -> None:
    assert meaning([NBestList.of(0, [(words(number), -1.0)])])[1] == normalised


def correlated(lengths: Sequence[float], correlation: float) -> npt.NDArray[np.float64]:
    """Numbers of mean 0 with this correlation with the lengths."""
    own = np.array(lengths) - np.mean(lengths)
    other = np.array([1.0, -1.0, -1.0, 1.0] * (len(own) // 4))
    assert abs(own @ other) < 1e-9
    return correlation * own / np.linalg.norm(own) + np.sqrt(1 - correlation**2) * other / np.linalg.norm(other)


@pytest.mark.parametrize(("correlation", "normalised"), [(0.29, "yes"), (0.31, "no")])
def test_sums_of_sentences_fall_with_their_length(correlation: float, normalised: str) -> None:
    lengths = [5, 6, 7, 8] * 5
    scores = -1 - 0.1 * correlated(lengths, correlation)
    lists = [NBestList.of(k, [(words(n), float(scores[k]))]) for k, n in enumerate(lengths)]
    assert meaning(lists)[1] == normalised


@pytest.mark.parametrize(("number", "normalised"), [(19, "yes"), (20, "no"), (21, "no")])
def test_sentences_that_a_correlation_needs(number: int, normalised: str) -> None:
    """Sums, but of too few sentences to see it."""
    lists = [NBestList.of(k, [(words(4 + k), -0.05 * (4 + k))]) for k in range(number)]
    assert meaning(lists)[1] == normalised


@pytest.mark.parametrize(("correlation", "normalised"), [(-0.44, "yes"), (-0.46, "no")])
def test_sums_fall_within_lists(correlation: float, normalised: str) -> None:
    scores = -1 + 0.1 * correlated([5, 6, 7, 8], correlation)
    rows = [(words(5 + k), float(score)) for k, score in enumerate(scores)]
    assert meaning([NBestList.of(k, rows) for k in range(12)])[1] == normalised


@pytest.mark.parametrize(("candidates", "normalised"), [(39, "yes"), (40, "no"), (41, "no")])
def test_candidates_that_a_correlation_within_lists_needs(candidates: int, normalised: str) -> None:
    """Two or three of each list differ in length from its mean."""
    sizes = [(4, 5)] * (candidates // 2) if candidates % 2 == 0 else [(4, 4, 7), *[(4, 5)] * ((candidates - 3) // 2)]
    lists = [NBestList.of(k, [(words(n), -0.1 * n) for n in own]) for k, own in enumerate(sizes)]
    assert len(lists) <= 20 and meaning([*lists[:19], *lists[19:]])[1] == normalised


def quotients(number: int, off: Sequence[float], lengths: Sequence[int] = (4, 5, 6)) -> list[NBestList]:
    """Candidates whose column is the score times the length, or off that by some part."""
    made = []
    for k in range(number):
        size = lengths[k % len(lengths)]
        values = {"score": -0.5, "f0": -0.5 * (size + off[k % len(off)])}
        made.append(NBestList.of(k, [(words(size), values)]))
    return made


@pytest.mark.parametrize(
    ("lists", "column"),
    [
        (quotients(19, [0]), "score"),
        (quotients(20, [0]), "f0"),
        (quotients(20, [0.04]), "f0"),
        (quotients(20, [-0.04]), "f0"),
        (quotients(20, [0.06]), "score"),
        # All but one of twenty, and all but two.
        (quotients(20, [0.4, *[0] * 19]), "f0"),
        (quotients(20, [0.4, 0.4, *[0] * 18]), "score"),
        # Any two columns of one or two lengths could have such quotients.
        (quotients(20, [0], [4, 5]), "score"),
        (quotients(20, [0], [0, 1, 2, 3]), "score"),
    ],
)
def test_a_column_of_sums_is_a_multiple_of_the_score(lists: list[NBestList], column: str) -> None:
    assert meaning(lists)[0] == column


# The direction of a memory.


def letters(number: int) -> str:
    """A word of letters for each number."""
    return "".join(chr(ord("a") + int(digit)) for digit in str(number))


def pairs_with(source: int, target: int) -> list[tuple[str, str]]:
    """A pair whose sides have so many of a hundred words."""
    return [(" ".join(map(letters, range(source))), " ".join(map(letters, range(target))))]


@pytest.mark.parametrize(
    ("source", "target", "warning"),
    [
        (19, 0, "another language or domain"),
        (20, 0, ""),
        (21, 0, ""),
        (50, 69, ""),
        (50, 70, "reverse direction"),
        (50, 71, "reverse direction"),
        (19, 38, "another language or domain"),
        (19, 39, "reverse direction"),
    ],
)
def test_memories_of_another_language_and_of_the_reverse_direction(
    source: int, target: int, warning: str, caplog: pytest.LogCaptureFixture
) -> None:
    warn_if_foreign([" ".join(map(letters, range(100)))], pairs_with(source, target))
    assert warning in caplog.text and bool(warning) == bool(caplog.records)


# Features of a memory.


@pytest.mark.parametrize(("probability", "untranslated"), [(0.0199, 1), (0.0201, 0), (0.5, 0)])
def test_improbable_translations_do_not_count(probability: float, untranslated: int) -> None:
    lexicon = Lexicon(
        ["", "haus"],
        ["", "home"],
        np.array([0, 0, 1]),
        np.array([1], dtype=np.uint32),
        np.array([probability], dtype=np.float32),
        np.array([1.0], dtype=np.float32),
    )
    assert LexicalScorer(lexicon).features("haus", ["home"])[0, 2] == untranslated


# Lists of several systems.


@pytest.mark.parametrize(("score", "first"), [(-9.0, 1e-4), (-8.6, 1e-4), (-8.5, None)])
def test_the_least_probability_of_a_merged_candidate(score: float, first: float | None) -> None:
    """The mean of two systems of which one lacks the candidate: e^-8.6 / 2 is below 1/10000, e^-8.5 / 2 above."""
    lists = [NBestList.of(0, [("a", 0.0), ("b", score)]), NBestList.of(0, [("a", 0.0)])]
    found = merged(lists).values[1, 0]
    own = np.exp(score) / (1 + np.exp(score)) / 2
    assert found == pytest.approx(np.log(own if first is None else first))
