"""Alignment end to end, on a language pair made up here."""

from __future__ import annotations

import random
import subprocess
import sys

import pytest
from graphmt.align import Alignment, AlignOptions, align, score
from graphmt.align.aligners import NAMES
from graphmt.align.thot import schedule
from graphmt.errors import GraphmtError, InputError, MissingPackageError, OptionError


def corpus(pairs: int, seed: int = 7) -> tuple[list[str], list[str], Alignment]:
    """Word for word from one invented language into another, the last word first, with true links."""
    random.seed(seed)
    source, target, links = [], [], []
    for _ in range(pairs):
        length = random.randint(2, 8)
        words = [random.randrange(60) for _ in range(length)]
        order = [length - 1, *range(length - 1)]
        source.append(" ".join(f"ƒ{word}" for word in words))
        target.append(" ".join(f"É{words[i]}" for i in order))
        links.append([(i, j) for j, i in enumerate(order)])
    return source, target, Alignment.from_pairs(links)


SOURCE, TARGET, TRUE = corpus(400)


@pytest.mark.parametrize("model", [name for name in NAMES if name != "eflomal"])
def test_every_model_finds_the_dictionary(model) -> None:
    settings = {"gibbs": {"eflomal_length": 0.2}, "thot-eflomal": {"eflomal_length": 0.2}}
    settings |= {"ibm3": {"ibm3_iterations": 2}, "ibm4": {"ibm3_iterations": 2, "ibm4_iterations": 2}}
    quick = AlignOptions(model=model, **settings.get(model, {}))
    found = align(SOURCE, TARGET, quick).alignment
    # A model with a reordering of its own gets nearly all; the others at least see which words go together.
    assert score(TRUE, found).error_rate < 0.06


def test_the_eflomal_package_finds_the_dictionary() -> None:
    pytest.importorskip("eflomal", reason="the package eflomal is not installed")
    found = align(SOURCE, TARGET, AlignOptions(model="eflomal", eflomal_length=0.2)).alignment
    assert score(TRUE, found).error_rate < 0.06


def test_the_same_links_every_time_and_for_any_number_of_threads() -> None:
    quick = {"eflomal_length": 0.05}
    for model, own in (("gibbs", quick), ("thot-eflomal", quick), ("hmm", {"ibm1_iterations": 2, "hmm_iterations": 2})):
        options = AlignOptions(model=model, **own)
        runs = [align(SOURCE, TARGET, options.replace(threads=threads)) for threads in (1, 2, 4)]
        assert runs[0].alignment == runs[1].alignment == runs[2].alignment
        assert runs[0].forward == runs[2].forward


def test_another_seed_samples_otherwise() -> None:
    # Too few sweeps to agree.
    options = AlignOptions(eflomal_length=0.01, samplers=1, threads=2)
    one, other = (align(SOURCE, TARGET, options.replace(seed=seed)).forward for seed in (1, 2))
    assert one != other


def test_directions_and_heuristic() -> None:
    options = AlignOptions(model="ibm1", symmetrise="intersection")
    aligned = align(SOURCE[:50], TARGET[:50], options)
    for k in range(50):
        forward, reverse = aligned.forward[k], aligned.reverse[k]
        assert len({j for _, j in forward}) == len(forward)
        assert len({i for i, _ in reverse}) == len(reverse)
        assert aligned.alignment[k] == sorted(set(forward) & set(reverse))


def test_turning_the_text_round_turns_the_directions() -> None:
    options = AlignOptions(model="ibm1", symmetrise="union", threads=2)
    one, other = align(SOURCE[:99], TARGET[:99], options), align(TARGET[:99], SOURCE[:99], options)
    assert one.forward == other.reverse.transposed()
    assert one.alignment == other.alignment.transposed()


def test_empty_one_sided_and_very_long_pairs_keep_their_places() -> None:
    long = " ".join(["ƒ1"] * 300)
    source = ["", "ƒ1 ƒ2", *SOURCE[:60], long, "ƒ3", ""]
    target = ["", "", *TARGET[:60], "É1", "É3", "É1"]
    aligned = align(source, target, AlignOptions(model="hmm", ibm1_iterations=1, hmm_iterations=1))
    assert len(aligned.alignment) == len(source)
    assert (aligned.empty, aligned.too_long, aligned.longest) == (3, 1, 200)
    for k in (0, 1, 62, 64):
        assert aligned.alignment[k] == []
    assert aligned.alignment[63] == [(0, 0)]
    # The pairs between are aligned as they are alone, with the one that stands after them.
    alone = align(
        [*SOURCE[:60], "ƒ3"],
        [*TARGET[:60], "É3"],
        AlignOptions(model="hmm", ibm1_iterations=1, hmm_iterations=1),
    )
    assert [aligned.alignment[k] for k in range(2, 62)] == [alone.alignment[k] for k in range(60)]


def test_the_longest_sentence_can_be_chosen() -> None:
    aligned = align(SOURCE[:40], TARGET[:40], AlignOptions(model="ibm1", max_length=4, ibm1_iterations=1))
    for k in range(40):
        assert bool(aligned.alignment[k]) == (len(SOURCE[k].split()) <= 4)
    longer = align(SOURCE[:4], TARGET[:4], AlignOptions(model="hmm", max_length=9999))
    assert longer.longest == 200


