"""Data of Python code as sentences, pairs and references, whatever library it comes from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from data_libraries import DATA_SETS, DOCS, FRAMES, TOKEN_LISTS, LazyFrame
from graphmt import Tree
from graphmt.corpus.data_files import data_as_files
from graphmt.corpus.given import GivenPairs, given_sentences, given_texts, is_data, reference_streams, text_pairs
from graphmt.corpus.pair_files import PairReading, both_sides
from graphmt.errors import GraphmtError, InputError

GERMAN, ENGLISH = ["er schläft .", "sie liest ."], ["he sleeps .", "she reads ."]
PAIRS = list(zip(GERMAN, ENGLISH, strict=True))
TREE = Tree(("er", "schläft", "."), (1, -1, 1))
PARSED = "1\ter\t_\t_\t_\t_\t2\tnsubj\t_\t_\n2\tschläft\t_\t_\t_\t_\t0\troot\t_\t_\n\n"
BARE = "1\ter\t_\t_\t_\t_\t_\t_\t_\t_\n2\tschläft\t_\t_\t_\t_\t_\t_\t_\t_\n\n"


@pytest.mark.parametrize("made", FRAMES.values(), ids=FRAMES)
def test_tables(made: Any) -> None:
    columns = {"number": [1, 2], "de": GERMAN, "en": ENGLISH}
    assert list(text_pairs(made(columns))) == PAIRS
    assert list(text_pairs(made(columns), languages=("en", "de"))) == [pair[::-1] for pair in PAIRS]
    assert list(text_pairs(made({"a": GERMAN, "b": ENGLISH}))) == PAIRS
    assert list(text_pairs(made({"target": ENGLISH, "source": GERMAN}))) == PAIRS
    three = made({"de": GERMAN, "en": ENGLISH, "fr": ["il dort .", "elle lit ."]})
    assert next(text_pairs(three, languages=("fr", "de"))) == ("il dort .", "er schläft .")
    assert next(text_pairs(three, columns=("fr", "en"))) == ("il dort .", "he sleeps .")
    assert next(text_pairs(three, columns=(2, 1))) == ("he sleeps .", "er schläft .")
    assert GivenPairs(made(columns), "x").stated() == ("de", "en")
    assert GivenPairs(three, "x").stated() is None and GivenPairs(three, "x").stated(("fr", "en")) == ("fr", "en")
    assert list(given_sentences(made({"number": [1, 2], "text": GERMAN}))) == GERMAN
    assert list(given_sentences(made(columns), language="en")) == ENGLISH
    with pytest.raises(
        InputError, match=r"the memory: its columns with text are de, en, fr; exactly two were expected"
    ):
        list(text_pairs(three))
    with pytest.raises(InputError, match=r"the memory: it has no columns with text; exactly two"):
        list(text_pairs(made({"a": [1], "b": [2]})))
    with pytest.raises(InputError, match=r"its languages are de and en, not fr and en"):
        list(text_pairs(made(columns), languages=("fr", "en")))
    with pytest.raises(InputError, match=r"columns with text are de, en; exactly one was expected"):
        list(given_sentences(made(columns)))
    with pytest.raises(GraphmtError, match=r"there is no column 'it': there are de, en, fr"):
        list(text_pairs(three, columns=("de", "it")))
    with pytest.raises(InputError, match=r"the memory: row 2 has (None|nan) in 'en'; a text was expected"):
        list(text_pairs(made({"de": GERMAN, "en": ["he sleeps .", None]})))


@pytest.mark.parametrize("made", DATA_SETS.values(), ids=DATA_SETS)
def test_data_sets(made: Any) -> None:
    rows = [{"id": str(k), "translation": {"de": de, "en": en}} for k, (de, en) in enumerate(PAIRS)]
    assert list(text_pairs(made(rows))) == PAIRS
    assert list(text_pairs(made(rows), languages=("en", "de"))) == [pair[::-1] for pair in PAIRS]
    assert list(text_pairs(made([{"de": de, "en": en} for de, en in PAIRS]))) == PAIRS
    assert list(given_texts(made(rows), language="en")) == ENGLISH
    assert list(given_texts(made([{"text": one} for one in GERMAN]))) == GERMAN
    with pytest.raises(InputError, match=r"row 2 has None in 'en'"):
        list(text_pairs(made([{"de": "a", "en": "b"}, {"de": "a", "en": None}])))


@pytest.mark.parametrize("made", DOCS.values(), ids=DOCS)
def test_docs(made: Any) -> None:
    doc = made(["er", "schläft", "."], [1, 1, 1], [True, False, False])
    [tree] = given_sentences([doc])
    assert (tree.forms, tree.heads, tree.deprels[1]) == (TREE.forms, TREE.heads, "root")
    assert list(given_texts(iter([doc, "nun ."]))) == ["er schläft .", "nun ."]
    assert list(given_sentences([made(["er", "schläft", "."], None, [True, False, False])])) == ["er schläft."]
    with pytest.raises(InputError, match=r"a single sentence; a list of sentences was expected. Give it as"):
        list(given_sentences(doc))


@pytest.mark.parametrize("made", TOKEN_LISTS.values(), ids=TOKEN_LISTS)
def test_token_lists(made: Any) -> None:
    [tree] = given_sentences([made(PARSED)])
    assert (tree.forms, tree.heads, tree.deprels) == (("er", "schläft"), (1, -1), ("nsubj", "root"))
    assert list(given_sentences([made(BARE)])) == ["er schläft"]
    [(source, target)] = GivenPairs([(made(PARSED), "he sleeps")], "x").read()
    assert isinstance(source, Tree) and target == "he sleeps"
    with pytest.raises(InputError, match=r"a single sentence"):
        list(given_sentences(made(PARSED)))


REFUSED: dict[str, tuple[Any, str]] = {
    "a mapping": ({"de": "a"}, "the sentences: a dict; sentences were expected"),
    "splits": ({"train": DATA_SETS["a data set"]([{"de": "a"}])}, r"expected. Give one of its splits: train\."),
    "a set": ({"a b", "c d"}, "the sentences: a set, which has no order; sentences were expected"),
    "a number": (7, "the sentences: 7; sentences were expected"),
    "nothing": (None, "the sentences: None; sentences"),
    "bytes": (b"a b", "the sentences: b'a b'; sentences"),
    "a lazy table": (LazyFrame(), "a LazyFrame.*, which is not computed yet; .* Compute it first"),
    "numbers": (["a b", 7], "the sentences: number 2 is 7; a text or a tree was expected"),
    "lists of words": ([["er", "schläft"]], r"number 1 is \['er', 'schläft'\]; a text or a tree"),
    "an object": ([object()], "number 1 is a object; a text or a tree"),
}


@pytest.mark.parametrize(("given", "message"), REFUSED.values(), ids=REFUSED)
def test_what_is_not_understood_is_named(given: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        list(given_sentences(given))


def test_pairs() -> None:
    assert list(text_pairs(iter(PAIRS))) == PAIRS == list(text_pairs([list(pair) for pair in PAIRS]))
    assert list(text_pairs([(TREE, "he sleeps .")])) == [("er schläft .", "he sleeps .")]
    assert list(text_pairs([])) == []
    for given, message in (
        (["ab", "cd"], "number 1 of the memory is 'ab'; a pair .* was expected"),
        ([("a", "b"), ("a", "b", 0.5)], r"number 2 of the memory is \('a', 'b', 0.5\); a pair"),
        ([("a", None)], r"number 1 of the memory is \('a', None\)"),
        ({"a": "b"}, "the memory: a dict; pairs"),
        (3, "the memory: 3; pairs"),
    ):
        with pytest.raises(InputError, match=message):
            list(text_pairs(given))
    with pytest.raises(GraphmtError, match=r"columns can only be given for tables"):
        list(text_pairs(PAIRS, columns=("de", "en")))


def test_references() -> None:
    assert reference_streams(ENGLISH, 2) == [ENGLISH] == reference_streams(iter(ENGLISH), 2)
    assert reference_streams([ENGLISH, GERMAN], 2) == [ENGLISH, GERMAN] == reference_streams((ENGLISH, GERMAN), None)
    assert reference_streams(FRAMES["a table"]({"text": ENGLISH}), 2) == [ENGLISH]
    assert reference_streams([iter(ENGLISH)], 2) == [ENGLISH]
    with pytest.raises(InputError, match=r"the references: 3 lists of 2 texts for 3 sentences; .* Exchange rows"):
        reference_streams([["a", "b"]] * 3, 3)
    with pytest.raises(InputError, match=r"reference 2 of the references: number 1 is None; a text"):
        reference_streams([["a"], [None]], 1)
    with pytest.raises(InputError, match=r"the references: 'a b'; texts, or a list of texts for each"):
        reference_streams("a b", 1)


def test_lists_of_texts_are_sentences_or_paths(tmp_path: Path) -> None:
    (tmp_path / "my corpus").write_text("a\n")
    for sentences in (
        GERMAN,
        ["他 睡觉 。"],
        ["他睡觉。", "我看书。"],
        ["Haus", "ein Haus"],
        [""],
        iter(["a"]),
        PAIRS,
        [],
    ):
        assert is_data(sentences)
    for paths in (
        "a b",
        tmp_path,
        ["train.de", "more.de.gz"],
        ["my tarin.de"],
        [tmp_path],
        [str(tmp_path / "my corpus")],
    ):
        assert not is_data(paths)
    # Words alone may be names of files; beside data they are data unless there are such files.
    assert not is_data(["Haus", "Buch"]) and is_data(["Haus", "Buch"], beside_data=True)
    assert not is_data([str(tmp_path / "my corpus"), "x y"], beside_data=True)


def test_data_becomes_files() -> None:
    with both_sides(iter(PAIRS), None, PairReading()) as sides:
        assert [Path(path).read_text("utf-8") for path in (*sides.sources, *sides.targets)] == [
            "er schläft .\nsie liest .\n",
            "he sleeps .\nshe reads .\n",
        ]
        assert sides.data == {*sides.sources, *sides.targets}
        folder = Path(sides.sources[0]).parent
    assert not folder.exists()
    with both_sides([TREE], ["he\nsleeps ."], PairReading()) as sides:
        assert Path(sides.sources[0]).suffix == ".conllu"
        assert Path(sides.targets[0]).read_text("utf-8") == "he sleeps .\n"
    with both_sides(GERMAN, [ENGLISH, ENGLISH], PairReading(), references=True) as sides:
        assert len(sides.targets) == 2
    with data_as_files(GERMAN, None, None, PairReading()) as files:
        assert files.target is None and list(files.names.values()) == ["source"]
    for source, target, message in (
        (
            [TREE, "er schläft ."],
            ["a b", "c d"],
            "the source of the corpus: number 2 is a text, and the first is a tree",
        ),
        ([], None, "the corpus: no sentences"),
        (["er \ud800 ."], ["a b"], "number 1 is not text: it has half of a surrogate pair"),
        (GERMAN, [ENGLISH], "the target of the corpus: number 1 is .*; a text or a tree was expected"),
    ):
        with pytest.raises(InputError, match=message), both_sides(source, target, PairReading()):
            pass


def test_errors_about_the_files_name_the_data() -> None:
    with pytest.raises(InputError) as raised, both_sides(GERMAN, ENGLISH, PairReading()) as sides:
        raise InputError("odd.", file=sides.targets[0], line=2, hint=f"See {sides.targets[0]}.")
    assert str(raised.value) == "the target of the corpus: sentence 2: odd. See the target of the corpus."
    with pytest.raises(InputError) as raised, both_sides([TREE, TREE], ENGLISH, PairReading()) as sides:
        raise InputError("odd.", file=sides.sources[0], line=6)
    assert str(raised.value) == "the source of the corpus: sentence 2: odd."
