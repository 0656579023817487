"""Markup where plain text is expected, and pairs in every form that commands read."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from graphmt import _core, lm
from graphmt.corpus import plain_lines, read_pairs, read_sentences, tokenised
from graphmt.corpus.convert import split_pairs
from graphmt.corpus.counting import statistics
from graphmt.corpus.header import is_header
from graphmt.errors import InputError
from graphmt.evaluate import read_output, read_text
from graphmt.localisation import formats
from random_trees import conllu

PO = '# A comment.\nmsgid ""\nmsgstr ""\n\nmsgid "Open"\nmsgstr "Öffnen"\n'
TMX = '<?xml version="1.0"?>\n<tmx version="1.4"><header srclang="de"/><body/></tmx>\n'
XLIFF = '<?xml version="1.0"?>\n<xliff version="1.2"><file/></xliff>\n'

READERS = [plain_lines, tokenised, read_sentences, read_text, lambda path: read_output(path).lines]


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("todo.po", "Es regnet .\n", "todo.po: this is a gettext catalogue; plain text, .*: graphmt corpus convert"),
        ("todo", PO, "todo: this is a gettext catalogue; plain text"),
        ("m.txt", TMX, r"m.txt: this is a translation memory \(TMX\); .* convert .*m.txt.tmx SOURCE TARGET"),
        ("m.txt", XLIFF, "m.txt: this is an XLIFF file; .* graphmt corpus convert .*m.txt.xlf SOURCE TARGET"),
        ("m.txt", "<!DOCTYPE html>\n<p>a</p>\n", "m.txt: this is an HTML page"),
        ("m.txt", '{"text": "a"}\n', "m.txt: this is JSON"),
        ("m.tsv", "a\tb\n", "m.tsv: this is a table of tab-separated columns"),
        ("m.csv.gz", "a,b\n", "m.csv.gz: this is a table of comma-separated columns"),
        (
            "a.properties",
            "open=Open\n",
            "a file of Java properties; .*with prop2po of the .* fills in PO, .*format text",
        ),
        ("a.yml.gz", "open: Open\n", "a.yml.gz: this is YAML; plain text, .* with yaml2po of the Translate Toolkit"),
        ("a.ftl", "open = Open\n", "a.ftl: this is a Fluent file; .* with fluent2po"),
        ("a.resx", "<root/>\n", "a.resx: this is a .NET resource file; .* with resx2po"),
        ("a.xcstrings", "{}\n", "this is a string catalogue of Xcode; .* Export it as XLIFF from Xcode"),
        ("a.srt", "1\n", "a.srt: this is a file of subtitles; .* with sub2po"),
        ("a.docx", "PK", "a.docx: this is an office document; .* Extract its text first"),
        ("strings.xml", "a\n", "this is a file of Android's string resources; .* translate fills in"),
        ("a", "# c\nopen=Open file\nsave=Save\nquit=Quit\n", "a: this is a file of Java properties"),
        ("a", "[a]\nopen = Open file\nsave = Save\nquit = Quit\n", "a: this is an INI file"),
        ("a", "open-it = Open file\n    .label = x\nsave = Save\nquit = Quit\n", "a: this is a Fluent file"),
        ("a", "en:\n  open: Open file\n  save: Save\n", "a: this is YAML"),
        ("a", '/* c */\n"open" = "Open file";\n"b" = "c";\n', "a: this is a file of Apple's strings"),
        ("a", "<resources>\n  <string name='a'>b</string>\n</resources>\n", "a: this is a file of Android's string"),
        ("train.ts", "<!DOCTYPE TS><TS version='2.1'><context/></TS>", "train.ts: this is a Qt translation file"),
        ("a", "<doc>\n<p>a</p>\n<p>b</p>\n</doc>\n", "a: this is an XML file"),
        ("a", "\0\0\1a\0" * 3, "a: this is a binary file"),
        ("dev.arb", '{"open": "Open"}', "dev.arb: this is JSON"),
    ],
)
def test_markup_is_refused(tmp_path: Path, read, name: str, text: str, said: str) -> None:
    data = text.encode("utf-8")
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    with pytest.raises(InputError, match=said):
        list(read(tmp_path / name))


@pytest.mark.parametrize("read", READERS)
def test_text_that_only_begins_like_markup(tmp_path: Path, read) -> None:
    for text in (
        *("<b>Wichtig</b>\n", "<html>\nEs regnet .\n", "a\tb\n", "msgid is a word\n", "{ a }\n", "# 1\n"),
        *("a = b\nc = d\ne = f\n", "x=5\ny=7\n", "Anna: Ja!\nBen: Nein!\nClara: Doch!\n", "Zutaten:\n  Mehl\n"),
        *("<b>a</b>\n<i>b</i>\n<b>c</b>\n", "<!DOCTYPE html> steht oben .\n", "- Hallo!\n- Tag!\n", "1\n2\n3\n"),
    ):
        (tmp_path / "t.de").write_text(text, "utf-8")
        assert len(list(read(tmp_path / "t.de"))) == text.count("\n")


@pytest.mark.parametrize(
    "name", ["train.de", "news.2013", "x.tok", "x.lc", "README.md", "x.ts", "x.arb", "x.a=b", "x.doc"]
)
def test_names_of_text(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("Es regnet .\n")
    assert list(plain_lines(tmp_path / name)) == ["Es regnet ."]


def test_localisation_files_are_never_text() -> None:
    # .arb is also the end of names of Standard Arabic text.
    for ending in set(formats.READERS) - {".arb"}:
        with pytest.raises(InputError, match="plain text, one sentence a line, was expected"):
            _core.require_plain(f"a{ending}", b"Es regnet .")


def test_a_language_model_of_markup_or_trees(tmp_path: Path) -> None:
    for name, text, said in (
        ("todo.po", PO, "this is a gettext catalogue"),
        ("a.conllu", conllu("1 a 0"), "this is CoNLL-U; .*: graphmt corpus convert .*a.conllu TEXT"),
        ("a.txt", conllu("1 a 0"), "this is CoNLL-U"),
    ):
        (tmp_path / name).write_text(text, "utf-8")
        with pytest.raises(InputError, match=said):
            lm.train([tmp_path / name], tmp_path / "lm.bin")


THREE = """<tmx version="1.4"><header srclang="en"/><body><tu><tuv xml:lang="en"><seg>house</seg></tuv>
<tuv xml:lang="de_AT"><seg>Haus</seg></tuv><tuv xml:lang="fr"><seg>maison bleue</seg></tuv></tu></body></tmx>
"""


def test_a_tmx_of_three_languages(tmp_path: Path) -> None:
    path = tmp_path / "m.tmx"
    path.write_text(THREE, "utf-8")
    with pytest.raises(InputError, match=r"source and target cannot be determined.*--languages de en"):
        statistics(path)
    found = statistics(path, languages=("de", "fr"))
    assert [(side.sentences, side.tokens) for side in found.sides] == [(1, 1), (1, 2)]
    assert split_pairs(path, tmp_path / "a", tmp_path / "b", languages=("fr", "en")) == 1
    assert ((tmp_path / "a").read_text(), (tmp_path / "b").read_text()) == ("maison bleue\n", "house\n")


def test_headers_of_tables(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "p.tsv"
    path.write_text("Source\tTarget\na\tx\n")
    assert list(read_pairs(path)) == [("a", "x")]
    said = " ".join(caplog.text.split())
    assert "(Source, Target) looks like a header and is skipped; --no-header" in said
    assert len(list(read_pairs(path, header=False))) == 2
    path.write_text("1\tx\ta\n2\ty\tb\n")
    assert list(read_pairs(path, columns=(3, 2), header=True)) == [("b", "y")]
    assert list(read_pairs(path, columns=(3, 2))) == [("a", "x"), ("b", "y")]


@pytest.mark.parametrize(
    ("cells", "languages", "expected"),
    [
        (("source", "target"), None, True),
        (["src", "tgt"], None, True),
        (("Source text", "Translation"), None, True),
        (("de", "en"), None, True),
        (("de-DE", "en_GB"), None, True),
        (("deu", "eng"), None, True),
        (("German", "English"), None, True),
        (("de", "en"), ("de", "en"), True),
        (("de", "en"), ("es", "en"), False),
        (("no", "no"), None, False),
        (("target", "source"), None, False),
        (("Quelle", "source"), None, False),
        (("Deutsch", "German"), None, False),
        (("", ""), None, False),
        (("source", "Quelle"), None, False),
    ],
)
def test_what_a_header_is(cells: tuple[str, str], languages: tuple[str, str] | None, expected: bool) -> None:
    assert is_header(*cells, languages) == expected
