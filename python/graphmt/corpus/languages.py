"""Languages as files write them (``de``, ``de-DE``, ``de_DE``, ``deu``), and whether they are those asked for."""

from __future__ import annotations

import dataclasses
import os
import re

from graphmt.errors import InputError, OptionError

Languages = tuple[str, str]

#: Codes of a language and its script, region or variant: ``pt_BR``, ``zh-Hant-TW``, ``sr@latin``, ``de_DE.UTF-8``.
_CODE = re.compile(r"[a-z]{2,3}(?:[-@.][a-z0-9@.-]*)?")
#: Codes that name no language: undetermined, several, all.
_NO_LANGUAGE = ("und", "mul", "zxx", "xx")
#: Old codes, and those of three letters (ISO 639-2) that corpora use, by the code that is usual now.
# fmt: off
_OTHERS = {
    "he": "iw heb", "id": "in ind", "yi": "ji", "nb": "no nor nob", "nn": "nno", "ar": "ara", "bg": "bul",
    "cs": "ces cze", "da": "dan", "de": "deu ger", "el": "ell gre", "en": "eng", "et": "est", "fa": "fas per",
    "fi": "fin", "fr": "fra fre", "hi": "hin", "hr": "hrv", "hu": "hun", "it": "ita", "ja": "jpn", "ko": "kor",
    "lv": "lav", "lt": "lit", "nl": "nld dut", "pl": "pol", "pt": "por", "ro": "ron rum", "ru": "rus",
    "sk": "slk slo", "sl": "slv", "es": "spa", "sr": "srp", "sv": "swe", "th": "tha", "tr": "tur", "uk": "ukr",
    "ur": "urd", "vi": "vie", "zh": "zho chi",
}
# fmt: on
_USUAL = {other: usual for usual, others in _OTHERS.items() for other in others.split()}


def language_code(written: str) -> str:
    """A code in one spelling: ``de-at`` for ``de_AT``."""
    return written.lower().replace("_", "-")


def base_language(written: str) -> str:
    """The language of a code, without its region: ``de`` for ``de_AT``."""
    base = re.split(r"[-@.]", language_code(written), maxsplit=1)[0]
    return _USUAL.get(base, base)


def named_language(written: str | None) -> str | None:
    """The code that a file gives for a language; None if it is not a code, or that of no language."""
    code = (written or "").strip()
    plain = language_code(code)
    return code if _CODE.fullmatch(plain) and base_language(code) not in _NO_LANGUAGE else None


@dataclasses.dataclass(frozen=True)
class StatedLanguages:
    """The languages that a file says its sides are in; None where it does not say."""

    source: str | None = None
    target: str | None = None

    @classmethod
    def of(cls, source: str | None, target: str | None) -> StatedLanguages:
        """Those that a file names in its own fields."""
        return cls(named_language(source), named_language(target))

    @property
    def both(self) -> Languages | None:
        """Source and target, if both are stated."""
        return None if self.source is None or self.target is None else (self.source, self.target)

    def __str__(self) -> str:
        both = self.both
        return f"its languages are {' and '.join(both)}" if both else f"its language is {self.source or self.target}"

    def fit(self, asked: Languages) -> bool:
        """Whether nothing in the file contradicts these languages."""
        own = (self.source, self.target)
        return all(
            one is None or base_language(one) == base_language(other) for one, other in zip(own, asked, strict=True)
        )

    def are_reversed(self, asked: Languages | None, path: str | os.PathLike[str], line: int | None = None) -> bool:
        """Whether the file is for the other direction; one with other languages is rejected."""
        if asked is None or self.fit(asked):
            return False
        if self.fit((asked[1], asked[0])):
            return True
        raise InputError(
            f"{self}, not {' and '.join(asked)}.",
            file=path,
            line=line,
            hint="Choose these with --languages, or leave the option out.",
        )


def agreed(languages: Languages, source: str | None, target: str | None) -> dict[str, str]:
    """The options of both languages that ``--languages`` stands for; others given beside it are rejected."""
    for option, own, asked in zip(("--source-language", "--target-language"), (source, target), languages, strict=True):
        if own is not None and base_language(own) != base_language(asked):
            raise OptionError(f"--languages {' '.join(languages)} contradicts {option} {own}.", hint="Leave one out.")
    return {"source_language": source or languages[0], "target_language": target or languages[1]}
