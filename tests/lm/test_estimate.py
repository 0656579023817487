from __future__ import annotations

import itertools
import math
import tempfile
from pathlib import Path

import pytest
from amounts import examples
from graphmt.errors import InputError, OptionError
from graphmt.lm import LmOptions, load, train
from hypothesis import given, settings
from hypothesis import strategies as st

from . import naive
from .conftest import core_train, random_text

words = st.sampled_from(["a", "b", "c", "d", "eé", "f"])
corpora = st.lists(st.lists(words, max_size=8), min_size=1, max_size=40).filter(any)


def arpa_of(sentences: list[list[str]], **changes: object) -> naive.Model:
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "model.arpa"
        core_train("".join(" ".join(s) + "\n" for s in sentences), out, **changes)
        return naive.read_arpa(out)


def assert_same(found: naive.Model, expected: naive.Model) -> None:
    assert found.keys() == expected.keys()
    for gram, (prob, backoff) in naive.log10(expected).items():
        assert found[gram][0] == pytest.approx(prob, abs=2e-6), gram
        assert found[gram][1] == pytest.approx(backoff, abs=2e-6), gram


@settings(max_examples=examples(120), deadline=None)
@given(corpora, st.integers(1, 6))
def test_the_model_is_that_of_the_formulas(sentences: list[list[str]], order: int) -> None:
    assert_same(arpa_of(sentences, order=order), naive.estimate(sentences, order))


@settings(max_examples=examples(80), deadline=None)
@given(corpora, st.integers(1, 5), st.lists(st.integers(0, 3), min_size=1, max_size=5))
def test_pruning_is_that_of_the_formulas(sentences: list[list[str]], order: int, steps: list[int]) -> None:
    prune = list(itertools.accumulate(steps))[:order]
    prune[0] = min(prune[0], 1)
    assert_same(arpa_of(sentences, order=order, prune=prune), naive.estimate(sentences, order, prune))


@pytest.mark.parametrize("order", [1, 2, 3, 5])
@pytest.mark.parametrize("prune", [[], [0, 1], [1, 2, 2]])
def test_estimated_discounts_are_those_of_the_formulas(order: int, prune: list[int]) -> None:
    lines = random_text(order, 400, 600).splitlines()
    # Repeated lines give long n-grams the counts up to four that equation 26 asks for.
    lines += lines[:100] + lines[:40] + lines[:15]
    text = "".join(line + "\n" for line in lines)
    sentences = [line.split() for line in lines]
    with tempfile.TemporaryDirectory() as folder:
        made = core_train(text, Path(folder) / "m.arpa", order=order, prune=prune[:order])
        # The point of this text: no order takes the fallback, so equation 26 itself is compared.
        assert made.fallback == {}
        assert made.counts[0] == sum(len(g) == 1 for g in naive.estimate(sentences, order, prune[:order]))
        assert_same(naive.read_arpa(Path(folder) / "m.arpa"), naive.estimate(sentences, order, prune[:order]))


@pytest.mark.parametrize("prune", [[], [0, 1, 2], [1, 2, 3]])
def test_probabilities_sum_to_one(tmp_path: Path, prune: list[int]) -> None:
    text = random_text(5, 200, 40)
    core_train(text, tmp_path / "m.lm", order=4, prune=prune)
    model = load(tmp_path / "m.lm")
    predicted = [word for word in model if word != "<s>"]
    contexts = ["", "w0", "w1 w0", "w0 w0 w0", "w39", "never seen", "w3 w2 w1 w0", "w0 never w0"]
    for context in contexts + [line for line in text.splitlines()[:20] if line]:
        for bos in (True, False):
            base = model.score(context, bos=bos, eos=False)
            total = sum(10 ** (model.score(f"{context} {w}", bos=bos, eos=False) - base) for w in predicted)
            assert total == pytest.approx(1, abs=2e-5), (context, bos)


