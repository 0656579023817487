"""The model and the scores of lmplz and query (KenLM as in Moses) on Multi30k."""

from __future__ import annotations

import gzip
import itertools
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from amounts import LONG
from graphmt.lm import LanguageModel, LmOptions, build, load, train

DATA = Path(os.environ.get("GRAPHMT_DATA", Path(__file__).parents[2].parent / "shared"))
TEXT = DATA / "data" / "multi30k-de-en"
PEER = DATA / "peers" / "moses-multi30k-de-en"

pytestmark = pytest.mark.skipif(
    not (TEXT / "train.en.gz").exists() or not (PEER / "lm.arpa.gz").exists(),
    reason=f"reference data (Multi30k and Moses' outputs) not found under {DATA}; set GRAPHMT_DATA",
)

ESCAPES = {"&": "&amp;", "|": "&#124;", "<": "&lt;", ">": "&gt;", "'": "&apos;", '"': "&quot;", "[": "&#91;"}
ESCAPES["]"] = "&#93;"


def escaped(path: Path) -> list[str]:
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as stream:
        return [line.rstrip("\n").translate(str.maketrans(ESCAPES)) for line in stream]


def ngrams(lines: Iterator[str]) -> dict[str, str]:
    """The lines of n-grams, by their words."""
    return {line.split("\t", 2)[1].rstrip("\n"): line for line in lines if "\t" in line}


def numbers(line: str) -> tuple[float, float]:
    fields = line.split("\t")
    return float(fields[0]), float(fields[2]) if len(fields) > 2 else 0.0


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("multi30k")
    (out / "train.en").write_text("\n".join(escaped(TEXT / "train.en.gz")) + "\n", encoding="utf-8")
    train(out / "train.en", out / "own.arpa", LmOptions(order=5))
    train(out / "train.en", out / "own.lm", LmOptions(order=5))
    return out


def test_every_ngram_is_that_of_lmplz(folder: Path) -> None:
    with gzip.open(PEER / "lm.arpa.gz", "rt", encoding="utf-8") as stream:
        expected = ngrams(iter(stream))
    with (folder / "own.arpa").open(encoding="utf-8") as stream:
        found = ngrams(iter(stream))
    assert len(expected) == 781_386
    assert found.keys() == expected.keys()
    # Every tenth number in an ordinary run.
    for gram, line in itertools.islice(expected.items(), 0, None, 1 if LONG else 10):
        (prob, backoff), own = numbers(line), numbers(found[gram])
        assert abs(own[0] - prob) < 1e-4 and abs(own[1] - backoff) < 1e-4, gram


@pytest.fixture(scope="module")
def test_lines() -> list[str]:
    return escaped(TEXT / "test.en.gz")


def check_scores(model: LanguageModel, lines: list[str]) -> None:
    with gzip.open(PEER / "score-1000.txt.gz", "rt") as stream:
        expected = [line.split() for line in stream]
    found = model.line_scores(lines)
    assert len(expected) == len(lines) == 1000
    for index, (log10, unknown) in enumerate(expected):
        assert abs(found.log10[index] - float(log10)) < 1e-4, index
        assert found.unknown[index] == int(unknown), index
    totals = model.perplexity(lines)
    assert (totals.tokens, totals.unknown) == (13_968, 144)
    assert totals.perplexity == pytest.approx(35.800, abs=5e-4)
    assert totals.perplexity_known == pytest.approx(32.445, abs=5e-4)


def test_scores_are_those_of_query(folder: Path, test_lines: list[str]) -> None:
    check_scores(load(folder / "own.lm"), test_lines)


def test_scores_of_the_peer_model_are_those_of_query(folder: Path, test_lines: list[str]) -> None:
    build(PEER / "lm.arpa.gz", folder / "peer.lm")
    check_scores(load(folder / "peer.lm"), test_lines)


def test_the_file_is_smaller_than_the_probing_binary(folder: Path) -> None:
    assert load(folder / "own.lm").size < 17.2e6


def test_scores_are_those_of_the_kenlm_module(folder: Path, test_lines: list[str]) -> None:
    kenlm = pytest.importorskip("kenlm", reason="the kenlm package is not installed (extra: bench)")
    peer = kenlm.Model(str(folder / "own.arpa"))
    model = load(folder / "own.lm")
    for line in test_lines:
        theirs = list(peer.full_scores(line))
        ours = model.full_scores(line)
        assert [(length, unknown) for _, length, unknown in theirs] == [(w.length, w.unknown) for w in ours]
        for (log10, _, _), word in zip(theirs, ours, strict=True):
            assert word.log10 == pytest.approx(log10, abs=1e-5)
        assert model.score(line, bos=False, eos=False) == pytest.approx(
            peer.score(line, bos=False, eos=False), abs=1e-3
        )
