"""Word order by dependencies: two linked words against scikit-learn, and what a rule with a hole counts."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from graphmt import _core, lm
from graphmt.corpus import TextSteps
from graphmt.errors import InputError
from graphmt.lm import LmOptions
from graphmt.model import SearchOptions
from graphmt.rules import ExtractOptions, extract_rules, extract_settings
from graphmt.selection import Corpus, OrderOptions
from graphmt.selection.order import train_order
from graphmt.systems import system
from tiny import shuffled

#: A verb and the noun that depends on it: which words they are says whether they change places, but not for sure.
PAIRS = shuffled(
    [("v n", "N V")] * 8
    + [("v n", "V N")] * 3
    + [("w n", "N W")] * 2
    + [("w n", "W N")] * 6
    + [("v m", "M V")] * 4
    + [("v m", "V M")] * 5
)
OPTIONS = OrderOptions(occurrences=1, features=0, iterations=1000, variance=0.7, threads=1)


def corpus(folder: Path, pairs: list[tuple[str, str]]) -> Corpus:
    """Sentences whose first word is a verb and the head of the others; a word is linked to itself in upper case."""
    text = {side: folder / side for side in ("source", "target", "links", "trees")}
    text["source"].write_text("".join(f"{source}\n" for source, _ in pairs))
    text["target"].write_text("".join(f"{target}\n" for _, target in pairs))
    with text["links"].open("w") as links, text["trees"].open("w") as trees:
        for source, target in pairs:
            words, other = source.split(), target.split()
            print(*(f"{k}-{other.index(word.upper())}" for k, word in enumerate(words)), file=links)
            for k, word in enumerate(words):
                head, tag = (1, "NOUN") if k else (0, "VERB")
                print(k + 1, word, "_", tag, "_", "_", head, "dep", "_", "_", sep="\t", file=trees)
            print(file=trees)
    options = ExtractOptions(min_hole=1, threads=1)
    extract_rules(system("hpb"), text["source"], text["target"], text["links"], folder / "rules.bin", options=options)
    settings = extract_settings(system("hpb"), options)
    files = text["source"], text["target"], text["links"], text["trees"]
    return Corpus(*files, TextSteps(), TextSteps(), folder / "rules.bin", settings)


def values(made: Corpus, model: _core.Selector, sentence: str) -> dict[str, list[list[float]]]:
    """The added features of every derivation of a sentence, by its words."""
    folder = Path(made.rules).parent
    lm.train([made.target], folder / "lm.bin", LmOptions(order=1, discount_fallback=True))
    weights = [0.0] * len(_core.FEATURES)
    search = SearchOptions(pop_limit=1000, stack_size=1000, table_limit=100)
    decoder = _core.Decoder.chart(made.rules, folder / "lm.bin", weights, search)
    decoder = decoder.annotated([model], [*weights, 0.0, 0.0])
    words = sentence.split()
    heads, tags = [-1] + [0] * (len(words) - 1), ["VERB"] + ["NOUN"] * (len(words) - 1)
    given = _core.Sentence(words, heads=heads, tags=tags)
    (found,) = decoder.translate([given], n_best=1000, distinct=False, threads=1)
    made_by: dict[str, list[list[float]]] = {}
    for one in found:
        made_by.setdefault(" ".join(one.tokens), []).append(list(one.features[len(_core.FEATURES) :]))
    return made_by


def test_two_words_against_scikit_learn(tmp_path) -> None:
    linear_model = pytest.importorskip("sklearn.linear_model")
    made = corpus(tmp_path, PAIRS)
    assert train_order(made, tmp_path / "order.bin", OPTIONS)["classifiers"] == 1
    names = ["bias", "v", "w", "n", "m"]
    # Ten features are the same for all pairs (bias, neighbours, distance, parts of speech), and the first word has two,
    # because it is the head: equal columns of 0 and 1 are one column of the square root of their number.
    shared, of_head = 10, 2

    def row(source: str) -> list[float]:
        first, second = source.split()
        scales = [math.sqrt(shared), *[math.sqrt(of_head)] * 2, 1.0, 1.0]
        return [scale * (name in ("bias", first, second)) for name, scale in zip(names, scales, strict=True)]

    inverted = [target.split()[0].lower() != source.split()[0] for source, target in PAIRS]
    # Two classes with weights of variance σ² each are one vector of differences with variance 2 σ².
    theirs = linear_model.LogisticRegression(C=1.4, fit_intercept=False, tol=1e-10, max_iter=10_000)
    theirs.fit(np.array([row(source) for source, _ in PAIRS]), inverted)
    model = _core.open_order(tmp_path / "order.bin")
    for source in sorted({source for source, _ in PAIRS}):
        found = values(made, model, source)
        straight, turned = source.upper(), " ".join(reversed(source.upper().split()))
        odds = theirs.decision_function([row(source)])[0]
        # By rules with a hole, and by a phrase.
        holes, words = [one for one in found[turned] if one[0]], [one for one in found[turned] if one[1]]
        assert holes
        assert words
        assert all(one == pytest.approx([odds, 0.0], abs=0.02) for one in holes), source
        assert all(one == pytest.approx([0.0, odds], abs=0.02) for one in words), source
        assert len(holes) + len(words) == len(found[turned])
        assert all(one == [0.0, 0.0] for one in found[straight])


def test_every_derivation_of_a_text_counts_its_pairs_once(tmp_path) -> None:
    """Derivations of the same text differ in the rules that count its pairs."""
    orders = ["V M N", "N M V", "N V M", "V N M"]
    made = corpus(tmp_path, shuffled([("v m n", order) for order in orders for _ in range(5)] + PAIRS))
    train_order(made, tmp_path / "order.bin", OPTIONS)
    found = values(made, _core.open_order(tmp_path / "order.bin"), "v m n")
    sums = {text: {round(sum(one), 4) for one in ways} for text, ways in found.items()}
    assert all(len(one) == 1 for one in sums.values()), sums
    assert len(found["N M V"]) > 1
    total = {text: one.pop() for text, one in sums.items()}
    assert total["V M N"] == 0
    # All pairs are inverted in the first; (v, n) and (m, n) in the second, (v, m) in the third.
    assert total["N M V"] == pytest.approx(total["N V M"] + total["M V N"], abs=1e-3)
    assert total["N V M"] != total["V N M"] != 0


def test_a_sentence_without_a_tree_is_rejected(tmp_path) -> None:
    made = corpus(tmp_path, PAIRS)
    train_order(made, tmp_path / "order.bin", OPTIONS)
    lm.train([made.target], tmp_path / "lm.bin", LmOptions(order=1, discount_fallback=True))
    weights = [0.0] * len(_core.FEATURES)
    decoder = _core.Decoder.chart(made.rules, tmp_path / "lm.bin", weights, SearchOptions())
    decoder = decoder.annotated([_core.open_order(tmp_path / "order.bin")], [*weights, 0.0, 0.0])
    with pytest.raises(InputError, match=r"no dependency tree"):
        decoder.translate([_core.Sentence(["v", "n"])], n_best=1, distinct=True, threads=1)


def test_rare_pairs_have_no_classifier(tmp_path) -> None:
    made = corpus(tmp_path, PAIRS)
    with pytest.raises(InputError, match=r"no source side is ambiguous.*\[order\]"):
        train_order(made, tmp_path / "order.bin", OPTIONS.replace(occurrences=1000))


def test_the_same_for_any_number_of_threads(tmp_path) -> None:
    made = corpus(tmp_path, PAIRS)
    files = set()
    for threads in (1, 3):
        train_order(made, tmp_path / "order.bin", OPTIONS.replace(threads=threads))
        files.add((tmp_path / "order.bin").read_bytes())
    assert len(files) == 1
