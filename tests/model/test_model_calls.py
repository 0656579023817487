"""What the methods of a model take, and what they refuse."""

from __future__ import annotations

import math

import numpy as np
import pytest
from graphmt.align import LexicalTable, align
from graphmt.align.pharaoh import read_alignment
from graphmt.errors import InputError, OptionError
from graphmt.model import load_weights
from graphmt.nbest import read_lists
from small_models import Trained


def test_a_list_of_one_sentence_or_of_several(demo: Trained) -> None:
    model, texts = demo.load("pbmt"), demo.texts()[:2]
    several = model.n_best(texts, 3, threads=1)
    assert [model.n_best(text, 3, threads=1) for text in texts] == several
    assert model.n_best(iter(texts), 3, threads=1) == several
    graphs, tree = demo.load("gbmt"), demo.trees()[0]
    assert graphs.n_best(tree, 5, threads=1) == graphs.n_best([tree], 5, threads=1)[0]
    assert graphs.n_best([], 5) == []


@pytest.mark.parametrize("n", [0, -1, 2.5, True])
def test_a_list_has_at_least_one_translation(demo: Trained, n: int) -> None:
    with pytest.raises(OptionError, match="must be 1 or more"):
        demo.load("pbmt").n_best("ein Mann", n)


def test_what_is_no_sentence_is_refused(demo: Trained) -> None:
    for ask in (demo.load("pbmt").translate, lambda given: demo.load("pbmt").n_best(given, 2)):
        with pytest.raises(InputError, match=r"sentence 2 is 'list'.*join"):
            ask(["ein Mann", ["ein", "Mann"]])


def test_several_sentences_are_a_list(demo: Trained) -> None:
    model = demo.load("hpb")
    for ask in (model.spans, model.prepare, lambda given: model.forced(given, ["a man"])):
        with pytest.raises(InputError, match="a single sentence"):
            ask("ein Mann")


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ({"lmm": 1.0}, r"no feature 'lmm' \(did you mean 'lm'\?\)"),
        ({"lm": math.nan}, "finite"),
        ({"lm": -math.inf}, "finite"),
        ({"lm": 1e300}, "at most 1e"),
        ({"lm": "much"}, "a number was expected"),
    ],
)
def test_weights_that_are_refused(demo: Trained, weights: dict[str, float], said: str, tmp_path) -> None:
    model = demo.load("pbmt")
    with pytest.raises(OptionError, match=said):
        model.reweighted(weights)
    if isinstance(next(iter(weights.values())), float):
        lines = (f"{name} = {value}\n" for name, value in {**model.weights, **weights}.items())
        (tmp_path / "weights.toml").write_text("".join(lines))
        with pytest.raises(InputError, match=rf"weights.toml: .*{said}"):
            load_weights(tmp_path / "weights.toml", model.features)


def test_added_features_have_names_of_their_own(demo: Trained) -> None:
    def ones(options, words):
        return np.ones(len(options.copied))

    model = demo.load("pbmt")
    for name in ("lm", "glue"):
        with pytest.raises(OptionError, match=f"already has a feature '{name}'"):
            model.annotated(ones, {name: 1.0})
    with pytest.raises(OptionError, match="finite"):
        model.annotated(ones, {"one": math.inf})
    with pytest.raises(InputError, match="1e\\+09"):
        model.annotated(lambda options, words: 1e30 * ones(options, words), {"one": 1.0}).translate("ein Mann")
    # A second step adds to the first.
    both = model.annotated(ones, {"one": 0.5}).annotated(lambda *given: 2 * ones(*given), {"two": 0.25})
    found = both.translate("ein Mann", threads=1)
    assert found.features["two"] == 2 * found.features["one"] == 2 * len(found.derivation.steps)


@pytest.mark.parametrize(("given", "said"), [("das Haus", "is a string"), ([["das", "Haus"]], "'list'.*join")])
def test_alignment_says_what_it_takes(given: object, said: str, tmp_path) -> None:
    with pytest.raises(InputError, match=said):
        align(given, ["the house"])
    with pytest.raises(InputError, match=said):
        align(["das Haus"], given)
    (tmp_path / "links").write_text("0-0\n")
    with pytest.raises(InputError, match=said):
        LexicalTable.count(given, ["the house"], read_alignment(tmp_path / "links"))


@pytest.mark.parametrize("word", ["|||", "a|||b", "||||", "a|b", "|"])
def test_bars_in_moses_lists(demo: Trained, word: str, tmp_path) -> None:
    """Each candidate is one line with four fields; with Moses' escapes undone, its words are the same."""
    model = demo.load("pbmt")
    best = model.n_best(f"ein {word} Mann", 3, threads=1)
    assert word in best[0].tokens
    path = tmp_path / "list"
    path.write_text("".join(one.as_moses(0) + "\n" for one in best), "utf-8")
    assert all(line.count(" ||| ") == 3 for line in path.read_text("utf-8").splitlines())
    (found,) = read_lists(path)
    assert [text.replace("&#124;", "|") for text in found.texts] == [" ".join(one.tokens) for one in best]