def test_hand_worked_bigrams(tmp_path: Path) -> None:
    # "a b", "a": adjusted counts a=1 (<s>), b=1 (a), </s>=2 (b, a); fallback discounts 0.5, 1, 1.5.
    # Unigrams: sum 4, left over (0.5 + 0.5 + 1) / 4 = 0.5, uniform over <unk>, </s>, a, b.
    core_train("a b\na\n", tmp_path / "m.arpa", order=2)
    model = naive.read_arpa(tmp_path / "m.arpa")
    unigram = {"<unk>": 0.125, "a": 0.125 + 0.125, "b": 0.25, "</s>": 0.25 + 0.125}
    for word, prob in unigram.items():
        assert 10 ** model[(word,)][0] == pytest.approx(prob)
    assert model[("<s>",)][0] == 0
    # <s> a was seen twice: (2 - 1) / 2 + 1/2 * p(a); a b and a </s> once each: (1 - 0.5) / 2 + 1/2 * p.
    assert 10 ** model[("<s>", "a")][0] == pytest.approx(0.5 + 0.5 * 0.25)
    assert 10 ** model[("a", "b")][0] == pytest.approx(0.25 + 0.5 * 0.25)
    assert 10 ** model[("a", "</s>")][0] == pytest.approx(0.25 + 0.5 * 0.375)
    assert 10 ** model[("a",)][1] == pytest.approx(0.5)
    assert 10 ** model[("b",)][1] == pytest.approx(0.5)
    assert model[("</s>",)][1] == 0


@pytest.mark.parametrize("suffix", [".arpa", ".lm"])
@pytest.mark.parametrize("prune", [[], [1, 1, 2]])
def test_spilling_and_threads_change_no_byte(tmp_path: Path, suffix: str, prune: list[int]) -> None:
    text = random_text(7, 600, 80)
    results = set()
    for name, memory, threads in [
        ("whole", 1 << 24, 1),
        ("two", 1 << 24, 2),
        ("little", 40_000, 2),
        ("least", 0, 1),
    ]:
        out = tmp_path / (name + suffix)
        made = core_train(text, out, order=5, max_memory=memory, threads=threads, prune=prune)
        assert (made.spilled > 0) == (memory < 1 << 20)
        results.add(out.read_bytes())
    assert len(results) == 1


def test_several_files_gzip_and_line_ends(tmp_path: Path) -> None:
    import gzip

    lines = random_text(3, 60, 20).splitlines()
    (tmp_path / "whole").write_text("\n".join(lines) + "\n")
    (tmp_path / "first").write_bytes(b"\xef\xbb\xbf" + "\r\n".join(lines[:30]).encode() + b"\r\n")
    with gzip.open(tmp_path / "second", "wt") as out:
        out.write("\t".join(" ".join(lines[30:31]).split()) + "\n" + "\n".join(lines[31:]))
    train(tmp_path / "whole", tmp_path / "a.lm", LmOptions(order=3))
    made = train([tmp_path / "first", tmp_path / "second"], tmp_path / "b.lm", LmOptions(order=3))
    assert made.lines == 60
    assert (tmp_path / "a.lm").read_bytes() == (tmp_path / "b.lm").read_bytes()


@pytest.mark.parametrize("word", ["<s>", "</s>", "<unk>"])
def test_reserved_words_are_refused_with_their_line(tmp_path: Path, word: str) -> None:
    (tmp_path / "t").write_text(f"a b\nc {word} d\n")
    with pytest.raises(InputError, match=r"t:2: the word .* is reserved") as caught:
        train(tmp_path / "t", tmp_path / "m.lm")
    assert caught.value.line == 2
    assert list(tmp_path.glob("*m.lm*")) == []


