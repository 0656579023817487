"""English word order: subject, verb, objects, adverbials; auxiliaries, do-support and inversion."""

from __future__ import annotations

from dataclasses import dataclass

from graphmt.demo import english_phrases as phrases
from graphmt.demo import morphology_en as en
from graphmt.demo.abstract import Adverbial, Argument, Clause, Phrase
from graphmt.demo.german_phrases import person
from graphmt.demo.lexicon import Noun, lexicon
from graphmt.demo.words import Slot, Target


@dataclass
class Place:
    """A place after the verb: a preposition (or none) and a phrase, or an adverb."""

    argument: Argument | None
    phrase: Phrase | None
    preposition: list[Target]
    role: str = "object"
    bare: bool = False

    @property
    def is_setting(self) -> bool:
        """Whether it only says where, so that adverbs of manner come before it."""
        return self.argument is not None and self.argument.complement.kind == "at" and self.argument.complement.optional


@dataclass
class Verb:
    """An operator that can stand before the subject, and the rest; ``particle`` may follow a pronoun."""

    operator: Target | None
    rest: list[Target]
    particle: list[Target]


def sentence(node: Clause, mark: str) -> list[Target]:
    """The words of a whole sentence with its final punctuation mark, capitalised."""
    words = [*clause(node), Target(mark, ((node, "mark"),))]
    words[0].form = words[0].form[0].upper() + words[0].form[1:]
    return words


def clause(node: Clause) -> list[Target]:
    """The words of a clause with its conjunction and the clauses below it."""
    subject, places = _roles(node)
    moved = _moved(node, subject, places)
    opening = _opening(node, moved)
    asked_subject = subject.question != ""
    inverted = node.form in ("yesno", "wh") and not asked_subject
    verb = _verb(node, subject, inverted)
    start: list[Target] = []
    if node.form != "zu" and not (moved and moved.phrase is subject):
        start = _phrase(subject, "subject")
    early = _adverbs(node, "pre")
    negation = _negation(node)
    if inverted:
        assert verb.operator
        start = [verb.operator, *start, *negation, *early]
    elif verb.operator:
        start = [*start, verb.operator, *negation, *early]
    else:
        start = [*start, *early]
    kept = [place for place in places if place is not moved]
    objects = [place for place in kept if not place.is_setting]
    settings = [word for place in kept if place.is_setting for word in _placed(place)]
    stranded = moved.preposition if moved and node.form == "wh" else []
    middle = [*_with_particle(verb, objects), *stranded]
    # Manner, place, time: he worked hard in the garden yesterday.
    late = [*_adverbs(node, "end", timed=False), *settings, *_adverbs(node, "end", timed=True)]
    return [*opening, *start, *middle, *late, *_below(node)]


def _roles(node: Clause) -> tuple[Phrase, list[Place]]:
    """The English subject and what follows the verb; some verbs swap them (es gefällt mir: I like it)."""
    places = [_place(node, argument) for argument in node.arguments if argument.complement.kind != "refl"]
    if node.frame and "swap" in node.frame.flags:
        liked = Place(None, node.subject, [])
        subject = places[0].phrase
        assert subject
        return subject, [liked, *places[1:]]
    return node.subject, places


def _place(node: Clause, argument: Argument) -> Place:
    complement, phrase = argument.complement, argument.phrase
    if phrase is None:
        return Place(argument, None, [])
    word = complement.english
    sure: tuple[Slot, ...] = ((phrase, "preposition"),)
    possible: tuple[Slot, ...] = ()
    if complement.kind in ("at", "to"):
        noun = phrase.antecedent.noun if phrase.antecedent else phrase.noun
        assert noun
        word = (noun.at if complement.kind == "at" else noun.to)[1]
    elif complement.kind == "acc":
        # The preposition belongs to the English verb: suchen is look for.
        sure = ((node, "verb"),)
    elif complement.kind == "dat":
        # Where English says to, German has a case, which shows on the article.
        sure, possible = (), ((phrase, "determiner"), (phrase, "noun"), (node, "verb"))
    preposition = [Target(form, sure, possible) for form in word.split()]
    return Place(argument, phrase, preposition, bare=complement.bare)


