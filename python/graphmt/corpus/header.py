"""Detecting a header line in a table of pairs."""

from __future__ import annotations

import re
from collections.abc import Sequence

from graphmt.corpus.languages import Languages, StatedLanguages, base_language, language_code
from graphmt.errors import OptionError

#: Columns of source and target: numbers from 1, or names in the header.
Columns = tuple[int, int] | tuple[str, str]
#: The column of pairs in data sets of Hugging Face: a text for each language.
NESTED = "translation"


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: Names of source and target columns.
_SOURCE = {"source", "src", "source text", "source segment", "source sentence", "original", "msgid"}
_TARGET = {"target", "tgt", "trg", "target text", "target segment", "target sentence", "translation", "msgstr"}

#: Languages of ISO 639-1, and the three letters that corpora use for common ones.
_CODES = _words(
    "aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el "
    "en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu "
    "ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na "
    "nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so "
    "sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu "
    "ara bul ces cze dan deu dut ell eng est fas fin fra fre ger gre heb hin hrv hun ind ita jpn kor lav lit nld "
    "nob nor pol por ron rum rus slk slv spa srp swe tha tur ukr urd vie zho chi"
)
_BASES = frozenset(map(base_language, _CODES))
_CODE = re.compile(r"[a-z]{2,3}(?:[-_][a-z]{2,4})?")
#: Their names. The name of one language does not translate that of another.
_NAMES = _words(
    "arabic bulgarian chinese croatian czech danish dutch english estonian finnish french german greek hebrew hindi "
    "hungarian indonesian italian japanese korean latvian lithuanian norwegian persian polish portuguese romanian "
    "russian serbian slovak slovenian spanish swedish thai turkish ukrainian urdu vietnamese"
)


def chosen_column(names: Sequence[str], column: int | str) -> str:
    """The name of a column that is chosen by its number, from 1, or its name."""
    if isinstance(column, str):
        if column not in names:
            raise OptionError(f"there is no column {column!r}: there are {', '.join(names)}.")
        return column
    if not 1 <= column <= len(names):
        raise OptionError(f"column {column} of {len(names)}.")
    return names[column - 1]


def named_columns(cells: Sequence[str], languages: Languages | None) -> tuple[int, int] | None:
    """The columns of source and target, from 1, that a header names by their languages, or as source and target."""
    source, target = (named_column(cells, side, None if languages is None else languages[side]) for side in (0, 1))
    return None if source is None or target is None or source == target else (source, target)


def named_column(cells: Sequence[str], side: int, language: str | None) -> int | None:
    """The column of one side (0: source, 1: target), from 1, that a header names by its language, or as this side."""
    names = [" ".join(cell.strip().strip('"').lower().replace("_", " ").split()) for cell in cells]
    wanted = None if language is None else language_code(language)
    codes = [None if wanted is None else _code_of(name, wanted) for name in names]
    exact = [number for number, code in enumerate(codes, 1) if code == wanted and code is not None]
    near = [number for number, code in enumerate(codes, 1) if code is not None]
    usual = [number for number, name in enumerate(names, 1) if name in (_SOURCE, _TARGET)[side]]
    return next(iter([*exact, *near, *usual]), None)


def _code_of(name: str, wanted: str) -> str | None:
    """The language code that a cell is, if its language is the wanted one."""
    code = name.replace(" ", "-")
    return code if _CODE.fullmatch(code) and base_language(code) == base_language(wanted) else None


def is_header(source: str, target: str, languages: Languages | None = None) -> bool:
    """Whether two cells name their columns: source and target, or two different languages.

    ``languages`` are those of the table if they are known; then only these codes make a header.
    """
    cells = [cell.strip().strip('"').strip().lower() for cell in (source, target)]
    named = [" ".join(cell.replace("_", " ").split()) for cell in cells]
    if named[0] in _SOURCE and named[1] in _TARGET:
        return True
    if languages is not None:
        stated = header_languages(cells)
        return stated.both is not None and stated.fit(languages)
    return header_languages(cells).both is not None or (cells[0] != cells[1] and _NAMES.issuperset(cells))


def header_languages(cells: Sequence[str]) -> StatedLanguages:
    """The languages that a header names, in the order of its columns, if there are two."""
    codes = [name for cell in cells if is_language(name := cell.strip().strip('"').strip().lower())]
    # A column "id" is rather of numbers than of Indonesian.
    found = list(dict.fromkeys(codes if len(codes) < 3 else [code for code in codes if code != "id"]))
    return StatedLanguages(*found) if len(found) == 2 else StatedLanguages()


def is_language(name: str) -> bool:
    """Whether a lower-case name is the code of a language, also with a region."""
    found = _CODE.fullmatch(name)
    return found is not None and base_language(name) in _BASES
