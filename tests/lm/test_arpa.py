from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from graphmt.errors import InputError
from graphmt.lm import LanguageModel, build, load

from . import naive

SMALL = r"""\data\
ngram 1=5
ngram 2=3
ngram 3=1

\1-grams:
-1.5	<unk>
-99	<s>	-0.5
-0.5	</s>
-0.75	a	-0.25
-1	b	0.125

\2-grams:
-0.25	<s> a	-0.5
-0.5	a b	-0.0625
-0.125	b </s>

\3-grams:
-0.375	<s> a b

\end\
"""


def built(folder: Path, text: str | bytes) -> LanguageModel:
    (folder / "x.arpa").write_bytes(text.encode() if isinstance(text, str) else text)
    build(folder / "x.arpa", folder / "x.lm")
    return load(folder / "x.lm")


def test_scores_by_hand(tmp_path: Path) -> None:
    model = built(tmp_path, SMALL)
    assert [(w.log10, w.length, w.unknown) for w in model.full_scores("a b")] == [
        (-0.25, 2, False),
        (-0.375, 3, False),
        (-0.125 - 0.0625, 2, False),
    ]
    # c is unknown: backoffs of "<s> a" and "a", then <unk>; it has no backoff itself.
    assert [(w.log10, w.length, w.unknown) for w in model.full_scores("a c", eos=False)] == [
        (-0.25, 2, False),
        (-0.5 - 0.25 - 1.5, 1, True),
    ]
    assert model.score("b", bos=False, eos=False) == -1
    assert model.score("b") == pytest.approx(-0.5 - 1 - 0.125)
    assert model.phrase("a b") == pytest.approx(-0.75 - 0.5)
    assert "a" in model and "c" not in model and "<unk>" in model and len(model) == 5 and 3 not in model
    assert list(model) == ["<unk>", "<s>", "</s>", "a", "b"]


def test_round_trip(trained: tuple[LanguageModel, Path], tmp_path: Path) -> None:
    model, arpa = trained
    model.to_arpa(tmp_path / "again.arpa")
    assert (tmp_path / "again.arpa").read_bytes() == arpa.read_bytes()
    model.to_arpa(tmp_path / "again.arpa.gz")
    assert gzip.decompress((tmp_path / "again.arpa.gz").read_bytes()) == arpa.read_bytes()
    build(tmp_path / "again.arpa.gz", tmp_path / "again.lm")
    assert (tmp_path / "again.lm").read_bytes() == model.path.read_bytes()


