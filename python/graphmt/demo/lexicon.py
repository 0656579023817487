"""The lexicon of the demo grammar, read from the tables in ``data/``."""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:  # pragma: no cover
    import tomli as tomllib


@dataclass(frozen=True, slots=True)
class Noun:
    """One meaning of a noun. ``at`` and ``to`` are (German, English) prepositions of place and of goal."""

    lemma: str
    gender: str
    plural: str
    english: str
    english_plural: str
    kind: str
    classes: frozenset[str]
    flags: frozenset[str]
    at: tuple[str, str]
    to: tuple[str, str]

    @property
    def is_compound(self) -> bool:
        """Whether one German word becomes several English ones."""
        return " " in self.english


@dataclass(frozen=True, slots=True)
class Adjective:
    """One meaning of an adjective and the kinds of noun that call for it."""

    lemma: str
    stem: str
    english: str
    kinds: frozenset[str]
    flags: frozenset[str]


@dataclass(frozen=True, slots=True)
class Adverb:
    """An adverbial of one or more words: (form, lemma, UPOS, relation) each, the last one being the head."""

    words: tuple[tuple[str, str, str, str], ...]
    english: tuple[str, ...]
    classes: frozenset[str]
    place: frozenset[str]
    links: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Complement:
    """What a frame asks for: a case or a preposition, the classes of noun, and the English preposition."""

    kind: str
    case: str
    preposition: str
    classes: tuple[str, ...]
    plural: frozenset[str]
    definite: frozenset[str]
    indefinite: frozenset[str]
    english: str
    bare: bool
    optional: bool


@dataclass(frozen=True, slots=True)
class Frame:
    """A German verb with its arguments, and the English verb that translates just this frame."""

    particle: str
    prefix: str
    base: str
    english: str
    aspect: str
    subject: tuple[str, ...]
    arguments: tuple[Complement, ...]
    extras: frozenset[str]
    flags: frozenset[str]

    @property
    def lemma(self) -> str:
        """The infinitive."""
        return self.particle + self.prefix + self.base

    @property
    def auxiliary(self) -> str:
        """The auxiliary of the perfect."""
        return "sein" if "sein" in self.flags else "haben"


@dataclass(frozen=True)
class Lexicon:
    """All of it, with the indexes that the grammar draws from."""

    nouns: tuple[Noun, ...]
    adjectives: tuple[Adjective, ...]
    adverbs: tuple[Adverb, ...]
    frames: tuple[Frame, ...]
    german_verbs: dict[str, tuple[str, str, str]]
    english_verbs: dict[str, str]
    paradigms: dict[str, Any]
    kinds: dict[str, Any]

    @functools.cached_property
    def by_class(self) -> dict[str, tuple[Noun, ...]]:
        """The nouns of a class, in the order of the table."""
        return _index((name, noun) for noun in self.nouns for name in sorted(noun.classes))

    @functools.cached_property
    def by_kind(self) -> dict[str, tuple[Adjective, ...]]:
        """The adjectives that go with a kind of noun."""
        return _index((kind, adjective) for adjective in self.adjectives for kind in sorted(adjective.kinds))

    @functools.cached_property
    def by_time(self) -> dict[str, tuple[Adverb, ...]]:
        """The adverbials of a class."""
        return _index((name, adverb) for adverb in self.adverbs for name in sorted(adverb.classes))

    @functools.cached_property
    def ambiguous_nouns(self) -> frozenset[str]:
        """German nouns with several English ones."""
        return _ambiguous((noun.lemma, noun.english) for noun in self.nouns)

    @functools.cached_property
    def ambiguous_verbs(self) -> frozenset[str]:
        """German verbs with several English ones."""
        return _ambiguous((frame.lemma, frame.english) for frame in self.frames)

    @functools.cached_property
    def size(self) -> int:
        """The number of German lexemes."""
        open_classes = (
            {(noun.lemma, noun.gender) for noun in self.nouns},
            {adjective.lemma for adjective in self.adjectives},
            {adverb.words for adverb in self.adverbs},
            {frame.lemma for frame in self.frames},
        )
        return sum(len(lexemes) for lexemes in open_classes)


@functools.cache
def lexicon() -> Lexicon:
    """The one lexicon; read once."""
    return Lexicon(
        nouns=tuple(_noun(row) for row in _table("nouns")),
        adjectives=tuple(_adjective(row) for row in _table("adjectives")),
        adverbs=tuple(_adverb(row) for row in _table("adverbs")),
        frames=tuple(_frame(row) for row in _table("frames")),
        german_verbs={
            row["infinitive"]: (row["present"], row["preterite"], row["participle"]) for row in _table("verbs_de")
        },
        english_verbs={row["base"]: row["past"] for row in _table("verbs_en")},
        paradigms=_toml("paradigms"),
        kinds=_toml("kinds"),
    )


