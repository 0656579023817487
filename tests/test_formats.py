"""JSON, TOML and NumPy files of any origin give values or a ``ValueError``; records that were changed are none."""

from __future__ import annotations

import contextlib
import io
import json
import struct
import zipfile
from pathlib import Path

import numpy as np
import pytest
from graphmt.errors import InputError
from graphmt.storage.formats import parse_json, read_array, read_arrays, read_toml
from graphmt.storage.resume import Steps


@pytest.mark.parametrize(
    "text",
    ["[" * 100_000, '{"a":' * 100_000, '"\\ud800"', '{"\\uDC00": 1}', "9" * 5000, "", "{", "[1,]"],
    ids=lambda text: text[:8],
)
def test_json_that_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        parse_json(text)


def test_json_that_is_read() -> None:
    assert parse_json('{"a": ["\\ud83d\\ude00", "\\\\ud800", 1.5, null]}') == {"a": ["😀", "\\ud800", 1.5, None]}


@pytest.mark.parametrize(
    "text", ["a = " + "[" * 100_000, "a = " + "9" * 5000, "a = ", "[a", b"a = '\xff'"], ids=range(5)
)
def test_toml_that_is_refused(tmp_path: Path, text: str | bytes) -> None:
    path = tmp_path / "c.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(InputError, match=r"c\.toml: not a TOML file"):
        read_toml(path)
    with pytest.raises(InputError, match="no such file"):
        read_toml(tmp_path / "none.toml")


def npy(header: str, data: bytes = b"") -> bytes:
    encoded = header.encode() + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(encoded)) + encoded + data


def described(shape: str, kind: str = "'<f4'") -> str:
    return f"{{'descr': {kind}, 'fortran_order': False, 'shape': {shape}, }}"


BAD = [
    npy(described("(4000000, 4000000)"), bytes(16)),
    npy(described("(" + "9" * 5000 + ",)"), bytes(16)),
    npy(described("(3,)"), bytes(16)),
    npy(described("(-2, -2)"), bytes(16)),
    npy(described("(2,)", "'|O'"), bytes(16)),
    npy(described("(2,)", "'V0'"), b""),
    npy("(" * 5000),
    npy("{'descr': __import__('os')}"),
    b"\x93NUMPY\x09\x00",
    b"",
    b"text",
]


@pytest.mark.parametrize("content", BAD, ids=range(len(BAD)))
def test_arrays_that_are_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.npy").write_bytes(content)
    with pytest.raises(ValueError):
        read_array(tmp_path / "a.npy")
    with zipfile.ZipFile(tmp_path / "a.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.npy", content)
    with pytest.raises(ValueError):
        read_arrays(tmp_path / "a.npz", ["a"])


def test_archives_that_are_damaged_anywhere(tmp_path: Path) -> None:
    values, path = np.arange(12, dtype=np.float32).reshape(3, 4), tmp_path / "a.npz"
    whole = io.BytesIO()
    np.savez_compressed(whole, a=values, b=values[:, :0], words=np.array(["ä", "bc"]))
    for at in range(len(whole.getvalue())):
        content = bytearray(whole.getvalue())
        content[at] ^= 0x15
        path.write_bytes(content)
        with contextlib.suppress(ValueError):
            read_arrays(path, ["a", "b", "words"])
    path.write_bytes(whole.getvalue())
    a, b, words = read_arrays(path, ["a", "b", "words"])
    assert np.array_equal(a, values) and b.shape == (3, 0) and words.tolist() == ["ä", "bc"]
    np.save(tmp_path / "f.npy", np.asfortranarray(values))
    assert np.array_equal(read_array(tmp_path / "f.npy"), values)
    with pytest.raises(ValueError):
        read_arrays(path, ["c"])


@pytest.mark.parametrize(
    "change",
    [
        lambda record: {**record, "report": {"times": 7}},
        lambda record: {**record, "report": []},
        lambda record: {key: value for key, value in record.items() if key != "digest"},
        lambda record: [record],
        lambda record: None,
    ],
)
def test_a_record_that_was_changed_is_none(tmp_path: Path, change) -> None:
    done: list[int] = []

    def work() -> dict[str, int]:
        done.append(1)
        return {"times": len(done), "ä": 1.5}

    assert Steps(tmp_path).run("one", {"a": 1}, [], work) == Steps(tmp_path).run("one", {"a": 1}, [], work)
    assert len(done) == 1
    record = tmp_path / "one.json"
    record.write_text(json.dumps(change(json.loads(record.read_text("utf-8")))))
    assert Steps(tmp_path).run("one", {"a": 1}, [], work)["times"] == 2
    record.write_text("[" * 100_000)
    assert Steps(tmp_path).run("one", {"a": 1}, [], work)["times"] == 3
