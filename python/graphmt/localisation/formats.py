"""The formats of localisation files, by file name."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from graphmt.errors import InputError
from graphmt.localisation import android, html, po, strings, tables, tmx, xliff
from graphmt.localisation.document import Document, decoded
from graphmt.localisation.xml import parsed
from graphmt.storage.compression import plain_name
from graphmt.storage.files import AnyPath, read_whole

Reader = Callable[[bytes, str, tuple[str, str]], Document]


def _xml(data: bytes, name: str, languages: tuple[str, str]) -> Document:
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
    ".json": lambda data, name, _: strings.read_json(data, name),
    ".arb": lambda data, name, _: strings.read_json(data, name),
    ".strings": lambda data, name, _: strings.read_strings(data, name),
    ".xml": _xml,
    ".html": lambda data, name, _: html.read(data, name),
    ".htm": lambda data, name, _: html.read(data, name),
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


def read_document(path: AnyPath, languages: tuple[str, str]) -> Document:
    """Read a localisation file.

    Parameters
    ----------
    path
        The file, plain or compressed; its format is that of its name.
    languages
        Codes of source and target language, for formats with several languages.

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
    reader = READERS.get(_ending(path))
    if reader is None:
        raise InputError(
            "not a localisation file, by its name.", file=path, hint=f"Known endings: {', '.join(READERS)}."
        )
    return reader(read_whole(path), os.fspath(path), languages)


def _ending(path: AnyPath) -> str:
    return Path(plain_name(path).lower()).suffix
