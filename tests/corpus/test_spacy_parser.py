"""Parsing by spaCy: with models where they are installed, and with documents made by hand."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from graphmt.corpus import parse_file, read_trees
from graphmt.corpus.parsers.spacy import SpacyParser, as_tree
from graphmt.corpus.text import tokenised
from graphmt.errors import InputError, MissingPackageError


def model(name: str) -> str:
    spacy = pytest.importorskip("spacy", reason="needs the extra 'spacy'")
    if not spacy.util.is_package(name):
        pytest.skip(f"needs the spaCy model {name}")
    return name


@pytest.fixture(scope="module")
def french() -> SpacyParser:
    return SpacyParser(model("fr_core_news_sm"))


def doc(words: list[str], heads: list[int], deps: list[str]) -> Any:
    spacy = pytest.importorskip("spacy", reason="needs the extra 'spacy'")
    return spacy.tokens.Doc(spacy.blank("fr").vocab, words=words, heads=heads, deps=deps)


def test_further_roots_hang_on_the_first() -> None:
    made = doc(["Il", "dort", ".", "Elle", "rit", "."], [1, 1, 1, 4, 4, 4], ["n", "ROOT", "p", "n", "ROOT", "p"])
    tree = as_tree(made, "Il dort . Elle rit .", True)
    assert tree is not None
    assert tree.heads == (1, -1, 1, 4, 1, 4)
    assert tree.deprels == ("n", "root", "p", "n", "root", "p")


def test_white_space_is_no_word() -> None:
    made = doc(["a", "  ", "b", "c"], [1, 3, 1, 3], ["x", "y", "z", "ROOT"])
    tree = as_tree(made, "a b c", False)
    assert tree is not None and tree.forms == ("a", "b", "c") and tree.heads == (2, 2, -1)
    assert as_tree(doc(["  "], [0], ["ROOT"]), "", False) is None


def test_one_tree_a_line(french: SpacyParser, tmp_path: Path) -> None:
    source, out = tmp_path / "a.txt", tmp_path / "a.conllu.gz"
    source.write_text("Le chat dort. Il rêve d'oiseaux.\nQui  l'a\u00a0vu ?\n", encoding="utf-8")
    assert parse_file(source, out, french) == 2
    trees = list(read_trees(out))
    assert trees[0].comments == ("# text = Le chat dort. Il rêve d'oiseaux.",)
    assert trees[0].forms == ("Le", "chat", "dort", ".", "Il", "rêve", "d'", "oiseaux", ".")
    assert trees[0].misc[2] == "SpaceAfter=No" and trees[0].upos[0] == "DET"
    assert trees[1].forms == ("Qui", "l'", "a", "vu", "?")


def test_tokens_that_are_there_are_kept(french: SpacyParser, tmp_path: Path) -> None:
    source, out = tmp_path / "a.txt", tmp_path / "a.conllu"
    lines = ["L'homme dort.", "d' aujourd' hui"] * 3
    source.write_text("".join(f"{line}\n" for line in lines))
    parse_file(source, out, french, pretokenised=True, batch=2)
    assert list(tokenised(out)) == lines
    # Trees can be parsed anew from their own tokens.
    parse_file(out, tmp_path / "b.conllu", french)
    assert (tmp_path / "b.conllu").read_text() == out.read_text()


def test_japanese() -> None:
    parser = SpacyParser(model("ja_ginza").replace("_", "-"))
    (tree,) = parser.parse(["猫は屋根の上で寝ている。鳥の夢を見た。"], tokenised=False)
    assert tree is not None
    assert "".join(tree.forms) == "猫は屋根の上で寝ている。鳥の夢を見た。"
    assert tree.forms[:3] == ("猫", "は", "屋根") and tree.heads.count(-1) == 1


def test_lines_without_a_tree_are_told(french: SpacyParser, tmp_path: Path) -> None:
    source, out = tmp_path / "a.txt", tmp_path / "o.conllu"
    source.write_text("Oui.\n\nNon.\n")
    with pytest.raises(InputError, match=r"a.txt:2: an empty line has no tree. .*corpus clean"):
        parse_file(source, out, french)
    source.write_text("")
    with pytest.raises(InputError, match="this file is empty"):
        parse_file(source, out, french)
    assert not out.exists()


def test_what_is_not_installed_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "spacy", None)
        with pytest.raises(MissingPackageError, match=r"pip install 'graphmt\[spacy\]'"):
            SpacyParser("fr_core_news_sm")
    pytest.importorskip("spacy", reason="needs the extra 'spacy'")
    with pytest.raises(MissingPackageError, match="own releases: python -m spacy download xx_no_such_model"):
        SpacyParser("xx-no-such-model")


def test_a_folder_that_is_no_model_or_has_no_parser(tmp_path: Path) -> None:
    spacy = pytest.importorskip("spacy", reason="needs the extra 'spacy'")
    with pytest.raises(MissingPackageError, match="cannot be loaded"):
        SpacyParser(str(tmp_path))
    nlp = spacy.blank("fr")
    nlp.add_pipe("sentencizer")
    nlp.to_disk(tmp_path / "model")
    with pytest.raises(InputError, match="no dependency parser \\(its parts: sentencizer"):
        SpacyParser(str(tmp_path / "model"))
