"""Android's string resources: escapes have Android's meaning, and markup, entities and references stay."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from amounts import examples
from graphmt.errors import InputError
from graphmt.localisation import Document, read_document, translate_document
from graphmt.localisation.android_text import AndroidText
from graphmt.model import Model
from hypothesis import given, settings
from hypothesis import strategies as st

XLIFF = 'xmlns:xliff="urn:oasis:names:tc:xliff:document:1.2"'


def document(path: Path, text: str, language: str = "de") -> Document:
    path.write_bytes(text.encode())
    return read_document(path, ("en", language))


def string(path: Path, content: str) -> Document:
    return document(path / "strings.xml", f'<resources {XLIFF}><string name="a">{content}</string></resources>')


def meaning(content: str) -> str:
    """What Android shows, by a reading of its own, one character at a time."""
    shown, is_quoted, at = "", False, 0
    blank, pending = True, False
    while at < len(content):
        one, at = content[at], at + 1
        if one == '"':
            is_quoted = not is_quoted
            continue
        if one in " \t\r\n" and not is_quoted:
            pending = not blank
            continue
        if one == "\\" and at < len(content):
            one, at = content[at], at + 1
            if one == "u":
                one, at = chr(int(content[at : at + 4], 16)), at + 4
            else:
                one = {"n": "\n", "t": "\t"}.get(one, one)
        shown += " " * pending + one
        blank = pending = False
    return shown


#: Content between tags: plain characters, white space, escapes and quotes.
tokens = [
    "a",
    "b",
    " ",
    "\n  ",
    "@",
    "?",
    "ä",
    "!",
    r"\'",
    r"\"",
    r"\@",
    r"\?",
    r"\n",
    r"\t",
    r"\\",
    r"\u0020",
    r"\u00e4",
]
runs = st.lists(st.sampled_from([*tokens, '"']), max_size=8).map("".join)


@settings(max_examples=examples(300))
@given(runs)
def test_what_is_not_translated_means_the_same(run: str) -> None:
    escapes = AndroidText()
    read = escapes.read([run])
    (written,) = escapes.written(["".join(read[0])])
    if run.count('"') == run.count(r"\""):
        assert "".join(read[0]) == meaning(run)
    assert meaning(written) == meaning(run)


@settings(max_examples=examples(200))
@given(runs, st.text("ab \n\t'\"\\@?ä", max_size=8))
def test_any_translation_is_what_android_shows(run: str, translation: str) -> None:
    escapes = AndroidText()
    escapes.read([run])
    (written,) = escapes.written([translation])
    if '"' in translation and escapes._are_bare:
        # Quotation marks as in the source, which Android does not show.
        assert meaning(written).replace('"', "") == translation.replace('"', "") or translation.count('"') % 2
    else:
        assert meaning(written) == translation
    assert not re.match("[@?]", written)


@pytest.mark.parametrize(
    ("content", "text", "translation", "expected"),
    [
        ('"Open it"', "Open it", "Don't", '"Don\'t"'),
        ('  "a  b "  ', "a  b ", "B  A ", '  "B  A "  '),
        (r"\@home", "@home", "@heim", r"\@heim"),
        (r"\?", "?", "?", r"\?"),
        (r"Don\'t say \"no\"", 'Don\'t say "no"', "Sag's \"nicht\"", r"Sag\'s \"nicht\""),
        ("Don't", "Don't", "'s", r"\'s"),
        ("a\n    b", "a b", "A B", "A B"),
        (r"a\n  b\u0020", "a\n b ", "A\n B ", r"A\n B\u0020"),
        (r"\u00e9 \u0026", "é &", "é & é", r"\u00e9 &amp; \u00e9"),
        (r"\u00e9 é", "é é", "é", "é"),
        (r"\ud83d\ude00 a", "\U0001f600 a", "A \U0001f600", r"A \ud83d\ude00"),
        (r"a \ud83d b", "a <x0/> b", "B <x0/> A", r"B \ud83d A"),
        (r"a\\nb", r"a\nb", r"A\nB", r"A\\nB"),
        ("&quot;a&quot;", "a", "A", "&quot;A&quot;"),
        (r"\&quot;a\&quot;", '"a"', '"A" B', r"\&quot;A\&quot; B"),
        ("a &#8230;", "a …", "… A", "&#8230; A"),
        # Quotation marks inside are those of attributes, mostly.
        ('<![CDATA[<a href="b">c</a>]]>', '<a href="b">c</a>', 'A <a href="b">C\'s</a>',
         "<![CDATA[A <a href=\"b\">C\\'s</a>]]>"),
        ('a "b" c', 'a "b" c', 'A „B“ "', r'A „B“ \"'),
        ('<xliff:g example="x > y" id="c">%d</xliff:g> a', "{x0} a", "A {x0}",
         'A <xliff:g example="x > y" id="c">%d</xliff:g>'),
        ("<b>It\\'s</b> <i>a</i>", "<x0>It's</x0> <x2>a</x2>", "<x2>a</x2> <x0>'s</x0>", "<i>a</i> <b>\\'s</b>"),
        ("a <!-- 'b' --> c", "a <x0/> c", "C <x0/> A", "C <!-- 'b' --> A"),
        ("<!-- 'b' -->\n c", "c", "C", "<!-- 'b' -->\n C"),
        # What is not translated stays as it is.
        ("''  > ", "'' >", "'' >", "''  > "),
    ],
)  # fmt: skip
def test_by_hand(tmp_path: Path, content: str, text: str, translation: str, expected: str) -> None:
    made = string(tmp_path, content)
    assert made.units[0].sources == (text,)
    before, after = made.text.split(content)
    assert made.filled([[translation]]).decode() == f"{before}{expected}{after}"


@pytest.mark.parametrize("content", ["@string/a", " ?attr/b ", "?android:attr/b", "@+id/a", "@null", " ", ""])
def test_references_are_left_alone(tmp_path: Path, content: str) -> None:
    made = string(tmp_path, content)
    assert (made.units, made.others) == ((), 1)


def test_plurals_with_references_and_without_text(tmp_path: Path) -> None:
    text = """<resources>
  <plurals name="a">
    <item quantity="one">@string/a</item>
    <item quantity="other" >a &amp; "b"</item >
  </plurals>
  <plurals name="b"><item quantity="one">a</item><item quantity="other"/></plurals>
  <plurals name="c"><item quantity="one">a</item></plurals>
