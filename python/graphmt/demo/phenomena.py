"""What a pair shows: the constructions that make its translation depend on more than neighbouring words."""

from __future__ import annotations

from collections.abc import Sequence

from graphmt.demo.abstract import Adverbial, Argument, Clause, Phrase
from graphmt.demo.lexicon import lexicon
from graphmt.demo.words import Target, Word

#: Every tag with what it means.
PHENOMENA = {
    "separable": "a verb and its particle stand apart: ruft ... an",
    "joined_particle": "a separable verb in one word: anruft, angerufen, anzurufen",
    "verb_final": "a subordinate clause with its verb at the end",
    "perfect": "haben or sein, and the participle at the end",
    "modal": "a modal verb, and the infinitive at the end",
    "future": "werden, and the infinitive at the end",
    "fronted_object": "an object before the verb",
    "fronted_adverbial": "an adverbial before the verb",
    "fronted_clause": "a subordinate clause before the main verb",
    "relative": "a relative clause",
    "extraposed": "a relative clause away from its noun",
    "compound": "one German word for several English ones",
    "nicht": "negation with nicht",
    "kein": "negation with kein",
    "yesno": "a question for yes or no",
    "wh": "a question with a question word",
    "dative": "a dative object",
    "genitive": "an owner: das Auto meines Vaters",
    "ambiguous_noun": "a noun whose translation hangs on its verb",
    "ambiguous_verb": "a verb whose translation hangs on its arguments",
    "do_support": "English do where German has no word",
    "gern": "an adverb that becomes a verb: gern, to like",
    "swap": "subject and object change places: gefallen, to like",
    "zu_infinitive": "an infinitive with zu",
    "reflexive": "a reflexive verb",
    "coordination": "two joined phrases or clauses",
    "tense_by_adverb": "a German present that an adverb makes an English future",
}


def phenomena(clause: Clause, source: Sequence[Word], target: Sequence[Target]) -> frozenset[str]:
    """The tags of a pair."""
    found: set[str] = set()
    for node in clause.clauses():
        found |= _of_clause(node)
        for phrase in node.phrases:
            found |= _of_phrase(phrase)
    found |= {tag for tag, shows in _of_words(source, target).items() if shows}
    return frozenset(found)


def _of_clause(node: Clause) -> set[str]:
    frame = node.frame
    front = node.front
    shows = {
        "verb_final": node.form in ("sub", "relative"),
        "perfect": node.tense == "perfect",
        "modal": bool(node.modal),
        "future": node.tense == "future",
        "fronted_object": isinstance(front, Argument) and node.form == "main",
        "fronted_adverbial": isinstance(front, Adverbial) and node.form == "main",
        "fronted_clause": node.before is not None,
        "relative": node.form == "relative",
        "nicht": node.negated,
        "kein": node.denied is not None,
        "yesno": node.form == "yesno",
        "wh": node.form == "wh",
        "dative": any(a.complement.kind == "dat" for a in node.arguments),
        "gern": node.gern,
        "zu_infinitive": node.form == "zu",
        "reflexive": any(a.complement.kind == "refl" for a in node.arguments),
        "coordination": node.joined is not None,
        "tense_by_adverb": node.reading == "will" and node.tense == "present",
        "swap": frame is not None and "swap" in frame.flags,
        "ambiguous_verb": frame is not None and frame.lemma in lexicon().ambiguous_verbs,
    }
    return {tag for tag, is_so in shows.items() if is_so}


def _of_phrase(phrase: Phrase) -> set[str]:
    noun = phrase.noun
    shows = {
        "compound": noun is not None and noun.is_compound,
        "genitive": phrase.owner is not None,
        "coordination": phrase.partner is not None,
        "ambiguous_noun": noun is not None and noun.lemma in lexicon().ambiguous_nouns,
    }
    return {tag for tag, is_so in shows.items() if is_so}


def _of_words(source: Sequence[Word], target: Sequence[Target]) -> dict[str, bool]:
    particles = [word for word in source if word.deprel == "compound:prt"]
    separable = {frame.lemma for frame in lexicon().frames if frame.particle}
    apart = {word.head for word in particles}
    place = {word: i for i, word in enumerate(source)}
    relatives = [word for word in source if word.deprel == "acl:relcl"]
    return {
        "separable": bool(particles),
        "joined_particle": any(w.upos == "VERB" and w.lemma in separable and w not in apart for w in source),
        "do_support": any(word.form.lower() in ("do", "does", "did") for word in target),
        "extraposed": any(_is_away(word, place, source) for word in relatives),
    }


def _is_away(verb: Word, place: dict[Word, int], source: Sequence[Word]) -> bool:
    noun = verb.head
    assert noun
    comma = next(i for i in range(place[noun] + 1, len(source)) if source[i].is_comma)
    return comma != place[noun] + 1
