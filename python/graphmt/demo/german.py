"""German word order: the topological fields of a clause.

Vorfeld, left bracket, Mittelfeld, right bracket, Nachfeld: a main clause has its finite verb in the left
bracket and the rest of the verb in the right one; a subordinate clause has a conjunction on the left and all
of the verb on the right. The tree is in the style of Universal Dependencies: content words are heads.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from graphmt.demo import german_phrases as phrases
from graphmt.demo import morphology_de as de
from graphmt.demo.abstract import Argument, Clause, Phrase
from graphmt.demo.lexicon import Frame, Noun, lexicon
from graphmt.demo.words import Slot, Word, attach

#: Places in the Mittelfeld, from left to right.
EXPERIENCER, SUBJECT, ACC_PRONOUN, REFLEXIVE, DAT_PRONOUN, EARLY, TIME = range(7)
OBJECT, NEGATION, GERN, MANNER, PLACE, LATE, CLOSE = range(7, 14)


@dataclass(eq=False)
class Constituent:
    """Words that move together; ``tail`` is a relative clause, which may leave for the Nachfeld."""

    node: object
    rank: tuple[int, int]
    words: list[Word]
    tail: list[Word] = field(default_factory=list)


@dataclass
class Verb:
    """The words of the verb: the finite one, the rest in subordinate order, and the head of the clause."""

    finite: Word | None
    rest: list[Word]
    head: Word


def sentence(clause: Clause, mark: str) -> list[Word]:
    """The words of a whole sentence with its final punctuation mark, capitalised."""
    words, head = _clause(clause)
    words = _thinned(words)
    words.append(Word(mark, mark, "PUNCT", "punct", ((clause, "mark"),), head))
    words[0].form = words[0].form[0].upper() + words[0].form[1:]
    return words


def _clause(clause: Clause) -> tuple[list[Word], Word]:
    verb = _verb(clause)
    head = verb.head
    head.deprel = "root"
    middle = sorted(_constituents(clause, head), key=lambda constituent: constituent.rank)
    opening: list[Word] = []
    closing = verb.rest
    if clause.form in ("sub", "relative", "zu"):
        if clause.conjunction:
            slots = ((clause, "conjunction"),)
            opening = [Word(clause.conjunction, clause.conjunction, "SCONJ", "mark", slots, head)]
        if clause.form == "relative":
            opening = _relative_pronoun(middle).words
        if verb.finite:
            closing = [*closing, verb.finite]
    else:
        assert verb.finite
        if clause.before:
            opening = _enclosed(clause.before, head, "advcl")
        elif clause.form != "yesno":
            moved = _fronted(clause, middle)
            opening = [*moved.words, *moved.tail]
        opening = [*opening, verb.finite]
    late = _nachfeld(clause, head)
    only_particle = [word.deprel for word in closing] == ["compound:prt"]
    if middle and middle[-1].tail and closing and (clause.extraposed or only_particle):
        late = middle[-1].tail + late
        middle[-1].tail = []
    inner = [word for constituent in middle for word in (*constituent.words, *constituent.tail)]
    return [*opening, *inner, *closing, *late], head


def _fronted(clause: Clause, middle: list[Constituent]) -> Constituent:
    for constituent in middle:
        if constituent.node is (clause.front or clause.subject):
            middle.remove(constituent)
            return constituent
    raise AssertionError("the fronted node is no constituent of its clause")


def _relative_pronoun(middle: list[Constituent]) -> Constituent:
    for constituent in middle:
        phrase = constituent.node.phrase if isinstance(constituent.node, Argument) else constituent.node
        if isinstance(phrase, Phrase) and phrase.antecedent:
            middle.remove(constituent)
            return constituent
    raise AssertionError("a relative clause without its pronoun")


def _constituents(clause: Clause, head: Word) -> list[Constituent]:
    found = [_phrase(clause.subject, clause.subject, "nom", "nsubj", head, SUBJECT)] if clause.form != "zu" else []
    if clause.subject.pronoun == "es" and clause.frame and "weather" in clause.frame.flags:
        found[0].words[0].deprel = "expl"
    for order, argument in enumerate(clause.arguments):
        found.append(_argument(clause, argument, order, head))
    for order, adverbial in enumerate(clause.adverbials):
        rank = MANNER if adverbial.classes & {"manner", "loud", "rain", "hard"} else TIME
        found.append(Constituent(adverbial, (rank, order), phrases.adverb(adverbial, adverbial.adverb, head)))
    if clause.negated:
        found.append(_single(clause, "negation", ("nicht", "nicht", "PART"), head, NEGATION))
    if clause.gern:
        found.append(_single(clause, "gern", ("gern", "gern", "ADV"), head, GERN))
    if clause.predicate:
        found.append(Constituent(clause.predicate, (CLOSE, 9), [head]))
    return found


def _single(clause: Clause, role: str, word: tuple[str, str, str], head: Word, rank: int) -> Constituent:
    form, lemma, upos = word
    return Constituent((clause, role), (rank, 0), [Word(form, lemma, upos, "advmod", ((clause, role),), head)])


def _argument(clause: Clause, argument: Argument, order: int, head: Word) -> Constituent:
    complement = argument.complement
    if complement.kind == "refl":
        pronoun = lexicon().paradigms["pronouns"][_as_pronoun(clause.subject)]
        word = Word(pronoun["german"][4], "sich", "PRON", "expl:pv", ((clause, "reflexive"),), head)
        # Erinnern sich die Gäste? But: erinnern sie sich?
        rank = REFLEXIVE if clause.subject.is_pronoun else EXPERIENCER
        return Constituent(argument, (rank, 0), [word])
    if argument.adverb:
        return Constituent(argument, (CLOSE, order), phrases.adverb(argument, argument.adverb, head))
    phrase = argument.phrase
    assert phrase
    if complement.kind in ("acc", "dat"):
        relation = "obj" if complement.kind == "acc" else "iobj"
        return _phrase(argument, phrase, complement.kind, relation, head, _object_rank(clause, phrase, complement.kind))
    preposition, case = phrases.preposition(complement, phrase)
    # Mit dem Zug nach Köln: what could be left out stands before what could not.
    rank = PLACE if complement.optional else CLOSE
    words, noun = phrases.phrase(phrase, case, "obl", head, preposition)
    return Constituent(argument, (rank, order), words, _relative(phrase, noun))


def _object_rank(clause: Clause, phrase: Phrase, kind: str) -> int:
    if clause.frame and "swap" in clause.frame.flags:
        # Warum schmeckte unserem Vater das Gericht?
        return EXPERIENCER
    if phrase.is_pronoun:
        return ACC_PRONOUN if kind == "acc" else DAT_PRONOUN
    if not phrase.is_definite:
        return LATE
    return EARLY if clause.objects_first else OBJECT


def _phrase(node: object, phrase: Phrase, case: str, relation: str, head: Word, rank: int) -> Constituent:
    words, noun = phrases.phrase(phrase, case, relation, head)
    # The dative stands before the accusative among full phrases.
    return Constituent(node, (rank, 0 if case == "dat" else 1), words, _relative(phrase, noun))


def _relative(phrase: Phrase, noun: Word) -> list[Word]:
    return _enclosed(phrase.relative, noun, "acl:relcl") if phrase.relative else []


def _nachfeld(clause: Clause, head: Word) -> list[Word]:
    late: list[Word] = []
    if clause.complement:
        relation = "xcomp" if clause.complement.form == "zu" else "ccomp"
        late += _enclosed(clause.complement, head, relation)
    if clause.after:
        late += _enclosed(clause.after, head, "advcl")
    if clause.joined:
        late += _joined(clause.joined, head)
    return late


def _joined(clause: Clause, head: Word) -> list[Word]:
    words, below = _clause(clause)
    attach(below, head).deprel = "conj"
    conjunction = Word(clause.conjunction, clause.conjunction, "CCONJ", "cc", ((clause, "conjunction"),), below)
    comma = [_comma(clause, below)] if clause.conjunction == "aber" else []
    return [*comma, conjunction, *words]


def _enclosed(clause: Clause, head: Word, relation: str) -> list[Word]:
    words, below = _clause(clause)
    attach(below, head).deprel = relation
    return [_comma(clause, below), *words, _comma(clause, below)]


def _comma(clause: Clause, head: Word) -> Word:
    return Word(",", ",", "PUNCT", "punct", ((clause, "comma"),), head)


def _thinned(words: list[Word]) -> list[Word]:
    """No comma at either end of a sentence, and none beside another."""
    kept: list[Word] = []
    for word in words:
        if not (word.is_comma and (not kept or kept[-1].is_comma)):
            kept.append(word)
    if kept[-1].is_comma:
        kept.pop()
    return kept


def _verb(clause: Clause) -> Verb:
    person, number = phrases.person(clause.subject), clause.subject.agreement
    if clause.frame is None:
        return _copula(clause, person, number)
    frame = clause.frame
    slot = ((clause, "verb"),)
    if clause.form == "zu":
        return _infinitive(clause, frame, slot)
    if clause.modal:
        rest = [Word(frame.lemma, frame.lemma, "VERB", "root", slot)]
        lemma = lexicon().paradigms["modals"][clause.modal]["lemma"]
        form = _finite(clause.modal, clause.tense, person, number)
        return Verb(_auxiliary(clause, "modal", form, lemma, rest[0]), rest, rest[0])
    if clause.tense == "future":
        rest = [Word(frame.lemma, frame.lemma, "VERB", "root", slot)]
        form = de.present("werden", person, number)
        return Verb(_auxiliary(clause, "auxiliary", form, "werden", rest[0]), rest, rest[0])
    if clause.tense == "perfect":
        form = de.participle(frame.base, frame.prefix, frame.particle)
        rest = [Word(form, frame.lemma, "VERB", "root", slot)]
        form = de.present(frame.auxiliary, person, number)
        return Verb(_auxiliary(clause, "auxiliary", form, frame.auxiliary, rest[0]), rest, rest[0])
    form = frame.prefix + _finite(frame.base, clause.tense, person, number)
    if clause.form in ("sub", "relative"):
        finite = Word(frame.particle + form, frame.lemma, "VERB", "root", slot)
        return Verb(finite, [], finite)
    finite = Word(form, frame.lemma, "VERB", "root", slot)
    particle = Word(frame.particle, frame.particle, "ADP", "compound:prt", slot, finite)
    return Verb(finite, [particle] if frame.particle else [], finite)


def _finite(base: str, tense: str, person: int, number: str) -> str:
    return (de.preterite if tense == "preterite" else de.present)(base, person, number)


def _auxiliary(clause: Clause, role: str, form: str, lemma: str, head: Word) -> Word:
    return Word(form, lemma, "AUX", "aux", ((clause, role),), head)


def _infinitive(clause: Clause, frame: Frame, slot: tuple[Slot, ...]) -> Verb:
    forms = de.infinitive_with_zu(frame.base, frame.prefix, frame.particle)
    verb = Word(forms[-1], frame.lemma, "VERB", "root", slot)
    zu = [Word("zu", "zu", "PART", "mark", ((clause, "zu"),), verb)] if len(forms) == 2 else []
    return Verb(None, [*zu, verb], verb)


def _copula(clause: Clause, person: int, number: str) -> Verb:
    predicate = clause.predicate
    assert predicate
    upos = "NOUN" if isinstance(predicate, Noun) else "ADJ"
    form = de.noun(predicate, "nom", number) if isinstance(predicate, Noun) else predicate.lemma
    head = Word(form, predicate.lemma, upos, "root", ((clause, "predicate"),))
    finite = Word(_finite("sein", clause.tense, person, number), "sein", "AUX", "cop", ((clause, "copula"),), head)
    # The predicate is a constituent of the Mittelfeld, so the right bracket is empty.
    return Verb(finite, [], head)


def _as_pronoun(phrase: Phrase) -> str:
    if phrase.pronoun:
        return phrase.pronoun
    return "sie_pl" if phrase.agreement == "pl" else "er"
