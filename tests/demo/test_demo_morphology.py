"""German and English forms against tables from school grammars."""

from __future__ import annotations

import pytest
from by_hand import adjective, noun
from graphmt.demo import morphology_de as de
from graphmt.demo import morphology_en as en
from graphmt.demo.lexicon import lexicon

CASES = ("nom", "acc", "dat", "gen")
GENDERS = (("m", "sg"), ("f", "sg"), ("n", "sg"), ("m", "pl"))

# determiner: forms of "determiner + gut" for masculine, feminine, neuter, plural; one row for each case.
PHRASES = {
    "der": (
        ("der gute", "die gute", "das gute", "die guten"),
        ("den guten", "die gute", "das gute", "die guten"),
        ("dem guten", "der guten", "dem guten", "den guten"),
        ("des guten", "der guten", "des guten", "der guten"),
    ),
    "dies": (
        ("dieser gute", "diese gute", "dieses gute", "diese guten"),
        ("diesen guten", "diese gute", "dieses gute", "diese guten"),
        ("diesem guten", "dieser guten", "diesem guten", "diesen guten"),
        ("dieses guten", "dieser guten", "dieses guten", "dieser guten"),
    ),
    "kein": (
        ("kein guter", "keine gute", "kein gutes", "keine guten"),
        ("keinen guten", "keine gute", "kein gutes", "keine guten"),
        ("keinem guten", "keiner guten", "keinem guten", "keinen guten"),
        ("keines guten", "keiner guten", "keines guten", "keiner guten"),
    ),
    "euer": (
        ("euer guter", "eure gute", "euer gutes", "eure guten"),
        ("euren guten", "eure gute", "euer gutes", "eure guten"),
        ("eurem guten", "eurer guten", "eurem guten", "euren guten"),
        ("eures guten", "eurer guten", "eures guten", "eurer guten"),
    ),
    "": (
        ("guter", "gute", "gutes", "gute"),
        ("guten", "gute", "gutes", "gute"),
        ("gutem", "guter", "gutem", "guten"),
        ("guten", "guter", "guten", "guter"),
    ),
}


@pytest.mark.parametrize("determiner", PHRASES)
def test_determiners_and_adjective_endings(determiner: str) -> None:
    made = tuple(
        tuple(
            f"{de.article(determiner, case, *kind) if determiner else ''}"
            f" {de.adjective(adjective('gut'), determiner, case, *kind)}".strip()
            for kind in GENDERS
        )
        for case in CASES
    )
    assert made == PHRASES[determiner]


@pytest.mark.parametrize(
    ("lemma", "form"), [("teuer", "teure"), ("dunkel", "dunkle"), ("hoch", "hohe"), ("müde", "müde")]
)
def test_adjective_stems(lemma: str, form: str) -> None:
    assert de.adjective(adjective(lemma), "der", "nom", "f", "sg") == form


@pytest.mark.parametrize(
    ("lemma", "case", "number", "form"),
    [
        ("Mann", "gen", "sg", "Mannes"),
        ("Vater", "gen", "sg", "Vaters"),
        ("Chef", "gen", "sg", "Chefs"),
        ("Gast", "gen", "sg", "Gastes"),
        ("Anna", "gen", "sg", "Annas"),
        ("Frau", "gen", "sg", "Frau"),
        ("Student", "acc", "sg", "Studenten"),
        ("Nachbar", "dat", "sg", "Nachbarn"),
        ("Junge", "acc", "sg", "Jungen"),
        ("Kind", "dat", "pl", "Kindern"),
        ("Auto", "dat", "pl", "Autos"),
        ("Frau", "dat", "pl", "Frauen"),
        ("Freund", "dat", "pl", "Freunden"),
        ("Mädchen", "dat", "pl", "Mädchen"),
    ],
)
def test_nouns(lemma: str, case: str, number: str, form: str) -> None:
    assert de.noun(noun(lemma), case, number) == form


# base: ich, du, er, wir, ihr, sie in the present; ich, du, er, wir, ihr, sie in the preterite.
VERBS = {
    "rufen": ("rufe rufst ruft rufen ruft rufen", "rief riefst rief riefen rieft riefen"),
    "nehmen": ("nehme nimmst nimmt nehmen nehmt nehmen", "nahm nahmst nahm nahmen nahmt nahmen"),
    "lesen": ("lese liest liest lesen lest lesen", "las lasest las lasen last lasen"),
    "laden": ("lade lädst lädt laden ladet laden", "lud ludest lud luden ludet luden"),
    "arbeiten": (
        "arbeite arbeitest arbeitet arbeiten arbeitet arbeiten",
        "arbeitete arbeitetest arbeitete arbeiteten arbeitetet arbeiteten",
    ),
    "wechseln": (
        "wechsle wechselst wechselt wechseln wechselt wechseln",
        "wechselte wechseltest wechselte wechselten wechseltet wechselten",
    ),
    "regnen": (
        "regne regnest regnet regnen regnet regnen",
        "regnete regnetest regnete regneten regnetet regneten",
    ),
    "wissen": ("weiß weißt weiß wissen wisst wissen", "wusste wusstest wusste wussten wusstet wussten"),
    "sein": ("bin bist ist sind seid sind", "war warst war waren wart waren"),
    "haben": ("habe hast hat haben habt haben", "hatte hattest hatte hatten hattet hatten"),
    "können": ("kann kannst kann können könnt können", "konnte konntest konnte konnten konntet konnten"),
    "sitzen": ("sitze sitzt sitzt sitzen sitzt sitzen", "saß saßest saß saßen saßt saßen"),
}
PERSONS = ((1, "sg"), (2, "sg"), (3, "sg"), (1, "pl"), (2, "pl"), (3, "pl"))


