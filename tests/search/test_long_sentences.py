"""Sentences with more words than a search takes: cut into pieces that are translated one by one and joined."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from graphmt.cli import app
from graphmt.consensus import ConsensusDecoder, ConsensusOptions, make_span_memory
from graphmt.consensus.decoding import FEATURES
from graphmt.corpus import Tree, read_trees
from graphmt.model import Model, Translation
from graphmt.tune import TunedModel, TuneOptions
from small_models import Trained
from typer.testing import CliRunner

#: A search that looks at little.
SMALL = {"pop_limit": 8, "stack_size": 8, "table_limit": 3}
#: The same for charts of spans.
SHORT = {**SMALL, "max_span": 4}


def small(demo: Trained, system: str) -> Model:
    return demo.load(system, **(SHORT if system in ("hpb", "btg", "dgst") else SMALL))


def long_tree(demo: Trained, words: int) -> Tree:
    """The words of many trees as one: the roots of all hang on the first."""
    forms: list[str] = []
    heads: list[int] = []
    tags: list[str] = []
    for tree in itertools.cycle(demo.trees()):
        heads += [head + len(forms) if head >= 0 else (0 if forms else -1) for head in tree.heads]
        forms += tree.tokens
        tags += tree.upos
        if len(forms) >= words:
            break
    # A word whose head was cut off hangs on the first one, which is the root.
    heads = [-1, *(head if 0 <= head < words else 0 for head in heads[1:words])]
    return Tree(tuple(forms[:words]), tuple(heads), tuple(tags[:words]))


def given(model: Model, tree: Tree) -> str | Tree:
    return tree if model.needs_trees else " ".join(tree.tokens)


def check(weights: Mapping[str, float], words: int, best: Translation) -> None:
    """Every word is translated once, the steps give the text, and the score is the weighted sum of the values."""
    steps = best.derivation.steps
    assert sorted(position for step in steps for position in step.positions) == list(range(words))
    assert best.derivation.target == best.tokens
    total = sum(weight * best.features[name] for name, weight in weights.items())
    assert best.score == pytest.approx(total, rel=1e-4)
    assert all(0 <= s < words and 0 <= t < len(best.tokens) for step in steps for s, t in step.alignment)
    if best.derivation.is_tree:
        children = [child for step in steps for child in step.children]
        assert sorted(children) == list(range(1, len(steps)))


@pytest.mark.parametrize(
    ("system", "words"),
    [("pbmt", 257), ("pbmt", 5000), ("gbmt-ctx", 300), ("hpb", 1001), ("btg", 1001), ("dgst", 1001), ("dep2str", 1001)],
)
def test_a_long_sentence_is_translated_in_pieces(demo: Trained, system: str, words: int, caplog) -> None:
    model = small(demo, system)
    best = model.translate(given(model, long_tree(demo, words)), threads=1)
    check(model.weights, words, best)
    assert f"sentence 1: {words:,} words exceed the maximum of {model.longest}" in caplog.text


def test_a_sentence_that_is_short_enough_is_not_cut(demo: Trained, caplog) -> None:
    model = demo.load("pbmt", **SMALL)
    model.translate(given(model, long_tree(demo, 256)), threads=1)
    assert not caplog.records


def test_a_piece_is_translated_as_it_is_alone(demo: Trained) -> None:
    """Cut after a full stop, the translation is that of both parts, one after the other."""
    model = demo.load("pbmt", **SMALL)
    first = [f"w{k}" for k in range(119)] + ["."]
    second = ["ein", "Mann", "schläft"] * 30 + [f"v{k}" for k in range(60)]
    whole = model.translate(" ".join(first + second), threads=1)
    ends = [end for _, end in model.decoder.pieces(model.prepare([" ".join(first + second)])[0])]
    assert ends[0] == 120
    parts = model.translate([" ".join((first + second)[a:b]) for a, b in itertools.pairwise([0, *ends])], threads=1)
    assert whole.tokens == tuple(token for part in parts for token in part.tokens)
    assert whole.score == pytest.approx(sum(part.score for part in parts), rel=1e-5)


@pytest.mark.parametrize(("system", "words"), [("pbmt", 260), ("hpb", 1001)])
def test_lists_of_a_long_sentence(demo: Trained, system: str, words: int) -> None:
    model = small(demo, system)
    sentence = given(model, long_tree(demo, words))
    found = model.n_best(sentence, 20, distinct=True, threads=1)
    assert len(found) == 20 and len({one.tokens for one in found}) == 20
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    assert found[0].tokens == model.translate(sentence, threads=1).tokens
    for one in found:
        check(model.weights, words, one)
    assert model.n_best(sentence, 4, threads=1)[0].score == found[0].score


def test_graphs_spans_and_forced_decoding_of_a_long_sentence(demo: Trained, caplog) -> None:
    model = demo.load("hpb", **SHORT)
    sentence = " ".join(long_tree(demo, 1001).tokens)
    arcs = [json.loads(line) for line in model.search_graph(sentence).json_lines.splitlines()]
    pieces = model.decoder.pieces(model.prepare([sentence])[0])
    assert {(arc["piece"], arc["first"]) for arc in arcs} == {(k, first) for k, (first, _) in enumerate(pieces)}
    (spans,) = model.spans([sentence], most=1, threads=1)
    assert max(span.end for span in spans) == 1001
    assert all(any(first <= span.first and span.end <= end for first, end in pieces) for span in spans)
    (forced,) = model.forced([sentence], ["a"], threads=1)
    assert not forced.reached and forced.spans == ()
    assert "Forced decoding skips 1 sentences of more than 1000 words" in caplog.text


def test_consensus_of_a_long_sentence(demo: Trained, caplog) -> None:
    model, tree = demo.load("hpb", **SHORT), long_tree(demo, 1001)
    targets = demo.target.read_text("utf-8").splitlines()[:10]
    pairs = [*zip(itertools.islice(read_trees(demo.source), 10), targets, strict=True), (tree, "a")]
    memory, _ = make_span_memory(model, pairs, threads=1)
    assert "1 pairs of more than 1000 words are not decoded" in caplog.text
    weights = {**model.weights, **dict.fromkeys(FEATURES, 0.1)}
    decoder = ConsensusDecoder(
        model,
        memory,
        ConsensusOptions(threads=1, neighbours=2, labels=2, whole=3),
        (model.weights, weights),
    )
    found = decoder.translate([tree, demo.trees()[0]])
    check(weights, 1001, found[0])
    assert decoder.translate(demo.trees()[0]).tokens == decoder.translate([demo.trees()[0]])[0].tokens
    assert "sentence 1: 1,001 words" in caplog.text


def test_tuning_takes_long_sentences(demo: Trained) -> None:
    model = demo.load("pbmt", **SMALL)
    tuned = TunedModel(model, [" ".join(long_tree(demo, 260).tokens), "ein Mann"], TuneOptions(n_best=5, threads=1))
    found = tuned.decode(model.weights)
    assert found.hypotheses.tolist()[:2] == [0, 5] and len(found.hypotheses) == 3


def test_the_command_goes_on_after_a_long_line(demo: Trained, tmp_path: Path) -> None:
    text, out = tmp_path / "text", tmp_path / "out"
    text.write_text("ein Mann\n" + " ".join(long_tree(demo, 300).tokens) + "\nein Mann\n", "utf-8")
    flags = ["--pop-limit", "8", "--stack-size", "8", "--threads", "1"]
    result = CliRunner().invoke(app, ["translate", str(demo.models["pbmt"]), str(text), "-o", str(out), *flags])
    assert result.exit_code == 0, result.output
    lines = out.read_text("utf-8").splitlines()
    assert len(lines) == 3 and lines[0] == lines[2]
    assert f"{text}, line 2: 300 words" in result.stderr.replace("\n", " ")
    json_lines = CliRunner().invoke(
        app, ["translate", str(demo.models["pbmt"]), str(text), "--derivations", "json", *flags]
    )
    assert len(json.loads(json_lines.stdout.splitlines()[1])["derivation"]["source"]) == 300


def test_training_says_which_pairs_were_too_long(demo: Trained, tmp_path: Path) -> None:
    trees = list(itertools.islice(read_trees(demo.source), 20))
    source, target, links = (tmp_path / name for name in ("train.de", "train.en", "align"))
    source.write_text("".join(" ".join(tree.tokens) + "\n" for tree in trees) + "a " * 257 + "\n", "utf-8")
    target.write_text(
        "".join(f"{line}\n" for line in [*demo.target.read_text("utf-8").splitlines()[:20], "a"]), "utf-8"
    )
    links.write_text("".join(f"{line}\n" for line in [*demo.alignment.read_text().splitlines()[:20], "0-0"]))
    out = tmp_path / "model"
    files = ["--source", str(source), "--target", str(target), "--alignment", str(links), "--lm", str(demo.lm)]
    result = CliRunner().invoke(app, ["train", str(out), "--system", "pbmt", *files, "--threads", "1"])
    assert result.exit_code == 0, result.output
    assert "1 pairs have a side of more than 256 words and yielded no rules" in result.stderr.replace("\n", " ")
    assert json.loads((out / "manifest.json").read_text("utf-8"))["report"]["rules"]["too_long"] == 1


def test_a_very_long_word(demo: Trained) -> None:
    word = "ab" * 50_000
    for system in ("pbmt", "hpb"):
        assert small(demo, system).translate(f"ein {word} .", threads=1).tokens.count(word) == 1
