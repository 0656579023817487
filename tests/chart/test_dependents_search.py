"""Dep2Str's chart against plain enumeration, and on trees of every shape."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import naive_dependents
import pytest
from amounts import examples
from graphmt import _core
from graphmt.errors import InputError
from graphmt.lm import LanguageModel
from graphmt.rules import ExtractOptions, extract_rules
from graphmt.systems import SYSTEMS
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from naive_dependents import Element, Tagged, fragment, tagged
from small_models import Trained

from .grammars import MOST, WEIGHTS, WORDS, Found, joined, unlimited


@dataclass(frozen=True)
class Rule:
    """A rule as the table has it; the place of its head, None for phrases."""

    source: tuple[str, ...]
    head: int | None
    target: tuple[str, ...]
    scores: tuple[float, ...]


def extracted(corpus: list[Tagged], folder: Path) -> Path:
    """The table of a corpus, with rules of all kinds."""
    options = ExtractOptions(threads=1, partial=True, phrasal=True)
    files = naive_dependents.write(folder, corpus)
    extract_rules(SYSTEMS["dep2str"], **files, out=folder / "rules.bin", options=options)
    return folder / "rules.bin"


def rules_of(path: Path) -> list[Rule]:
    """All rules of a table over the words and labels of these tests."""
    table = _core.RuleTable(path)
    labels = [f" {mark}{tag}" for mark in "^.+" for tag in "XY"] + [f" :{word}" for word in WORDS]
    sides = {}
    for symbol in [*WORDS, *labels]:
        for side in table.containing(symbol, 100_000):
            sides[tuple(side.words), tuple(side.joints)] = side.rules
    made = []
    for (words, joints), rules in sides.items():
        # See rust/src/source/dependents.rs: 1 marks the head, 2 says that it is the first, 3 that there is none.
        head = 0 if len(words) == 1 or joints[1] == 2 else None if joints[1] == 3 else joints.index(1)
        made += [Rule(words, head, tuple(rule.target), tuple(rule.scores)) for rule in rules]
    return made


#: The features that count symbols which stand for any word with a part of speech, by the mark of the symbol.
GENERAL = {"^": "general_heads", ".": "general_leaves", "+": "general_subtrees"}
#: They are part of the score here; most models do not use them.
WITH_GENERAL = {**WEIGHTS, "general_heads": -0.35, "general_leaves": 0.15, "general_subtrees": -0.6}


class TooMany(Exception):
    """More derivations than anyone wants to list."""


class Enumeration:
    """All derivations of a sentence by the definitions."""

    def __init__(self, grammar: list[Rule], words: list[str], tags: list[str], heads: list[int]) -> None:
        self.grammar, self.words, self.tags = grammar, words, tags
        self.heads = _core.projectivise(heads) if heads.count(-1) == 1 else heads

    def whole(self) -> list[Found]:
        """The roots one after the other, with glue at the beginning of the sentence."""
        roots = fragment(self.heads, -1)
        return [joined([found], found.words, {"glue": 1.0}) for found in self._pieces(roots)]

    def subtree(self, top: int) -> list[Found]:
        """A head with all its dependents: a rule over some of them, the others around it in source order."""
        elements = fragment(self.heads, top)
        head = next(k for k, element in enumerate(elements) if element.role == "head")
        found: list[Found] = []
        for first, last in itertools.product(range(head + 1), range(head, len(elements))):
            for core in self._run(elements[first : last + 1], head - first):
                for left in self._attached(elements[:first]):
                    for right in self._attached(elements[last + 1 :]):
                        words = (*left.words, *core.words, *right.words)
                        found.append(joined([left, core, right], words, {}))
                        if len(found) > MOST:
                            raise TooMany
        return found

    def _attached(self, elements: list[Element]) -> list[Found]:
        if not elements:
            return [Found((), ())]
        return [joined([found], found.words, {"glue": 1.0}) for found in self._pieces(elements)]

    def _pieces(self, elements: list[Element]) -> list[Found]:
        """Elements in order, each on its own or several as a phrase; glue between two."""
        found = []
        for size in range(1, len(elements) + 1):
            first = self._piece(elements[:size])
            if size == len(elements):
                found += first
                continue
            for one, rest in itertools.product(first, self._pieces(elements[size:])):
                found.append(joined([one, rest], (*one.words, *rest.words), {"glue": 1.0}))
        if len(found) > MOST:
            raise TooMany
        return found

    def _piece(self, elements: list[Element]) -> list[Found]:
        if len(elements) == 1:
            return self.subtree(elements[0].word)
        return [self._applied(rule, []) for rule in self._phrases(elements)]

    def _phrases(self, elements: list[Element]) -> Iterator[Rule]:
        words = tuple(self.words[word] for element in elements for word in element.covers)
        yield from (rule for rule in self.grammar if rule.head is None and rule.source == words)

    def _run(self, elements: list[Element], head: int) -> Iterator[Found]:
        """Rules that match a head with dependents exactly, or the head alone."""
        if len(elements) > 1:
            yield from (self._applied(rule, []) for rule in self._phrases(elements))
        known = False
        for rule in self.grammar:
            if rule.head == head and len(rule.source) == len(elements):
                pairs = list(zip(rule.source, elements, strict=True))
                if all(symbol in self._symbols(element) for symbol, element in pairs):
                    known = True
                    holes = [element for symbol, element in pairs if symbol.startswith(" ")]
                    fillers = [self._alone(hole) for hole in holes]
                    yield from (self._applied(rule, list(parts)) for parts in itertools.product(*fillers))
        if len(elements) == 1 and not known:
            values = (("rule_penalty", 1.0), ("unknown", -1.0), ("word_penalty", -1.0))
            yield Found((self.words[elements[0].word],), values)

    def _symbols(self, element: Element) -> set[str]:
        word, tag = self.words[element.word], self.tags[element.word]
        symbols = {"head": {word, f" ^{tag}"}, "leaf": {word, f" .{tag}"}, "internal": {f" :{word}", f" +{tag}"}}
        return symbols[element.role]

    def _alone(self, element: Element) -> list[Found]:
        """What may fill a hole: a head's or a leaf's word, an internal dependent's subtree."""
        if element.role == "internal":
            return self.subtree(element.word)
        return list(self._run([Element("head", element.word, (element.word,))], 0))

    def _applied(self, rule: Rule, parts: list[Found]) -> Found:
        target = [parts[int(symbol)].words if symbol.startswith(" ") else (symbol,) for symbol in rule.target]
        own = sum(not symbol.startswith(" ") for symbol in rule.target)
        values = dict(zip(_core.FEATURES[:4], rule.scores, strict=True))
        values |= {"rule_penalty": 1.0, "word_penalty": -float(own)}
        for mark, name in GENERAL.items():
            values[name] = float(sum(symbol.startswith(f" {mark}") for symbol in rule.source))
        return joined(parts, tuple(word for words in target for word in words), values)


