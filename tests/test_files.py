"""Reading plain and compressed text, and writing whole or not at all."""

from __future__ import annotations

import gzip
import io
import os
import sys
import threading
from pathlib import Path

import pytest
from graphmt.errors import InputError, OptionError
from graphmt.lm import LmOptions, train
from graphmt.storage.checks import require_inputs, require_outputs
from graphmt.storage.files import (
    digest,
    identity,
    lines,
    make_folder,
    writing,
    writing_bytes,
)
from graphmt.storage.folders import require_folder, writing_folder

MANIFEST = "manifest.json".__eq__


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
        with writing_folder(model, "manifest.json", owned=MANIFEST, overwrite=True) as draft:
            (draft / "manifest.json").write_text(text)
    assert (model / "manifest.json").read_text() == "two"
    assert list(tmp_path.iterdir()) == [model]

    home = tmp_path / "home"
    home.mkdir()
    (home / "thesis.tex").write_text("years of work")
    with pytest.raises(InputError, match=r"no manifest\.json"), writing_folder(home, "manifest.json", owned=MANIFEST):
        pass
    assert (home / "thesis.tex").exists()


def test_a_killed_folder_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), writing_folder(tmp_path / "model", "manifest.json", owned=MANIFEST) as draft:
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
    with pytest.raises(InputError, match=r"cut\.gz:\d+: .*truncated"):
        list(lines(tmp_path / "cut.gz"))

    whole = bytearray(gzip.compress(b"line\n" * 1000))
    whole[12:20] = b"\xff" * 8
    (tmp_path / "wrong.gz").write_bytes(whole)
    with pytest.raises(InputError, match=r"wrong\.gz:1: damaged gzip data"):
        list(lines(tmp_path / "wrong.gz"))

    with pytest.raises(InputError, match="folder"), writing(tmp_path):
        pass


LONG = "".join(f"line {number}\n" for number in range(5000))


def pipe(path: Path, content: bytes) -> threading.Thread:
    """A named pipe that a thread fills."""
    os.mkfifo(path)
    thread = threading.Thread(target=path.write_bytes, args=(content,))
    thread.start()
    return thread


@pytest.mark.parametrize("content", [LONG.encode(), gzip.compress(LONG.encode())])
def test_a_pipe_and_standard_input_are_read_whole(
    tmp_path: Path, content: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    thread = pipe(tmp_path / "pipe", content)
    assert list(lines(tmp_path / "pipe")) == LONG.splitlines()
    thread.join()
    given = io.TextIOWrapper(io.BytesIO(content))
    monkeypatch.setattr(sys, "stdin", given)
    assert list(lines("-")) == LONG.splitlines()
    assert not given.buffer.closed


@pytest.mark.parametrize("name", ["pipe", "pipe.gz"])
def test_a_pipe_is_written_into_and_stays(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    os.mkfifo(path)
    got: list[str] = []
    reader = threading.Thread(target=lambda: got.extend(lines(path)))
    reader.start()
    with writing(path) as out:
        out.write("x\ny\n")
    reader.join()
    assert got == ["x", "y"] and path.is_fifo()
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="needs open files by number in /proc")
def test_an_open_file_is_written_by_its_number(tmp_path: Path) -> None:
    with (tmp_path / "a").open("wb") as stream:
        with writing(f"/proc/self/fd/{stream.fileno()}") as out:
            out.write("x\n")
        assert os.path.samestat(os.fstat(stream.fileno()), (tmp_path / "a").stat())
    assert (tmp_path / "a").read_text() == "x\n"


def test_links_stay_links(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    for name in ("text", "bytes", "model"):
        (tmp_path / name).symlink_to(tmp_path / "deep" / name)
    for text in ("one", "two"):
        with writing(tmp_path / "text") as out:
            out.write(text)
        with writing_bytes(tmp_path / "bytes") as raw:
            raw.write(text.encode())
        with writing_folder(tmp_path / "model", "manifest.json", owned=MANIFEST, overwrite=True) as draft:
            (draft / "manifest.json").write_text(text)
    assert all((tmp_path / name).is_symlink() for name in ("text", "bytes", "model"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bytes", "deep", "model", "text"]
    assert sorted(path.name for path in (tmp_path / "deep").iterdir()) == ["bytes", "model", "text"]
    assert [(tmp_path / "deep" / name).read_text() for name in ("text", "bytes", "model/manifest.json")] == ["two"] * 3


def test_outputs_are_checked_before_work(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to(tmp_path / "file")
    os.mkfifo(tmp_path / "pipe")
    require_outputs(None, "-", tmp_path / "file", tmp_path / "new" / "deep" / "x", tmp_path / "pipe", tmp_path / "pipe")
    assert not (tmp_path / "new").exists()
    for path, said in ((tmp_path, "folder"), (tmp_path / "file" / "x", "not a folder")):
        with pytest.raises(InputError, match=said):
            require_outputs(path)
    for two in (("-", "-"), (tmp_path / "file", tmp_path / "link"), (tmp_path / "x", tmp_path / "new" / ".." / "x")):
        with pytest.raises(OptionError, match="two outputs have the same name"):
            require_outputs(*two)
    require_folder(tmp_path / "new" / "model", "manifest.json")
    for path, said in ((tmp_path / "file" / "x", "not a folder"), (tmp_path, r"no manifest\.json")):
        with pytest.raises(InputError, match=said):
            require_folder(path, "manifest.json")


def test_inputs_are_checked_before_work(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    require_inputs("-", None, tmp_path / "file")
    with pytest.raises(OptionError, match="several files"):
        require_inputs("-", None, Path("-"))
    for path, said in ((tmp_path / "none", "none: no such file"), (tmp_path, "folder")):
        with pytest.raises(InputError, match=said):
            require_inputs("-", path)


def test_the_header_of_a_binary_file_stands_for_its_content(tmp_path: Path) -> None:
    sentences = {"one": "ein Haus", "same": "ein Haus", "other": "ein Maus"}
    for name, sentence in sentences.items():
        (tmp_path / f"{name}.txt").write_text(f"{sentence}\n" * 20, encoding="utf-8")
        train(tmp_path / f"{name}.txt", tmp_path / name, LmOptions(order=2, discount_fallback=True))
    one, same, other = (identity(tmp_path / name) for name in sentences)
    assert one == same != other
    assert (tmp_path / "one").stat().st_size == (tmp_path / "other").stat().st_size
    # Of other files everything is read: a change far from the beginning counts.
    text = tmp_path / "text"
    text.write_text("GRAPHMT" + "a" * 30, encoding="utf-8")
    assert identity(text) == digest(text)


@pytest.mark.parametrize("address", ["s3a://bucket/out", "hdfs://host:9000/out.gz", "file:///tmp/out"])
def test_addresses_of_other_file_systems_are_refused(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text").write_text("a b\nc d\n")
    attempts = [
        lambda: writing(address).__enter__(),
        lambda: writing_folder(Path(address), "m", owned=MANIFEST).__enter__(),
        lambda: make_folder(Path(address).resolve()),
        lambda: require_outputs(Path(address)),
        # Written by the core.
        lambda: train("text", address, LmOptions(order=2, discount_fallback=True)),
    ]
    for attempt in attempts:
        with pytest.raises(InputError, match=f"this is an address .{address.split('/')[0]}//"):
            attempt()
    assert [path.name for path in tmp_path.iterdir()] == ["text"]
    # A colon alone makes no address, and a folder that is there may be used.
    (tmp_path / "ab:").mkdir()
    for name in ("12:30", "ab:/c", "x:"):
        with writing(tmp_path / name) as out:
            out.write("text")
