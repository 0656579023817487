"""Markup where plain text is expected, and pairs in every form that commands read."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from graphmt import lm
from graphmt.corpus import plain_lines, read_pairs, read_sentences, tokenised
from graphmt.corpus.convert import split_pairs
from graphmt.corpus.counting import statistics
from graphmt.corpus.header import is_header
from graphmt.errors import InputError
from graphmt.evaluate import read_output, read_text
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
    ],
)
def test_markup_is_refused(tmp_path: Path, read, name: str, text: str, said: str) -> None:
    data = text.encode("utf-8")
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    with pytest.raises(InputError, match=said):
        list(read(tmp_path / name))


@pytest.mark.parametrize("read", READERS)
def test_text_that_only_begins_like_markup(tmp_path: Path, read) -> None:
    for text in ("<b>Wichtig</b>\n", "<html>\nEs regnet .\n", "a\tb\n", "msgid is a word\n", "{ a }\n", "# 1\n"):
        (tmp_path / "t.de").write_text(text, "utf-8")
        assert len(list(read(tmp_path / "t.de"))) == text.count("\n")


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