def test_reserved_words_can_be_skipped_or_counted(tmp_path: Path) -> None:
    plain, marked = random_text(9, 50, 10), ""
    for line in plain.splitlines():
        marked += " <s> " + line.replace(" ", " <unk> ", 1) + " </s>\n"
    core_train(plain, tmp_path / "plain.lm")
    core_train(marked, tmp_path / "skipped.lm", reserved_words="skip")
    assert (tmp_path / "plain.lm").read_bytes() == (tmp_path / "skipped.lm").read_bytes()

    with pytest.raises(InputError, match="the word <s> is reserved"):
        core_train(marked, tmp_path / "x.lm", reserved_words="unknown")
    unknown = [line.replace("w1", "<unk>").split() for line in plain.splitlines()]
    counted = arpa_of(unknown, reserved_words="unknown")
    # As any other word, except that it is in the vocabulary anyway.
    renamed = naive.estimate([[w.replace("<unk>", "x") for w in s] for s in unknown], 3)
    fewer = math.log10(len([g for g in renamed if len(g) == 1]) - 1)
    assert counted[("<unk>",)][0] > -fewer
    assert any("<unk>" in gram for gram in counted if len(gram) == 3)
    assert {tuple(w.replace("<unk>", "x") for w in g) for g in counted} == renamed.keys() - {("<unk>",)}


def test_texts_without_words_are_refused(tmp_path: Path) -> None:
    (tmp_path / "t").write_text("\n \n")
    with pytest.raises(InputError, match=r"no words in .*t"):
        train(tmp_path / "t", tmp_path / "m.lm")
    with pytest.raises(InputError, match="no such file"):
        train(tmp_path / "none", tmp_path / "m.lm")
    with pytest.raises(InputError, match="no text was given"):
        train([], tmp_path / "m.lm")
    (tmp_path / "t").write_bytes(b"a b\n\xff\n")
    with pytest.raises(InputError, match="t:2: not UTF-8"):
        train(tmp_path / "t", tmp_path / "m.lm")
    (tmp_path / "t").write_text("a\n")
    with pytest.raises(InputError, match="temporary"):
        core_train(random_text(1, 50, 5), tmp_path / "m.lm", max_memory=0, temporary=str(tmp_path / "none"))
    assert list(tmp_path.glob("*.part")) == []


def test_fallback_is_told_or_refused(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "t").write_text("a b c\n")
    made = train(tmp_path / "t", tmp_path / "m.lm", LmOptions(order=2))
    assert made.fallback.keys() == {1, 2}
    assert "no n-gram has the count 2" in made.fallback[1]
    assert "fixed discounts" in caplog.text
    with pytest.raises(InputError, match=r"discounts of order 1 cannot be estimated.*discount-fallback"):
        train(tmp_path / "t", tmp_path / "x.lm", LmOptions(order=2, discount_fallback=False))


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"order": 7}, "order must be at most 6"),
        ({"order": 0}, "order must be at least 1"),
        ({"prune": (0, 2, 1)}, "1 follows 2"),
        ({"prune": (0, -1)}, "non-negative integers"),
        ({"order": 2, "prune": (0, 1, 2)}, "3 thresholds for a model of order 2"),
        ({"max_memory": 0}, "at least 1"),
        ({"reserved_words": "ignore"}, "cannot be 'ignore'"),
    ],
)
def test_impossible_options_are_refused(values: dict[str, object], said: str) -> None:
    with pytest.raises(OptionError, match=said):
        LmOptions.from_mapping(values)


def test_the_core_checks_pruning_itself(tmp_path: Path) -> None:
    for prune, said in (([2, 1], "1 follows 2"), ([0, 0, 0, 0], "4 thresholds for a model of order 3")):
        with pytest.raises(OptionError, match=said):
            core_train("a\n", tmp_path / "m.lm", prune=prune)


def test_an_interrupt_in_the_progress_ends_the_work(tmp_path: Path) -> None:
    def stop(what: str, done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        core_train("a b\n", tmp_path / "m.lm", progress=stop)
    assert not (tmp_path / "m.lm").exists()
