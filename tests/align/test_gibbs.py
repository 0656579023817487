"""The model ``gibbs``: its conditional distributions from the formulas, and whole runs."""

from __future__ import annotations

import collections
import itertools
import math
import random
import signal
from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from graphmt import progress
from graphmt._core import EncodedText, gibbs_conditionals
from graphmt.align import AlignOptions, LexicalTable, align
from graphmt.errors import InputError, OptionError

GIBBS = AlignOptions(model="gibbs")
#: The concentrations of the Dirichlet priors.
LEXICAL, JUMP, FERTILITY = 0.001, 0.5, 0.5
#: The probability of NULL.
NULL = {"ibm1": 0.02, "hmm": 0.02, "fertility": 0.1}
FARTHEST, FERTILITIES = 100, 16

Pair = tuple[list[str], list[str]]


def dirichlet_multinomial(counts: Sequence[int], concentration: float, categories: int) -> float:
    """The logarithm of the probability of a sequence with these counts, its distribution integrated out."""
    total = math.lgamma(concentration * categories) - math.lgamma(concentration * categories + sum(counts))
    return total + sum(math.lgamma(concentration + n) - math.lgamma(concentration) for n in counts)


def jumps(length: int, links: Sequence[int]) -> list[int]:
    places = [-1, *(link for link in links if link >= 0), length]
    return [max(-FARTHEST, min(FARTHEST, b - a)) for a, b in itertools.pairwise(places)]


def jump_probabilities(pairs: list[Pair], links: list[list[int]]) -> dict[int, float]:
    """Posterior means, given all links of the text."""
    counts = collections.Counter(
        d for (given, _), own in zip(pairs, links, strict=True) for d in jumps(len(given), own)
    )
    distances = 2 * FARTHEST + 1
    total = counts.total() + JUMP * distances
    return {d: (counts[d] + JUMP) / total for d in range(-FARTHEST, FARTHEST + 1)}


