"""Catalogues: what is untranslated is filled, and everything else stays byte for byte."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from catalogue import CATALOGUE
from graphmt.corpus.catalogue import read_catalogue
from graphmt.errors import InputError
from graphmt.localisation import read_document, translate_document
from graphmt.localisation.po import read
from graphmt.model import Model


def test_nothing_to_fill_changes_nothing() -> None:
    for text in (CATALOGUE, CATALOGUE.replace("\n", "\r\n"), "\ufeff" + CATALOGUE):
        document = read(text.encode(), "x.po")
        assert document.filled([None] * len(document.units)) == text.encode()


def test_units() -> None:
    document = read(CATALOGUE.encode(), "x.po")
    assert [unit.sources for unit in document.units] == [
        ("Open File",),
        ("Could not open %s.",),
        ("Save the changes?",),
        ("One file was deleted.", "%d files were deleted."),
        (
            "Click <b>Export</b> to save the file.\n\n"
            '  Read the <a href="https://example.org/?a=1&amp;b=2">manual</a> first.\n',
        ),
        ("{n, plural, one {One file was deleted.} other {# files were deleted.}}",),
        ("%d / %d",),
        ("Zażółć „%s” \ttab\\n",),
    ]
    assert document.others == 3
    assert document.units[0].line == 13


def test_the_mark_comes_before_a_previous_text_at_the_very_beginning() -> None:
    given = '#| msgid "Old"\nmsgid "New"\nmsgstr ""\n'
    assert (
        read(given.encode(), "x.po").filled([["Neu"]]).decode()
        == '#, fuzzy\n#| msgid "Old"\nmsgid "New"\nmsgstr "Neu"\n'
    )


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_filled(ending: str) -> None:
    given = CATALOGUE.replace("\n", ending)
    document = read(given.encode(), "x.po")
    made = document.filled([[f"<{text}>" for text in unit.sources] for unit in document.units]).decode()
    text = made.replace("\r\n", "\n")
    assert ending == "\n" or "\n" not in made.replace("\r\n", "")
    assert '#: src/main.c:10 src/main.c:20\n#, fuzzy\nmsgid "Open File"\nmsgstr "<Open File>"\n' in text
    assert '#, fuzzy, c-format\nmsgid "Could not open %s."\nmsgstr "<Could not open %s.>"\n' in text
    assert '\n#, fuzzy\n#| msgid "Previous text"\nmsgctxt "menu|file"\n' in text
    assert 'msgstr[0] "<One file was deleted.>"\nmsgstr[1] "<%d files were deleted.>"\nmsgstr[2] "<%d' in text
    assert 'msgstr ""\n"<Click <b>Export</b> to save the file.\\n"\n"\\n"\n"  Read' in text
    assert 'msgstr "%s wirklich entfernen?"\n\n#, fuzzy, c-format\nmsgid "One' in text
    # All that was there is still there, in order, except the empty translations.
    rest = iter(text.split("\n"))
    kept = [line for line in CATALOGUE.split("\n") if not line.startswith(("msgstr", '""'))]
    assert all(any(line in (found, found.replace(" fuzzy,", "")) for found in rest) for line in kept)


def test_a_template_gets_a_character_set_and_the_forms_of_the_header() -> None:
    template = (
        'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=CHARSET\\n"\n'
        '"Plural-Forms: nplurals=1; plural=0;\\n"\n\n'
        'msgid "a"\nmsgid_plural "b"\nmsgstr[0] ""\nmsgstr[1] ""\n'
    )
    made = read(template.encode(), "x.pot").filled([["ä", "ö"]]).decode()
    assert "charset=UTF-8" in made
    assert made.endswith('#, fuzzy\nmsgid "a"\nmsgid_plural "b"\nmsgstr[0] "ö"\n')


def test_other_character_sets() -> None:
    data = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=ISO-8859-1\\n"\n\nmsgid "é"\nmsgstr ""\n'.encode(
        "latin-1"
    )
    document = read(data, "x.po")
    assert document.units[0].sources == ("é",)
    assert document.filled([["ß"]]).decode("latin-1").endswith('msgid "é"\nmsgstr "ß"\n')
    with pytest.raises(InputError, match="not in its character set"):
        document.filled([["字"]])


def test_damaged_and_compiled_catalogues_are_rejected(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="closing quote"):
        read(b'msgid "a"\nmsgstr "b\n', "x.po")
    (tmp_path / "x.mo").write_bytes(b"\xde\x12\x04\x95")
    with pytest.raises(InputError, match="compiled"):
        read_document(tmp_path / "x.mo", ("en", "de"))


def test_translated(ui_model: Model, tmp_path: Path) -> None:
    (tmp_path / "todo.po").write_text(CATALOGUE, "utf-8")
    report = translate_document(ui_model, tmp_path / "todo.po", tmp_path / "done.po", threads=1)
    assert (report.filled, report.others) == (8, 3)
    text = (tmp_path / "done.po").read_text("utf-8")
    assert 'msgstr "Datei öffnen"' in text
    assert 'msgstr "%s konnte nicht geöffnet werden."' in text
    assert 'msgstr[2] "%d Dateien wurden gelöscht."' in text
    assert '"{n, plural, one {Eine Datei wurde gelöscht.} other {# Dateien wurden gelöscht.}}"' in text
    assert '<a href=\\"https://example.org/?a=1&amp;b=2\\">Handbuch</a>.\\n"' in text
    assert 'msgstr "Zażółć „%s” \\ttab\\\\n"' in text
    assert 'msgid "%d / %d"\nmsgstr "%d / %d"\n' in text
    # What was translated before is read as before; the new translations are fuzzy.
    before, after = read_catalogue(tmp_path / "todo.po"), read_catalogue(tmp_path / "done.po")
    assert [message.forms for message in after.messages] == [message.forms for message in before.messages]
    assert after.skipped["fuzzy"] == before.skipped["fuzzy"] + 8


@pytest.mark.skipif(shutil.which("msgfmt") is None, reason="needs msgfmt")
def test_msgfmt_accepts_it(ui_model: Model, tmp_path: Path) -> None:
    (tmp_path / "todo.po").write_text(CATALOGUE, "utf-8")
    translate_document(ui_model, tmp_path / "todo.po", tmp_path / "done.po", threads=1)
    command = ["msgfmt", "--check-format", "--check-domain", "--use-fuzzy", "-o", str(tmp_path / "x.mo")]
    done = subprocess.run([*command, str(tmp_path / "done.po")], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
