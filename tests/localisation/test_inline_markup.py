"""Markup in units of XML: it survives, and what is written is well-formed and means what the translation says."""

from __future__ import annotations

import html
import random
import re
from xml.etree import ElementTree

import pytest
from amounts import examples
from graphmt.errors import InputError
from graphmt.localisation import read_document
from graphmt.localisation.inline import InlineText
from graphmt.localisation.xml import with_attribute
from graphmt.protect import Recogniser
from hypothesis import given, settings
from hypothesis import strategies as st

NAMESPACES = 'xmlns:xliff="urn:oasis:names:tc:xliff:document:1.2" xmlns:t="urn:t"'
#: Tags that text and markup cannot tell apart without a parser.
TAGS = re.compile(r"</?x+[0-9]+/?>")

texts = st.text("ab <>&'\"=/x0;]![-\n\té\u00a0", max_size=8)
attributes = st.text("a >/='x&<", max_size=6).map(lambda value: f' t:k="{html.escape(value)}"')
leaves = st.one_of(
    texts.map(lambda text: html.escape(text, quote=False)),
    texts.map(lambda text: f"<![CDATA[{text.replace(']]>', '')}]]>"),
    st.text("a >x<&", max_size=5).map(lambda text: f"<!-- {text} -->"),
    st.text("a x<&", max_size=5).map(lambda text: f"<?p {text}?>"),
    st.sampled_from(["&#160;", "&#xe9;", "&#59;", "&#35;", "&quot;", "&lt;b&gt;", "<t:z/>", "<br />"]),
    attributes.map(lambda given: f"<ph{given}>code &lt;i> <b>x</b></ph>"),
)
contents = st.recursive(
    st.lists(leaves, max_size=4).map("".join),
    lambda inner: st.lists(
        st.one_of(leaves, st.tuples(attributes, inner).map(lambda both: f"<t:e{both[0]}>{both[1]}</t:e >")), max_size=4
    ).map("".join),
    max_leaves=6,
)


def parsed(content: str) -> ElementTree.Element:
    builder = ElementTree.TreeBuilder(insert_comments=True, insert_pis=True)
    return ElementTree.fromstring(f"<r {NAMESPACES}>{content}</r>", ElementTree.XMLParser(target=builder))


def meaning(content: str) -> str:
    """What a parser sees: elements, attributes, comments, instructions and text."""
    return ElementTree.tostring(parsed(content), encoding="unicode")


@settings(max_examples=examples(150))
@given(contents)
def test_what_is_not_translated_means_the_same(content: str) -> None:
    inline = InlineText(content)
    assert meaning(inline.restored(inline.text)) == meaning(content)


@settings(max_examples=examples(100))
@given(contents, texts, st.randoms(use_true_random=False))
def test_any_translation_is_well_formed(content: str, more: str, random: random.Random) -> None:
    inline = InlineText(content)
    pieces = [*re.split(rf"({TAGS.pattern})", inline.text), more]
    random.shuffle(pieces)
    made = parsed(inline.restored("".join(pieces[: random.randint(0, len(pieces))])))
    assert made.tag == "r"


@settings(max_examples=examples(100))
@given(contents)
def test_the_recogniser_finds_every_tag(content: str) -> None:
    inline = InlineText(content)
    tags = [item.text for item in Recogniser(("tags",)).find(inline.text)]
    assert all(tag in tags for tag in inline._tags)


