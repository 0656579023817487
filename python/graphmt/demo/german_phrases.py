"""German noun phrases, prepositional phrases and adverbials."""

from __future__ import annotations

from graphmt.demo import morphology_de as de
from graphmt.demo.abstract import Phrase
from graphmt.demo.lexicon import Adverb, Complement, lexicon
from graphmt.demo.words import Word, attach

_CASES = {"nom": 0, "acc": 1, "dat": 2}
_QUESTIONS = {"wer": ("wer", "wen", "wem"), "was": ("was", "was", "was")}
_ARTICLES = {"def": "der", "dies": "dies", "indef": "ein", "kein": "kein"}


def person(phrase: Phrase) -> int:
    """The grammatical person."""
    return int(lexicon().paradigms["pronouns"][phrase.pronoun]["person"]) if phrase.pronoun else 3


def gender(phrase: Phrase) -> str:
    """The grammatical gender; plurals have none that shows."""
    if phrase.antecedent:
        return gender(phrase.antecedent)
    return phrase.noun.gender if phrase.noun else "m"


def preposition(complement: Complement, phrase: Phrase) -> tuple[str, str]:
    """The preposition and its case; places and goals choose by their noun."""
    noun = phrase.antecedent.noun if phrase.antecedent else phrase.noun
    if complement.kind in ("at", "to"):
        assert noun
        word = (noun.at if complement.kind == "at" else noun.to)[0]
        return word, "dat" if word == "zu" else complement.case
    return complement.preposition, complement.case


def phrase(node: Phrase, case: str, relation: str, head: Word, before: str = "") -> tuple[list[Word], Word]:
    """The words of a phrase, after a preposition if one is given, and the noun or pronoun that heads it."""
    words, noun, determiner = _inner(node, case)
    attach(noun, head).deprel = relation
    if before:
        words = _with_preposition(node, before, words, noun, determiner)
    if node.partner:
        more, second, _ = _inner(node.partner, case)
        attach(second, noun).deprel = "conj"
        words = [*words, Word("und", "und", "CCONJ", "cc", ((node, "und"),), second), *more]
    return words, noun


def adverb(node: object, entry: Adverb, head: Word) -> list[Word]:
    """The words of an adverbial; each has a slot of its own, named by its place."""
    words = [
        Word(form, lemma, upos, deprel, ((node, str(i)),)) for i, (form, lemma, upos, deprel) in enumerate(entry.words)
    ]
    for word in words[:-1]:
        attach(word, words[-1])
    attach(words[-1], head)
    return words


def _inner(node: Phrase, case: str) -> tuple[list[Word], Word, Word | None]:
    slot = ((node, "noun"),)
    if node.pronoun:
        forms = lexicon().paradigms["pronouns"][node.pronoun]["german"]
        word = Word(forms[_CASES[case]], forms[0], "PRON", "", slot)
        return [word], word, None
    if node.question:
        word = Word(_QUESTIONS[node.question][_CASES[case]], node.question, "PRON", "", slot)
        return [word], word, None
    if node.antecedent:
        form = de.article("relative", case, gender(node), node.antecedent.number)
        word = Word(form, "der", "PRON", "", slot)
        return [word], word, None
    assert node.noun
    upos = "PROPN" if "name" in node.noun.flags else "NOUN"
    noun = Word(de.noun(node.noun, case, node.number), node.noun.lemma, upos, "", slot)
    determiner = _determiner(node, case, noun)
    words = [determiner] if determiner else []
    if node.adjective:
        kind = _article(node)
        form = de.adjective(node.adjective, kind, case, node.noun.gender, node.number)
        words.append(Word(form, node.adjective.lemma, "ADJ", "amod", ((node, "adjective"),), noun))
    words.append(noun)
    if node.owner:
        owner, below, _ = _inner(node.owner, "gen")
        attach(below, noun).deprel = "nmod"
        words += owner
    return words, noun, determiner


def _article(node: Phrase) -> str:
    if node.determiner == "poss":
        return str(lexicon().paradigms["pronouns"][node.possessor]["german"][3])
    if node.determiner == "none" or (node.determiner == "indef" and node.number == "pl"):
        return ""
    return _ARTICLES[node.determiner]


def _determiner(node: Phrase, case: str, noun: Word) -> Word | None:
    article = _article(node)
    if not article:
        return None
    assert node.noun
    form = de.article(article, case, node.noun.gender, node.number)
    lemma = {"dies": "dieser"}.get(article, article)
    relation = "det:poss" if node.determiner == "poss" else "det"
    return Word(form, lemma, "DET", relation, ((node, "determiner"),), noun)


def _with_preposition(node: Phrase, before: str, words: list[Word], noun: Word, determiner: Word | None) -> list[Word]:
    word = Word(before, before, "ADP", "case", ((node, "preposition"),), noun)
    short = lexicon().paradigms["contractions"].get(f"{before} {determiner.form}") if determiner else None
    # A noun that a relative clause points at keeps its article: in dem Haus, das ...
    if short and determiner and node.determiner == "def" and not node.relative:
        word.form = short
        word.slots = (*word.slots, *determiner.slots)
        return [word, *words[1:]]
    return [word, *words]
