"""Terms in all systems: required ones are always used, forbidden ones never, preferred ones if their weight allows."""

from __future__ import annotations

import pickle

import pytest
from amounts import examples
from graphmt.corpus import Tree
from graphmt.glossary import Glossary, Term
from graphmt.model import Model, Translation
from graphmt.systems import SYSTEMS
from graphmt.tune import TunedModel, TuneOptions
from hypothesis import given, settings
from hypothesis import strategies as st
from small_models import Trained

SMALL = {"pop_limit": 20, "stack_size": 20}
#: Translations with words that the models know, and others.
TARGETS = ["zork", "Zork blip", "the zork", "zork zork he", "he"]

#: The number of a sentence; the beginning and the length of each term, and its translation.
requests = st.tuples(
    st.integers(0, 39),
    st.lists(st.tuples(st.integers(0, 20), st.integers(1, 5), st.sampled_from(TARGETS)), min_size=1, max_size=3),
)


@pytest.fixture(scope="module", params=SYSTEMS)
def model(request: pytest.FixtureRequest, demo: Trained) -> Model:
    return demo.load(request.param, **SMALL)


@pytest.fixture(scope="module")
def trees(demo: Trained) -> list[Tree]:
    return demo.trees()


def chosen(model: Model, tree: Tree) -> str | Tree:
    return tree if model.needs_trees else " ".join(tree.tokens)


def check(best: Translation, model: Model, words: int) -> None:
    """The derivation translates every word once, and its score is the weighted sum of its values."""
    steps = best.derivation.steps
    assert sorted(position for step in steps for position in step.positions) == list(range(words))
    assert best.derivation.target == best.tokens
    total = sum(weight * best.features[name] for name, weight in model.weights.items())
    assert best.score == pytest.approx(total, rel=1e-4, abs=1e-3)


def found(words: tuple[str, ...], terms: list[Term]) -> list[tuple[int, int]]:
    """Where terms occur: the longest first, from left to right; a naive search."""
    sources = sorted({tuple(term.source.split()) for term in terms}, key=len, reverse=True)
    spans, at = [], 0
    while at < len(words):
        length = next((len(one) for one in sources if words[at : at + len(one)] == one), 0)
        if length:
            spans.append((at, at + length))
        at += length or 1
    return spans


@settings(max_examples=examples(15))
@given(request=requests)
def test_required_terms_are_always_used(
    model: Model, trees: list[Tree], request: tuple[int, list[tuple[int, int, str]]]
) -> None:
    number, wanted = request
    tree = trees[number]
    words = tuple(token.lower() for token in tree.tokens)
    terms = [Term(" ".join(words[first % len(words) :][:length]), target) for first, length, target in wanted]
    prescribing = model.with_glossary(Glossary(tuple(terms)))
    for best in prescribing.n_best(chosen(model, tree), 3, threads=1):
        check(best, prescribing, len(words))
        used = sorted((step.positions, step) for step in best.derivation.steps if step.kind == "term")
        assert [(positions[0], positions[-1] + 1) for positions, _ in used] == found(words, terms)
        for positions, step in used:
            assert positions == tuple(range(positions[0], positions[-1] + 1))
            source = " ".join(words[position] for position in positions)
            assert " ".join(step.target) in {term.target for term in terms if term.source == source}
            # Its words are adjacent in the output.
            assert best.tokens[step.places[0] : step.places[-1] + 1] == step.target
        assert best.features["glossary"] == 0.0


def translations_of(model: Model, tree: Tree, n: int = 10) -> list[Translation]:
    return model.n_best(chosen(model, tree), n, distinct=True, threads=1)


def aligned(best: Translation, first: int, end: int) -> tuple[str, ...]:
    """The words aligned to a span."""
    places = sorted({j for i, j in best.alignment if first <= i < end})
    return tuple(best.tokens[place] for place in places)


def test_forbidden_translations_are_not_used(model: Model, trees: list[Tree]) -> None:
    changed = 0
    for tree in trees[:8]:
        plain = model.translate(chosen(model, tree), threads=1)
        at = next(i for i, tag in enumerate(tree.upos) if tag in ("NOUN", "VERB"))
        usual = aligned(plain, at, at + 1)
        if not usual or usual == (tree.tokens[at].lower(),):
            continue
        terms = Glossary((Term(tree.tokens[at].lower(), " ".join(usual), "forbidden"),))
        forbidding = model.with_glossary(terms)
        for best in translations_of(forbidding, tree):
            check(best, forbidding, len(tree.tokens))
            assert aligned(best, at, at + 1) != usual or len(usual) > 1
            changed += best.tokens != plain.tokens
    assert changed


