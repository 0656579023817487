"""Corpus files that were damaged, or made to do harm: each ends in a sentence, within bounds of time and memory."""

from __future__ import annotations

import gzip
import struct
from pathlib import Path

import pytest
from graphmt.corpus import read_pairs, read_sentences, read_trees, tokenised
from graphmt.corpus.tmx import read_tmx
from graphmt.errors import InputError
from graphmt.storage import files

HEADER = "<tmx><header srclang='de'/><body>"
UNIT = "<tu><tuv xml:lang='de'><seg>{}</seg></tuv><tuv xml:lang='en'><seg>b</seg></tuv></tu>"


def saved(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return path


@pytest.mark.parametrize("n", [200, 100_000])
def test_deep_tmx(tmp_path: Path, n: int) -> None:
    path = saved(tmp_path, "m.tmx", HEADER + UNIT.format("<hi>" * n + "a" + "</hi>" * n) + "</body></tmx>")
    with pytest.raises(InputError, match=r"m\.tmx: elements are nested more than 100 deep"):
        list(read_tmx(path))


def test_a_tmx_without_the_end_of_a_unit(tmp_path: Path) -> None:
    path = saved(tmp_path, "m.tmx.gz", gzip.compress(f"{HEADER}<tu><tuv><seg>{'a' * (1 << 23)}".encode(), 1))
    with pytest.raises(InputError, match="4 MiB without the end of a translation unit"):
        list(read_tmx(path))
    long = HEADER + UNIT.format("a" * 100_000) * 60 + "</body></tmx>"
    assert sum(1 for _ in read_tmx(saved(tmp_path, "m.tmx", long))) == 60


def test_units_anywhere_are_let_go_in_linear_time(tmp_path: Path) -> None:
    many = "<tmx><header srclang='de'/>" + "<x/>" * 20_000 + UNIT.format("a") * 20_000 + "</tmx>"
    assert sum(1 for _ in read_tmx(saved(tmp_path, "m.tmx", many))) == 20_000


def test_entities_stay_what_they_are(tmp_path: Path) -> None:
    laughs = "".join(f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in zip("abcdefgh", "bcdefghi", strict=True))
    secret = saved(tmp_path, "secret", "secret")
    for entities, name in (
        (f'<!ENTITY a "aaaaaaaaaa">{laughs}', "i"),
        (f'<!ENTITY a SYSTEM "{secret.as_uri()}">', "a"),
    ):
        text = f'<?xml version="1.0"?><!DOCTYPE tmx [{entities}]>{HEADER}{UNIT.format(f"&{name};")}</body></tmx>'
        with pytest.raises(InputError, match="not XML, or damaged"):
            list(read_tmx(saved(tmp_path, "m.tmx", text)))


def compiled(count: int, length: int) -> bytes:
    """A .mo file all of whose strings are the same bytes."""
    at = 28 + 16 * count
    row = struct.pack("<2I", length, at)
    return struct.pack("<7I", 0x950412DE, 0, count, 28, 28 + 8 * count, 0, 0) + row * 2 * count + b"x" * length + b"\0"


def test_overlapping_strings_of_a_compiled_catalogue(tmp_path: Path) -> None:
    assert list(read_pairs(saved(tmp_path, "m.mo", compiled(1, 10)))) == [("x" * 10, "x" * 10)]
    with pytest.raises(InputError, match=r"m\.mo: its strings overlap"):
        list(read_pairs(saved(tmp_path, "m.mo", compiled(1000, 80_000))))


def test_too_many_plural_forms(tmp_path: Path) -> None:
    forms = b"\0".join([b"x"] * 40)
    key = b"one\0many"
    rows = struct.pack("<4I", len(key), 44, len(forms), 45 + len(key))
    content = struct.pack("<7I", 0x950412DE, 0, 1, 28, 36, 0, 0) + rows + key + b"\0" + forms + b"\0"
    with pytest.raises(InputError, match="message 1 has 40 plural forms; 32 are the most"):
        list(read_pairs(saved(tmp_path, "m.mo", content)))


CHARSET = 'msgid ""\nmsgstr "Content-Type: text/plain; charset={}\\n"\n\nmsgid "a"\nmsgstr "b\\101"\n'


@pytest.mark.parametrize(
    "name",
    [
        "hex",
        "rot13",
        "base64",
        "zip",
        "undefined",
        "idna",
        "punycode",
        "unicode_escape",
        "raw_unicode_escape",
        "utf-7",
        "utf-16",
        "cp037",
        "../x",
    ],
)
def test_encodings_that_are_no_character_sets(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match=r"m\.po: unknown character set .* in the header"):
        list(read_pairs(saved(tmp_path, "m.po", CHARSET.format(name))))


@pytest.mark.parametrize(
    "name", ["iso-8859-1", "cp1252", "koi8-r", "shift_jis", "big5", "euc-kr", "gb18030", "tis-620", "ascii"]
)
def test_character_sets(tmp_path: Path, name: str) -> None:
    assert list(read_pairs(saved(tmp_path, "m.po", CHARSET.format(name)))) == [("a", "bA")]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('msgid "a"\nmsgstr "\\9"\n', r"m\.po:2: unknown escape"),
        ('msgid "a"\nmsgstr "\\²"\n', r"m\.po:2: unknown escape"),
        ('msgid "a"\nmsgstr "\\777"\n', r"m\.po:2: .* is not valid utf-8"),
        (
            'msgid "a"\nmsgid_plural "b"\nmsgstr[' + "9" * 5000 + '] "c"\n',
            r"m\.po:3: msgstr\[9{20}\] where msgstr\[0\]",
        ),
        ('msgid "a"\nmsgid_plural "b"\nmsgstr[²] "c"\n', r"m\.po:3: .* where msgctxt"),
        ('msgid "a"\nmsgstr "c"\nmsgstr "d"\n', r"m\.po:3: another msgstr"),
    ],
)
def test_catalogues_that_are_damaged(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        list(read_pairs(saved(tmp_path, "m.po", text)))


def test_a_message_of_many_lines_takes_linear_time(tmp_path: Path) -> None:
    path = saved(tmp_path, "m.po", 'msgid ""\n' + '"aaaa"\n' * 100_000 + 'msgstr "b"\n')
    assert [len(source) for source, _ in read_pairs(path)] == [400_000]


def test_a_line_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Two members of 64 MiB in 130 kB.
    half = gzip.compress(b"a" * (1 << 26), 1)
    path = saved(tmp_path, "bomb.gz", gzip.compress(b"fine\n") + half + half)
    for read in (files.lines, tokenised, read_sentences):
        with pytest.raises(InputError, match=r"bomb\.gz:2: a line of more than 64 MiB"):
            for _ in read(path):
                pass
    path.rename(tmp_path / "bomb.conllu.gz")
    with pytest.raises(InputError, match=r"bomb\.conllu\.gz:2: a line of more than 64 MiB"):
        list(read_trees(tmp_path / "bomb.conllu.gz"))
    monkeypatch.setattr(files, "MAX_WHOLE", 1 << 20)
    with pytest.raises(InputError, match=r"bomb\.po\.gz: more than 1 MiB, decompressed"):
        list(read_pairs((tmp_path / "bomb.conllu.gz").rename(tmp_path / "bomb.po.gz")))
