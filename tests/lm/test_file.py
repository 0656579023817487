"""The binary file: whatever happens to it, a sentence and never a crash."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from graphmt.errors import GraphmtError, InputError
from graphmt.lm import LanguageModel, load
from sealing import body, sealed

from .conftest import core_train, random_text


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> LanguageModel:
    folder = tmp_path_factory.mktemp("file")
    core_train(random_text(2, 40, 15), folder / "small.lm", order=4)
    return load(folder / "small.lm")


def test_every_flipped_byte_is_seen(small: LanguageModel, tmp_path: Path) -> None:
    data = small.path.read_bytes()
    source = random.Random(4)
    for position in [*range(256), *source.sample(range(256, len(data)), 600), len(data) - 1]:
        damaged = bytearray(data)
        damaged[position] ^= 1 << source.randrange(8)
        (tmp_path / "x.lm").write_bytes(damaged)
        with pytest.raises(InputError, match=r"damaged|not a binary|byte order|format|truncated|not fit"):
            load(tmp_path / "x.lm")


def test_every_cut_is_seen(small: LanguageModel, tmp_path: Path) -> None:
    data = small.path.read_bytes()
    for end in [*range(0, 300, 7), *range(300, len(data), 997), len(data) - 1]:
        (tmp_path / "x.lm").write_bytes(data[:end])
        with pytest.raises(InputError, match=r"truncated|empty|not a binary"):
            load(tmp_path / "x.lm")
    (tmp_path / "x.lm").write_bytes(data + b"more")
    with pytest.raises(InputError, match="does not match its size"):
        load(tmp_path / "x.lm")


def test_damage_behind_a_fitting_checksum_cannot_crash(small: LanguageModel, tmp_path: Path) -> None:
    data = small.path.read_bytes()
    assert sealed(data) == data
    source = random.Random(8)
    lines = [" ".join(source.choices([f"w{i}" for i in range(16)], k=10)) for _ in range(20)]
    opened = 0
    for _ in range(150):
        damaged = bytearray(data)
        end = body(data).stop
        start = 40 if source.random() < 0.3 else 256
        for _ in range(source.choice([1, 20, 400])):
            damaged[source.randrange(start, end)] = source.randrange(256)
        (tmp_path / "x.lm").write_bytes(sealed(bytes(damaged)))
        try:
            model = load(tmp_path / "x.lm")
        except GraphmtError:
            continue
        opened += 1
        model.score_lines(lines)
        list(model)
        for line in lines:
            words: list[int | str] = [*line.split()]
            model._core.score_pieces([words[5:], [*words[:5], 0]])
        try:
            model.to_arpa(tmp_path / "x.arpa")
        except GraphmtError:
            continue
    assert opened > 50


def test_foreign_files_are_named(tmp_path: Path) -> None:
    for content, said in [
        (b"\\data\\\nngram 1=3\n", "graphmt lm build"),
        (b"\x1f\x8bxxxx", "graphmt lm build"),
        (b"mmap lm http://kheafield.com/code format version 5\n", "KenLM"),
        (b"PK\x03\x04" + bytes(500), "not a binary language model"),
        (b"", "empty"),
    ]:
        (tmp_path / "x.lm").write_bytes(content)
        with pytest.raises(InputError, match=said):
            load(tmp_path / "x.lm")
    with pytest.raises(InputError, match="no such file"):
        load(tmp_path / "none.lm")
    with pytest.raises(InputError, match="folder"):
        load(tmp_path)
    with pytest.raises(InputError, match="graphmt lm build"):
        load(tmp_path / "x.arpa.gz")


def test_a_newer_format_is_refused(small: LanguageModel, tmp_path: Path) -> None:
    data = bytearray(small.path.read_bytes())
    data[8] = 3
    (tmp_path / "x.lm").write_bytes(data)
    with pytest.raises(InputError, match="format 3; this version reads up to 2"):
        load(tmp_path / "x.lm")
    small.verify()


def test_an_output_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(InputError, match="folder"):
        core_train("a\n", tmp_path / "folder")
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError):
        core_train("a\n", tmp_path / "t", arpa=False) and load(tmp_path / "file" / "x.lm")
    assert sorted(p.name for p in tmp_path.glob(".*")) == []
