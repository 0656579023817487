"""The synchronous grammar: each production draws one kind of sentence as an abstract tree.

Both linearisers read the same tree, so a production speaks of no word order but what German puts first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from graphmt.demo.abstract import Adverbial, Clause
from graphmt.demo.chance import Chance
from graphmt.demo.lexicon import Noun
from graphmt.demo.parts import TIMES, Parts, adverb, is_state, is_third, narrowed, takers
from graphmt.demo.sampling import frames_for, generalise


@dataclass(frozen=True)
class Sentence:
    """A drawn sentence and its final mark."""

    clause: Clause
    mark: str = "."


class Grammar(Parts):
    """Draws sentences."""

    def __init__(self, chance: Chance) -> None:
        super().__init__(chance)
        self.productions: dict[str, Callable[[], Sentence]] = {
            "statement": self.statement,
            "relative": self.relative,
            "yesno": self.yesno,
            "wh": self.wh,
            "that": self.that,
            "to": self.to,
            "purpose": self.purpose,
            "reason": self.reason,
            "condition": self.condition,
            "when": self.when,
            "copular": self.copular,
            "joined": self.joined,
            "gern": self.gern,
        }
        self.weights = {
            "statement": 32.0,
            "relative": 14.0,
            "yesno": 7.0,
            "wh": 7.0,
            "that": 9.0,
            "to": 5.0,
            "purpose": 3.0,
            "reason": 8.0,
            "condition": 5.0,
            "when": 5.0,
            "copular": 4.0,
            "joined": 4.0,
            "gern": 3.0,
        }

    def sentence(self) -> Sentence:
        """S → any of the productions below."""
        self.sample.begin()
        return self.productions[self.chance.weighted(self.weights)]()

    def statement(self) -> Sentence:
        """S → subject verb arguments adverbials, something of it first."""
        clause = self.timed(self.chance.weighted(TIMES))
        if self.chance.happens(0.22):
            self.sample.negate(clause)
        clause.front = self.front(clause)
        return Sentence(clause)

    def relative(self) -> Sentence:
        """S → a statement, one noun of which has a relative clause."""
        clause = self.timed(self.chance.weighted(TIMES), adverb=0.3)
        # An English relative clause ends its clause, or an adverb after it would seem to belong inside.
        ends = [
            clause.subject,
            *(a.phrase for a in clause.arguments[-1:] if a.phrase and not a.complement.bare),
        ]
        bearers = [phrase for phrase in ends if self.can_bear(phrase)]
        if bearers:
            bearer = self.chance.one(bearers)
            self.relativise(bearer, clause)
            if bearer is not clause.subject:
                clause.objects_first = False
                self.front_adverbs(clause)
        return Sentence(clause)

    def yesno(self) -> Sentence:
        """S → finite verb, subject, rest?"""
        return Sentence(self.asked("yesno", 0.5), "?")

    def wh(self) -> Sentence:
        """S → who, whom, what, when, why or where, finite verb, rest?"""
        clause = self.asked("wh", 0.25)
        self.ask(clause)
        return Sentence(clause, "?")

    def that(self) -> Sentence:
        """S → subject verb, (dass | ob) clause."""
        chance = self.chance
        frame = chance.one(takers("dass") + takers("ob"))
        main = self.sample.clause(frame)
        asking = frame.arguments[-1].classes
        if frame.aspect == "event":
            # What was said of the past is told in the perfect throughout, so no sequence of tenses comes in.
            main.tense = "perfect"
            below = self.timed("past", form="sub")
            below.tense = "perfect" if below.tense == "preterite" and not is_state(below) else below.tense
        else:
            below = self.timed(chance.weighted({"past": 4.0, "now": 3.0, "future": 2.0, "modal": 1.0}), form="sub")
        below.conjunction = asking[0]
        if "ob" in asking and (len(asking) == 1 or chance.happens(0.5)):
            below.conjunction = "ob"
            main.negated = len(asking) > 1
        elif chance.happens(0.1):
            self.sample.negate(below)
        main.complement = below
        return Sentence(main)

    def to(self) -> Sentence:
        """S → subject verb, infinitive with zu."""
        frame = self.chance.one(takers("zu"))
        main = self.sample.clause(frame)
        if frame.aspect == "event" or self.chance.happens(0.4):
            self.sample.set_time(main, "past", adverb=0.0)
        main.complement = self.sample.clause(self.chance.one(frames_for("modal")), main.subject, form="zu")
        return Sentence(main)

    def purpose(self) -> Sentence:
        """S → subject goes somewhere, um infinitive with zu: what one does in such a place."""
        chance = self.chance
        main = self.timed(chance.weighted({"past": 3.0, "now": 3.0, "modal": 2.0, "future": 1.0}), flag="goal")
        where = chance.weighted({"shop": 3.0, "eatery": 2.0, "library": 1.0, "stop": 2.0})
        main.arguments[0] = self.sample.argument(narrowed(main.arguments[0].complement, where), main.subject)
        below = self.sample.clause(chance.one(frames_for("modal", f"errand-{where}")), main.subject, form="zu")
        below.arguments = [argument for argument in below.arguments if argument.complement.kind != "at"]
        below.conjunction = "um"
        main.after = below
        # English says when after the purpose, so German says it first.
        self.front_adverbs(main)
        return Sentence(main)

    def reason(self) -> Sentence:
        """S → statement, (weil | obwohl) clause; either may come first."""
        chance = self.chance
        time = chance.weighted({"past": 5.0, "now": 3.0})
        main = self.by_someone(time, adverb=0.3)
        main.subject.adjective = None
        below = self.cause(time, main)
        below.conjunction = "weil" if chance.happens(0.7) else "obwohl"
        return Sentence(self.with_adjunct(main, below, 0.3))

    def condition(self) -> Sentence:
        """S → wenn clause, statement: if of the future, when of habits."""
        chance = self.chance
        habit = chance.happens(0.35)
        time = "habit" if habit else chance.weighted({"future": 2.0, "modal": 1.0})
        main = self.by_someone(time, adverb=0.0)
        if main.modal:
            main.modal, main.tense = chance.one(("können", "müssen", "sollen")), "present"
        below = self.below(chance.one(frames_for("simple", "condition")), main)
        below.conjunction = "wenn"
        below.habitual = habit
        main.adverbials = [a for a in main.adverbials if a.adverb.english[0] in ("always", "often", "usually")]
        if not habit and main.tense == "present" and not main.modal:
            main.tense = "future"
        if habit and not main.adverbials:
            main.adverbials.append(Adverbial(adverb("immer")))
        return Sentence(self.with_adjunct(main, below, 0.5))

    def when(self) -> Sentence:
        """S → (als | bevor) clause, statement: both in the past."""
        chance = self.chance
        main = self.by_someone("past", adverb=0.0)
        below = self.below(chance.one(frames_for("simple", without="weather", aspect="event")), main)
        below.conjunction = "als" if chance.happens(0.6) else "bevor"
        third = is_third(main) and is_third(below)
        main.tense = "preterite" if third or is_state(main) else "perfect"
        below.tense = "preterite" if third or below.conjunction == "als" else "perfect"
        return Sentence(self.with_adjunct(main, below, 0.5))

    def copular(self) -> Sentence:
        """S → subject is adjective, or subject is of a profession."""
        clause = self.copula(past=self.chance.happens(0.35))
        if self.chance.happens(0.2):
            clause.negated = not isinstance(clause.predicate, Noun)
        return Sentence(clause)

    def joined(self) -> Sentence:
        """S → statement (und | aber) statement."""
        time = self.chance.weighted({"past": 3.0, "now": 2.0, "future": 1.0})
        main = self.timed(time, adverb=0.15)
        other = self.timed(time, adverb=0.0)
        other.adverbials = []
        if time == "future":
            main.tense = other.tense = "future"
        if time == "past":
            past = "preterite" if is_third(main) and is_third(other) and main.tense == "preterite" else "perfect"
            for clause in (main, other):
                clause.tense = "preterite" if is_state(clause) else past
        other.conjunction = "und" if self.chance.happens(0.5) else "aber"
        if other.conjunction == "aber":
            self.sample.negate(other)
        main.joined = other
        return Sentence(main)

    def gern(self) -> Sentence:
        """S → subject verb gern: English likes to."""
        frames = [frame for frame in frames_for("now") if "gern" in frame.extras]
        clause = self.sample.clause(self.chance.one(frames))
        clause.gern = True
        generalise(clause)
        if self.chance.happens(0.25):
            clause.form = "yesno"
        elif self.chance.happens(0.2):
            clause.negated = all(p.determiner not in ("indef", "none") for p in clause.phrases if p.noun)
        return Sentence(clause, "?" if clause.form == "yesno" else ".")
