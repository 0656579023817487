"""English inflection: plurals, verb forms, a and an."""

from __future__ import annotations

from graphmt.demo.lexicon import Noun, lexicon

VOWELS = "aeiou"
_BE = {(1, "sg"): ("am", "was"), (3, "sg"): ("is", "was")}
#: Letters mislead: these begin with the sound of a consonant, those with the sound of a vowel.
_CONSONANT_SOUND = ("eu", "one", "uni", "use", "usual")
_VOWEL_SOUND = ("heir", "honest", "honour", "hour")


def plural(word: Noun) -> tuple[str, ...]:
    """The words of the plural."""
    if word.english_plural:
        return tuple(word.english_plural.split())
    *first, last = word.english.split()
    return (*first, _with_s(last))


def third_person(base: str) -> str:
    """He *calls*."""
    return {"have": "has", "be": "is"}.get(base) or _with_s(base)


def past(base: str) -> str:
    """He *called*."""
    irregular = lexicon().english_verbs.get(base)
    if irregular:
        return irregular
    if base.endswith("e"):
        return f"{base}d"
    if base.endswith("y") and base[-2] not in VOWELS:
        return f"{base[:-1]}ied"
    return f"{_doubled(base)}ed"


def gerund(base: str) -> str:
    """He is *calling*."""
    if base.endswith("ie"):
        return f"{base[:-2]}ying"
    if base.endswith("e") and not base.endswith("ee"):
        return f"{base[:-1]}ing"
    return f"{_doubled(base)}ing"


def be(person: int, number: str, *, in_past: bool) -> str:
    """A form of to be."""
    return _BE.get((person, number), ("are", "were"))[in_past]


def indefinite(following: str) -> str:
    """``a`` or ``an`` before a word."""
    word = following.lower()
    if word.startswith(_VOWEL_SOUND):
        return "an"
    if word.startswith(_CONSONANT_SOUND):
        return "a"
    return "an" if word[0] in VOWELS else "a"


def _with_s(word: str) -> str:
    if word.endswith(("s", "x", "z", "ch", "sh", "o")) and word not in ("radio", "photo", "piano"):
        return f"{word}es"
    if word.endswith("y") and word[-2] not in VOWELS:
        return f"{word[:-1]}ies"
    return f"{word}s"


def _doubled(base: str) -> str:
    """Double the last consonant of stop, put and forget."""
    closed = len(base) > 2 and base[-1] not in f"{VOWELS}wxyh" and base[-2] in VOWELS and base[-3] not in VOWELS
    stressed = sum(letter in VOWELS for letter in base) == 1 or base in ("cancel", "forget", "transfer")
    return base + base[-1] if closed and stressed else base
