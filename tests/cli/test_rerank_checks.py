"""``graphmt rerank`` compares its files with each other before any work, and says what the memory covers."""

from __future__ import annotations

import json
import logging
import unicodedata
from pathlib import Path

import numpy as np
import pytest
import small_lists
from graphmt.cli import app
from graphmt.consensus import request
from graphmt.errors import GraphmtError
from graphmt.memory_features import resources
from typer.testing import CliRunner

MEMORY, DEV, TEST = (small_lists.sentences(number, seed) for number, seed in ((150, 1), (40, 2), (30, 3)))
GIVEN = ("rerank", "test.nbest", "--source", "test.de", "--memory", "memory.tsv", "--out", "out")
TUNED = ("--dev", "dev.nbest", "dev.de", "--dev-target", "dev.en")
VECTORS = ("--vectors", "test.npy", "--memory-vectors", "memory.npy", "--dev-vectors", "dev.npy")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    small_lists.write(tmp_path, "dev", DEV, small_lists.lists(DEV, 4))
    small_lists.write(tmp_path, "test", TEST, small_lists.lists(TEST, 5))
    rows = "".join(f"{source}\t{target}\n" for source, target in MEMORY)
    (tmp_path / "memory.tsv").write_text(rows, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def graphmt(*arguments: str) -> str:
    """The messages of a command that succeeds."""
    done = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stderr


def without_scores(folder: Path, name: str) -> None:
    """The same lists, with the other columns but no score."""
    rows = [row.split(" ||| ") for row in (folder / name).read_text("utf-8").splitlines()]
    values = [{"sentence": int(number), "text": text, "features": {"length": 8}} for number, text, *_ in rows]
    (folder / f"bare.{name}").write_text("".join(json.dumps(one) + "\n" for one in values), "utf-8")


def cut(folder: Path, name: str, lines: int = 1) -> None:
    """A file without its last lines."""
    rows = (folder / name).read_text("utf-8").splitlines(keepends=True)
    (folder / f"short.{name}").write_text("".join(rows[:-lines]), "utf-8")


def test_the_order_of_the_lists_is_kept(here: Path) -> None:
    """Though another column is a log-probability, and the columns and scores disagree with the order."""
    rows = [
        {"sentence": 0, "text": "a long translation", "score": -0.5, "log_probability": -3.0},
        {"sentence": 0, "text": "short", "score": -0.9, "log_probability": -0.9},
        {"sentence": 0, "text": "best score", "score": -0.1, "log_probability": -9.0},
    ]
    (here / "one.json").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    said = graphmt("rerank", "one.json", "--method", "none", "--out", "out", "--n-best", "--out-format", "tsv")
    assert "0 translations changed" in said
    found = [line.split("\t") for line in (here / "out").read_text("utf-8").splitlines()]
    assert [row[1] for row in found[1:]] == [row["text"] for row in rows]
    assert [float(row[found[0].index("score")]) for row in found[1:]] == [row["score"] for row in rows]
    # Of several systems, the order is that of their common score; a named column is asked for.
    graphmt("rerank", "one.json", "--method", "none", "--score", "log_probability", "--out", "out")
    assert (here / "out").read_text("utf-8") == "short\n"
    graphmt("rerank", "one.json", "--also", "one.json", "--method", "none", "--out", "out")
    assert (here / "out").read_text("utf-8") == "short\n"


@pytest.fixture
def idle(monkeypatch: pytest.MonkeyPatch) -> None:
    """No work on the memory."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("work on the memory")

    monkeypatch.setattr(request, "prepare_memory", refuse)


@pytest.mark.usefixtures("idle")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((*TUNED[:3], "--dev-target", "short.dev.en"), "short.dev.en: 39 references for 40 n-best lists."),
        (("--dev", "dev.nbest", "short.dev.de", *TUNED[3:]), "short.dev.de: 39 sentences for 40 n-best lists."),
        (("test.de=short.test.de",), "short.test.de: 29 sentences for 30 n-best lists."),
        (("--also", "short.test.nbest"), "short.test.nbest: 29 n-best lists; test.nbest has 30."),
        (
            (*TUNED, "--also", "test.nbest", "--dev-also", "short.dev.nbest"),
            "short.dev.nbest: 39 lists; the other systems have more.",
        ),
        ((*TUNED, *VECTORS, "test.npy=dev.npy"), "test.de: 40 vectors for 30 sentences."),
        ((*TUNED, *VECTORS, "dev.npy=test.npy"), "30 vectors for 40 n-best lists."),
        ((*TUNED, *VECTORS, "dev.npy=wide.npy"), "vectors with 4 and 5 values."),
        ((*TUNED, "--alignment", "test.de"), "test.de:1: "),
        ((*TUNED, "--lexicon", "none"), "none: there is no PREFIX.f2e.gz"),
        ((*TUNED, "--lm", "test.de"), "test.de: "),
        (("--score", "lm"), "the lists have no column 'lm'"),
        (("--dev", "other.nbest", "dev.de", *TUNED[3:]), "other.nbest: lists with the columns score, f; those"),
        (("--dev", "bare.dev.nbest", "dev.de", *TUNED[3:]), "test.nbest: the lists have scores, and those that were"),
        (("--weights", "bare.json"), "test.nbest: the lists have scores, and those that were tuned on had no scores."),
        (("--weights", "other.json"), "test.nbest: lists with the columns score, length; the re-ranker was tuned on"),
    ],
)
def test_files_that_do_not_fit(here: Path, arguments: tuple[str, ...], said: str) -> None:
    for name in ("dev.en", "dev.de", "test.de"):
        cut(here, name)
    for name in ("dev.nbest", "test.nbest"):
        cut(here, name, 3)
    without_scores(here, "dev.nbest")
    other = (here / "dev.nbest").read_text("utf-8").replace("length=", "f=")
    (here / "other.nbest").write_text(other, "utf-8")
    for name, shape in {"test": (30, 4), "memory": (150, 4), "dev": (40, 4), "wide": (40, 5)}.items():
        np.save(here / f"{name}.npy", np.ones(shape, dtype=np.float32))
    saved = {
        "graphmt reranker": 1,
        "options": {"method": "mbr-bleu", "score": "score", "normalised": "no"},
        "features": ["score", "length"],
        **{"scale": 1.0, "bleu": [30.0], "scored": False, "stages": [{"score": 1.0, "length": 0.0}]},
    }
    (here / "bare.json").write_text(json.dumps(saved), "utf-8")
    saved |= {"features": ["score"], "stages": [{"score": 1.0}]}
    (here / "other.json").write_text(json.dumps(saved), "utf-8")
    # OLD=NEW: another file in the place of one.
    instead = dict(one.split("=") for one in arguments if "=" in one)
    with pytest.raises(GraphmtError) as refused:
        graphmt(*(instead.get(one, one) for one in (*GIVEN, *arguments) if "=" not in one))
    assert said in str(refused.value)
    assert not (here / "out").exists()


def test_links_of_other_pairs_are_found_before_the_index(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (here / "links").write_text("0-0\n" * 151, "utf-8")
    monkeypatch.setattr(resources, "make_index", None)
    with pytest.raises(GraphmtError, match="links: links of 151 pairs; the memory has 150"):
        graphmt(*GIVEN, *TUNED, "--alignment", "links")
    (here / "memory.tsv").write_text("das haus\tthe house\n", "utf-8")
    with pytest.raises(GraphmtError, match=r"dev\.de: the memory has no translation of sentence 1\. Tuning on"):
        graphmt(*GIVEN, *TUNED[:3], "--self-tune")


def test_an_alignment_of_the_whole_memory_serves_what_is_not_held_out(here: Path) -> None:
    rows = "".join(f"{source}\t{target}\n" for source, target in [*MEMORY, *DEV])
    (here / "memory.tsv").write_text(rows, "utf-8")
    (here / "links").write_text("0-0 1-1 2-2 3-6 4-3 4-4 5-5 6-7\n" * (len(MEMORY) + len(DEV)), "utf-8")
    asked = ("--self-tune", "--features", "lexicon", "--alignment", "links")
    said = graphmt(*GIVEN, *TUNED[:3], *asked)
    assert "are held out for tuning" in said
    assert (here / "out").read_text("utf-8") == (here / "test.en").read_text("utf-8")


def test_lists_with_and_without_scores_are_not_mixed(here: Path) -> None:
    without_scores(here, "dev.nbest")
    without_scores(here, "test.nbest")
    bare = ("rerank", "bare.test.nbest", *GIVEN[2:], "--features", "gc")
    with pytest.raises(GraphmtError, match="the lists have no scores, and those that were tuned on"):
        graphmt(*bare, *TUNED)
    both = ("--dev", "bare.dev.nbest", "dev.de", *TUNED[3:], "--save", "bare.json")
    graphmt(*bare, *both)
    assert (here / "out").read_text("utf-8") == (here / "test.en").read_text("utf-8")
    graphmt(*bare[:-2], "--weights", "bare.json")
    with pytest.raises(GraphmtError, match="the lists have scores, and those that were tuned on had no scores"):
        graphmt(*GIVEN, "--weights", "bare.json")


def test_what_the_memory_covers(here: Path, caplog: pytest.LogCaptureFixture) -> None:
    said = graphmt(*GIVEN, "--features", "memory")
    assert "30 sentences, 100% of their trigrams in the memory; " in said
    assert "direction" not in caplog.text and "language" not in caplog.text
    decomposed(here / "test.de")
    assert "30 sentences, 100% of their trigrams in the memory; " in graphmt(*GIVEN, "--features", "memory")
    rows = "".join(f"{target}\t{source}\n" for source, target in MEMORY)
    (here / "memory.tsv").write_text(rows, "utf-8")
    said = graphmt(*GIVEN, "--features", "memory")
    assert "30 sentences, 0% of their trigrams in the memory; 0 translations changed" in said
    assert "source side of the memory has 0% and its target side 100% (the first 150 pairs): it seems" in caplog.text
    caplog.clear()
    (here / "memory.tsv").write_text("la maison\tthe house\n", "utf-8")
    graphmt(*GIVEN, "--features", "gc")
    assert "has only 0% of the words of the source (the first pair). Is it of another" in caplog.text


def decomposed(path: Path) -> None:
    path.write_text(unicodedata.normalize("NFD", path.read_text("utf-8")), "utf-8")


@pytest.mark.parametrize("names", [("memory.tsv",), ("test.nbest", "dev.nbest"), ("dev.en", "dev.de")])
def test_forms_of_characters_make_no_difference(here: Path, names: tuple[str, ...]) -> None:
    """Two characters or one for é: choices are the same, and outputs are as the system wrote them."""
    for path in here.iterdir():
        path.write_text(path.read_text("utf-8").replace("house", "café").replace("now", "désormais"), "utf-8")
    arguments = (*GIVEN, *TUNED, "--features", "memory,gc", "--classifier", "lr")
    graphmt(*arguments)
    before = (here / "out").read_text("utf-8")
    assert "é" in before
    for name in names:
        decomposed(here / name)
    graphmt(*arguments)
    after = (here / "out").read_text("utf-8")
    assert after == (unicodedata.normalize("NFD", before) if "test.nbest" in names else before)


def test_tuning_on_a_few_sentences_is_said(here: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    graphmt(*GIVEN, *TUNED, "--features", "lc")
    assert "Tuning on 40 sentences: with fewer than 100, the result can be worse than without" in caplog.text
    caplog.clear()
    pairs = small_lists.sentences(100, 6)
    small_lists.write(here, "dev", pairs, small_lists.lists(pairs, 7))
    graphmt(*GIVEN, *TUNED, "--features", "lc")
    assert "Tuning on" not in caplog.text
