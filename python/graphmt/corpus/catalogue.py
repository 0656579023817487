"""Gettext catalogues (``.po`` and ``.mo``) as parallel text."""

from __future__ import annotations

import os

from graphmt.corpus import mo, po
from graphmt.corpus.messages import Catalogue, Message
from graphmt.errors import InputError
from graphmt.storage.compression import plain_name
from graphmt.storage.files import AnyPath, read_whole

__all__ = ["Catalogue", "Message", "is_catalogue", "read_catalogue"]


def is_catalogue(path: AnyPath) -> bool:
    """Whether a file name is that of a gettext catalogue: ``.po``, ``.pot`` or ``.mo``, also with ``.gz``."""
    return plain_name(path).lower().endswith((".po", ".pot", ".mo"))


def read_catalogue(path: AnyPath) -> Catalogue:
    """Read a gettext catalogue (``.po``, ``.pot``, ``.mo``), plain or compressed.

    Fuzzy, obsolete and untranslated messages are skipped and counted.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    Catalogue
        The translated messages.

    Raises
    ------
    InputError
        If the file is damaged.

    Examples
    --------
    >>> from graphmt.corpus import read_catalogue
    >>> len(read_catalogue("messages.po").messages)
    2
    """
    data = read_whole(path)
    name = os.fspath(path)
    if data[:4] in mo.MAGIC:
        return mo.parse(data, name)
    if plain_name(name).lower().endswith(".mo"):
        raise InputError("not a compiled catalogue: its first four bytes are not those of a .mo file.", file=name)
    return po.parse(data, name)
