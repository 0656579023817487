"""Capitals of lower-cased output, learned from the target side of a corpus."""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from graphmt import _core

#: Lines whose words are counted together with their neighbours. Forms of words alone are counted in all lines.
_CONTEXT_LINES = 1_000_000
#: Contexts kept in memory; then those seen once are dropped.
_MOST_CONTEXTS = 2_000_000
#: A context decides if it was seen at least so often, with at least this share of one form.
_FEWEST, _SHARE = 2, 0.8


@dataclasses.dataclass(frozen=True)
class Recaser:
    """The form of each word that has capitals, and whether sentences start with one.

    Examples
    --------
    >>> from graphmt.corpus.recasing import learn_recaser
    >>> recaser = learn_recaser(["We saw Rome .", "Rome is in Italy .", "She met May in May ."])
    >>> recaser.apply("may is in rome")
    'May is in Rome'
    """

    #: Whether sentences of the corpus start with a capital.
    starts: bool = True
    #: The form of a word, by its lower-case form, where it is another one.
    words: dict[str, str] = dataclasses.field(default_factory=dict)
    #: Forms that differ from that in ``words``, by the previous word and the word itself, in lower case.
    after: dict[str, str] = dataclasses.field(default_factory=dict)
    #: The same by the word itself and the next one.
    before: dict[str, str] = dataclasses.field(default_factory=dict)

    def __repr__(self) -> str:
        return f"Recaser({len(self.words):,} words, {len(self.after) + len(self.before):,} in context)"

    def apply(self, line: str) -> str:
        """A line of lower-case tokens with capitals; sentence starts are not treated otherwise than other words."""
        tokens = line.split()
        made = list(map(self.words.get, tokens, tokens))
        if self._in_contexts.isdisjoint(tokens):
            return " ".join(made)
        for place, token in enumerate(tokens):
            if token in self._in_contexts:
                form = self.after.get(f"{tokens[place - 1]} {token}") if place else None
                if form is None and place + 1 < len(tokens):
                    form = self.before.get(f"{token} {tokens[place + 1]}")
                if form is not None:
                    made[place] = form
        return " ".join(made)

    @functools.cached_property
    def _in_contexts(self) -> frozenset[str]:
        """The words whose form depends on a neighbour: few, so that most words need no look at theirs."""
        after = (context.split(" ")[-1] for context in self.after)
        before = (context.split(" ")[0] for context in self.before)
        return frozenset(itertools.chain(after, before))

    def as_dict(self) -> dict[str, Any]:
        """Its content, for a file."""
        return dataclasses.asdict(self)

    @classmethod
    def from_dict(cls, content: Any) -> Recaser:
        """A recaser from what :meth:`as_dict` gave; raises KeyError or TypeError for anything else."""
        tables = [content[name] for name in ("words", "after", "before")]
        for table in tables:
            if not isinstance(table, dict) or not all(isinstance(form, str) for form in table.values()):
                raise TypeError
        if not isinstance(content["starts"], bool):
            raise TypeError
        return cls(content["starts"], *tables)


def learn_recaser(lines: Iterable[str], *, words: bool = True) -> Recaser:
    """Learn capitals from tokenised lines.

    A word gets the form that is most frequent away from sentence starts, where the first letter says nothing. Another
    form is chosen next to a neighbour with which that one is the rule.

    Parameters
    ----------
    lines
        The target side of a corpus, its tokens separated by spaces.
    words
        False: learn only whether sentences start with a capital.

    Returns
    -------
    Recaser
        The recaser. Memory: the distinct words, and a bounded number of pairs of words.

    Examples
    --------
    >>> from graphmt.corpus.recasing import learn_recaser
    >>> learn_recaser(["the cat", "no capitals here"]).starts
    False
    """
    capitals = starts = 0
    forms: Counter[str] = Counter()
    contexts: Counter[tuple[str, str, str]] = Counter()
    seen_with_capital: set[str] = set()
    for number, line in enumerate(lines):
        tokens = line.split()
        lowered = line.lower().split()
        begins = _starts(lowered)
        starts += len(begins)
        capitals += sum(tokens[place][0] != lowered[place][0] for place in begins)
        if not words:
            continue
        # At a sentence start, only capitals after the first letter say something.
        silent = {place for place in begins if tokens[place][1:] == lowered[place][1:]}
        forms.update(tokens)
        forms.subtract([tokens[place] for place in silent])
        if number >= _CONTEXT_LINES:
            continue
        for place, (token, low) in enumerate(zip(tokens, lowered, strict=True)):
            if (token != low or low in seen_with_capital) and place not in silent:
                seen_with_capital.add(low)
                if place:
                    contexts["after", lowered[place - 1], token] += 1
                if place + 1 < len(tokens):
                    contexts["before", lowered[place + 1], token] += 1
        if len(contexts) > _MOST_CONTEXTS:
            contexts = Counter({context: count for context, count in contexts.items() if count > 1})
    best = _most_frequent(forms.items())
    after, before = _deciding(contexts, best)
    return Recaser(
        starts == 0 or 2 * capitals >= starts, {low: form for low, form in best.items() if form != low}, after, before
    )


def _starts(lowered: list[str]) -> list[int]:
    """The places of the first words of sentences, among tokens in lower case."""
    capitalised = _core.capitalise(" ".join(lowered)).split()
    return [place for place, (low, other) in enumerate(zip(lowered, capitalised, strict=True)) if low != other]


def _most_frequent(forms: Iterable[tuple[str, int]]) -> dict[str, str]:
    """The most frequent form of each word; among equally frequent ones the lower-case form, then by characters."""
    grouped: defaultdict[str, list[tuple[int, bool, str]]] = defaultdict(list)
    for form, count in forms:
        if count <= 0:
            continue
        low = form.lower()
        grouped[low].append((-count, form != low, form))
    return {low: min(known)[2] for low, known in grouped.items()}


def _deciding(contexts: Counter[tuple[str, str, str]], best: dict[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """The contexts in which a word has another form than usual."""
    grouped: defaultdict[tuple[str, str, str], list[tuple[str, int]]] = defaultdict(list)
    several = {low for low, number in Counter(form.lower() for form in _forms(contexts)).items() if number > 1}
    for (side, neighbour, form), count in contexts.items():
        if form.lower() in several:
            grouped[side, neighbour, form.lower()].append((form, count))
    found: dict[str, dict[str, str]] = {"after": {}, "before": {}}
    for (side, neighbour, low), counts in grouped.items():
        total = sum(count for _, count in counts)
        form, count = max(counts, key=lambda one: (one[1], one[0]))
        if form != best[low] and count >= _FEWEST and count >= _SHARE * total:
            found[side][f"{neighbour} {low}" if side == "after" else f"{low} {neighbour}"] = form
    return found["after"], found["before"]


def _forms(contexts: Counter[tuple[str, str, str]]) -> Iterator[str]:
    return iter({form for _, _, form in contexts})
