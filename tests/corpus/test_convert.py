"""A corpus from one form into another."""

from __future__ import annotations

from pathlib import Path

import pytest
from graphmt.corpus import convert, read_trees
from graphmt.errors import InputError, OptionError
from random_trees import conllu


def test_pairs_into_two_files(tmp_path: Path) -> None:
    (tmp_path / "p.tsv").write_text("a\tx\nb\ty\n")
    assert convert.split_pairs(tmp_path / "p.tsv", tmp_path / "s", tmp_path / "t") == 2
    assert ((tmp_path / "s").read_text(), (tmp_path / "t").read_text()) == ("a\nb\n", "x\ny\n")
    with pytest.raises(OptionError, match="two outputs"):
        convert.split_pairs(tmp_path / "p.tsv", tmp_path / "s", tmp_path / "s")


def test_trees(tmp_path: Path) -> None:
    text = conllu("# c", "1-2 im _", "1 in 2", "2 dem 0") + conllu("1 a 2", "2 b 0", "3 c 1")
    (tmp_path / "a.conllu").write_text(text)
    assert convert.rewrite_trees(tmp_path / "a.conllu", tmp_path / "w.conllu", multiword="words") == 2
    assert (tmp_path / "w.conllu").read_text() == text
    assert convert.projectivise_trees(tmp_path / "a.conllu", tmp_path / "p.conllu") == (2, 1, 1)
    assert [tree.heads for tree in read_trees(tmp_path / "p.conllu")] == [(-1,), (1, -1, 1)]
    assert convert.write_tokens(tmp_path / "a.conllu", tmp_path / "t") == 2
    assert (tmp_path / "t").read_text() == "im\na b c\n"


def test_text_has_no_trees(tmp_path: Path) -> None:
    (tmp_path / "t").write_text("only text\n")
    with pytest.raises(InputError, match="Parse the text with graphmt corpus parse"):
        convert.rewrite_trees(tmp_path / "t", tmp_path / "o.conllu")
    assert not (tmp_path / "o.conllu").exists()


def test_pairs_are_not_one_side(tmp_path: Path) -> None:
    (tmp_path / "p.tsv").write_text("a\tx\n")
    with pytest.raises(InputError, match=r"contains pairs; .* graphmt corpus convert \S*p.tsv SOURCE TARGET"):
        convert.write_tokens(tmp_path / "p.tsv", tmp_path / "o")
