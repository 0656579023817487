"""The languages of localisation files: those of the model, or the file is rejected before it is filled."""

from __future__ import annotations

from pathlib import Path

import pytest
from graphmt.errors import InputError
from graphmt.localisation import read_document
from graphmt.localisation.languages import folder_language, require_folders

UNIT = "<unit id='1'><segment><source>Open</source></segment></unit>"


def po(fields: str) -> str:
    return f'msgid ""\nmsgstr "{fields}"\n\nmsgid "Open"\nmsgstr ""\n'


def xliff_1(*attributes: str) -> str:
    unit = "<body><trans-unit><source>Open</source></trans-unit></body>"
    return f'<xliff version="1.2">{"".join(f"<file {one}>{unit}</file>" for one in attributes)}</xliff>'


def xliff_2(attributes: str) -> str:
    return f'<xliff version="2.0" {attributes}><file id="f">{UNIT}</file></xliff>'


#: Files for a model from English into German, and the languages in the error, if any.
FILES = [
    ("a.po", po(r"Language: de\n"), None),
    ("a.po", po(r"Language: de_AT\n"), None),
    ("a.po", po(r"Language: \n"), None),
    ("a.po", po(r"Language: fr\n"), "is fr"),
    ("a.po", po(r"X-Source-Language: it\nLanguage: de\n"), "are it and de"),
    ("a.xlf", xliff_2('srcLang="en" trgLang="de-CH"'), None),
    ("a.xlf", xliff_2('srcLang="en-US"'), None),
    ("a.xlf", xliff_2('srcLang="en" trgLang="fr"'), "are en and fr"),
    ("a.xlf", xliff_2('srcLang="fr"'), "is fr"),
    ("a.xlf", xliff_1('source-language="en" target-language="fr"'), "are en and fr"),
    ("a.xlf", xliff_1('source-language="en"', 'source-language="it"'), "is it"),
    ("a.xml", xliff_1('source-language="it"'), "is it"),
    ("a.arb", '{"@@locale": "en", "a": "Open"}', None),
    ("a.arb", '{"@@locale": "de_DE", "a": "Open"}', None),
    ("a.arb", '{"@@locale": "fr", "a": "Open"}', "is fr"),
    ("a.html", "<html lang=en><p>Open</p></html>", None),
    ("a.html", "<p>Open</p>", None),
    ("a.html", '<!DOCTYPE html><HTML class="x" lang="fr-CA"><p lang="en">Open</p></html>', "is fr-CA"),
]


@pytest.mark.parametrize(("name", "text", "languages"), FILES)
def test_languages_that_files_state(tmp_path: Path, name: str, text: str, languages: str | None) -> None:
    path = tmp_path / name
    path.write_text(text, "utf-8")
    if languages is None:
        assert len(read_document(path, ("en", "de")).units) == 1
    else:
        with pytest.raises(InputError, match=rf"{name}: .* {languages}, but the model translates en into de"):
            read_document(path, ("en", "de"))


FOLDERS = {
    "values/strings.xml": None,
    "values-fr/strings.xml": "fr",
    "values-pt-rBR/strings.xml": "pt",
    "values-mcc310-mnc004-fr/strings.xml": "fr",
    "values-b+sr+Latn/strings.xml": "sr",
    "values-de-night/strings.xml": "de",
    "values-night/strings.xml": None,
    "values-sw600dp/strings.xml": None,
    "values-car/strings.xml": None,
    "values-v21/strings.xml": None,
    "fr.lproj/Localizable.strings": "fr",
    "zh-Hans.lproj/Localizable.strings": "zh-Hans",
    "Base.lproj/Localizable.strings": None,
    "_locales/pt_BR/messages.json": "pt_BR",
    "locales/messages.json": None,
}


@pytest.mark.parametrize("path", FOLDERS)
def test_languages_of_folders(path: str) -> None:
    assert folder_language(path) == FOLDERS[path]


#: Input and output of a model from English into German, and the file in the error, if any.
MOVES = [
    ("values/strings.xml", "values-de/strings.xml", None),
    ("values-de/strings.xml", "-", None),
    ("values-en/strings.xml", "out.xml", None),
    ("values-fr/strings.xml", "out.xml", "values-fr"),
    ("values/strings.xml", "values-fr/strings.xml", "values-fr"),
    ("values/strings.xml", "values-en/strings.xml", "values-en"),
]


@pytest.mark.parametrize(("path", "out", "wrong"), MOVES)
def test_folders_of_the_languages(path: str, out: str, wrong: str | None) -> None:
    if wrong is None:
        require_folders(path, out, ("en", "de"))
    else:
        with pytest.raises(InputError, match=rf"{wrong}/strings.xml: its folder is for the language .., not"):
            require_folders(path, out, ("en", "de"))