def test_several_rules_do_not_make_a_forbidden_translation(model: Model, trees: list[Tree]) -> None:
    """The term has two words, which the model translates one by one or together."""
    for tree in trees[:8]:
        plain = model.translate(chosen(model, tree), threads=1)
        for at in range(len(tree.tokens) - 1):
            usual = aligned(plain, at, at + 2)
            places = sorted({j for i, j in plain.alignment if at <= i < at + 2})
            if len(usual) == 2 and places[1] == places[0] + 1:
                break
        else:
            continue
        source = " ".join(tree.tokens[at : at + 2]).lower()
        forbidding = model.with_glossary(Glossary((Term(source, " ".join(usual), "forbidden"),)))
        for best in translations_of(forbidding, tree):
            if any(step.kind == "copy" and at <= step.positions[0] < at + 2 for step in best.derivation.steps):
                # No rule is left for the word, so that it is copied: a comma remains a comma.
                continue
            own = sorted({j for i, j in best.alignment if at <= i < at + 2})
            assert not (aligned(best, at, at + 2) == usual and own == list(range(own[0], own[0] + 2)))


def test_preferred_terms_compete(model: Model, trees: list[Tree]) -> None:
    for tree in trees[:3]:
        term = Term(tree.tokens[1].lower(), "zork", "preferred")
        glossary = Glossary((term,))
        used = [
            [step.kind for step in best.derivation.steps].count("term")
            for weight in (-100.0, 100.0)
            for best in [model.with_glossary(glossary, weight=weight).translate(chosen(model, tree), threads=1)]
        ]
        assert used[0] == 0 < used[1]
        eager = model.with_glossary(glossary, weight=100.0)
        best = eager.translate(chosen(model, tree), threads=1)
        check(best, eager, len(tree.tokens))
        assert best.features["glossary"] == used[1]


def test_terms_of_long_sentences_are_not_cut(demo: Trained) -> None:
    model = demo.load("pbmt", **SMALL)
    words = ["haus"] * 600
    for at in (60, 120, 250, 500):
        words[at : at + 10] = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"]
    best = model.with_glossary(Glossary((Term("a b c d e f g h i j", "zork"),))).translate(" ".join(words), threads=1)
    terms = [step.positions for step in best.derivation.steps if step.kind == "term"]
    assert [one[0] for one in terms] == [60, 120, 250, 500]
    assert all(len(one) == 10 for one in terms)


def test_terms_longer_than_the_longest_span(demo: Trained, trees: list[Tree]) -> None:
    tree = max(trees, key=lambda one: len(one.tokens))
    for system in ("hpb", "btg", "dgst"):
        model = demo.load(system, max_span=2, **SMALL)
        glossary = Glossary((Term(" ".join(tree.tokens[1:5]).lower(), "zork blip"),))
        best = model.with_glossary(glossary).translate(chosen(model, tree), threads=1)
        assert [step.positions for step in best.derivation.steps if step.kind == "term"] == [(1, 2, 3, 4)]


def test_models_without_terms_have_no_such_feature(demo: Trained, trees: list[Tree]) -> None:
    model = demo.load("pbmt")
    text = chosen(model, trees[0])
    with_none = model.with_glossary(Glossary((Term("qwertz", "zork"),)))
    plain, same = model.translate(text), with_none.translate(text)
    assert "glossary" not in plain.features and same.features["glossary"] == 0.0
    assert (plain.text, plain.score) == (same.text, same.score)


def test_pickled_models_keep_their_terms(demo: Trained, trees: list[Tree]) -> None:
    model = demo.load("hpb").with_glossary(Glossary((Term(trees[0].tokens[1], "zork", "preferred"),)), weight=9.0)
    again = pickle.loads(pickle.dumps(model.with_xml_input("inclusive")))
    text = chosen(model, trees[0])
    assert again.translate(text) == model.translate(text)
    assert again.weights["glossary"] == 9.0


def test_the_feature_is_tuned(demo: Trained, trees: list[Tree], tmp_path) -> None:  # type: ignore[no-untyped-def]
    model = demo.load("pbmt").with_glossary(Glossary((Term(trees[0].tokens[1], "zork", "preferred"),)))
    tuned = TunedModel(model, [chosen(model, trees[0])], TuneOptions(n_best=10))
    values = tuned.decode({**tuned.features, "glossary": 5.0}).values
    column = list(tuned.features).index("glossary")
    assert values[:, column].max() == 1.0


def test_tuned_weights_are_used(demo: Trained, tmp_path) -> None:  # type: ignore[no-untyped-def]
    plain = (demo.models["pbmt"] / "weights.toml").read_text("utf-8")
    tuned = tmp_path / "tuned.toml"
    tuned.write_text(f"{plain}\nglossary = 3.5\n", "utf-8")
    model = Model(demo.models["pbmt"], weights=tuned)
    assert "glossary" not in model.weights
    assert model.with_glossary(Glossary((Term("a", "b"),))).weights["glossary"] == 3.5