def _text(name: str) -> str:
    return (files("graphmt.demo") / "data" / name).read_text(encoding="utf-8")


def _toml(name: str) -> dict[str, Any]:
    tables: dict[str, Any] = tomllib.loads(_text(f"{name}.toml"))
    return tables


def _table(name: str) -> Iterator[dict[str, str]]:
    rows = (line.split("\t") for line in _text(f"{name}.tsv").splitlines() if line and line[0] != "#")
    header = next(rows)
    for row in rows:
        yield dict(zip(header, ("" if cell == "-" else cell for cell in row), strict=True))


def _noun(row: dict[str, str]) -> Noun:
    return Noun(
        lemma=row["lemma"],
        gender=row["gender"],
        plural=row["plural"],
        english=row["english"],
        english_plural=row["english_plural"],
        kind=row["kind"],
        classes=frozenset(row["classes"].split(",")),
        flags=frozenset(row["flags"].split(",")) - {""},
        at=_pair(row["at"]),
        to=_pair(row["to"]),
    )


def _pair(cell: str) -> tuple[str, str]:
    german, _, english = cell.partition(":")
    return german, english


def _adjective(row: dict[str, str]) -> Adjective:
    return Adjective(
        lemma=row["lemma"],
        stem=row["stem"] or row["lemma"],
        english=row["english"],
        kinds=frozenset(row["kinds"].split()),
        flags=frozenset(row["flags"].split()),
    )


def _adverb(row: dict[str, str]) -> Adverb:
    words = tuple(_analysed(word) for word in row["german"].split())
    english = tuple(row["english"].split())
    if row["links"]:
        pairs = tuple((int(i), int(j)) for i, _, j in (link.partition("-") for link in row["links"].split()))
    elif len(words) == len(english):
        pairs = tuple((i, i) for i in range(len(words)))
    else:
        pairs = tuple((i, j) for i in range(len(words)) for j in range(len(english)))
    return Adverb(words, english, frozenset(row["class"].split()), frozenset(row["place"].split()), pairs)


def _analysed(word: str) -> tuple[str, str, str, str]:
    form, lemma, upos, deprel = word.split("/")
    return form, lemma, upos, deprel


def _frame(row: dict[str, str]) -> Frame:
    particle, _, rest = row["verb"].rpartition("|")
    prefix, _, base = rest.rpartition("/")
    return Frame(
        particle=particle,
        prefix=prefix,
        base=base,
        english=row["english"],
        aspect=row["aspect"],
        subject=tuple(row["subject"].split(",")),
        arguments=tuple(_complement(cell) for cell in row["arguments"].split()),
        extras=frozenset(row["extras"].split()),
        flags=frozenset(row["flags"].split()),
    )


def _complement(cell: str) -> Complement:
    optional = cell.startswith("?")
    left, _, english = cell.removeprefix("?").partition("=")
    how, _, names = left.partition(":")
    preposition, _, case = how.rpartition("+")
    if how == "nach":
        preposition, case = "nach", "dat"
    kind = how if how in ("acc", "dat", "at", "to", "refl", "manner", "clause") else "prep"
    classes = [name for name in names.split(",") if name]
    return Complement(
        kind=kind,
        case={"at": "dat", "to": "acc"}.get(kind, case),
        preposition=preposition,
        classes=tuple(name.partition("+")[0] for name in classes),
        plural=_marked(classes, "+pl"),
        definite=_marked(classes, "+def"),
        indefinite=_marked(classes, "+indef"),
        english=english.removesuffix("~"),
        bare=english.endswith("~"),
        optional=optional,
    )


def _marked(classes: list[str], mark: str) -> frozenset[str]:
    return frozenset(name.removesuffix(mark) for name in classes if name.endswith(mark))


def _index(pairs: Iterator[tuple[str, Any]]) -> dict[str, tuple[Any, ...]]:
    found: dict[str, list[Any]] = {}
    for name, item in pairs:
        found.setdefault(name, []).append(item)
    return {name: tuple(items) for name, items in found.items()}


def _ambiguous(pairs: Iterator[tuple[str, str]]) -> frozenset[str]:
    meanings: dict[str, set[str]] = {}
    for german, english in pairs:
        meanings.setdefault(german, set()).add(english)
    return frozenset(german for german, found in meanings.items() if len(found) > 1)
