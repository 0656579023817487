"""Limits, and calibrated constants of language detection, at their boundaries: just below, at and just above."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient
from graphmt.server import ModelSource, ServeOptions, create_app
from graphmt.server.detect import LanguageDetector
from small_models import Trained


def single(first: int, number: int) -> list[str]:
    """Words of one character; each adds one trigram of its own to the vocabulary."""
    return [chr(first + k) for k in range(number)]


@pytest.mark.parametrize(("total", "language"), [(352, "de"), (353, "en"), (354, "en")])
def test_a_known_word_counts_three_nats(total: int, language: str) -> None:
    """Only de has the word; both have its three trigrams, each as one of ``total`` and of 100.

    Where en does not have the word, the text fits half as well: en wins if (total / 100)³ > 2 e³, from 343 without the
    share that unseen trigrams take.
    """
    words = {"de": ["abc", *single(0x4E00, total - 3)], "en": ["abce", "zbc", *single(0x8000, 100 - 7)]}
    assert LanguageDetector(words).detect("abc")[0][0] == language


@pytest.mark.parametrize(("total", "language"), [(902, "de"), (903, "en"), (904, "en")])
def test_an_unseen_trigram_costs_what_a_twentieth_of_all_is_worth(total: int, language: str) -> None:
    """As above, but en has two of the trigrams, each as one of 20, and the third from what is left for unseen ones."""
    words = {"de": ["abc", *single(0x4E00, total - 3)], "en": ["abce", *single(0x8000, 20 - 4)]}
    assert LanguageDetector(words).detect("abc")[0][0] == language


@pytest.mark.parametrize(
    ("characters", "share"),
    [
        # Its trigrams are " ab", "abd" and "bd ": all known, from other words.
        ("abd", 0.5),
        # One of three, and none.
        ("abx", 0.5 / 9),
        ("xyz", 0.0),
        ("abc", 1.0),
    ],
)
def test_an_unknown_word_of_known_trigrams_counts_half(characters: str, share: float) -> None:
    detector = LanguageDetector({"de": ["abc", "abde", "obd"]})
    assert detector.detect(characters) == [("de", pytest.approx(share))]
    # Among known words it counts by its share of the words.
    assert detector.detect(f"{characters} abc abc abc") == [("de", pytest.approx((share + 3) / 4))]


@pytest.mark.parametrize(("before", "known"), [(498, True), (499, True), (500, False)])
def test_five_hundred_words_of_a_text_are_read(before: int, known: bool) -> None:
    [(_, share)] = LanguageDetector({"de": ["haus"]}).detect("qx " * before + "haus")
    assert (share > 0) is known


@pytest.fixture(scope="module")
def large() -> tuple[list[str], LanguageDetector]:
    """A vocabulary of 224 × 224 words of two characters, in their order."""
    words = [f"{a}{b}" for a in single(0x4E00, 224) for b in single(0x4E00, 224)]
    return words, LanguageDetector({"zh": words})


@pytest.mark.parametrize(("number", "share"), [(49_999, 1.0), (50_000, 1.0), (50_001, 0.0)])
def test_fifty_thousand_words_of_a_language_are_used(
    large: tuple[list[str], LanguageDetector], number: int, share: float
) -> None:
    words, detector = large
    assert detector.detect(words[number - 1]) == [("zh", share)]


@pytest.fixture(scope="module")
def two_words(demo: Trained) -> Iterator[TestClient]:
    """A server for sentences of two words."""
    options = ServeOptions(threads=1, reload_interval=0, max_words=2)
    with TestClient(create_app([ModelSource("pbmt", str(demo.models["pbmt"]))], options)) as client:
        yield client


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("er", 200),
        ("er schläft", 200),
        ("er schläft nicht", 422),
        # Fifty characters for each word.
        ("x" * 99, 200),
        ("x" * 100, 200),
        ("x" * 101, 422),
    ],
)
def test_words_and_characters_of_a_sentence(two_words: TestClient, text: str, status: int) -> None:
    assert two_words.post("/v1/translate", json={"text": text}).status_code == status


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        (99, "unknown0: Extra inputs are not permitted."),
        (100, "unknown0: Extra inputs are not permitted."),
        (101, "the body: 101 fields are malformed or unknown."),
    ],
)
def test_the_first_of_a_hundred_faults_is_named(two_words: TestClient, fields: int, said: str) -> None:
    answer = two_words.post("/v1/translate", json={"text": "er", **{f"unknown{k}": 1 for k in range(fields)}})
    assert (answer.status_code, answer.json()) == (422, {"error": said})
