"""Gettext catalogues: our readers against hand-made files, the standard library and msgfmt."""

from __future__ import annotations

import gettext
import gzip
import io
import shutil
import struct
import subprocess
from pathlib import Path

import pytest
from graphmt.corpus import Message, read_catalogue
from graphmt.corpus.catalogue import Catalogue
from graphmt.errors import InputError
from hypothesis import given
from hypothesis import strategies as st

PO = r"""# A comment.
msgid ""
msgstr ""
"Project-Id-Version: demo 1\n"
"Content-Type: text/plain; charset=UTF-8\n"
"Plural-Forms: nplurals=2; plural=(n != 1);\n"

#: window.c:12
msgid "Open"
msgstr "Öffnen"

msgctxt "menu"
msgid "Open"
msgstr "Auf"

msgid ""
"Two\n"
"lines \"quoted\" \t \\ \101\x42"
msgstr ""
"Zwei\n"
"Zeilen"

#, c-format
msgid "one file"
msgid_plural "%d files"
msgstr[0] "eine Datei"
msgstr[1] "%d Dateien"

#, fuzzy, c-format
#| msgid "Clos"
msgid "Close"
msgstr "Schluss"

msgid "Save"
msgstr ""

msgid "half"
msgid_plural "halves"
msgstr[0] "halb"
msgstr[1] ""

#, fuzzy
#~ msgid "Old"
#~ msgstr "Alt"
msgid "Last"
msgstr "Letzte"
#~ msgid "Older"
#~ msgstr "Älter"
"""

MESSAGES = (
    Message("Open", ("Öffnen",), None, None, 9),
    Message("Open", ("Auf",), None, "menu", 13),
    Message('Two\nlines "quoted" \t \\ AB', ("Zwei\nZeilen",), None, None, 16),
    Message("one file", ("eine Datei", "%d Dateien"), "%d files", None, 24),
    Message("Last", ("Letzte",), None, None, 45),
)


def read(tmp_path: Path, content: str | bytes, name: str = "a.po") -> Catalogue:
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return read_catalogue(path)


def test_everything_a_catalogue_can_say(tmp_path: Path) -> None:
    found = read(tmp_path, PO)
    assert found.messages == MESSAGES
    assert found.skipped == {"fuzzy": 1, "untranslated": 2, "obsolete": 2}
    assert list(found.pairs()) == [
        ("Open", "Öffnen"),
        ("Open", "Auf"),
        ('Two lines "quoted" \\ AB', "Zwei Zeilen"),
        ("one file", "eine Datei"),
        ("%d files", "%d Dateien"),
        ("Last", "Letzte"),
    ]
    assert read(tmp_path, gzip.compress(PO.encode()), "a.po.gz").messages == MESSAGES
    assert read(tmp_path, PO.replace("\n", "\r\n")).messages == MESSAGES


def test_plurals_with_one_form_and_with_three() -> None:
    one = Message("a file", ("%d 個",), "%d files")
    assert list(one.pairs()) == [("%d files", "%d 個")]
    three = Message("a file", ("x", "y", "z"), "%d files")
    assert list(three.pairs()) == [("a file", "x"), ("%d files", "y"), ("%d files", "z")]


def test_the_header_gives_the_character_set(tmp_path: Path) -> None:
    latin = PO.replace("UTF-8", "ISO-8859-1").encode("latin-1")
    found = read(tmp_path, latin)
    assert found.charset == "iso8859-1" and found.messages == MESSAGES
    assert read(tmp_path, PO.replace("UTF-8", "CHARSET")).messages == MESSAGES
    bytewise = PO.replace('"Öffnen"', r'"\303\226ffnen"')
    assert read(tmp_path, bytewise).messages == MESSAGES
    with pytest.raises(InputError, match="character set 'nonsense'"):
        read(tmp_path, PO.replace("UTF-8", "nonsense"))
    with pytest.raises(InputError, match=r"a.po:10: not utf-8, as declared in its header \(byte 0xd6"):
        read(tmp_path, PO.encode("latin-1"))


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ('msgid "a"\nmsgstr "b\n', 2, "without a closing quote"),
        ('msgid "a"\nmsgstr "b" c\n', 2, "without a closing quote"),
        ('msgid "a"\nmsgstr "\\q"\n', 2, "unknown escape"),
        ('"a"\n', 1, "a string without msgid"),
        ('msgstr "a"\n', 1, "msgstr before any msgid"),
        ('msgid "a"\n\nmsgid "b"\nmsgstr "c"\n', 3, "a second msgid; the message of line 1 has no msgstr"),
        ('msgid "a"\n', 1, "no msgstr"),
        ('msgid "a"\nmsgstr[0] "b"\n', 2, "msgstr was expected"),
        ('msgid "a"\nmsgid_plural "b"\nmsgstr "c"\n', 3, r"msgstr\[0\] was expected"),
        ('msgid "a"\nmsgid_plural "b"\nmsgstr[1] "c"\n', 3, r"msgstr\[1\] where msgstr\[0\]"),
        ('mesgid "a"\n', 1, "'mesgid' where msgctxt, msgid"),
        ('msgid[0] "a"\n', 1, r"msgid takes no \[0\]"),
    ],
)
def test_errors_name_the_line(tmp_path: Path, text: str, line: int, words: str) -> None:
    with pytest.raises(InputError, match=words) as told:
        read(tmp_path, text)
    assert told.value.line == line


