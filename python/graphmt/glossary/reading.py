"""Glossaries from files: tab-separated text and TBX."""

from __future__ import annotations

import os
from collections.abc import Iterator

from graphmt.errors import InputError, OptionError
from graphmt.glossary.tbx import is_tbx, read_tbx
from graphmt.glossary.terms import USES, Glossary, Term
from graphmt.options import nearest
from graphmt.storage.files import AnyPath, lines

_HEADER = ("source", "target", "use")


def read_glossary(path: AnyPath, languages: tuple[str, str] | None = None) -> Glossary:
    """Read a glossary from a file.

    A TSV file has a term and its translation on each line, and optionally its use: ``required`` (the default),
    ``preferred`` or ``forbidden``. A first line ``source``, ``target``, ``use`` is skipped. In TBX, deprecated and
    superseded terms are forbidden translations, admitted ones preferred, and all others required.

    Parameters
    ----------
    path
        TSV, or TBX (``.tbx``); plain or compressed.
    languages
        Source and target language, for TBX; by default the language of the file is that of the source.

    Returns
    -------
    Glossary
        The terms.

    Raises
    ------
    InputError
        If a line is malformed; the message names it.
    OptionError
        If languages are given for TSV, which has no names of languages.

    Examples
    --------
    >>> from pathlib import Path
    >>> from graphmt.glossary import read_glossary
    >>> _ = Path("terms.tsv").write_text("Drucker\\tprinter\\nDrucker\\tpress\\tforbidden\\n", "utf-8")
    >>> read_glossary("terms.tsv").terms[1]
    Term(source='Drucker', target='press', usage='forbidden', line=2)
    """
    if languages is not None and not is_tbx(path):
        raise OptionError(
            f"languages can only be given for TBX, and {os.fspath(path)} is TSV: source, then target.",
            hint="Leave them out.",
        )
    terms = read_tbx(path, languages) if is_tbx(path) else _tsv(path)
    return Glossary(tuple(dict.fromkeys(terms)), os.fspath(path))


def _tsv(path: AnyPath) -> Iterator[Term]:
    for number, line in enumerate(lines(path), 1):
        cells = [cell.strip() for cell in line.removeprefix("\ufeff").split("\t")]
        if not any(cells) or (number == 1 and tuple(map(str.lower, cells)) in (_HEADER, _HEADER[:2])):
            continue
        if any(cells[3:]):
            raise InputError(
                f"{len(cells)} columns; term, translation and optionally its use were expected.",
                file=path,
                line=number,
                hint="Separate them with tabs.",
            )
        if len(cells) < 2:
            raise InputError(
                "no translation: term and translation were expected, separated by a tab.", file=path, line=number
            )
        usage = (cells[2].lower() if len(cells) > 2 else "") or USES[0]
        if usage not in USES:
            raise InputError(
                f"the use of the term is {cells[2][:40]!r}{nearest(usage, USES)}; required, preferred or forbidden was "
                "expected.",
                file=path,
                line=number,
            )
        try:
            yield Term(cells[0], cells[1], usage, number)
        except InputError as error:
            raise InputError(error.message, file=path, line=number) from None
