"""Reading plain and gzip text, and writing whole or not at all."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from graphmt.errors import InputError
from graphmt.files import digest, lines, writing, writing_folder


@pytest.mark.parametrize("name", ["a.txt", "a.txt.gz"])
def test_what_is_written_is_read_again(tmp_path: Path, name: str) -> None:
    wanted = ["ein Satz", "", "zwei\u2028Teile \x85 einer Zeile", "語"]
    with writing(tmp_path / name) as out:
        out.writelines(line + "\n" for line in wanted)
    assert list(lines(tmp_path / name)) == wanted
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_compression_is_recognised_by_content_and_is_deterministic(tmp_path: Path) -> None:
    for name in ("one.gz", "two.gz"):
        with writing(tmp_path / name) as out:
            out.write("x\n")
    assert digest(tmp_path / "one.gz") == digest(tmp_path / "two.gz")
    (tmp_path / "two.gz").rename(tmp_path / "plain")
    assert list(lines(tmp_path / "plain")) == ["x"]


def test_windows_line_ends_and_byte_order_mark_are_no_part_of_the_text(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"\xef\xbb\xbfeins\r\nzwei\r\n")
    assert list(lines(tmp_path / "a")) == ["eins", "zwei"]


def test_a_failure_leaves_the_old_file_and_no_other(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old\n")
    with pytest.raises(RuntimeError), writing(path) as out:
        out.write("half")
        raise RuntimeError
    assert path.read_text() == "old\n"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_is_replaced_only_if_it_is_ours(tmp_path: Path) -> None:
    model = tmp_path / "model"
    for text in ("one", "two"):
        with writing_folder(model, "manifest.json") as draft:
            (draft / "manifest.json").write_text(text)
    assert (model / "manifest.json").read_text() == "two"
    assert list(tmp_path.iterdir()) == [model]

    home = tmp_path / "home"
    home.mkdir()
    (home / "thesis.tex").write_text("years of work")
    with pytest.raises(InputError, match=r"no manifest\.json"), writing_folder(home, "manifest.json"):
        pass
    assert (home / "thesis.tex").exists()


def test_a_killed_folder_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), writing_folder(tmp_path / "model", "manifest.json") as draft:
        (draft / "manifest.json").write_text("half")
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


def test_bad_files_get_a_sentence_with_the_place(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file") as missing:
        list(lines(tmp_path / "none"))
    assert missing.value.file == str(tmp_path / "none")

    (tmp_path / "latin").write_bytes("gut\nschön\n".encode("latin-1"))
    with pytest.raises(InputError, match="not UTF-8") as encoded:
        list(lines(tmp_path / "latin"))
    assert encoded.value.line == 2

    (tmp_path / "cut.gz").write_bytes(gzip.compress(b"line\n" * 1000)[:-20])
    with pytest.raises(InputError, match="cannot be read on"):
        list(lines(tmp_path / "cut.gz"))

    with pytest.raises(InputError, match="folder"), writing(tmp_path):
        pass