def _moved(node: Clause, subject: Phrase, places: list[Place]) -> Place | None:
    """The place that a relative pronoun or a question word fills."""
    if subject.antecedent or subject.question:
        return Place(None, subject, [], role="subject")
    for place in places:
        if place.phrase and (place.phrase.antecedent or place.phrase.question):
            return place
    return None


def _opening(node: Clause, moved: Place | None) -> list[Target]:
    if node.before:
        return [*clause(node.before), Target(",", ((node.before, "comma"),))]
    if moved and moved.phrase:
        return _pronoun(node, moved, moved.phrase)
    if node.form == "zu":
        return []
    if node.conjunction:
        english = _conjunction(node)
        comma = [Target(",", ((node, "comma"),))] if node.conjunction in ("aber", "und") else []
        return [*comma, Target(english, ((node, "conjunction"),))]
    return _front(node)


def _pronoun(node: Clause, moved: Place, phrase: Phrase) -> list[Target]:
    if phrase.question:
        return phrases.phrase(phrase, "subject")
    assert phrase.antecedent
    after = bool(moved.preposition)
    form = phrases.relative_pronoun(phrase.antecedent, moved.role, after_preposition=after)
    return [*moved.preposition, Target(form, ((phrase, "noun"),))]


def _conjunction(node: Clause) -> str:
    if node.conjunction in ("aber", "und"):
        return {"aber": "but", "und": "and"}[node.conjunction]
    if node.conjunction == "wenn" and node.habitual:
        return "when"
    return str(lexicon().paradigms["conjunctions"][node.conjunction])


def _front(node: Clause) -> list[Target]:
    """English fronts an adverbial that German fronts, if it can; objects it never does."""
    front = node.front
    if not isinstance(front, Adverbial) or not _goes_first(node, front):
        return []
    words = phrases.adverb(front, front.adverb)
    return [*words, Target(",")] if front.adverb.english[0] in ("unfortunately", "hopefully") else words


def _goes_first(node: Clause, adverbial: Adverbial) -> bool:
    return adverbial is node.front and "front" in adverbial.adverb.place


def _adverbs(node: Clause, place: str, *, timed: bool | None = None) -> list[Target]:
    found = [a for a in node.adverbials if place in a.adverb.place and not _goes_first(node, a)]
    if timed is not None:
        found = [a for a in found if bool(a.classes & {"past", "future", "now", "habit"}) == timed]
    return [word for adverbial in found for word in phrases.adverb(adverbial, adverbial.adverb)]


def _negation(node: Clause) -> list[Target]:
    slots: tuple[Slot, ...] = ((node, "negation"),) if node.negated else ()
    if node.denied:
        slots = (*slots, (node.denied, "determiner"))
    return [Target("not", slots)] if slots and _operator_needed(node) and not _is_cannot(node) else []


def _operator_needed(node: Clause) -> bool:
    return node.negated or node.denied is not None


def _is_cannot(node: Clause) -> bool:
    return _operator_needed(node) and node.modal == "können" and node.tense == "present"


def _placed(place: Place) -> list[Target]:
    if place.argument and place.argument.adverb:
        return phrases.adverb(place.argument, place.argument.adverb)
    assert place.phrase
    return [*place.preposition, *_phrase(place.phrase, place.role, place.bare)]


def _phrase(node: Phrase, role: str, bare: bool = False) -> list[Target]:
    return [*phrases.phrase(node, role, bare=bare), *(clause(node.relative) if node.relative else ())]


def _with_particle(verb: Verb, places: list[Place]) -> list[Target]:
    first = places[0] if places else None
    words = [word for place in places for word in _placed(place)]
    if verb.particle and first and first.phrase and first.phrase.is_pronoun and not first.preposition:
        return [*verb.rest, words[0], *verb.particle, *words[1:]]
    return [*verb.rest, *verb.particle, *words]


def _below(node: Clause) -> list[Target]:
    words: list[Target] = []
    for below in (node.complement, node.after, node.joined):
        if below:
            comma = [Target(",", ((below, "comma"),))] if below.conjunction == "obwohl" else []
            words += [*comma, *clause(below)]
    return words


