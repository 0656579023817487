"""XLIFF, TMX, tables, JSON, string files and HTML: filled by surgery."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from graphmt.errors import InputError
from graphmt.localisation import Document, read_document, translate_document
from graphmt.model import Model

XLIFF_1 = """<?xml version="1.0" encoding="UTF-8"?>
<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">
  <file source-language="en" target-language="de" original="a.txt" datatype="plaintext"><body>
    <!-- A comment, kept. -->
    <trans-unit id='1' >
      <source>Open File</source>
      <note>x</note>
    </trans-unit>
    <trans-unit id="2"><source>Click <g id="1">Export</g> to save the file.<x id="2"/></source><target/></trans-unit>
    <trans-unit id="3"><source>Delete &lt;b&gt;%s&lt;/b&gt;?</source>
      <target xml:lang="de" state="new">Delete</target></trans-unit>
    <trans-unit id="4"><source>a</source><target state="final">b</target></trans-unit>
    <trans-unit id="5" translate="no"><source>Open File</source></trans-unit>
    <trans-unit id="6">
      <source>Open <bpt id="1">&lt;i></bpt>File<ept id="1">&lt;/i></ept><ph id="2">{\\tab}</ph></source></trans-unit>
    <trans-unit id="7"><source>x</source><alt-trans><target>y</target></alt-trans></trans-unit>
  </body></file>
</xliff>
"""
XLIFF_2 = """<?xml version="1.0"?>
<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.0" srcLang="en" trgLang="de">
  <file id="f"><unit id="1">
    <segment id="s1">
      <source>Open <pc id="1">File</pc></source>
    </segment>
    <segment state="initial"><source>Welcome, <ph id="2"/>!</source><target></target></segment>
    <segment state="final"><source>a</source><target>b</target></segment>
  </unit><unit id="2" translate="no"><segment><source>Open</source></segment></unit></file>
</xliff>
"""
TMX = """<?xml version="1.0"?>
<tmx version="1.4"><header srclang="en"/><body>
  <tu><tuv xml:lang="en-US"><seg>Open <hi>File</hi></seg></tuv></tu>
  <tu><tuv xml:lang="en"><seg>a</seg></tuv><tuv xml:lang="de"><seg>b</seg></tuv></tu>
</body></tmx>
"""
ANDROID = """<?xml version="1.0" encoding="utf-8"?>
<resources xmlns:xliff="urn:oasis:names:tc:xliff:document:1.2">
    <!-- kept -->
    <string name="open">Open File</string>
    <string name="app" translatable="false">Open File</string>
    <string name="it">Don\\'t open <xliff:g id="x">%1$s</xliff:g>\\nnow</string>
    <string name="ref">@string/open</string>
    <string-array name="list"><item>Settings</item></string-array>
    <plurals name="files">
        <item quantity="one">One file was deleted.</item>
        <item quantity="other">%d files were deleted.</item>
    </plurals>
</resources>
"""
HTML = """<!DOCTYPE html>
<html><head><title>Open File</title><script>var Delete = 1;</script></head>
<body><p class="x">Click <b>Export</b> to
save the file.<br>Save the changes?</p><!-- Open File -->
<ul><li>Run <code>Open File</code> &amp; wait</li><li>5</li></ul><p translate="no">Open File</p></body></html>
"""


def read(path: Path, text: str, languages: tuple[str, str] = ("en", "de")) -> Document:
    path.write_bytes(text.encode("utf-8"))
    return read_document(path, languages)


def upper(text: str) -> str:
    """A translation that changes letters outside tags."""
    return "".join(
        part if part.startswith(("<", "{")) else part.upper() for part in re.split(r"(</?x+[0-9]+/?>|\{x[0-9]\})", text)
    )


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.xlf", XLIFF_1),
        ("b.xlf", XLIFF_2),
        ("a.tmx", TMX),
        ("strings.xml", ANDROID),
        ("a.html", HTML),
        ("a.tsv", "id\tsource\ttarget\r\n1\tOpen File\t\r\n2\ta\tb\r\n"),
        ("a.csv", 'en,note,de\n"Open ""File""",x,\n"a\nb",,"x,y"\n'),
        ("a.json", '{"a": "Open File", "b": {"c": ["x", 1, null]},\n "@a": {"description": "d"}}\n'),
        ("a.strings", '/* c */\n"k" = "Open \\"File\\"";\n// d\nk2 = "a";\n'),
    ],
)
class TestEveryFormat:
    def test_unchanged(self, tmp_path: Path, name: str, text: str) -> None:
        document = read(tmp_path / name, text)
        assert document.units
        assert document.filled([None] * len(document.units)) == text.encode("utf-8")

    def test_only_units_change(self, tmp_path: Path, name: str, text: str) -> None:
        document = read(tmp_path / name, text)
        made = document.filled([list(unit.sources) for unit in document.units]).decode()
        again = read(tmp_path / name, made)
        if name.endswith((".xlf", ".tmx", ".tsv", ".csv")):
            assert not again.units
            assert again.others == document.others + len(document.units)
        else:
            assert [unit.sources for unit in again.units][:1] == [unit.sources for unit in document.units][:1]