def joint(pairs: list[Pair], links: list[list[int]], stage: str, jump: dict[int, float]) -> float:
    """The logarithm of the probability of all words and links: a product of the parts of the model, from scratch."""
    words = {word for _, choosing in pairs for word in choosing}
    linked: dict[str | None, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    fertilities: dict[str, collections.Counter[int]] = collections.defaultdict(collections.Counter)
    result = 0.0
    for (given, choosing), own in zip(pairs, links, strict=True):
        for word, link in zip(choosing, own, strict=True):
            linked[given[link] if link >= 0 else None][word] += 1
            result += math.log(NULL[stage] if link < 0 else 1 - NULL[stage])
            if stage == "ibm1" and link >= 0:
                result -= math.log(len(given))
        if stage != "ibm1":
            result += sum(math.log(jump[d]) for d in jumps(len(given), own))
        for position, word in enumerate(given):
            fertilities[word][min(own.count(position), FERTILITIES - 1)] += 1
    for counts in linked.values():
        result += dirichlet_multinomial(list(counts.values()), LEXICAL, len(words))
    if stage == "fertility":
        for numbers in fertilities.values():
            result += dirichlet_multinomial(list(numbers.values()), FERTILITY, FERTILITIES)
    return result


def encoded(sentences: list[list[str]]) -> EncodedText:
    text = EncodedText()
    text.add_lines([" ".join(sentence) for sentence in sentences])
    return text


def conditionals(pairs: list[Pair], links: list[list[int]], stage: str) -> list[list[float]]:
    given, choosing = (encoded([pair[side] for pair in pairs]) for side in (0, 1))
    return gibbs_conditionals(given, choosing, np.array([link for own in links for link in own], np.int32), stage)


def random_text(seed: int) -> tuple[list[Pair], list[list[int]]]:
    """A few pairs of few different words, so that words are repeated within a sentence, and random links."""
    draw = random.Random(seed)
    pairs, links = [], []
    for _ in range(draw.randint(1, 4)):
        given = [draw.choice("abc") for _ in range(draw.randint(1, 5))]
        choosing = [draw.choice("xyz") for _ in range(draw.randint(1, 5))]
        pairs.append((given, choosing))
        links.append([draw.randint(-1, len(given) - 1) for _ in choosing])
    return pairs, links


@pytest.mark.parametrize("stage", ["ibm1", "hmm", "fertility"])
@pytest.mark.parametrize("seed", range(12))
def test_conditional_distributions_are_ratios_of_joint_probabilities(stage: str, seed: int) -> None:
    pairs, links = random_text(seed)
    jump = jump_probabilities(pairs, links)
    found = iter(conditionals(pairs, links, stage))
    for number, (given, choosing) in enumerate(pairs):
        for word in range(len(choosing)):
            logs = []
            for link in [*range(len(given)), -1]:
                changed = [list(own) for own in links]
                changed[number][word] = link
                logs.append(joint(pairs, changed, stage, jump))
            expected = np.exp(np.array(logs) - max(logs))
            assert np.allclose(next(found), expected / expected.sum(), rtol=1e-3, atol=1e-6)
    assert next(found, None) is None


def test_fertilities_above_the_highest_are_counted_as_it() -> None:
    pairs = [(["a", "b"], ["x"] * 40), (["a"], ["x"])]
    links = [[0] * 30 + [1] * 10, [0]]
    found = conditionals(pairs, links, "fertility")
    jump = jump_probabilities(pairs, links)
    logs = [joint(pairs, [[link, *links[0][1:]], links[1]], "fertility", jump) for link in (0, 1, -1)]
    expected = np.exp(np.array(logs) - max(logs))
    assert np.allclose(found[0], expected / expected.sum(), rtol=1e-3, atol=1e-6)


def test_links_that_do_not_fit() -> None:
    with pytest.raises(InputError, match="position 2 of a sentence of 2 words"):
        conditionals([(["a", "b"], ["x"])], [[2]], "hmm")
    with pytest.raises(OptionError, match="ibm1, hmm or fertility"):
        conditionals([(["a", "b"], ["x"])], [[1]], "ibm4")


def test_a_text_of_four_pairs() -> None:
    source = ["das kleine haus", "das haus", "ein buch", "das buch"]
    target = ["the small house", "the house", "a book", "the book"]
    aligned = align(source, target, GIBBS)
    assert aligned.alignment.text() == "0-0 1-1 2-2\n0-0 1-1\n0-0 1-1\n0-0 1-1\n"
    assert LexicalTable.count(source, target, aligned.alignment).target_given_source("haus", "house") == 1.0


def text(pairs: int) -> tuple[list[str], list[str]]:
    draw = random.Random(3)
    lines = [[draw.randrange(50) for _ in range(draw.randint(1, 7))] for _ in range(pairs)]
    source, target = ([" ".join(f"{letter}{word}" for word in line) for line in lines] for letter in "se")
    return source, [" ".join(reversed(line.split())) for line in target]


def test_seed_samplers_and_threads() -> None:
    source, target = text(12)
    options = GIBBS.replace(eflomal_length=0.01, samplers=3)
    runs = [align(source, target, options.replace(threads=threads)) for threads in (1, 2, 5, 1)]
    assert all(run.forward == runs[0].forward and run.reverse == runs[0].reverse for run in runs)
    assert align(source, target, options.replace(seed=2)).forward != runs[0].forward
    assert align(source, target, options.replace(samplers=1)).forward != runs[0].forward


def test_exchanging_the_sides_exchanges_the_directions() -> None:
    source, target = text(60)
    options = GIBBS.replace(eflomal_length=0.01)
    one, other = align(source, target, options), align(target, source, options)
    assert one.forward == other.reverse.transposed()


def test_degenerate_pairs_keep_their_places() -> None:
    long, too_long = " ".join(["s1", "s2"] * 512), " ".join(["s1"] * 1025)
    source = ["", "s1 s2", "s1", long, too_long, "s1", "s2"]
    target = ["", "", "e1", "e1", "e1", long, "e2"]
    aligned = align(source, target, GIBBS.replace(eflomal_length=0.01))
    assert (len(aligned.alignment), aligned.empty, aligned.too_long, aligned.longest) == (7, 2, 1, 1024)
    assert [aligned.alignment[k] for k in (0, 1, 4)] == [[], [], []]
    assert aligned.alignment[2] == [(0, 0)]
    # One word is linked to one of a thousand at most; a thousand words to the only one.
    assert len(aligned.forward[3]) <= 1
    assert {i for i, _ in aligned.forward[5]} <= {0}


def test_no_files_and_no_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the model runs in this process, without files")

    monkeypatch.setattr("subprocess.Popen", refuse)
    for module in ("run", "thot", "trained"):
        monkeypatch.setattr(f"graphmt.align.{module}.temporary_folder", refuse)
    source, target = text(5)
    assert align(source, target, GIBBS).alignment.links > 0


def test_a_sample_is_refused() -> None:
    source, target = text(5)
    with pytest.raises(OptionError, match="the model gibbs cannot be trained on a sample"):
        align(source, target, GIBBS.replace(sample=2))


def test_progress_is_reported_in_thousandths() -> None:
    seen: list[tuple[str, int, int | None]] = []
    source, target = text(20)
    with progress.on_progress(lambda *report: seen.append(report)):
        align(source, target, GIBBS.replace(eflomal_length=0.02, threads=2))
    done = [report[1] for report in seen]
    assert done == sorted(done)
    assert seen[-1] == ("aligning", 1000, 1000)


class Enough(BaseException):
    """What a callback or a handler raises."""


def test_what_a_report_raises_ends_the_work() -> None:
    def stop(*_: object) -> None:
        raise Enough

    source, target = text(20)
    for threads in (1, 2):
        with pytest.raises(Enough), progress.on_progress(stop):
            align(source, target, GIBBS.replace(threads=threads))


@pytest.fixture
def timer() -> Iterator[None]:
    """A signal whose handler raises, in a moment."""

    def stop(*_: object) -> None:
        raise Enough

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture
def pairs() -> tuple:
    return text(300)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs an interval timer")
@pytest.mark.parametrize("threads", [1, 2])
def test_a_signal_stops_sampling(pairs: tuple, timer: None, threads: int) -> None:
    # Hours of work: no machine is through before the timer, which begins when the text is there.
    with pytest.raises(Enough):
        align(*pairs, GIBBS.replace(eflomal_length=100_000.0, threads=threads))