def chart(table: Path, lm: LanguageModel, **limits: Any) -> _core.Decoder:
    vector = [WITH_GENERAL.get(name, 0.0) for name in _core.FEATURES]
    # The longest span of other systems does not matter here.
    return _core.Decoder.chart(table, lm.path, vector, unlimited(**{"max_span": 1, **limits}))


@st.composite
def inputs(draw: st.DrawFn, most: int = 5) -> tuple[list[str], list[str], list[int]]:
    """A sentence with a tree, or with several when nothing crosses."""
    pair = draw(tagged(most, WORDS + "z"))
    heads = list(pair.heads)
    cut = draw(st.lists(st.booleans(), min_size=len(heads), max_size=len(heads)))
    split = [-1 if gone else head for head, gone in zip(_core.projectivise(heads), cut, strict=True)]
    runs_on = all(list(words) == list(range(words[0], words[-1] + 1)) for words in _subtrees(split))
    return list(pair.source), list(pair.tags), split if runs_on else heads


def _subtrees(heads: list[int]) -> list[tuple[int, ...]]:
    return [naive_dependents.subtree(heads, word) for word in range(len(heads))]


@settings(max_examples=examples(120))
@given(st.lists(tagged(5), min_size=1, max_size=3), inputs())
def test_k_best_is_the_enumeration(
    lm: LanguageModel, folder: Path, corpus: list[Tagged], given_: tuple[list[str], list[str], list[int]]
) -> None:
    """Without limits the k-best list holds every derivation once, best first, each with its true score."""
    assume(any(naive_dependents.aligned(pair, (word,)) for pair in corpus for word in range(len(pair.source))))
    words, tags, heads = given_
    table = extracted(corpus, folder)
    try:
        every = Enumeration(rules_of(table), words, tags, heads).whole()
    except TooMany:
        assume(False)
    assume(len(every) <= MOST)
    scores = sorted((found.score(WITH_GENERAL, lm) for found in every), reverse=True)
    decoder = chart(table, lm)
    given = [_core.Sentence(words, heads=heads, tags=tags)]
    (listed,) = decoder.translate(given, n_best=MOST + 1, distinct=False, threads=1)
    assert [one.score for one in listed] == pytest.approx(scores, abs=1e-3)
    assert sorted(tuple(one.tokens) for one in listed) == sorted(found.words for found in every)
    ((best,),) = decoder.translate(given, n_best=1, distinct=False, threads=1)
    steps = best.steps
    assert best.score == pytest.approx(scores[0], abs=1e-3)
    told = dict(zip(_core.FEATURES, best.features, strict=True))
    assert told["glue"] == 1 + sum(step.kind == "pseudo" for step in steps)
    placed = sorted((p, w) for s in steps for p, w in zip(s.places, s.target, strict=True))
    assert best.tokens == [word for _, word in placed]


