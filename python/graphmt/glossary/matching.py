"""Where the terms of a glossary occur in a sentence."""

from __future__ import annotations

import dataclasses
from collections import Counter, defaultdict
from collections.abc import Sequence

from graphmt.corpus import TextSteps
from graphmt.errors import InputError
from graphmt.glossary.terms import Glossary, Term
from graphmt.protect import ProtectedLine

#: Maximum number of tokens on either side of a term; the core has the same limit.
LONGEST = 32


@dataclasses.dataclass(frozen=True)
class SentenceTerm:
    """A term in a sentence, as the core takes it.

    Examples
    --------
    >>> from graphmt.glossary import SentenceTerm
    >>> SentenceTerm(0, 1, ("printer",), ("printer",), ((0, 0),)).usage
    'required'
    """

    #: The first token, and the one after the last.
    first: int
    end: int
    #: The translation as it is written.
    target: tuple[str, ...]
    #: The same words in the case of the model.
    lookup: tuple[str, ...]
    #: (token of the term, token of the translation).
    alignment: tuple[tuple[int, int], ...]
    usage: str = "required"
    #: ln p of the translation, where the input gives it.
    log_probability: float = 0.0


@dataclasses.dataclass(frozen=True)
class PreparedTerm:
    """A translation as tokens of a model, with its links to the tokens of the term."""

    target: tuple[str, ...]
    lookup: tuple[str, ...]
    alignment: tuple[tuple[int, int], ...]

    def at(self, first: int, end: int, usage: str, log_probability: float = 0.0) -> SentenceTerm:
        """The term at a place of a sentence."""
        return SentenceTerm(first, end, self.target, self.lookup, self.alignment, usage, log_probability)


class TermPreparer:
    """Turns terms into tokens of a model; ``source`` and ``target`` are the model's text steps."""

    def __init__(self, source: TextSteps, target: TextSteps) -> None:
        self.source = _uncased(source)
        self.target = _uncased(target)
        self._lower = target.options.case == "lower"
        #: Whether the model's own tokens of a source have the case that was written.
        self.keeps_case = source.options.case == "none"

    def translation(self, term: ProtectedLine, text: str) -> PreparedTerm:
        """A translation of a term, which must have the same protected text.

        Its words are linked to all words of the term, and its protected items to those of the term.
        """
        made = self.target.prepare(text)
        for tokens, side in ((term.tokens, "the term"), (made.tokens, "its translation")):
            if not 1 <= len(tokens) <= LONGEST:
                raise InputError(f"{side} has {len(tokens)} tokens; 1 to {LONGEST} were expected.")
        own, other = (Counter(item.text for item in line.items) for line in (term, made))
        if own != other:
            strange = next(iter((other - own) or (own - other)))
            raise InputError(
                f"{strange!r} is protected text and only on one side of the term.",
                hint="Term and translation must have the same placeholders, tags, addresses and numbers.",
            )
        places = defaultdict(list)
        for place, item in zip(term.places, term.items, strict=True):
            places[item.text].append(place)
        links = [(places[item.text].pop(0), place) for place, item in zip(made.places, made.items, strict=True)]
        words = [place for place in range(len(term.tokens)) if place not in term.places]
        links += [(i, j) for i in words for j in range(len(made.tokens)) if j not in made.places]
        lookup = tuple(token.lower() for token in made.tokens) if self._lower else made.tokens
        return PreparedTerm(made.tokens, lookup, tuple(sorted(links)))


