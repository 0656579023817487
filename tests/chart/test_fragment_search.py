"""DGST's chart against plain enumeration: the search follows the labels and the structure that its table has."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from amounts import examples
from graphmt import _core
from graphmt.errors import InputError
from graphmt.lm import LanguageModel
from graphmt.rules import ExtractOptions, extract_rules
from graphmt.systems import SYSTEMS
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from naive_dependents import Tagged, tagged, write
from naive_fragments import GAP, Span, is_fragment, label, linked, symbol_heads, tops
from small_models import Trained

from .grammars import MOST, WEIGHTS, WORDS, Enumeration, Found, joined, unlimited


@dataclass(frozen=True)
class Rule:
    """A rule as the table has it: holes are a space and a label, or on the target side a number."""

    source: tuple[str, ...]
    joints: tuple[int, ...]
    target: tuple[str, ...]
    scores: tuple[float, ...]
    count: float


def rules_of(path: Path) -> list[Rule]:
    """All rules of a table: each has a word."""
    table = _core.RuleTable(path)
    sides = {
        (tuple(side.words), tuple(side.joints)): side.rules
        for word in WORDS
        for side in table.containing(word, 100_000)
    }
    return [
        Rule(source, joints, tuple(rule.target), tuple(rule.scores), rule.count)
        for (source, joints), rules in sides.items()
        for rule in rules
    ]


def joints(heads: list[int], symbols: list[Span], gaps: list[Span]) -> tuple[int, ...]:
    """What the table says of structure: for each symbol two bits for every earlier one, whether it hangs on it, whether
    it carries it."""
    hanging = symbol_heads(heads, symbols, gaps)
    return tuple(
        sum((hanging[k] == earlier) << 2 * earlier | (hanging[earlier] == k) << 2 * earlier + 1 for earlier in range(k))
        for k in range(len(symbols))
    )


class FragmentEnumeration(Enumeration):
    """The same with rules over fragments."""

    def __init__(self, rules: list[Rule], sentence: Tagged, options: ExtractOptions) -> None:
        super().__init__([], list(sentence.source))
        self.rules, self.options = rules, options
        self.words, self.tags = sentence.source, sentence.tags
        self.heads = _core.projectivise(list(sentence.heads))

    def _span(self, first: int, end: int) -> Iterator[Found]:
        known = False
        for rule in self.rules:
            for symbols in self._matches(rule.source, first, end):
                if not self._fits(rule, symbols, (first, end)):
                    continue
                holes = [span for symbol, span in zip(rule.source, symbols, strict=True) if symbol.startswith(" ")]
                known = known or not holes
                values = dict(zip(_core.FEATURES[:4], rule.scores, strict=True))
                values |= {"rule_penalty": 1.0, "word_penalty": -float(sum(s[0] != " " for s in rule.target))}
                if self.options.any_span:
                    values |= self._structure(rule, (first, end), holes)
                for parts in itertools.product(*(self.span(*hole) for hole in holes)):
                    made = [parts[int(s[1:])].words if s[0] == " " else (s,) for s in rule.target]
                    yield joined(list(parts), tuple(itertools.chain(*made)), values)
        if end == first + 1 and not known:
            yield Found((self.words[first],), (("rule_penalty", 1.0), ("unknown", -1.0), ("word_penalty", -1.0)))

    def _matches(self, symbols: tuple[str, ...], first: int, end: int) -> Iterator[list[Span]]:
        """Ways to lay symbols over a span: words on themselves, holes on one word or more."""
        if not symbols:
            if first == end:
                yield []
            return
        for to in range(first + 1, end + 1) if symbols[0].startswith(" ") else [first + 1]:
            if to <= end and (symbols[0].startswith(" ") or self.words[first] == symbols[0]):
                for rest in self._matches(symbols[1:], to, end):
                    yield [(first, to), *rest]

    def _structure(self, rule: Rule, span: Span, holes: list[Span]) -> dict[str, float]:
        """The features that tell the rules of fragments apart from those over any span."""
        spans = [float(is_fragment(self.heads, *one, self.options.max_external)) for one in (span, *holes)]
        labelled = [symbol for symbol in rule.source if symbol.startswith(" ") and symbol != f" {ANY}"]
        return {"fragment": spans[0], "fragment_holes": sum(spans[1:]), "labelled_holes": float(len(labelled))}

    def _fits(self, rule: Rule, symbols: list[Span], span: Span) -> bool:
        """Whether span and holes are fragments, holes have the rule's labels, and symbols hang together as there."""
        most, shown = self.options.max_external, self.options.labels
        if self.options.any_span and is_bare(rule):
            return True
        gaps = [place for symbol, place in zip(rule.source, symbols, strict=True) if symbol == f" {GAP}"]
        if is_fragment(self.heads, *span, most) == bool(gaps) or not is_fragment(self.heads, *span, most, gaps):
            return False
        for symbol, (first, end) in zip(rule.source, symbols, strict=True):
            if symbol.startswith(" ") and symbol != f" {GAP}":
                tags = [self.tags[word] for word in tops(self.heads, first, end)]
                if not is_fragment(self.heads, first, end, most) or symbol[1:] != label(tags, shown):
                    return False
        return rule.joints == joints(self.heads, symbols, gaps) if self.options.structure else not any(rule.joints)


