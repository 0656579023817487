"""The formats of localisation files, by file name."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from graphmt.corpus.languages import Languages
from graphmt.errors import InputError
from graphmt.localisation import android, html, po, strings, tables, tmx, xliff
from graphmt.localisation.document import Document, decoded
from graphmt.localisation.languages import require_languages
from graphmt.localisation.xml import parsed
from graphmt.storage.compression import plain_name
from graphmt.storage.files import AnyPath, read_whole

Reader = Callable[[bytes, str, Languages], Document]


def _xml(data: bytes, name: str, languages: Languages) -> Document:
    """XML of any kind: its first element tells which."""
    root = parsed(decoded(data, name)[0], name, may_have_entities=True).name
    if root == "xliff":
        return xliff.read(data, name)
    if root not in ("tmx", "resources"):
        raise InputError(
            f"an XML file of an unknown kind (<{root}>).",
            file=name,
            hint="XML files can be XLIFF, TMX or Android's string resources.",
        )
    return tmx.read(data, name, languages) if root == "tmx" else android.read(data, name, languages)


#: The reader for each ending of a file name.
READERS: dict[str, Reader] = {
    **dict.fromkeys((".po", ".pot", ".mo"), lambda data, name, _: po.read(data, name)),
    **dict.fromkeys(
        (".xlf", ".xliff", ".sdlxliff", ".mqxliff", ".mxliff", ".txlf"), lambda data, name, _: xliff.read(data, name)
    ),
    ".tmx": tmx.read,
    ".tsv": tables.read,
    ".csv": tables.read,
    ".json": strings.read_json,
    ".arb": strings.read_json,
    ".strings": lambda data, name, _: strings.read_strings(data, name),
    ".xml": _xml,
    ".html": html.read,
    ".htm": html.read,
}


def is_document(path: AnyPath) -> bool:
    """Whether a file name is that of a localisation file, also with ``.gz``.

    Parameters
    ----------
    path
        The file, which need not exist.

    Returns
    -------
    bool
        True for a known ending.

    Examples
    --------
    >>> from graphmt.localisation import is_document
    >>> is_document("todo.po"), is_document("corpus/test.en")
    (True, False)
    """
    return _ending(path) in READERS


def read_document(path: AnyPath, languages: Languages) -> Document:
    """Read a localisation file.

    Parameters
    ----------
    path
        The file, plain or compressed; its format is that of its name.
    languages
        Codes of source and target language; a file that states others is rejected.

    Returns
    -------
    Document
        Its untranslated units.

    Raises
    ------
    InputError
        If the format is unknown, or the file is malformed.

    Examples
    --------
    >>> from graphmt.localisation import read_document
    >>> read_document("messages.po", ("en", "de"))
    Document('messages.po', 0 units to translate, 2 others)
    """
    if not is_document(path):
        raise InputError(
            "not a localisation file, by its name.", file=path, hint=f"Known endings: {', '.join(READERS)}."
        )
    return read_as(_ending(path), read_whole(path), os.fspath(path), languages)


def read_as(ending: str, data: bytes, name: str, languages: Languages) -> Document:
    """The document in ``data``, in the format of a file name's ending; ``name`` is used in errors."""
    document = READERS[ending](data, name, languages)
    require_languages(document, languages)
    return document


def _ending(path: AnyPath) -> str:
    return Path(plain_name(path).lower()).suffix