@pytest.mark.parametrize(
    ("raw", "text", "translation", "expected"),
    [
        ('a <g a="x > y">b</g>', "a <x0>b</x0>", "<x0>B</x0> A", '<g a="x > y">B</g> A'),
        ("a <!-- <b> --> c", "a <x0/> c", "C <x0/> A", "C <!-- <b> --> A"),
        ("<!-- 1 --> a <?p 2?>\n", "a", "A & B", "<!-- 1 --> A &amp; B <?p 2?>\n"),
        ("<![CDATA[<b>a</b>]]>", "<b>a</b>", "<b>A</b> ]]>", "<![CDATA[<b>A</b> ]]]]><![CDATA[>]]>"),
        ("\n <![CDATA[a]]>\n", "a", "A", "\n <![CDATA[A]]>\n"),
        ("a <![CDATA[<b>]]> c", "a <b> c", "A <b> C", "<![CDATA[A <b> C]]>"),
        ("a&#160;b&#228;&#65;", "a\u00a0bäA", "ä\u00a0AAA", "&#228;&#160;AAA"),
        ("a&#59;&#35;&#39; &lt;", "a;#' <", "A;#'<\r", "A;#&#39;&lt;&#13;"),
        ("a&#160;\u00a0", "a\u00a0\u00a0", "\u00a0", "\u00a0"),
        ("a&#13;\r\nb", "a\r\r\nb", "\r\r\nB", "&#13;\r\nB"),
        ('<x id="1"></x> a', "<x0/> a", "A <x0/>", 'A <x id="1"></x>'),
        ('<mrk mtype="protected"><g>b</g></mrk> c', "<x0/> c", "C <x0/>", 'C <mrk mtype="protected"><g>b</g></mrk>'),
        ('<mrk translate="no">a</mrk> c', "<x0/> c", "<x0/> C", '<mrk translate="no">a</mrk> C'),
        ('<bpt i="1">&lt;i></bpt>a<ept i="1">&lt;/i></ept>', "<x0>a</x0>", "<x0>A</x0>",
         '<bpt i="1">&lt;i></bpt>A<ept i="1">&lt;/i></ept>'),
        ("&lt;x0> a <g/>", "<x0> a <xx0/>", "<xx0/> <x0> A", "<g/> &lt;x0&gt; A"),
        ("&lt; x0> {x1 a <g/>", "< x0> {x1 a <xx0/>", "<xx0/>", "<g/>"),
        # Tags that a translation loses, repeats or mixes up.
        ("<g>a</g>", "<x0>a</x0>", "<x0>A", "<g>A</g>"),
        ("<g>a</g>", "<x0>a</x0>", "A</x0>", "A"),
        ("<g>a <h>b</h></g>", "<x0>a <x1>b</x1></x0>", "<x0>A <x1>B</x0></x1>", "<g>A <h>B</h></g>"),
        ("a", "a", "<x7>A</x7> <x8/>", "A "),
    ],
)  # fmt: skip
def test_by_hand(raw: str, text: str, translation: str, expected: str) -> None:
    inline = InlineText(raw)
    assert inline.text == text
    assert inline.restored(translation) == expected


def test_names_of_entities_are_not_expanded() -> None:
    inline = InlineText('a &app; <g k="&app;">b</g>')
    assert inline.text == "a <x0/> <x1>b</x1>"
    assert inline.restored("<x1>B</x1> <x0/>") == '<g k="&app;">B</g> &app;'
    with pytest.raises(InputError, match="not XML"):
        InlineText("<g>")


def test_long_content() -> None:
    deep = "<g>" * 500 + "</g>" * 500
    for raw in ("&lt;" + " " * 10**5, "&lt; " * 1000, "&lt;" + "x" * 10**5, "\n" * 1000, "<!---->" * 1000, deep):
        inline = InlineText(raw)
        assert inline.restored(inline.text) == raw


@pytest.mark.parametrize(
    ("tag", "expected"),
    [
        ("<a>", '<a state="s">'),
        ('<a\n  state = "x" b="c">', '<a\n  state = "s" b="c">'),
        ("<a note=' state=\"x\"' state='y'>", '<a note=\' state="x"\' state="s">'),
        ("<a note=' state=\"x\" >'>", '<a state="s" note=\' state="x" >\'>'),
        ('<a t:state="x">', '<a state="s" t:state="x">'),
    ],
)
def test_attributes_are_set_where_they_are(tag: str, expected: str) -> None:
    assert with_attribute(tag, "state", "s") == expected


FILES = {
    "1.xlf": '<xliff version="1.2" {}><file><trans-unit><source>{}</source></trans-unit></file></xliff>',
    "2.xlf": '<xliff version="2.0" {}><file><unit><segment><source>{}</source></segment></unit></file></xliff>',
    "a.tmx": '<!DOCTYPE tmx SYSTEM "tmx14.dtd"><tmx {}><tu><tuv xml:lang="en"><seg>{}</seg></tuv></tu></tmx>',
}


@pytest.mark.parametrize("name", FILES)
@settings(max_examples=examples(25))
@given(content=contents)
def test_files_stay_well_formed(tmp_path_factory: pytest.TempPathFactory, name: str, content: str) -> None:
    path = tmp_path_factory.mktemp("x") / name
    path.write_bytes(FILES[name].format(NAMESPACES, content).encode())
    document = read_document(path, ("en", "de"))
    made = ElementTree.fromstring(document.filled([unit.sources for unit in document.units]))
    sides = [one for one in made.iter() if one.tag in ("source", "target", "seg")]
    assert len(sides) == 1 + len(document.units)
    for side in sides:
        side.tag, side.tail, side.attrib = "r", None, {}
    assert len({ElementTree.tostring(side) for side in sides}) == 1