def is_bare(rule: Rule) -> bool:
    """Whether the rule has no labels: any span can fill its holes."""
    return all(symbol[0] != " " or symbol == f" {ANY}" for symbol in rule.source)


class LabelsAsFeatures(FragmentEnumeration):
    """Rules without labels; the labels of their holes add two values."""

    def __init__(self, rules: list[Rule], sentence: Tagged, options: ExtractOptions) -> None:
        super().__init__([rule for rule in rules if is_bare(rule)], sentence, options)
        self.counts = {(rule.source, rule.target): rule.count for rule in rules}

    def _structure(self, rule: Rule, span: Span, holes: list[Span]) -> dict[str, float]:
        values = super()._structure(rule, span, holes)
        del values["labelled_holes"]  # There are none.
        if not holes or values["fragment_holes"] < len(holes):
            return values
        shown = iter(
            label([self.tags[word] for word in tops(self.heads, *hole)], self.options.labels) for hole in holes
        )
        source = tuple(f" {next(shown)}" if symbol[0] == " " else symbol for symbol in rule.source)
        seen, total = self.counts.get((source, rule.target), 0.0), self._occurrences(source)
        p = math.exp(rule.scores[_core.FEATURES.index("p_target_given_source")])
        gain = math.log((seen / p + 5) / (total + 5))
        probability = math.log((total + 0.5) / (max(self._occurrences(rule.source), total) + 1))
        return {**values, "context_gain": gain, "context_probability": probability}

    def _occurrences(self, source: tuple[str, ...]) -> float:
        return sum(count for (other, _), count in self.counts.items() if other == source)


def decoder(path: Path, lm: LanguageModel, weights: dict[str, float] = WEIGHTS, **search: str) -> _core.Decoder:
    """Without limits."""
    vector = [weights.get(name, 0.0) for name in _core.FEATURES]
    return _core.Decoder.chart(path, lm.path, vector, unlimited(**search))


def extracted(corpus: list[Tagged], folder: Path, system: str, options: ExtractOptions) -> Path:
    try:
        extract_rules(SYSTEMS[system], **write(folder, corpus), out=folder / f"{system}.bin", options=options)
    except InputError:
        assume(False)  # A corpus without any rule.
    return folder / f"{system}.bin"


def n_best(made: _core.Decoder, sentence: Tagged, most: int) -> list[_core.Hypothesis]:
    given = _core.Sentence(sentence.source, heads=sentence.heads, tags=sentence.tags)
    return made.translate([given], n_best=most, distinct=False, threads=1)[0]


SHAPES = st.builds(
    ExtractOptions,
    threads=st.just(1),
    min_hole=st.just(1),
    # With more external nodes the first open one alone carries, which the definition of structure does not know.
    max_external=st.integers(1, 2),
    labels=st.sampled_from(["all", "ends", "none"]),
    structure=st.booleans(),
    max_gaps=st.integers(0, 2),
)


@settings(max_examples=examples(150))
@given(st.lists(linked(6, "ab") | tagged(5), min_size=1, max_size=2), linked(5, "ab") | tagged(4), SHAPES)
def test_k_best_is_the_enumeration(
    lm: LanguageModel, folder: Path, corpus: list[Tagged], sentence: Tagged, options: ExtractOptions
) -> None:
    """Without limits the k-best list holds every derivation, best first, each with its true score."""
    path = extracted(corpus, folder, "dgst", options)
    every = FragmentEnumeration(rules_of(path), sentence, options).whole()
    assume(len(every) <= MOST)
    scores = sorted((found.score(WEIGHTS, lm) for found in every), reverse=True)
    listed = n_best(decoder(path, lm), sentence, MOST + 1)
    assert [one.score for one in listed] == pytest.approx(scores, abs=1e-3)


#: The label of holes over any span.
ANY = "<any>"
MIXED = st.builds(
    ExtractOptions,
    threads=st.just(1),
    min_hole=st.just(1),
    max_external=st.integers(1, 3),
    labels=st.sampled_from(["all", "ends"]),
    structure=st.just(False),
    any_span=st.just(True),
)


@settings(max_examples=examples(100))
@given(st.lists(linked(5, "ab") | tagged(5), min_size=1, max_size=2), linked(5, "ab") | tagged(4), MIXED)
def test_rules_over_any_span_are_used_beside_those_of_fragments(
    lm: LanguageModel, folder: Path, corpus: list[Tagged], sentence: Tagged, options: ExtractOptions
) -> None:
    path = extracted(corpus, folder, "dgst", options)
    weights = {**WEIGHTS, "fragment": 0.35, "fragment_holes": -0.15, "labelled_holes": 0.45}
    every = FragmentEnumeration(rules_of(path), sentence, options).whole()
    check_scores(every, weights, lm, decoder(path, lm, weights), sentence)


