"""Tokenised text from any file that holds it."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from graphmt.corpus import is_conllu, tokenised, tokenised_chunks
from graphmt.errors import InputError
from hypothesis import given
from hypothesis import strategies as st
from random_trees import conllu


@given(st.lists(st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0\n\r\ufeff")), max_size=20))
def test_a_line_has_the_tokens_that_python_sees(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> None:
    for name, pack in (("t.txt", bytes), ("t.txt.gz", gzip.compress)):
        path = tmp_path_factory.getbasetemp() / name
        path.write_bytes(pack("".join(f"{text}\n" for text in texts).encode()))
        if not is_conllu(path):
            assert list(tokenised(path)) == [" ".join(text.split()) for text in texts]


def test_trees_are_recognised_by_name_or_content(tmp_path: Path) -> None:
    trees = conllu("# text = Im Haus", "1-2 Im _", "1 In 3", "2 dem 3", "3 Haus 0")
    for name in ("a.conllu", "a.txt", "a"):
        (tmp_path / name).write_text(trees)
        assert is_conllu(tmp_path / name)
        assert list(tokenised(tmp_path / name, lowercase=True)) == ["im haus"]
    (tmp_path / "b").write_text("1\tno tree\n")
    assert not is_conllu(tmp_path / "b")


def test_chunks_have_the_size_asked_for(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x\n" * 7)
    assert [len(chunk) for chunk in tokenised_chunks(tmp_path / "a", size=3)] == [3, 3, 1]


def test_bad_files_are_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        list(tokenised(tmp_path / "missing"))
    with pytest.raises(InputError, match="a folder"):
        list(tokenised(tmp_path))
    (tmp_path / "latin").write_bytes("gut\nschön\n".encode("latin-1"))
    with pytest.raises(InputError, match=r"latin:2: not UTF-8 \(byte 0xf6 at position 3\)"):
        list(tokenised(tmp_path / "latin"))
    (tmp_path / "cut.gz").write_bytes(gzip.compress(b"some\nwords\n")[:-5])
    with pytest.raises(InputError, match=r"cut.gz:3: .*truncated"):
        list(tokenised(tmp_path / "cut.gz"))
    whole = gzip.compress(b"some\nwords\n")
    (tmp_path / "bad.gz").write_bytes(whole[:-8] + bytes(4) + whole[-4:])
    with pytest.raises(InputError, match=r"bad.gz:\d+: damaged gzip data"):
        list(tokenised(tmp_path / "bad.gz"))