</resources>
"""
    made = document(tmp_path / "strings.xml", text, "pl")
    assert ([unit.sources for unit in made.units], made.others) == ([('a & "b"',)], 2)
    item = '<item quantity="{}" >B</item >\n    '
    expected = item.format("few") + item.format("many") + '<item quantity="other" >B</item >'
    assert made.filled([["B"]]).decode() == text.replace('<item quantity="other" >a &amp; "b"</item >', expected)


def test_a_long_comment_before_the_first_element(tmp_path: Path) -> None:
    text = f"<!-- {'Licence. ' * 1000} -->\n<resources><string name='a'>b</string></resources>"
    assert len(document(tmp_path / "strings.xml", text).units) == 1
    for root, units in (("xliff version='1.2'", 0), ("tmx", 0)):
        with pytest.raises(InputError, match="unknown kind") if units else pytest.raises(InputError):
            document(tmp_path / "a.xml", f"<{root}><")


@pytest.mark.parametrize(
    "declared",
    [
        '<!ENTITY a "%s">' % ("b" * 101),
        '<!ENTITY a "b"><!ENTITY c "&a;&a;">',
        '<!ENTITY % a "b">',
        '<!ENTITY a SYSTEM "b">',
    ],
)
def test_entities_that_could_become_long(tmp_path: Path, declared: str) -> None:
    with pytest.raises(InputError, match="an entity declaration"):
        document(tmp_path / "strings.xml", f"<!DOCTYPE resources [{declared}]><resources/>")


RESOURCES = f"""<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE resources [
  <!ENTITY app "Zork &amp; Co">
]>
<resources xmlns:tools="http://schemas.android.com/tools" {XLIFF} tools:ignore="MissingTranslation">
  <string name="a" tools:ignore="Typos">Save the changes?\\nDelete %s?</string>
  <string name="b"><![CDATA[Click <b>Export</b> to save the file.]]></string>
  <string name="c">Could not
        open <xliff:g example="x > y" id="c">%1$s</xliff:g>.</string>
  <string name="d">Welcome, &app;!</string>
  <string name="e">Read the <a href="https://example.org/?a=1&amp;b=2">manual</a> first.</string>
  <string name="f" translatable="false">Open File</string>
  <string name="g">"Open File"</string>
  <string name="h">Open <!-- sic --> File</string>
</resources>
"""


def test_translated(ui_model: Model, tmp_path: Path) -> None:
    (tmp_path / "strings.xml").write_text(RESOURCES, "utf-8")
    translate_document(ui_model, tmp_path / "strings.xml", tmp_path / "done.xml", threads=1)
    made = (tmp_path / "done.xml").read_text("utf-8")
    assert {one.get("name") for one in ElementTree.fromstring(made)} == set("abcdefgh")
    head, names, _ = RESOURCES.partition('<string name="a" tools:ignore="Typos">')
    assert made.startswith(head + names)
    for line in (
        "Änderungen speichern?\\n%s löschen?</string>",
        "<![CDATA[Klicken Sie auf <b>Exportieren</b>, um die Datei zu speichern.]]></string>",
        '<xliff:g example="x > y" id="c">%1$s</xliff:g> konnte nicht geöffnet werden.</string>',
        "Willkommen, &app;!</string>",
        '<a href="https://example.org/?a=1&amp;b=2">Handbuch</a>',
        "<!-- sic -->",
        '<string name="f" translatable="false">Open File</string>',
        '<string name="g">"Datei öffnen"</string>',
    ):
        assert line in made, line
