"""The languages that files of pairs are in, as the files say."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path

from graphmt.corpus.catalogue import is_catalogue, read_catalogue
from graphmt.corpus.header import header_languages, is_language
from graphmt.corpus.languages import Languages, StatedLanguages, base_language
from graphmt.corpus.parquet import is_parquet, text_columns
from graphmt.corpus.tables import first_row, is_table
from graphmt.corpus.tmx import is_tmx, tmx_languages
from graphmt.corpus.xliff import is_xliff, xliff_languages
from graphmt.errors import InputError
from graphmt.storage.files import AnyPath, name_of

#: What messages are written in, unless their catalogue says otherwise: gettext's convention.
_OF_MESSAGES = "en"


def stated_languages(path: AnyPath) -> StatedLanguages:
    """What a file of pairs says of its languages; nothing for a stream, which is read only once.

    A catalogue that names only the language of its translations is one of English messages.
    """
    if not Path(path).is_file():
        return StatedLanguages()
    if is_catalogue(path):
        found = read_catalogue(path).languages
        english = found.source is None and found.target is not None and base_language(found.target) != _OF_MESSAGES
        return StatedLanguages(_OF_MESSAGES, found.target) if english else found
    if is_tmx(path):
        return StatedLanguages(*tmx_languages(path))
    if is_xliff(path):
        return xliff_languages(path)
    if is_parquet(path):
        return header_languages(text_columns(path))
    return header_languages(first_row(path)) if is_table(path) else StatedLanguages()


def corpus_languages(sources: Sequence[AnyPath], targets: Sequence[AnyPath] | None = None) -> Languages | None:
    """The languages of a corpus, without regions: those of the first file of pairs that names both; None if none does.

    Of two sides they are in the names of the files, such as ``train.fr`` and ``train.en.gz``.
    """
    if targets:
        found = (_languages_of_names(*pair) for pair in zip(sources, targets, strict=False))
    else:
        found = (stated_languages(path).both for path in sources)
    first = next(filter(None, found), None)
    return None if first is None else (base_language(first[0]), base_language(first[1]))


def _languages_of_names(source: AnyPath, target: AnyPath) -> Languages | None:
    found = [_of_name(path) for path in (source, target)]
    return None if found[0] is None or found[1] is None or found[0] == found[1] else (found[0], found[1])


def _of_name(path: AnyPath) -> str | None:
    parts = Path(path).name.lower().split(".")[1:]
    endings = itertools.dropwhile(lambda part: part in ("gz", "txt", "conllu"), reversed(parts))
    last = next(endings, "")
    return last if is_language(last) else None


def settled_languages(
    source: str | None, target: str | None, stated: Languages | None, usual: Languages, file: AnyPath
) -> Languages:
    """Source and target language, each as it was asked for if it was, else as a file states it, else as usual."""
    if source and target:
        return source, target
    asked = source or target
    if stated is None or not asked:
        found = stated or usual
        return source or found[0], target or found[1]
    bases = [base_language(one) for one in stated]
    if base_language(asked) not in bases:
        raise InputError(
            f"its languages are {' and '.join(stated)}, and {asked} is neither.",
            file=name_of(file),
            hint="Give both languages: --languages SOURCE TARGET.",
        )
    # A file for the other direction is turned round.
    is_forward = base_language(asked) == bases[0 if source else 1]
    found = stated if is_forward else (stated[1], stated[0])
    return source or found[0], target or found[1]