@settings(max_examples=examples(100))
@given(st.lists(linked(5, "ab") | tagged(5), min_size=1, max_size=3), linked(5, "ab") | tagged(4), MIXED)
def test_labels_are_features_of_rules_over_any_span(
    lm: LanguageModel, folder: Path, corpus: list[Tagged], sentence: Tagged, options: ExtractOptions
) -> None:
    path = extracted(corpus, folder, "dgst", options)
    weights = {**WEIGHTS, "fragment": 0.35, "fragment_holes": -0.15, "context_gain": 0.7, "context_probability": 0.3}
    every = LabelsAsFeatures(rules_of(path), sentence, options).whole()
    check_scores(every, weights, lm, decoder(path, lm, weights, contexts="features"), sentence)


@settings(max_examples=examples(50))
@given(st.lists(linked(5, "ab") | tagged(5), min_size=1, max_size=3), linked(5, "ab") | tagged(4), MIXED)
def test_without_the_features_of_labels_rules_over_any_span_are_hpb(
    lm: LanguageModel, folder: Path, corpus: list[Tagged], sentence: Tagged, options: ExtractOptions
) -> None:
    """Their probabilities do not depend on the labelled rules beside them: lists are the same to the last bit."""
    mixed = decoder(extracted(corpus, folder, "dgst", options), lm, contexts="features")
    plain = decoder(extracted(corpus, folder, "hpb", ExtractOptions(threads=1, min_hole=1)), lm)
    told = ("fragment", "fragment_holes", "context_gain", "context_probability")
    unknown = {_core.FEATURES.index(name) for name in told}

    def listed(made: _core.Decoder) -> list[tuple[Any, ...]]:
        return [
            (one.tokens, one.score, [value for column, value in enumerate(one.features) if column not in unknown])
            for one in n_best(made, sentence, 50)
        ]

    assert listed(mixed) == listed(plain)


def check_scores(
    every: list[Found], weights: dict[str, float], lm: LanguageModel, made: _core.Decoder, sentence: Tagged
) -> None:
    """The k-best list has the scores of all derivations, and each of its vectors has its score."""
    assume(len(every) <= MOST)
    scores = sorted((found.score(weights, lm) for found in every), reverse=True)
    listed = n_best(made, sentence, MOST + 1)
    assert [one.score for one in listed] == pytest.approx(scores, abs=1e-3)
    for one in listed[:20]:
        names = (name for name in weights if name != "lm")
        rest = sum(weights[name] * one.features[_core.FEATURES.index(name)] for name in names)
        assert rest + weights["lm"] * one.features[_core.FEATURES.index("lm")] == pytest.approx(one.score, abs=1e-3)


@settings(max_examples=examples(30), suppress_health_check=[HealthCheck.filter_too_much])
@given(linked(6, least=5), st.integers(1, 2), st.integers(1, 2))
def test_rules_with_gaps_are_used_as_defined(
    lm: LanguageModel, folder: Path, pair: Tagged, most: int, max_gaps: int
) -> None:
    """The same for a sentence that gave its rules, some with gaps: spans that are no fragments are translated too."""
    options = ExtractOptions(threads=1, min_hole=1, max_external=most, max_gaps=max_gaps, max_symbols=3)
    path = extracted([pair], folder, "dgst", options)
    rules = rules_of(path)
    assume(any(f" {GAP}" in rule.source for rule in rules))
    every = FragmentEnumeration(rules, pair, options).whole()
    assume(len(every) <= MOST)
    scores = sorted((found.score(WEIGHTS, lm) for found in every), reverse=True)
    assert [one.score for one in n_best(decoder(path, lm), pair, MOST + 1)] == pytest.approx(scores, abs=1e-3)


@settings(max_examples=examples(50))
@given(st.lists(tagged(6), min_size=1, max_size=3), tagged(6), st.integers(0, 5))
def test_without_labels_and_structure_it_is_hpb_where_every_span_is_a_fragment(
    lm: LanguageModel, folder: Path, corpus: list[Tagged], sentence: Tagged, root: int
) -> None:
    """In flat trees: the lists are the same to the last bit."""
    plain = ExtractOptions(threads=1, min_hole=1)
    options = {"dgst": plain.replace(labels="none", structure=False), "hpb": plain}
    flat = [Tagged(p.source, p.tags, _flat(len(p.source), root), p.target, p.links) for p in [*corpus, sentence]]
    lists = [
        [
            (one.tokens, one.score, one.features)
            for one in n_best(decoder(extracted(flat[:-1], folder, system, own), lm), flat[-1], 50)
        ]
        for system, own in options.items()
    ]
    assert lists[0] == lists[1]


def _flat(words: int, root: int) -> tuple[int, ...]:
    root = min(root, words - 1)
    return tuple(-1 if word == root else root for word in range(words))


def test_a_known_word_is_translated_whatever_the_number_of_external_nodes(demo: Trained, tmp_path: Path) -> None:
    """A single word is a fragment even if its two nodes are more than a fragment may have."""
    made = demo.train("dgst", tmp_path / "one", max_external=1)
    copied = [one.features["unknown"] for one in made.translate(demo.trees())]
    assert copied == [one.features["unknown"] for one in demo.load("dgst").translate(demo.trees())]