class TermMatcher:
    """Finds the terms of a glossary in the sentences of a model.

    At each position the longest term that matches is taken, from left to right. A lower-case term matches in any case;
    one with capitals as it is written, or at the start of a sentence with another first letter.

    Parameters
    ----------
    glossary
        The terms.
    source
        The text steps of the model's source side.
    target
        Those of its target side.

    Raises
    ------
    InputError
        If a term is too long, or if only one of its sides has some protected text.

    Examples
    --------
    >>> from graphmt.corpus import TextSteps
    >>> from graphmt.glossary import Glossary, Term, TermMatcher
    >>> matcher = TermMatcher(Glossary((Term("neuer Drucker", "new printer"),)), TextSteps(), TextSteps())
    >>> [found] = matcher.find(TextSteps().prepare("ein neuer Drucker ."))
    >>> found.first, found.end, found.target
    (1, 3, ('new', 'printer'))
    """

    def __init__(self, glossary: Glossary, source: TextSteps, target: TextSteps) -> None:
        preparer = TermPreparer(source, target)
        self._lower = source.options.case == "lower"
        #: The terms by their first token in lower case, the longest first.
        self._known: dict[str, list[_Entry]] = defaultdict(list)
        entries: dict[tuple[tuple[str, ...], tuple[str, ...]], _Entry] = {}
        for term in glossary.terms:
            line = preparer.source.prepare(term.source)
            try:
                prepared = preparer.translation(line, term.target)
            except InputError as error:
                raise InputError(error.message, file=glossary.file, line=term.line, hint=error.hint) from None
            tokens = tuple(token.lower() for token in line.tokens) if self._lower else line.tokens
            key = (tokens, tuple(item.text for item in line.items))
            if key not in entries:
                entries[key] = _Entry(tokens, line, [])
                self._known[tokens[0].lower()].append(entries[key])
            entries[key].translations.append((term, prepared))
        for entry in entries.values():
            entry.reject_contradictions(glossary.file)
        for same in self._known.values():
            same.sort(key=lambda entry: -len(entry.tokens))

    def find(
        self, line: ProtectedLine, taken: Sequence[SentenceTerm] = (), written: Sequence[str] | None = None
    ) -> list[SentenceTerm]:
        """The terms of a prepared sentence, except where it has others (``taken``) already.

        ``written`` are its tokens in their own case, if that is not the one of the model.
        """
        words = line.tokens if written is None or self._lower else written
        reserved = {place for term in taken for place in range(term.first, term.end)}
        lowered = [token.lower() for token in line.tokens]
        items = {place: item.text for place, item in zip(line.places, line.items, strict=True)}
        found: list[SentenceTerm] = []
        at = 0
        while at < len(line.tokens):
            entry = next(
                (
                    entry
                    for entry in self._known.get(lowered[at], ())
                    if entry.matches(words, lowered, items, at)
                    and reserved.isdisjoint(range(at, at + len(entry.tokens)))
                ),
                None,
            )
            if entry is None:
                at += 1
                continue
            end = at + len(entry.tokens)
            found += [prepared.at(at, end, term.usage) for term, prepared in entry.translations]
            at = end
        return found


@dataclasses.dataclass(frozen=True)
class _Entry:
    """A term with all its translations."""

    tokens: tuple[str, ...]
    line: ProtectedLine
    translations: list[tuple[Term, PreparedTerm]]

    def matches(self, tokens: Sequence[str], lowered: Sequence[str], items: dict[int, str], at: int) -> bool:
        if at + len(self.tokens) > len(tokens):
            return False
        own = dict(zip(self.line.places, (item.text for item in self.line.items), strict=True))
        for offset, token in enumerate(self.tokens):
            place = at + offset
            if own.get(offset) != items.get(place):
                return False
            if token == tokens[place] or token == lowered[place]:
                continue
            starts = offset == 0 and not any(map(str.isalnum, "".join(tokens[:place])))
            if not (starts and token[1:] == tokens[place][1:] and token[:1].lower() == lowered[place][:1]):
                return False
        return True

    def reject_contradictions(self, file: str | None) -> None:
        uses: dict[tuple[str, ...], Term] = {}
        for term, prepared in self.translations:
            other = uses.setdefault(prepared.target, term)
            if (other.usage == "forbidden") != (term.usage == "forbidden"):
                raise InputError(
                    f"{term.target!r} as a translation of {term.source!r} is {term.usage} here and {other.usage} in "
                    f"line {other.line}.",
                    file=file,
                    line=term.line,
                    hint="Remove one of the two.",
                )


def _uncased(steps: TextSteps) -> TextSteps:
    return dataclasses.replace(steps, options=steps.options.replace(case="none"))