def _verb(node: Clause, subject: Phrase, inverted: bool) -> Verb:
    who, number = person(subject), subject.agreement
    past = node.tense != "present"
    if node.frame is None:
        return _copula(node, who, number, past)
    base, particle = _lexical(node)
    slots: tuple[Slot, ...] = ((node, "verb"),)
    extra: tuple[Slot, ...] = ((node, "reflexive"),)
    third = (who, number) == (3, "sg")
    support = inverted or _operator_needed(node)

    def words(form: str, possible: tuple[Slot, ...] = ()) -> list[Target]:
        tail = [Target(word, slots) for word in base.split()[1:]]
        return [Target(form, slots, (*extra, *possible)), *tail]

    first = base.split()[0]
    reading = node.reading
    if reading == "infinitive":
        to = Target("to", ((node, "conjunction"), (node, "zu")), slots)
        return Verb(None, [to, *words(first)], particle)
    if reading == "will":
        will = Target("will", ((node, "auxiliary"),), slots if node.tense == "present" else ())
        return Verb(will, words(first), particle)
    if reading == "progressive":
        return Verb(Target(en.be(who, number, in_past=False), (), slots), words(en.gerund(first)), particle)
    if reading == "modal":
        return _modal(node, words(first), particle, third, support)
    if node.gern:
        likes = _inflected("like", third, past and not support)
        liking = Target("like" if support else likes, ((node, "gern"),))
        to = Target("to", (), ((node, "gern"), (node, "verb")))
        return Verb(_do(node, third, past) if support else None, [liking, to, *words(first)], particle)
    if support:
        return Verb(_do(node, third, past), words(first), particle)
    return Verb(None, words(_inflected(first, third, past), ((node, "auxiliary"),)), particle)


def _lexical(node: Clause) -> tuple[str, list[Target]]:
    assert node.frame
    base, _, particle = node.frame.english.partition("~")
    return base, [Target(particle, ((node, "verb"),))] if particle else []


def _inflected(base: str, third: bool, past: bool) -> str:
    if past:
        return en.past(base)
    return en.third_person(base) if third else base


def _do(node: Clause, third: bool, past: bool) -> Target:
    form = "did" if past else "does" if third else "do"
    if node.modal:
        return Target(form, (), ((node, "modal"),))
    return Target(form, ((node, "auxiliary"),), ((node, "verb"),))


def _modal(node: Clause, verb: list[Target], particle: list[Target], third: bool, support: bool) -> Verb:
    entry = lexicon().paradigms["modals"][node.modal]
    slots: tuple[Slot, ...] = ((node, "modal"),)
    past = node.tense == "preterite"
    if entry["auxiliary"]:
        form = entry["past"] if past else entry["present"]
        if _operator_needed(node):
            form = entry.get("negative", form)
        if _is_cannot(node):
            denied = ((node.denied, "determiner"),) if node.denied else ()
            return Verb(Target("cannot", (*slots, (node, "negation"), *denied)), verb, particle)
        operator, *more = form.split()
        to = [*(Target(word, slots) for word in more), Target("to", (), slots)] if more else []
        return Verb(Target(operator, slots), [*to, *verb], particle)
    # have to, want to: verbs that need do like any other.
    base = entry["present"]
    to = [Target("to", slots if base == "have" else (), slots)]
    if support:
        return Verb(_do(node, third, past), [Target(base, slots), *to, *verb], particle)
    return Verb(None, [Target(_inflected(base, third, past), slots), *to, *verb], particle)


def _copula(node: Clause, who: int, number: str, past: bool) -> Verb:
    operator = Target(en.be(who, number, in_past=past), ((node, "copula"),))
    predicate = node.predicate
    slots = ((node, "predicate"),)
    if isinstance(predicate, Noun):
        words = predicate.english.split() if number == "sg" else list(en.plural(predicate))
        article = [Target(en.indefinite(words[0]), (), slots)] if number == "sg" else []
        return Verb(operator, [*article, *(Target(word, slots) for word in words)], [])
    assert predicate
    return Verb(operator, [Target(predicate.english, slots)], [])
