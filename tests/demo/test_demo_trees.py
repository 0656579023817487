"""The German trees, in the style of Universal Dependencies: word, head, relation."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from by_hand import and_, bare, clause, frame, infinitive, noun, pronoun, relative, the, whose
from graphmt.demo import german
from graphmt.demo.abstract import Clause
from graphmt.demo.tree import Tree

CALL = frame("anrufen", "call")
TREES = [
    (
        lambda: clause(CALL, pronoun("er"), whose("er", "Schwester")),
        "Er:ruft:nsubj ruft::root seine:Schwester:det:poss Schwester:ruft:obj an:ruft:compound:prt .:ruft:punct",
    ),
    (
        lambda: clause(CALL, pronoun("ich"), the("Arzt"), modal="müssen"),
        "Ich:anrufen:nsubj muss:anrufen:aux den:Arzt:det Arzt:anrufen:obj anrufen::root .:anrufen:punct",
    ),
    (
        lambda: clause(frame("sitzen", "sit"), the("Frau"), the("Bank", "bench")),
        "Die:Frau:det Frau:sitzt:nsubj sitzt::root auf:Bank:case der:Bank:det Bank:sitzt:obl .:sitzt:punct",
    ),
    (
        lambda: Clause(None, bare("Anna"), predicate=noun("Künstlerin")),
        "Anna:Künstlerin:nsubj ist:Künstlerin:cop Künstlerin::root .:Künstlerin:punct",
    ),
    (
        lambda: and_(
            clause(frame("glauben", "believe"), pronoun("sie")),
            complement=clause(frame("zurückkommen", "come back"), pronoun("er"), form="sub", conjunction="dass"),
        ),
        "Sie:glaubt:nsubj glaubt::root ,:zurückkommt:punct dass:zurückkommt:mark er:zurückkommt:nsubj"
        " zurückkommt:glaubt:ccomp .:glaubt:punct",
    ),
    (
        lambda: infinitive("versuchen", "try", clause(CALL, pronoun("er"), pronoun("sie"), form="zu")),
        "Er:versucht:nsubj versucht::root ,:anzurufen:punct sie:anzurufen:obj anzurufen:versucht:xcomp"
        " .:versucht:punct",
    ),
]


@pytest.mark.parametrize(("make", "expected"), TREES)
def test_tree(make: Callable[[], Clause], expected: str) -> None:
    words = german.sentence(make(), ".")
    assert " ".join(f"{w.form}:{w.head.form if w.head else ''}:{w.deprel}" for w in words) == expected


def test_an_extraposed_relative_clause_makes_the_tree_non_projective() -> None:
    def sentence(extraposed: bool) -> list[int]:
        noun_phrase = relative(
            the("Lehrer"),
            lambda who: clause(frame("kennen", "know"), whose("ich", "Mutter"), who, form="relative"),
        )
        words = german.sentence(clause(CALL, pronoun("sie"), noun_phrase, tense="perfect", extraposed=extraposed), ".")
        return [words.index(w.head) if w.head else -1 for w in words]

    def tree(heads: list[int]) -> Tree:
        blank = tuple("_" for _ in heads)
        return Tree(blank, blank, blank, tuple(heads), blank)

    # Sie hat den Lehrer angerufen , den meine Mutter kennt .
    assert sentence(True) == [4, 4, 3, 4, -1, 9, 9, 8, 9, 3, 4]
    assert not tree(sentence(True)).is_projective()
    # Sie hat den Lehrer , den meine Mutter kennt , angerufen .
    assert sentence(False) == [10, 10, 3, 10, 8, 8, 7, 8, 3, 8, -1, 10]
    assert tree(sentence(False)).is_projective()


def test_conllu() -> None:
    tree = Tree(("Er", "schläft"), ("er", "schlafen"), ("PRON", "VERB"), (1, -1), ("nsubj", "root"))
    assert tree.to_conllu(("sent_id = 1",)) == (
        "# sent_id = 1\n# text = Er schläft\n"
        "1\tEr\ter\tPRON\t_\t_\t2\tnsubj\t_\t_\n2\tschläft\tschlafen\tVERB\t_\t_\t0\troot\t_\t_\n\n"
    )
