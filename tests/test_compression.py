"""gzip, bzip2, xz and zstd: read by content and written by name, in Python and in the core."""

from __future__ import annotations

import bz2
import gzip
import lzma
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from graphmt import lm
from graphmt.corpus import read_pairs, read_trees, tokenised
from graphmt.errors import InputError
from graphmt.storage.compression import packed, plain_name
from graphmt.storage.files import lines, read_whole, writing
from hypothesis import given
from hypothesis import strategies as st

ENDINGS = ("gz", "bz2", "xz", "zst")
NAMES = {"gz": "gzip", "bz2": "bzip2", "xz": "xz", "zst": "zstd"}
STANDARD: dict[str, Callable[[bytes], bytes]] = {"gz": gzip.decompress, "bz2": bz2.decompress, "xz": lzma.decompress}
TEXT = "".join(f"line {number} of some text\n" for number in range(5000))
TREE = "1\tEr\ter\tPRON\t_\t_\t2\tnsubj\t_\t_\n2\tschläft\tschlafen\tVERB\t_\t_\t0\troot\t_\t_\n\n"
READERS = {"python": lines, "core": tokenised}


def zstd(data: bytes, *flags: str) -> bytes:
    if shutil.which("zstd") is None:
        pytest.skip("needs the program zstd")
    return subprocess.run(["zstd", "-c", *flags], input=data, capture_output=True, check=True).stdout


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("reader", READERS)
def test_what_is_written_by_name_is_read_by_content(tmp_path: Path, ending: str, reader: str) -> None:
    for name in (f"one.{ending}", f"two.{ending}"):
        with writing(tmp_path / name) as stream:
            stream.write(TEXT)
    data = (tmp_path / f"one.{ending}").read_bytes()
    assert len(data) < len(TEXT) / 4
    assert data == (tmp_path / f"two.{ending}").read_bytes() == packed(TEXT.encode(), f"any.{ending}")
    (tmp_path / "plain").write_bytes(data + packed(b"more\n", f"any.{ending}"))
    assert list(READERS[reader](tmp_path / "plain")) == [*TEXT.splitlines(), "more"]


@pytest.mark.parametrize("ending", ENDINGS)
def test_other_programs_read_it_and_are_read(ending: str, tmp_path: Path) -> None:
    data = packed(TEXT.encode(), f"a.{ending}")
    assert (STANDARD[ending](data) if ending in STANDARD else zstd(data, "-d")) == TEXT.encode()
    compress = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress, "zst": zstd}[ending]
    (tmp_path / "a").write_bytes(compress(TEXT.encode()))
    assert read_whole(tmp_path / "a") == TEXT.encode()


@given(st.binary(max_size=3000), st.sampled_from(ENDINGS))
def test_any_bytes(data: bytes, ending: str) -> None:
    path = Path("a").with_suffix(f".{ending}")
    whole = packed(data, path)
    assert plain_name(path) == "a"
    if ending in STANDARD:
        assert STANDARD[ending](whole) == data


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("reader", READERS)
def test_truncated_and_damaged_files_are_a_sentence(tmp_path: Path, ending: str, reader: str) -> None:
    whole = packed(TEXT.encode(), f"a.{ending}")
    (tmp_path / "cut").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match=r"cut:\d+: the compressed file ends too early; it may be truncated\."):
        list(READERS[reader](tmp_path / "cut"))
    (tmp_path / "bad").write_bytes(whole[:-4] + b"\x5a" * 4)
    with pytest.raises(InputError, match=rf"bad:\d+: damaged {NAMES[ending]} data"):
        list(READERS[reader](tmp_path / "bad"))


def test_text_that_starts_like_a_compressed_file(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("BZh9 starts a compressed file\n", encoding="utf-8")
    assert list(lines(tmp_path / "a")) == list(tokenised(tmp_path / "a")) == ["BZh9 starts a compressed file"]


@pytest.mark.parametrize("ending", ENDINGS)
def test_formats_that_are_told_by_their_name(tmp_path: Path, ending: str) -> None:
    with writing(tmp_path / f"t.conllu.{ending}") as stream:
        stream.write(TREE)
    assert [tree.forms for tree in read_trees(tmp_path / f"t.conllu.{ending}")] == [("Er", "schläft")]
    with writing(tmp_path / f"p.csv.{ending}") as stream:
        stream.write("de,en\nein,one\n")
    assert list(read_pairs(tmp_path / f"p.csv.{ending}", languages=("de", "en"))) == [("ein", "one")]


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_language_model_as_text(tmp_path: Path, ending: str) -> None:
    (tmp_path / "text").write_text("a b c\na b\n" * 5, encoding="utf-8")
    lm.train(tmp_path / "text", tmp_path / "plain.arpa", lm.LmOptions(order=2))
    lm.train(tmp_path / "text", tmp_path / f"a.arpa.{ending}", lm.LmOptions(order=2))
    assert read_whole(tmp_path / f"a.arpa.{ending}") == (tmp_path / "plain.arpa").read_bytes()
    assert lm.build(tmp_path / f"a.arpa.{ending}", tmp_path / "a.lm").has_unknown