def shapes() -> Iterator[tuple[str, list[int]]]:
    yield "one word", [-1]
    yield "flat, head first", [-1, *[0] * 30]
    yield "flat, head last", [*[30] * 30, -1]
    yield "flat, head inside", [*[50] * 50, -1, *[50] * 49]
    yield "chain to the right", list(range(-1, 99))
    yield "chain to the left", [*range(1, 100), -1]
    yield "crossing", [2, 3, -1, 2, 0, 1, 4]
    yield "several roots", [-1, 0, -1, 4, -1, -1]
    yield "several roots that cross", [-1, -1, 0, 1, -1, 2]


@pytest.mark.parametrize("heads", [pytest.param(heads, id=name) for name, heads in shapes()])
@pytest.mark.parametrize("system", ["dep2str", "dgst"])
def test_every_input_gets_a_translation(demo: Trained, system: str, heads: list[int]) -> None:
    """Known and unknown words; every source word is covered once, and the score is that of the features."""
    trees = demo.trees()
    known = [(word.lower(), tag) for tree in trees for word, tag in zip(tree.tokens, tree.upos, strict=True)]
    words = [known[k % len(known)][0] if k % 7 else f"unbekannt{k}" for k in range(len(heads))]
    tags = [known[k % len(known)][1] for k in range(len(heads))]
    model = demo.load(system)
    sentence = _core.Sentence(words, heads=heads, tags=tags)
    ((best,),) = model._decoder.translate([sentence], n_best=1, distinct=False, threads=1)
    steps = best.steps
    assert sorted(position for step in steps for position in step.positions) == list(range(len(words)))
    copied = {step.target[0] for step in steps if step.kind == "copy"}
    assert copied >= {word for word in words if word.startswith("unbekannt")}
    assert best.score == pytest.approx(
        sum(w * v for w, v in zip(model._vector(), best.features, strict=True)), rel=1e-4
    )


@pytest.mark.parametrize("system", ["dep2str", "dgst"])
def test_heads_that_form_a_cycle(demo: Trained, system: str) -> None:
    given_ = [_core.Sentence(["a", "b", "c"], heads=[2, -1, 0], tags=["X", "X", "X"])]
    with pytest.raises(InputError, match="cycle"):
        demo.load(system)._decoder.translate(given_, n_best=1, distinct=False, threads=1)


def test_rules_and_pseudo_rules_are_used(demo: Trained) -> None:
    found = demo.load("dep2str").translate(demo.trees())
    steps = [step for best in found for step in best.derivation.steps]
    assert sum(step.kind == "pseudo" for step in steps) > 0
    assert any(len(step.children) > 1 for step in steps if step.kind == "rule")
    # A rule that moves what fills its holes: its own words and its children are not in source order.
    pictures = [best.derivation for best in found]
    assert all(picture._repr_svg_().startswith("<svg") for picture in pictures[:3])


def test_threads_change_nothing(demo: Trained) -> None:
    model = demo.load("dep2str")
    one, two = model.translate(demo.trees(), threads=1), model.translate(demo.trees(), threads=2)
    assert [(best.text, best.score) for best in one] == [(best.text, best.score) for best in two]