def test_xliff_1(tmp_path: Path) -> None:
    document = read(tmp_path / "a.xlf", XLIFF_1)
    assert [unit.sources[0] for unit in document.units] == [
        "Open File",
        "Click <x0>Export</x0> to save the file.<x2/>",
        "Delete <b>%s</b>?",
        "Open <x0>File</x0><x2/>",
        "x",
    ]
    made = document.filled([[unit.sources[0].replace("File", "Datei & <")] for unit in document.units]).decode()
    marks = 'state="needs-review-translation" state-qualifier="mt-suggestion"'
    assert f"<source>Open File</source>\n      <target {marks}>Open Datei &amp; &lt;</target>\n      <note>" in made
    assert f'<target {marks}>Click <g id="1">Export</g> to save the file.<x id="2"/></target></trans-unit>' in made
    assert 'xml:lang="de" state="needs-review-translation">Delete &lt;b&gt;%s&lt;/b&gt;?</target>' in made
    assert '<bpt id="1">&lt;i></bpt>Datei &amp; &lt;<ept id="1">&lt;/i></ept><ph id="2">{\\tab}</ph></target>' in made
    assert made.count("<target state=") == 5
    assert '<target state="final">b</target>' in made
    assert ElementTree.fromstring(made) is not None


def test_xliff_2(tmp_path: Path) -> None:
    document = read(tmp_path / "a.xlf", XLIFF_2)
    made = document.filled([list(unit.sources) for unit in document.units]).decode()
    marks = 'state="translated" subState="graphmt:machine"'
    assert f'<segment {marks} id="s1">' in made
    assert '<source>Open <pc id="1">File</pc></source>\n      <target>Open <pc id="1">File</pc></target>\n' in made
    assert '<segment subState="graphmt:machine" state="translated"><source>Welcome' in made
    assert '<target>Welcome, <ph id="2"/>!</target>' in made
    assert ElementTree.fromstring(made) is not None


def test_tmx(tmp_path: Path) -> None:
    document = read(tmp_path / "a.tmx", TMX)
    made = document.filled([["<x0>Datei</x0> öffnen"]]).decode()
    assert '</tuv><tuv xml:lang="de" creationid="MT!"><seg><hi>Datei</hi> öffnen</seg></tuv></tu>' in made
    with pytest.raises(InputError, match="its languages are"):
        read(tmp_path / "b.tmx", TMX, ("fr", "de"))


def test_tables(tmp_path: Path) -> None:
    document = read(tmp_path / "a.csv", 'en;de;n\n"Open ""x""";;1\nb;c;2\nd;"";3\n')
    assert [unit.sources[0] for unit in document.units] == ['Open "x"', "d"]
    assert document.filled([['a "b"'], ["c"]]).decode() == 'en;de;n\n"Open ""x""";"a ""b""";1\nb;c;2\nd;"c";3\n'
    for text, message in (("a,b\n", "does not name columns"), ("en,de\na\n", "2"), ('en,de\n"a,\n', "closing quote")):
        with pytest.raises(InputError, match=message):
            read(tmp_path / "b.csv", text)


def test_the_last_row_of_a_table_may_lack_a_line_end_and_its_first_cell(tmp_path: Path) -> None:
    document = read(tmp_path / "a.csv", "note,en,de\nx,a,\n,b,")
    assert [unit.sources for unit in document.units] == [("a",), ("b",)]
    assert document.filled([["A"], ["B"]]).decode() == "note,en,de\nx,a,A\n,b,B"
    assert len(read(tmp_path / "a.csv", "en,de\na,\n\n").units) == 1


def test_json(tmp_path: Path) -> None:
    text = '{"a": "x\\u00e4", "n": {"message": "y", "b": "é"}, "@a": {"d": "no"}}'
    document = read(tmp_path / "a.json", text)
    assert [unit.sources[0] for unit in document.units] == ["xä", "y", "é"]
    made = document.filled([["ß"], ['"'], ["ü"]]).decode()
    assert made == '{"a": "\\u00df", "n": {"message": "\\"", "b": "ü"}, "@a": {"d": "no"}}'
    extension = {"a": {"message": "Open", "description": "no"}, "b": {"message": "x"}}
    document = read(tmp_path / "messages.json", json.dumps(extension))
    assert [unit.sources[0] for unit in document.units] == ["Open", "x"]