@pytest.mark.parametrize("base", VERBS)
def test_verbs(base: str) -> None:
    assert " ".join(de.present(base, *person) for person in PERSONS) == VERBS[base][0]
    assert " ".join(de.preterite(base, *person) for person in PERSONS) == VERBS[base][1]


@pytest.mark.parametrize(
    ("prefix", "particle", "base", "participle", "with_zu"),
    [
        ("", "", "kaufen", "gekauft", "zu kaufen"),
        ("", "an", "rufen", "angerufen", "anzurufen"),
        ("be", "", "suchen", "besucht", "zu besuchen"),
        ("ver", "", "gessen", "vergessen", "zu vergessen"),
        ("ge", "", "hören", "gehört", "zu gehören"),
        ("", "", "reparieren", "repariert", "zu reparieren"),
        ("", "an", "probieren", "anprobiert", "anzuprobieren"),
        ("", "ein", "kaufen", "eingekauft", "einzukaufen"),
        ("", "", "arbeiten", "gearbeitet", "zu arbeiten"),
        ("", "auf", "essen", "aufgegessen", "aufzuessen"),
    ],
)
def test_participles_and_infinitives(prefix: str, particle: str, base: str, participle: str, with_zu: str) -> None:
    assert de.participle(base, prefix, particle) == participle
    assert " ".join(de.infinitive_with_zu(base, prefix, particle)) == with_zu


@pytest.mark.parametrize(
    ("base", "third", "past", "gerund"),
    [
        ("call", "calls", "called", "calling"),
        ("try", "tries", "tried", "trying"),
        ("play", "plays", "played", "playing"),
        ("watch", "watches", "watched", "watching"),
        ("go", "goes", "went", "going"),
        ("have", "has", "had", "having"),
        ("lie", "lies", "lay", "lying"),
        ("put", "puts", "put", "putting"),
        ("shop", "shops", "shopped", "shopping"),
        ("cancel", "cancels", "cancelled", "cancelling"),
        ("listen", "listens", "listened", "listening"),
        ("transfer", "transfers", "transferred", "transferring"),
        ("examine", "examines", "examined", "examining"),
        ("peel", "peels", "peeled", "peeling"),
        ("fix", "fixes", "fixed", "fixing"),
        ("show", "shows", "showed", "showing"),
    ],
)
def test_english_verbs(base: str, third: str, past: str, gerund: str) -> None:
    assert (en.third_person(base), en.past(base), en.gerund(base)) == (third, past, gerund)


@pytest.mark.parametrize(
    ("following", "article"),
    [
        ("apple", "an"),
        ("dog", "a"),
        ("old", "an"),
        ("umbrella", "an"),
        ("university", "a"),
        ("useful", "a"),
        ("hour", "an"),
        ("honest", "an"),
        ("house", "a"),
        ("European", "a"),
        ("one", "a"),
        ("onion", "an"),
    ],
)
def test_a_or_an(following: str, article: str) -> None:
    assert en.indefinite(following) == article


@pytest.mark.parametrize(
    ("lemma", "plural"),
    [
        ("Frau", "women"),
        ("Haustür", "front doors"),
        ("Kiste", "boxes"),
        ("Dieb", "thieves"),
        ("Schaf", "sheep"),
        ("Foto", "photos"),
        ("Kartoffel", "potatoes"),
        ("Geschichte", "stories"),
        ("Handy", "mobile phones"),
    ],
)
def test_english_plurals(lemma: str, plural: str) -> None:
    assert " ".join(en.plural(noun(lemma))) == plural


def test_lexicon() -> None:
    assert lexicon().size >= 300
    assert {"Bank", "Schloss", "Strauß", "Kiefer", "Leiter", "Gericht"} <= lexicon().ambiguous_nouns
    assert {"anziehen", "umziehen", "ausgehen", "aufgeben", "einladen"} <= lexicon().ambiguous_verbs
    classes = {name for entry in lexicon().nouns for name in entry.classes} | {"weather"}
    asked = {name for f in lexicon().frames for name in f.subject}
    asked |= {n for f in lexicon().frames for c in f.arguments if c.kind not in ("clause", "manner") for n in c.classes}
    assert asked <= classes
    kinds = {kind for entry in lexicon().adjectives for kind in entry.kinds}
    assert kinds <= {entry.kind for entry in lexicon().nouns}
    for entry in lexicon().nouns:
        if entry.classes & {
            name for f in lexicon().frames for c in f.arguments if c.kind == "at" for name in c.classes
        }:
            assert entry.at[0], entry.lemma
