"""The languages of localisation files and of the folders that they are in, compared with those of the model."""

from __future__ import annotations

import os
import re
from pathlib import Path

from graphmt.corpus.languages import Languages, StatedLanguages, base_language, named_language
from graphmt.errors import InputError
from graphmt.localisation.document import Document
from graphmt.storage.files import AnyPath, name_of

#: Folders of one language: of Android (``values-fr``, ``values-b+sr+Latn``), Apple's systems and browser extensions.
#: ``values-car`` is a mode of Android.
_ANDROID = re.compile(r"values(?:-m[cn]c[0-9]+)*-(?:b\+)?(?!car\b)([a-z]{2,3})(?=[-+]|$)(?:-r[A-Z]{2})?.*")
_APPLE = re.compile(r"([a-z]{2,3}(?:[-_][A-Za-z]+)*)\.lproj")


def require_languages(document: Document, languages: Languages) -> None:
    """Reject a file that says it is in other languages than those of the model."""
    for stated in document.stated:
        if not stated.fit(languages):
            raise InputError(
                f"{stated}, but the model translates {languages[0]} into {languages[1]}.",
                file=document.name,
                hint="Choose a model for these languages, or correct the file.",
            )


def require_folders(path: AnyPath, out: AnyPath, languages: Languages) -> None:
    """Reject a file in a folder of neither language, and an output in a folder of another than the target's."""
    _require_folder(path, folder_language(path), languages)
    _require_folder(out, folder_language(out), languages[1:])


def _require_folder(path: AnyPath, language: str | None, known: tuple[str, ...]) -> None:
    if language is not None and base_language(language) not in map(base_language, known):
        raise InputError(
            f"its folder is for the language {language}, not {' or '.join(known)}.",
            file=name_of(path),
            hint="Choose a model for this language, or another folder.",
        )


def folder_language(path: AnyPath) -> str | None:
    """The language that the folder of a file is for, if its name says so."""
    if os.fspath(path) == "-":
        return None
    folder = Path(path).absolute().parent
    found = _ANDROID.fullmatch(folder.name) or _APPLE.fullmatch(folder.name)
    if found is None and folder.parent.name != "_locales":
        return None
    return named_language(found[1] if found else folder.name)


def either(language: str | None, languages: Languages) -> tuple[StatedLanguages, ...]:
    """What a file says that names one language, that of its texts: of the source, or of the target if it is that."""
    own = named_language(language)
    is_target = own is not None and base_language(own) == base_language(languages[1])
    return (StatedLanguages(None, own) if is_target else StatedLanguages(own, None),)