def test_apple_strings_in_utf_16(tmp_path: Path) -> None:
    path = tmp_path / "a.strings"
    path.write_bytes(b"\xff\xfe" + '"k" = "a\\n\\"b\\"";\n'.encode("utf-16-le"))
    document = read_document(path, ("en", "de"))
    assert document.units[0].sources == ('a\n"b"',)
    assert document.filled([['ä\n"']]) == b"\xff\xfe" + '"k" = "ä\\n\\"";\n'.encode("utf-16-le")


def test_escapes_of_apple_strings(tmp_path: Path) -> None:
    document = read(tmp_path / "a.strings", '"k" = "\\Ud83d\\Ude00 \\u00e4\\r\\t\\\\";\n')
    assert document.units[0].sources == ("\U0001f600 ä\r\t\\",)
    assert document.filled([document.units[0].sources]).decode() == '"k" = "\U0001f600 ä\\r\\t\\\\";\n'
    with pytest.raises(InputError, match=r"a.strings:2: an escape that is half of a surrogate pair"):
        read(tmp_path / "a.strings", '\n"k" = "\\Ud83d";\n')


def test_android_plurals_get_the_forms_of_the_language(tmp_path: Path) -> None:
    document = read(tmp_path / "strings.xml", ANDROID, ("en", "pl"))
    made = document.filled([[upper(text) for text in unit.sources] for unit in document.units]).decode()
    assert [line.strip() for line in made.splitlines() if "quantity" in line] == [
        '<item quantity="one">ONE FILE WAS DELETED.</item>',
        '<item quantity="few">%D FILES WERE DELETED.</item>',
        '<item quantity="many">%D FILES WERE DELETED.</item>',
        '<item quantity="other">%D FILES WERE DELETED.</item>',
    ]
    assert 'DON\\\'T OPEN <xliff:g id="x">%1$s</xliff:g>\\nNOW' in made
    assert '<string name="app" translatable="false">Open File</string>' in made


def test_html(tmp_path: Path) -> None:
    document = read(tmp_path / "a.html", HTML)
    assert [unit.sources[0] for unit in document.units] == [
        "Open File",
        "Click <b>Export</b> to save the file.",
        "Save the changes?",
        "Run <x0/> &amp; wait",
    ]
    made = document.filled([list(unit.sources) for unit in document.units]).decode()
    assert made == HTML.replace("to\nsave", "to save")


def test_html_with_code_of_a_server(tmp_path: Path) -> None:
    text = """<?php if ($a > 1) echo "Open File"; ?>
<p>Open <?= $b->c ?> now</p><p><%= t("x") if a > b %></p>
<p title="a > b">Save</p>
<?php echo "<p>Open</p>";
"""
    document = read(tmp_path / "a.html", text)
    assert [unit.sources[0] for unit in document.units] == ["Open <x0/> now", "Save"]
    made = document.filled([["Jetzt <x0/>"], ["Sichern"]]).decode()
    assert made == text.replace("Open <?= $b->c ?> now", "Jetzt <?= $b->c ?>").replace(">Save<", ">Sichern<")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.xlf", '<!DOCTYPE x [<!ENTITY a "b">]><xliff version="1.2"/>'),
        ("a.xlf", '<?xml version="1.0" encoding="latin-1"?><xliff version="1.2"/>'),
        ("a.xlf", "<xliff version='1.2'><file>"),
        ("a.xlf", "<tmx/>"),
        ("a.xml", "<doc/>"),
        ("a.tmx", "<xliff/>"),
        ("a.json", "{"),
        ("a.json", '"x"'),
        ("a.strings", '"a" = b;'),
    ],
)
def test_rejected(tmp_path: Path, name: str, text: str) -> None:
    with pytest.raises(InputError):
        read(tmp_path / name, text)


@pytest.mark.parametrize(
    ("name", "text", "check"),
    [
        ("a.xlf", XLIFF_1, lambda made: 'Klicken Sie auf <g id="1">Exportieren</g>, um die Datei zu' in made),
        ("a.xlf", XLIFF_2, lambda made: '<target>Willkommen, <ph id="2"/>!</target>' in made),
        ("strings.xml", ANDROID, lambda made: '<item quantity="one">Eine Datei wurde gelöscht.</item>' in made),
        ("a.html", HTML, lambda made: "Klicken Sie auf <b>Exportieren</b>, um die Datei zu speichern." in made),
        ("a.json", '{"a": "Delete {{name}}?"}', lambda made: made == '{"a": "{{name}} löschen?"}'),
    ],
)
def test_translated(ui_model: Model, tmp_path: Path, name: str, text: str, check: Callable[[str], bool]) -> None:
    (tmp_path / name).write_text(text, "utf-8")
    translate_document(ui_model, tmp_path / name, tmp_path / f"done-{name}", threads=1)
    made = (tmp_path / f"done-{name}").read_text("utf-8")
    assert check(made), made
