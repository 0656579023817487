"""Small hierarchical grammars, and every derivation that they have, found by plain enumeration."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from graphmt import _core
from graphmt.lm import LanguageModel
from graphmt.model import SearchOptions
from graphmt.rules import from_moses
from hypothesis import strategies as st

#: A symbol of a rule: a word, or the number of a hole (from 0, in source order).
Symbol = str | int


def unlimited(**changes: Any) -> SearchOptions:
    """The options of a chart search without limits, but for those that are given."""
    limits = {"max_span": 20, "pop_limit": 1 << 20, "stack_size": 1 << 15, "beam_threshold": 1e9, "table_limit": 1000}
    return SearchOptions(**{**limits, **changes})


@dataclass(frozen=True)
class Rule:
    """A rule with ln of its four scores."""

    source: tuple[Symbol, ...]
    target: tuple[Symbol, ...]
    scores: tuple[float, ...]

    @property
    def line(self) -> str:
        """The rule as a line of Moses' rule table."""
        source = " ".join("[X][X]" if isinstance(symbol, int) else symbol for symbol in self.source)
        target = " ".join("[X][X]" if isinstance(symbol, int) else symbol for symbol in self.target)
        points = [
            f"{i}-{j}"
            for i, a in enumerate(self.source)
            for j, b in enumerate(self.target)
            if isinstance(a, int) and a == b
        ]
        scores = " ".join(repr(math.exp(score)) for score in self.scores)
        return f"{source} [X] ||| {target} [X] ||| {scores} ||| {' '.join(points)} ||| 1 1 1 ||| |||"


WORDS = "abc"

WEIGHTS = {
    "p_source_given_target": 0.5,
    "lex_source_given_target": 0.25,
    "p_target_given_source": 0.75,
    "lex_target_given_source": 0.125,
    "lm": 0.6,
    "rule_penalty": -0.3,
    "word_penalty": -0.4,
    "glue": -0.2,
    "unknown": 2.0,
}
#: More derivations than this are not enumerated.
MOST = 3000


@st.composite
def rules(draw: st.DrawFn) -> Rule:
    """A rule with at most two holes that are not neighbours, over few words, so that many fit together."""
    pattern = draw(st.sampled_from(["w", "ww", "hw", "wh", "whw", "hwh", "wwh", "hww", "whwh"]))
    holes = itertools.count()
    source = tuple(draw(st.sampled_from(WORDS)) if c == "w" else next(holes) for c in pattern)
    numbers: list[Symbol] = [symbol for symbol in source if isinstance(symbol, int)]
    words = draw(st.lists(st.sampled_from("ABCD"), min_size=0 if numbers else 1, max_size=2))
    target = tuple(draw(st.permutations([*words, *numbers])))
    # Eighths of small range: sums are exact enough to compare, ties are common, as they should be.
    scores = tuple(-draw(st.integers(0, 16)) / 8 for _ in range(4))
    return Rule(source, target, scores)


def grammars() -> st.SearchStrategy[list[Rule]]:
    """A few rules; the same sides only once, as in a table."""
    return st.lists(rules(), min_size=1, max_size=8, unique_by=lambda rule: (rule.source, rule.target))


def table(grammar: list[Rule], folder: Path) -> Path:
    """The grammar as a table file."""
    (folder / "rules.txt").write_text("".join(rule.line + "\n" for rule in grammar))
    from_moses(folder / "rules.txt", folder / "rules.bin")
    return folder / "rules.bin"


@dataclass(frozen=True)
class Found:
    """A derivation: its words and the values of its features."""

    words: tuple[str, ...]
    values: tuple[tuple[str, float], ...]

    def score(self, weights: dict[str, float], lm: LanguageModel) -> float:
        """The weighted sum, with the language model's score of the whole."""
        own = sum(weights[name] * value for name, value in self.values)
        return own + weights["lm"] * math.log(10) * lm.score(" ".join(self.words))


class Enumeration:
    """All derivations of a sentence by the definitions: X over spans, glue over all of it."""

    def __init__(self, grammar: list[Rule], sentence: list[str], max_span: int = 20) -> None:
        self.grammar, self.sentence, self.max_span = grammar, sentence, max_span
        self.spans: dict[tuple[int, int], list[Found]] = {}

    def whole(self, end: int | None = None) -> list[Found]:
        """The derivations of the first words, joined by glue."""
        end = len(self.sentence) if end is None else end
        if end == 0:
            return [Found((), ())]
        return [
            joined([before, piece], (*before.words, *piece.words), {"glue": 1.0})
            for start in range(end)
            for before in self.whole(start)
            for piece in self.span(start, end)
        ]

    def span(self, first: int, end: int) -> list[Found]:
        """The derivations of a span by rules."""
        if (first, end) not in self.spans:
            found = list(self._span(first, end)) if end - first <= self.max_span else []
            self.spans[first, end] = found
        return self.spans[first, end]

    def _span(self, first: int, end: int) -> Iterator[Found]:
        known = False
        for rule in self.grammar:
            for holes in self._matches(rule.source, first, end):
                known = known or not holes
                values = dict(zip(_core.FEATURES[:4], rule.scores, strict=True))
                words = sum(isinstance(symbol, str) for symbol in rule.target)
                values |= {"rule_penalty": 1.0, "word_penalty": -float(words)}
                for parts in itertools.product(*(self.span(*hole) for hole in holes)):
                    target = [(symbol,) if isinstance(symbol, str) else parts[symbol].words for symbol in rule.target]
                    yield joined(list(parts), tuple(word for words in target for word in words), values)
        if end == first + 1 and not known:
            yield Found((self.sentence[first],), (("rule_penalty", 1.0), ("unknown", -1.0), ("word_penalty", -1.0)))

    def _matches(self, symbols: tuple[Symbol, ...], first: int, end: int) -> Iterator[list[tuple[int, int]]]:
        if not symbols:
            if first == end:
                yield []
            return
        if isinstance(symbols[0], str):
            if first < end and self.sentence[first] == symbols[0]:
                yield from self._matches(symbols[1:], first + 1, end)
            return
        for to in range(first + 1, end + 1):
            for rest in self._matches(symbols[1:], to, end):
                yield [(first, to), *rest]


def joined(parts: list[Found], words: tuple[str, ...], own: dict[str, float]) -> Found:
    values = dict(own)
    for part in parts:
        for name, value in part.values:
            values[name] = values.get(name, 0.0) + value
    return Found(words, tuple(sorted(values.items())))
