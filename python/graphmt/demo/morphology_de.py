"""German inflection: articles, adjectives, nouns and verbs."""

from __future__ import annotations

from graphmt.demo.lexicon import Adjective, Noun, lexicon

VOWELS = "aeiouyäöü"
#: Persons in the order of the paradigms: ich, du, er, wir, ihr, sie.
_PERSONS = {(1, "sg"): 0, (2, "sg"): 1, (3, "sg"): 2, (1, "pl"): 3, (2, "pl"): 4, (3, "pl"): 5}
_EIN_WORDS = ("ein", "kein", "mein", "dein", "sein", "ihr", "unser", "euer")


def column(gender: str, number: str) -> int:
    """The column of the article and ending tables."""
    return 3 if number == "pl" else "mfn".index(gender)


def article(word: str, case: str, gender: str, number: str) -> str:
    """A form of ``der``, of ``dies`` and its like, or of ``ein``, ``kein``, ``mein`` and their like."""
    tables = lexicon().paradigms["articles"]
    at = column(gender, number)
    if word in ("der", "relative"):
        return str(tables[word][case][at])
    if word in _EIN_WORDS:
        ending = tables["ein"][case][at]
        # euer loses its e before an ending: eure Mutter.
        return f"eur{ending}" if word == "euer" and ending else f"{word}{ending}"
    return f"{word}{tables['dies'][case][at]}"


def adjective(word: Adjective, determiner: str, case: str, gender: str, number: str) -> str:
    """The attributive form after a determiner (an article's name as above, or empty)."""
    declension = "strong" if not determiner else "mixed" if determiner in _EIN_WORDS else "weak"
    return word.stem + str(lexicon().paradigms["adjectives"][declension][case][column(gender, number)])


def noun(word: Noun, case: str, number: str) -> str:
    """A form of a noun; names do not change except for the genitive."""
    if number == "pl":
        return word.plural + ("n" if case == "dat" and word.plural[-1] not in "ns" else "")
    if "weak" in word.flags and case != "nom":
        return word.lemma + ("n" if word.lemma[-1] in "er" else "en")
    if case == "gen" and (word.gender != "f" or "name" in word.flags):
        return word.lemma + _genitive(word)
    return word.lemma


def _genitive(word: Noun) -> str:
    lemma = word.lemma
    if "name" in word.flags:
        return "s"
    if lemma.endswith(("s", "ß", "z", "x")):
        return "es"
    syllables = sum(
        letter in VOWELS and (i == 0 or lemma[i - 1].lower() not in VOWELS) for i, letter in enumerate(lemma.lower())
    )
    return "es" if syllables == 1 and lemma != "Chef" else "s"


def present(base: str, person: int, number: str) -> str:
    """The present tense of a verb without its prefix."""
    at = _PERSONS[person, number]
    irregular = lexicon().paradigms["irregular"].get(base)
    if irregular:
        return str(irregular["present"][at])
    stem = _stem(base)
    changed = lexicon().german_verbs.get(base, ("", "", ""))[0]
    if changed and at in (1, 2):
        return changed + (_du(changed, "") if at == 1 else "" if changed.endswith("t") else "t")
    e = _linking(stem)
    return (
        # ich wechsle, but ich füttere.
        (f"{stem[:-2]}l" if base.endswith("eln") else stem) + "e",
        stem + _du(stem, e),
        stem + e + "t",
        base,
        stem + e + "t",
        base,
    )[at]


def preterite(base: str, person: int, number: str) -> str:
    """The past tense of a verb without its prefix."""
    at = _PERSONS[person, number]
    modal = lexicon().paradigms["modals"].get(base)
    form = modal["preterite"] if modal else lexicon().german_verbs.get(base, ("", "", ""))[1]
    form = form or f"{_stem(base)}{_linking(_stem(base))}te"
    if form.endswith("te"):
        return form + ("", "st", "", "n", "t", "n")[at]
    hissing = form[-1] in "sßz"
    e = "e" if form[-1] in "dt" or hissing else ""
    return form + ("", f"{e}st", "", "en", ("e" if form[-1] in "dt" else "") + "t", "en")[at]


def participle(base: str, prefix: str = "", particle: str = "") -> str:
    """The past participle: angerufen, besucht, repariert."""
    given = lexicon().german_verbs.get(base, ("", "", ""))[2]
    whole = given or f"ge{_stem(base)}{_linking(_stem(base))}t"
    if prefix or base.endswith("ieren"):
        whole = whole.removeprefix("ge")
    return particle + prefix + whole


def infinitive_with_zu(base: str, prefix: str, particle: str) -> tuple[str, ...]:
    """``zu besuchen`` in two words, ``anzurufen`` in one."""
    return (f"{particle}zu{prefix}{base}",) if particle else ("zu", prefix + base)


def _stem(base: str) -> str:
    return base.removesuffix("en") if base.endswith("en") else base.removesuffix("n")


def _linking(stem: str) -> str:
    """The e that keeps endings apart: arbeitet, öffnet."""
    nasal = stem[-1] in "mn" and stem[-2] not in VOWELS + "mnrlh"
    return "e" if stem[-1] in "dt" or nasal else ""


def _du(stem: str, e: str) -> str:
    return "t" if stem[-1] in "sßzx" else f"{e}st"