def test_other_dialects(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    model = built(tmp_path, SMALL)
    words = ["a b", "b a", "a a b c", ""]
    spaced = "some toolkit's title\n\n" + SMALL.replace("\t", " ").replace("\n\n", "\n\n\n").replace("\n", "\r\n")
    for other in (spaced, SMALL.replace("<unk>", "<UNK>"), SMALL.replace("\n\n\\", "\n\\")):
        assert built(tmp_path, other).score_lines(words).tolist() == model.score_lines(words).tolist()
    assert "<unk>" not in caplog.text
    without = SMALL.replace("-1.5\t<unk>\n", "").replace("1=5", "1=4")
    assert built(tmp_path, without).score("c", bos=False, eos=False) == -100
    assert "no <unk>" in caplog.text


def test_missing_suffixes_are_added_without_changing_a_score(tmp_path: Path) -> None:
    # As SRILM's cut-offs leave them: "<s> a b" is there, its suffix "a b" is not.
    lines = SMALL.replace("ngram 2=3", "ngram 2=2").replace("-0.5\ta b\t-0.0625\n", "")
    model = built(tmp_path, lines)
    assert model.ngrams == (5, 3, 1)
    by_definition = naive.read_arpa(tmp_path / "x.arpa")
    for text in ("a b", "a a b", "b a b b", "b b a b a b"):
        words = [*text.split(), "</s>"]
        assert model.score(text) == pytest.approx(sum(naive.sentence_scores(by_definition, words, 3)), abs=1e-6)


def line_of(text: str, part: str) -> int:
    return text[: text.index(part)].count("\n") + 1


BROKEN = [
    (
        "-0.125\tb </s>\n",
        "",
        r"2 n-grams of order 2 were found, but the \\data\\ section says 3",
        r"\3-grams",
    ),
    ("-0.375\t<s> a b\n", "-1\ta a b\n-1\tb a b\n", "more n-grams of order 3 than the 1", "-1\tb a b"),
    ("\\end\\\n", "", r"the line \\end\\ is missing", None),
    ("\\end\\\n", "\\4-grams:\n", r"expected \\end\\, saw", "\\4-grams:"),
    ("-0.125\tb </s>", "-0,125\tb </s>", 'expected a log10 probability, saw "-0,125"', "-0,125"),
    ("-0.125\tb </s>", "nan\tb </s>", 'expected a log10 probability, saw "nan"', "nan"),
    ("a b\t-0.0625", "a b\t-0.0625x", "expected a backoff, saw", "x\n"),
    ("-0.125\tb </s>", "0.125\tb </s>", "the log10 probability 0.125 is above 0", "0.125\tb </s>"),
    ("a b\t-0.0625", "a b c d", "expected a log10 probability, 2 words and optionally a backoff", "a b c d"),
    ("-0.375\t<s> a b", "-0.375\t<s> a b\t-1", "highest order has a backoff \\(-1\\)", "-0.375\t<s> a b\t-1"),
    (
        "-0.375\t<s> a b",
        "-0.375\tb a b",
        'context "b a" of the n-gram "b a b" is missing',
        "-0.375\tb a b",
    ),
    ("-0.125\tb </s>", "-0.125\tb c", 'word "c" of this n-gram has no unigram', "-0.125\tb c"),
    (
        "-0.125\tb </s>",
        "-0.125\ta b",
        '"a b" occurs twice, first in line 15',
        "-0.125\ta b",
    ),
    ("-1\tb\t0.125", "-1\ta\t0.125", 'word "a" occurs twice', "-1\ta\t0.125"),
    ("-0.5\t</s>\n", "-0.5\tc\n", "</s> is missing from the unigrams", "\\2-grams"),
    ("\\2-grams:", "\\3-grams:", r"expected \\2-grams:, saw", "\\3-grams:"),
    ("ngram 2=3", "ngram 2=many", "expected 'ngram 2=' and a number", "ngram 2=many"),
    ("ngram 2=3\n", "", "expected 'ngram 2=' and a number", "ngram 3=1"),
    ("\\data\\\n", "iARPA\n\\data\\\n", "iARPA, not ARPA.*compile-lm", "iARPA"),
    ("\\data\\", "data", "no line .data. was found", None),
    ("ngram 1=5\nngram 2=3\nngram 3=1\n", "", "lists no orders", "\\1-grams"),
    (
        "ngram 3=1\n",
        "".join(f"ngram {i}=1\n" for i in range(3, 8)),
        "order 7; at most 6 is supported",
        "\\1-grams",
    ),
]


@pytest.mark.parametrize(("old", "new", "said", "where"), BROKEN)
def test_broken_files_are_named_and_located(tmp_path: Path, old: str, new: str, said: str, where: str | None) -> None:
    assert old in SMALL
    text = SMALL.replace(old, new, 1)
    with pytest.raises(InputError, match=said) as caught:
        built(tmp_path, text)
    # The line itself, or the blank one before a heading where a section's end shows the fault.
    expected = {line_of(text, where), line_of(text, where) - 1} if where else {text.count("\n")}
    assert caught.value.line in expected
    assert caught.value.file is not None and caught.value.file.endswith("x.arpa")
    assert not (tmp_path / "x.lm").exists()


def test_truncated_and_foreign_bytes(tmp_path: Path) -> None:
    for end in range(0, len(SMALL) - 2):
        with pytest.raises(InputError):
            built(tmp_path, SMALL[:end])
    with pytest.raises(InputError, match=r"x.arpa:10: not UTF-8"):
        built(tmp_path, SMALL.encode().replace(b"\ta\t", b"\t\xff\t"))
    zipped = gzip.compress(SMALL.encode())
    assert built(tmp_path, zipped).order == 3
    with pytest.raises(InputError, match="the compressed file ends too early"):
        built(tmp_path, zipped[:-20])
    with pytest.raises(InputError, match="folder"):
        build(tmp_path, tmp_path / "y.lm")