def compiled(entries: dict[str, str], order: str) -> bytes:
    """A .mo file as the manual of gettext describes it."""
    pairs = sorted((key.encode(), text.encode()) for key, text in entries.items())
    tables = 28 + 16 * len(pairs)
    numbers, blob = [], b""
    for column in (0, 1):
        for pair in pairs:
            numbers += [len(pair[column]), tables + len(blob)]
            blob += pair[column] + b"\0"
    head = struct.pack(f"{order}7I", 0x950412DE, 0, len(pairs), 28, 28 + 8 * len(pairs), 0, 0)
    return head + struct.pack(f"{order}{len(numbers)}I", *numbers) + blob


ENTRIES = {
    "": "Content-Type: text/plain; charset=UTF-8\n",
    "Open": "Öffnen",
    "menu\x04Open": "Auf",
    "one file\0%d files": "eine Datei\0%d Dateien",
    "Save": "",
}


@pytest.mark.parametrize("order", ["<", ">"])
def test_compiled_catalogues_in_both_byte_orders(tmp_path: Path, order: str) -> None:
    data = compiled(ENTRIES, order)
    found = read(tmp_path, data, "a.mo")
    assert set(found.messages) == {
        Message("Open", ("Öffnen",)),
        Message("Open", ("Auf",), None, "menu"),
        Message("one file", ("eine Datei", "%d Dateien"), "%d files"),
    }
    assert found.skipped == {"untranslated": 1}
    library = gettext.GNUTranslations(io.BytesIO(data))
    assert library.gettext("Open") == "Öffnen" and library.pgettext("menu", "Open") == "Auf"
    assert library.ngettext("one file", "%d files", 2) == "%d Dateien"


@given(st.data())
def test_a_damaged_compiled_catalogue_never_breaks_the_reader(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    whole = compiled(ENTRIES, data.draw(st.sampled_from("<>")))
    cut = whole[: data.draw(st.integers(4, len(whole)))]
    at = data.draw(st.integers(4, len(cut)))
    damaged = cut[:at] + data.draw(st.binary(max_size=4)) + cut[at + 4 :]
    folder = tmp_path_factory.getbasetemp()
    try:
        read(folder, damaged, "damaged.mo")
    except InputError as error:
        assert error.file == str(folder / "damaged.mo")


def test_damage_is_told(tmp_path: Path) -> None:
    whole = compiled(ENTRIES, "<")
    with pytest.raises(InputError, match="header of at least 20"):
        read(tmp_path, whole[:10], "a.mo")
    with pytest.raises(InputError, match="does not fit into 40 bytes"):
        read(tmp_path, whole[:40], "a.mo")
    with pytest.raises(InputError, match="has no end or ends outside"):
        read(tmp_path, whole[:-1], "a.mo")
    with pytest.raises(InputError, match="revision 7"):
        read(tmp_path, whole[:4] + struct.pack("<I", 7 << 16) + whole[8:], "a.mo")
    with pytest.raises(InputError, match="not a compiled catalogue"):
        read(tmp_path, b"plain text", "a.mo")
    with pytest.raises(InputError, match="truncated"):
        read(tmp_path, gzip.compress(whole)[:-9], "a.mo.gz")


@pytest.mark.skipif(shutil.which("msgfmt") is None, reason="needs msgfmt (GNU gettext)")
def test_msgfmt_compiles_the_same_messages(tmp_path: Path) -> None:
    # msgfmt takes out the obsolete, the fuzzy and the untranslated ones itself.
    (tmp_path / "a.po").write_text(PO, encoding="utf-8")
    subprocess.run(["msgfmt", "-o", "a.mo", "a.po"], cwd=tmp_path, check=True, capture_output=True)
    ours = {(m.context, m.id, m.plural, m.forms) for m in MESSAGES}
    found = read_catalogue(tmp_path / "a.mo")
    theirs = {(m.context, m.id, m.plural, m.forms) for m in found.messages}
    assert theirs == ours
