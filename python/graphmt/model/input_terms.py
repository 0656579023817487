"""The terms of a model's input: those that a glossary prescribes, and those that a text marks itself."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from graphmt.corpus import TextSteps, Tree
from graphmt.errors import InputError
from graphmt.glossary import XML_INPUT, Glossary, MarkedText, SentenceTerm, TermMatcher, contradicted, read_markup
from graphmt.glossary.matching import TermPreparer
from graphmt.protect import ProtectedLine


@dataclasses.dataclass(frozen=True)
class FixedSpan:
    """A span of a sentence, by its tokens, with the only translation that it may have.

    Examples
    --------
    >>> from graphmt.model import FixedSpan
    >>> FixedSpan(1, 2, "slumbers").target
    'slumbers'
    """

    #: The first token, and the one after the last.
    first: int
    end: int
    target: str

    def term(self, line: ProtectedLine, preparer: TermPreparer) -> SentenceTerm:
        """The span as a term of a prepared sentence, with the scores of the rule that it comes from, if one does."""
        if not 0 <= self.first < self.end <= len(line.tokens):
            raise InputError(
                f"the fixed span {self.first}..{self.end} is not in the sentence, which has {len(line.tokens)} tokens."
            )
        own = [
            (place - self.first, item)
            for place, item in zip(line.places, line.items, strict=True)
            if self.first <= place < self.end
        ]
        tokens = line.tokens[self.first : self.end]
        places, items = tuple(place for place, _ in own), tuple(item for _, item in own)
        made = preparer.translation(ProtectedLine(" ".join(tokens), tokens, items, places), self.target)
        return made.at(self.first, self.end, "chosen")


class InputTerms:
    """Finds the terms of sentences that are prepared by the given steps."""

    def __init__(
        self,
        source_steps: TextSteps,
        target_steps: TextSteps,
        glossary: Glossary | None = None,
        xml_input: str | None = None,
        fixed: Mapping[int, Sequence[FixedSpan]] | None = None,
    ) -> None:
        self.source_steps, self.target_steps = source_steps, target_steps
        self.glossary, self.xml_input = glossary, xml_input
        #: The fixed spans of sentences, by their numbers from 0.
        self.fixed = fixed or {}
        self._matcher = TermMatcher(glossary, source_steps, target_steps) if glossary is not None else None

    def changed(self, **changes: Any) -> InputTerms:
        """A copy with other values of some arguments of the constructor."""
        own = ("source_steps", "target_steps", "glossary", "xml_input", "fixed")
        return InputTerms(**{**{name: getattr(self, name) for name in own}, **changes})

    def unmarked(self, sentences: Sequence[str | Tree]) -> list[MarkedText | Tree] | None:
        """The sentences without marked translations; None if the input has none."""
        if self.xml_input is None:
            return None
        found: list[MarkedText | Tree] = []
        for number, sentence in enumerate(sentences, 1):
            if isinstance(sentence, str):
                with _in_sentence(number):
                    found.append(read_markup(sentence))
            else:
                found.append(sentence)
        return found

    def of(
        self, number: int, sentence: str | Tree, made: ProtectedLine, marks: MarkedText | None
    ) -> list[SentenceTerm] | None:
        """The terms of a prepared sentence: fixed ones, marked ones, those of the glossary; None without any."""
        fixed = self.fixed.get(number - 1, ())
        if marks is None and self._matcher is None and not fixed:
            return None
        preparer = TermPreparer(self.source_steps, self.target_steps)
        with _in_sentence(number):
            found = [span.term(made, preparer) for span in fixed]
            written = _written(sentence, made, preparer)
            if marks is not None and marks.marks and self.xml_input is not None:
                found += marks.terms(written, made, preparer, XML_INPUT[self.xml_input])
            return found + (self._matcher.find(made, found, written) if self._matcher else [])

    def contradicted_by(self, sentence: str | Tree, translation: str) -> str | None:
        """The term of the glossary that a translation of a sentence contradicts, ``source → target``; mostly None."""
        if self._matcher is None:
            return None
        preparer = TermPreparer(self.source_steps, self.target_steps)
        steps = self.source_steps
        made = steps.prepare_tree(sentence) if isinstance(sentence, Tree) else steps.prepare(sentence)
        found = self._matcher.find(made, (), _written(sentence, made, preparer))
        term = contradicted(found, preparer.target.prepare(translation).tokens)
        if term is None:
            return None
        return f"{' '.join(made.tokens[term.first : term.end])} → {' '.join(term.target)}"


def _written(sentence: str | Tree, made: ProtectedLine, preparer: TermPreparer) -> Sequence[str]:
    """The tokens of a prepared sentence in their own case."""
    if isinstance(sentence, Tree):
        return sentence.tokens
    return made.tokens if preparer.keeps_case else preparer.source.prepare(sentence).tokens


@contextlib.contextmanager
def _in_sentence(number: int) -> Iterator[None]:
    """Names the sentence in errors."""
    try:
        yield
    except InputError as error:
        raise InputError(f"sentence {number}: {error.message}", hint=error.hint) from None