def test_nothing_that_can_be_aligned() -> None:
    for sentences in ([], ["", ""]):
        aligned = align(sentences, sentences)
        assert len(aligned.alignment) == len(sentences)
        assert aligned.alignment.links == 0


def test_different_numbers_of_sentences() -> None:
    with pytest.raises(InputError, match="the source has 2 sentences and the target has 1"):
        align(["a", "b"], ["a"])


def test_words_that_libraries_reserve() -> None:
    odd = ["NULL", "UNKNOWN_WORD", "<UNUSED_WORD>", "0", "|||", "-", "a\u00adb", "😀"]
    source = [f"{word} {other}" for word in odd for other in odd]
    aligned = align(source, source, AlignOptions(model="ibm1"))
    assert score(Alignment.from_pairs([[(0, 0), (1, 1)]] * 64), aligned.alignment).error_rate < 0.1


def test_case_and_prefix_are_for_the_alignment_only() -> None:
    source, target = SOURCE[:80], TARGET[:80]
    options = AlignOptions(model="ibm1", ibm1_iterations=2)
    upper = [line.upper() if k % 2 else line for k, line in enumerate(source)]
    expected = align(source, target, options).alignment
    assert align(upper, target, options).alignment == expected
    assert align(upper, target, options.replace(lowercase=False)).alignment != expected
    padded = [" ".join(word.ljust(3, "x") for word in line.split()) for line in source]
    ending = [" ".join(f"{word}{'ab'[k % 2] * 2}" for word in line.split()) for k, line in enumerate(padded)]
    # Padding renames words, which changes nothing; cutting takes the endings off again.
    whole = [" ".join(word.ljust(3, "x") for word in line.split()) for line in target]
    assert align(padded, whole, options).alignment == expected
    assert align(ending, whole, options).alignment != expected
    assert align(ending, whole, options.replace(prefix=3)).alignment == expected


def test_schedules() -> None:
    options = AlignOptions(model="ibm4", ibm1_iterations=1, hmm_iterations=2, ibm3_iterations=3, ibm4_iterations=4)
    stages = [(stage.model, stage.iterations) for stage in schedule(options, 10)]
    assert stages == [("ibm1", 1), ("hmm", 2), ("ibm3", 3), ("ibm4", 4)]
    # Östling & Tiedemann's rule: 5000/sqrt(10000) = 50 sweeps, and a quarter of it twice.
    (stage,) = schedule(AlignOptions(), 10_000)
    assert stage.settings["iterations"] == (12, 12, 50)
    (stage,) = schedule(AlignOptions(eflomal_length=0.1), 10_000)
    assert stage.settings["iterations"] == (2, 1, 5)


def test_the_eflomal_package_is_named_when_missing(monkeypatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingPackageError, match=r"pip install 'graphmt\[eflomal\]'"):
        align(SOURCE[:2], TARGET[:2], AlignOptions(model="eflomal"))
    with pytest.raises(MissingPackageError, match=r"pip install 'graphmt\[thot\]'"):
        align(SOURCE[:2], TARGET[:2], AlignOptions(model="thot-eflomal"))


def test_a_crash_of_the_library_is_one_sentence(monkeypatch) -> None:
    real = subprocess.Popen
    started = []

    def crash(command, **rest):
        code = (
            "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)" if not started else "import time; time.sleep(60)"
        )
        started.append(real([sys.executable, "-c", code], **rest))
        return started[-1]

    monkeypatch.setattr(subprocess, "Popen", crash)
    with pytest.raises(GraphmtError, match=r"sil-thot .*, thot-eflomal\) was ended by SIGSEGV.*another --model"):
        align(SOURCE[:2], TARGET[:2], AlignOptions(model="thot-eflomal", threads=2))
    # The other direction was not left running.
    assert all(child.poll() is not None for child in started)


def test_a_complaint_of_the_library_is_passed_on(monkeypatch) -> None:
    real = subprocess.Popen

    def complain(command, **rest):
        return real([sys.executable, "-c", "raise MemoryError('all gone')"], **rest)

    monkeypatch.setattr(subprocess, "Popen", complain)
    with pytest.raises(GraphmtError, match="stopped with exit code 1: MemoryError: all gone"):
        align(SOURCE[:2], TARGET[:2], AlignOptions(model="thot-eflomal", threads=1))


def test_the_model_that_suits_the_task() -> None:
    assert AlignOptions().named().model == "gibbs"
    assert AlignOptions(sample=2).named().model == AlignOptions().named(applied=True).model == "thot-eflomal"
    chosen = AlignOptions(model="hmm", sample=2)
    assert chosen.named() is chosen.named(applied=True) is chosen
    quick = AlignOptions(eflomal_length=0.05)
    assert align(SOURCE, TARGET, quick).alignment == align(SOURCE, TARGET, quick.replace(model="gibbs")).alignment


@pytest.mark.parametrize("wrong", [{"model": "ibm5"}, {"symmetrise": "grow-dig"}, {"samplers": 0}, {"hmm_null": 2}])
def test_wrong_options(wrong) -> None:
    with pytest.raises(OptionError):
        AlignOptions(**wrong)
