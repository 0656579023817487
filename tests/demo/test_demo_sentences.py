"""Every construction of the demo grammar: trees written by hand, and the pairs they must give.

A link is sure (i-j) or possible (ipj), counted from 0.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from by_hand import (
    a,
    adjective,
    and_,
    bare,
    clause,
    early,
    frame,
    fronted,
    infinitive,
    noun,
    pronoun,
    relative,
    said,
    the,
    when,
    whose,
)
from graphmt.demo.abstract import Clause, Phrase

CALL = frame("anrufen", "call")

Row = tuple[str, Callable[[], Clause], str, str, str]
ROWS: list[Row] = [
    (
        "separable verb, tense by adverb",
        lambda: clause(CALL, pronoun("er"), whose("er", "Schwester"), adverbials=[when("morgen")], objects_first=True),
        "Er ruft seine Schwester morgen an .",
        "He will call his sister tomorrow .",
        "0-0 1p1 1-2 2-3 3-4 4-5 5p1 5-2 6-6",
    ),
    (
        "right now",
        lambda: clause(CALL, the("Mann"), the("Ärztin"), adverbials=[when("gerade")], objects_first=True),
        "Der Mann ruft die Ärztin gerade an .",
        "The man is calling the doctor right now .",
        "0-0 1-1 2p2 2-3 3-4 4-5 5-6 5-7 6p2 6-3 7-8",
    ),
    (
        "habit before the verb",
        lambda: clause(CALL, pronoun("sie"), whose("sie", "Vater"), adverbials=[when("oft")], objects_first=True),
        "Sie ruft ihren Vater oft an .",
        "She often calls her father .",
        "0-0 1-2 2-3 3-4 4-1 5-2 6-5",
    ),
    (
        "perfect",
        lambda: clause(CALL, pronoun("sie"), whose("sie", "Bruder"), tense="perfect", adverbials=[when("gestern")]),
        "Sie hat gestern ihren Bruder angerufen .",
        "She called her brother yesterday .",
        "0-0 1p1 2-4 3-2 4-3 5-1 6-5",
    ),
    (
        "preterite, weak noun",
        lambda: clause(CALL, the("Frau"), the("Junge"), tense="preterite"),
        "Die Frau rief den Jungen an .",
        "The woman called the boy .",
        "0-0 1-1 2-2 3-3 4-4 5-2 6-5",
    ),
    (
        "perfect with sein",
        lambda: clause(frame("umziehen", "move"), the("Nachbarin"), bare("Wien"), tense="perfect"),
        "Die Nachbarin ist nach Wien umgezogen .",
        "The neighbour moved to Vienna .",
        "0-0 1-1 2p2 3-3 4-4 5-2 6-5",
    ),
    (
        "reflexive",
        lambda: clause(frame("umziehen", "get changed"), the("Gast"), tense="perfect"),
        "Der Gast hat sich umgezogen .",
        "The guest got changed .",
        "0-0 1-1 2p2 3p2 4-2 4-3 5-4",
    ),
    (
        "modal with to",
        lambda: clause(CALL, pronoun("ich"), the("Arzt"), modal="müssen"),
        "Ich muss den Arzt anrufen .",
        "I have to call the doctor .",
        "0-0 1-1 1-2 2-4 3-5 4-3 5-6",
    ),
    (
        "modal, denied, in one word",
        lambda: clause(CALL, pronoun("wir"), the("Arzt"), modal="können", negated=True),
        "Wir können den Arzt nicht anrufen .",
        "We cannot call the doctor .",
        "0-0 1-1 2-3 3-4 4-1 5-2 6-5",
    ),
    (
        "may not",
        lambda: clause(CALL, pronoun("du"), the("Arzt"), modal="dürfen", negated=True),
        "Du darfst den Arzt nicht anrufen .",
        "You must not call the doctor .",
        "0-0 1-1 2-4 3-5 4-2 5-3 6-6",
    ),
    (
        "future",
        lambda: clause(frame("zumachen", "close"), pronoun("ihr"), the("Fenster"), tense="future"),
        "Ihr werdet das Fenster zumachen .",
        "You will close the window .",
        "0-0 1-1 2-3 3-4 4-2 5-5",
    ),
    (
        "do-support",
        lambda: clause(frame("kennen", "know"), the("Junge"), the("Lehrer"), negated=True),
        "Der Junge kennt den Lehrer nicht .",
        "The boy does not know the teacher .",
        "0-0 1-1 2p2 2-4 3-5 4-6 5-3 6-7",
    ),
    (
        "kein",
        lambda: clause(frame("kaufen", "buy"), pronoun("er"), the("Apfel", determiner="kein"), tense="perfect"),
        "Er hat keinen Apfel gekauft .",
        "He did not buy an apple .",
        "0-0 1-1 2-2 2-4 3-5 4p1 4-3 5-6",
    ),
    (
        "kein of many",
        lambda: clause(
            frame("lesen", "read"),
            pronoun("sie_pl"),
            the("Buch", determiner="kein", number="pl"),
            tense="preterite",
        ),
        "Sie lasen keine Bücher .",
        "They did not read any books .",
        "0-0 1p1 1-3 2-2 2-4 3-5 4-6",
    ),
    (
        "fronted object",
        lambda: fronted(clause(frame("schreiben", "write"), pronoun("ich"), the("Brief"), tense="perfect"), 0),
        "Den Brief habe ich geschrieben .",
        "I wrote the letter .",
        "0-2 1-3 2p1 3-0 4-1 5-4",
    ),
    (
        "fronted adverbial",
        lambda: early(clause(CALL, the("Koch"), a("Freund")), "morgen"),
        "Morgen ruft der Koch einen Freund an .",
        "Tomorrow the cook will call a friend .",
        "0-0 1p3 1-4 2-1 3-2 4-5 5-6 6p3 6-4 7-7",
    ),
    (
        "comment",
        lambda: early(
            clause(frame("verlieren", "lose"), pronoun("du"), whose("du", "Schlüssel"), tense="perfect"),
            "leider",
        ),
        "Leider hast du deinen Schlüssel verloren .",
        "Unfortunately , you lost your key .",
        "0-0 1p3 2-2 3-4 4-5 5-3 6-6",
    ),
    (
        "question",
        lambda: clause(frame("verstehen", "understand"), pronoun("du"), the("Frage"), form="yesno"),
        "Verstehst du die Frage ?",
        "Do you understand the question ?",
        "0p0 0-2 1-1 2-3 3-4 4-5",
    ),
    (
        "who",
        lambda: fronted(
            clause(frame("schreiben", "write"), Phrase(question="wer"), the("Brief"), form="wh", tense="perfect"),
            None,
        ),
        "Wer hat den Brief geschrieben ?",
        "Who wrote the letter ?",
        "0-0 1p1 2-2 3-3 4-1 5-4",
    ),
    (
        "whom",
        lambda: fronted(clause(CALL, pronoun("du"), Phrase(question="wer"), form="wh", tense="perfect"), 0),
        "Wen hast du angerufen ?",
        "Who did you call ?",
        "0-0 1-1 2-2 3p1 3-3 4-4",
    ),
    (
        "stranded preposition",
        lambda: fronted(clause(frame("warten", "wait"), the("Kind"), Phrase(question="wer"), form="wh"), 0),
        "Auf wen wartet das Kind ?",
        "Who is the child waiting for ?",
        "0-5 1-0 2p1 2-4 3-2 4-3 5-6",
    ),
    (
        "dative and accusative",
        lambda: clause(
            frame("schenken", "give"),
            the("Tante"),
            the("Kind", number="pl"),
            a("Buch", adjective=adjective("neu")),
            tense="perfect",
        ),
        "Die Tante hat den Kindern ein neues Buch geschenkt .",
        "The aunt gave the children a new book .",
        "0-0 1-1 2p2 3-3 4-4 5-5 6-6 7-7 8-2 9-8",
    ),
    (
        "dative with a preposition in English",
        lambda: clause(frame("vorstellen", "introduce"), pronoun("er"), whose("er", "Freundin"), the("Chef")),
        "Er stellt dem Chef seine Freundin vor .",
        "He is introducing his friend to the boss .",
        "0-0 1p1 1-2 1p5 2p5 2-6 3p5 3-7 4-3 5-4 6p1 6-2 6p5 7-8",
    ),
    (
        "swapped",
        lambda: clause(frame("gefallen", "like"), the("Bild", adjective=adjective("groß", "big")), the("König")),
        "Das große Bild gefällt dem König .",
        "The king likes the big picture .",
        "0-3 1-4 2-5 3-2 4-0 5-1 6-6",
    ),
    (
        "particle after a pronoun",
        lambda: clause(frame("abholen", "pick~up"), the("Mutter", "mother"), pronoun("wir"), tense="future"),
        "Die Mutter wird uns abholen .",
        "The mother will pick us up .",
        "0-0 1-1 2-2 3-4 4-3 4-5 5-6",
    ),
    (
        "compound",
        lambda: clause(frame("abschließen", "lock"), the("Kellnerin"), the("Haustür"), tense="perfect"),
        "Die Kellnerin hat die Haustür abgeschlossen .",
        "The waitress locked the front door .",
        "0-0 1-1 2p2 3-3 4-4 4-5 5-2 6-6",
    ),
    (
        "owner",
        lambda: clause(
            frame("reparieren", "repair"),
            the("Mechaniker"),
            the("Fahrrad", owner=whose("ich", "Vater")),
            tense="perfect",
        ),
        "Der Mechaniker hat das Fahrrad meines Vaters repariert .",
        "The mechanic repaired my father 's bicycle .",
        "0-0 1-1 2p2 3p5 4-6 5-3 6-4 6p5 7-2 8-7",
    ),
    (
        "contraction",
        lambda: clause(frame("arbeiten", "work", "at"), the("Gärtner"), the("Hotel")),
        "Der Gärtner arbeitet im Hotel .",
        "The gardener is working in the hotel .",
        "0-0 1-1 2p2 2-3 3-4 3-5 4-6 5-7",
    ),
    (
        "by train",
        lambda: clause(frame("fahren", "go"), the("Student", number="pl"), bare("Köln"), the("Zug"), tense="perfect"),
        "Die Studenten sind mit dem Zug nach Köln gefahren .",
        "The students went to Cologne by train .",
        "0-0 1-1 2p2 3-5 5-6 6-3 7-4 8-2 9-7",
    ),
    (
        "a bench",
        lambda: clause(frame("sitzen", "sit"), the("Großmutter"), the("Bank", "bench"), tense="preterite"),
        "Die Großmutter saß auf der Bank .",
        "The grandmother sat on the bench .",
        "0-0 1-1 2-2 3-3 4-4 5-5 6-6",
    ),
    (
        "a bank",
        lambda: clause(frame("arbeiten", "work", "bei"), the("Frau"), a("Bank", "bank")),
        "Die Frau arbeitet bei einer Bank .",
        "The woman works for a bank .",
        "0-0 1-1 2-2 3-3 4-4 5-5 6-6",
    ),
    (
        "put on",
        lambda: clause(
            frame("anziehen", "put~on"),
            the("Kind"),
            the("Mantel", adjective=adjective("warm")),
            tense="perfect",
        ),
        "Das Kind hat den warmen Mantel angezogen .",
        "The child put on the warm coat .",
        "0-0 1-1 2p2 3-4 4-5 5-6 6-2 6-3 7-7",
    ),
    (
        "tighten",
        lambda: clause(frame("anziehen", "tighten"), the("Mann"), the("Schraube"), tense="perfect"),
        "Der Mann hat die Schraube angezogen .",
        "The man tightened the screw .",
        "0-0 1-1 2p2 3-3 4-4 5-2 6-5",
    ),
    (
        "attract",
        lambda: clause(frame("anziehen", "attract"), the("Museum"), the("Tourist", number="pl")),
        "Das Museum zieht die Touristen an .",
        "The museum attracts the tourists .",
        "0-0 1-1 2-2 3-3 4-4 5-2 6-5",
    ),
    (
        "dass",
        lambda: and_(
            clause(frame("glauben", "believe"), pronoun("sie")),
            complement=clause(
                frame("zurückkommen", "come back"),
                pronoun("er"),
                form="sub",
                conjunction="dass",
                adverbials=[when("morgen")],
            ),
        ),
        "Sie glaubt , dass er morgen zurückkommt .",
        "She believes that he will come back tomorrow .",
        "0-0 1-1 3-2 4-3 5-7 6p4 6-5 6-6 7-8",
    ),
    (
        "ob",
        lambda: and_(
            clause(frame("wissen", "know"), pronoun("ich"), negated=True),
            complement=clause(frame("ankommen", "arrive"), the("Zug"), form="sub", conjunction="ob", tense="perfect"),
        ),
        "Ich weiß nicht , ob der Zug angekommen ist .",
        "I do not know whether the train arrived .",
        "0-0 1p1 1-3 2-2 4-4 5-5 6-6 7-7 8p7 9-8",
    ),
    (
        "zu in one word",
        lambda: infinitive(
            "versuchen", "try", clause(frame("aufmachen", "open"), pronoun("er"), the("Fenster"), form="zu")
        ),
        "Er versucht , das Fenster aufzumachen .",
        "He is trying to open the window .",
        "0-0 1p1 1-2 3-5 4-6 5p3 5-4 6-7",
    ),
    (
        "zu in two words",
        lambda: infinitive(
            "beschließen",
            "decide",
            clause(frame("besuchen", "visit"), pronoun("er"), whose("er", "Tante"), form="zu"),
            tense="perfect",
        ),
        "Er hat beschlossen , seine Tante zu besuchen .",
        "He decided to visit his aunt .",
        "0-0 1p1 2-1 4-4 5-5 6-2 7p2 7-3 8-6",
    ),
    (
        "weil",
        lambda: and_(
            clause(frame("bleiben", "stay"), the("Junge"), the("Garten"), tense="preterite"),
            after=Clause(
                None,
                pronoun("er"),
                form="sub",
                conjunction="weil",
                tense="preterite",
                predicate=adjective("müde"),
            ),
        ),
        "Der Junge blieb im Garten , weil er müde war .",
        "The boy stayed in the garden because he was tired .",
        "0-0 1-1 2-2 3-3 3-4 4-5 6-6 7-7 8-9 9-8 10-10",
    ),
    (
        "wenn, first",
        lambda: and_(
            clause(frame("bestellen", "order"), pronoun("wir"), bare("Tee"), tense="future"),
            before=clause(frame("regnen", "rain"), pronoun("es"), form="sub", conjunction="wenn"),
        ),
        "Wenn es regnet , werden wir Tee bestellen .",
        "If it rains , we will order tea .",
        "0-0 1-1 2-2 3-3 4-5 5-4 6-7 7-6 8-8",
    ),
    (
        "relative clause, extraposed",
        lambda: clause(
            CALL,
            pronoun("sie"),
            relative(
                the("Lehrer"),
                lambda who: clause(frame("kennen", "know"), whose("sie", "Mutter"), who, form="relative"),
            ),
            tense="perfect",
            extraposed=True,
        ),
        "Sie hat den Lehrer angerufen , den ihre Mutter kennt .",
        "She called the teacher whom her mother knows .",
        "0-0 1p1 2-2 3-3 4-1 6-4 7-5 8-6 9-7 10-8",
    ),
    (
        "relative clause, inside",
        lambda: clause(
            frame("schlafen", "sleep", "auf"),
            relative(
                the("Katze"),
                lambda who: clause(
                    frame("streicheln", "stroke"), the("Mädchen"), who, form="relative", tense="perfect"
                ),
            ),
            the("Sofa"),
        ),
        "Die Katze , die das Mädchen gestreichelt hat , schläft auf dem Sofa .",
        "The cat that the girl stroked is sleeping on the sofa .",
        "0-0 1-1 3-2 4-3 5-4 6-5 7p5 9p6 9-7 10-8 11-9 12-10 13-11",
    ),
    (
        "relative clause with a preposition",
        lambda: clause(
            frame("verkaufen", "sell"),
            the("Firma"),
            relative(
                the("Bank", "bench"),
                lambda it: clause(
                    frame("sitzen", "sit"), the("Frau", number="pl"), it, form="relative", tense="preterite"
                ),
            ),
            tense="preterite",
        ),
        "Die Firma verkaufte die Bank , auf der die Frauen saßen .",
        "The company sold the bench on which the women sat .",
        "0-0 1-1 2-2 3-3 4-4 6-5 7-6 8-7 9-8 10-9 11-10",
    ),
    (
        "gern",
        lambda: clause(frame("essen", "eat"), the("Kind"), the("Apfel", determiner="indef", number="pl"), gern=True),
        "Das Kind isst gern Äpfel .",
        "The child likes to eat apples .",
        "0-0 1-1 2p3 2-4 3-2 3p3 4-5 5-6",
    ),
    (
        "joined, denied",
        lambda: and_(
            clause(frame("weinen", "cry"), the("Mädchen")),
            joined=clause(frame("helfen", "help"), the("Lehrer"), pronoun("sie"), conjunction="aber", negated=True),
        ),
        "Das Mädchen weint , aber der Lehrer hilft ihr nicht .",
        "The girl is crying , but the teacher is not helping her .",
        "0-0 1-1 2p2 2-3 3-4 4-5 5-6 6-7 7p8 7-10 8-11 9-9 10-12",
    ),
    (
        "profession",
        lambda: Clause(None, bare("Anna"), predicate=noun("Künstlerin")),
        "Anna ist Künstlerin .",
        "Anna is an artist .",
        "0-0 1-1 2p2 2-3 3-4",
    ),
]


@pytest.mark.parametrize(("make", "source", "target", "links"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_pair(make: Callable[[], Clause], source: str, target: str, links: str) -> None:
    tree = make()
    assert said(tree, "?" if tree.form in ("yesno", "wh") else ".") == (source, target, links)


def test_the_documentation_shows_these_pairs() -> None:
    page = Path(__file__).parent.parent.parent / "docs" / "reference" / "demo-corpus.md"
    rows = [line.split("|") for line in page.read_text(encoding="utf-8").splitlines() if line[:1] == "|"]
    shown = [(source.strip(), target.strip()) for _, _, source, target, _ in rows[2:]]
    assert len(shown) >= 20
    assert set(shown) <= {row[2:4] for row in ROWS}
