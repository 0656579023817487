"""Public objects have representations of one short line, and draw themselves in notebooks."""

from __future__ import annotations

import graphmt
import pytest
from graphmt import TrainOptions, Tree
from graphmt.consensus import NBestList, Reranker, RerankOptions
from graphmt.corpus import TextSteps, read_catalogue, statistics
from graphmt.evaluate import Compared, Output
from graphmt.experiments import recipe
from graphmt.lm import LmOptions
from graphmt.model import SearchOptions
from graphmt.reprs import shortened
from graphmt.rules import RuleTable, rule_kinds
from graphmt.tune import Iteration, NBest, TuneResult
from small_models import Trained

TREE = Tree(("Er", "schläft", "."), (1, -1, 1), deprels=("nsubj", "root", "punct"))


def test_models_and_translations(demo: Trained) -> None:
    model = demo.load("hpb")
    number = sum(rule_kinds(model.manifest.report["rules"]).values())
    assert repr(model) == f"Model({str(demo.models['hpb'])!r}, system='hpb', {number:,} rules)"
    best = model.translate("Er schläft .", threads=1)
    steps = len(best.derivation.steps)
    assert repr(best) == f"Translation({best.text!r}, score={best.score:.2f}, {steps} steps)"
    assert repr(best.derivation) == f"Derivation('er schläft .', {' '.join(best.tokens)!r}, {steps} steps)"
    (forced,) = model.forced(["Er schläft ."], ["nothing of the kind"], threads=1)
    assert repr(forced) == f"Forced(None, {len(forced.spans)} spans)"
    assert repr(model.spans(["Er"], threads=1)[0][0]).startswith("SpanTranslations(0, 1, ")
    assert repr(model.manifest) == "Manifest('hpb')"
    assert len(repr(model.translate(demo.texts()[0] * 20, threads=1))) < 120


def test_trees() -> None:
    assert repr(TREE) == "Tree('Er schläft .', 3 words)"
    assert len(repr(Tree(("Wort",) * 500, (*range(1, 500), -1)))) < 100
    assert shortened("a" * 60) == "a" * 60 and shortened("a" * 61) == "a" * 59 + "…"


def test_options_show_what_was_chosen() -> None:
    assert repr(LmOptions()) == "LmOptions()"
    assert repr(SearchOptions(pop_limit=20)) == "SearchOptions(pop_limit=20)"
    assert repr(TrainOptions(lm=LmOptions(order=4))) == "TrainOptions(lm=LmOptions(order=4))"


def test_comparisons() -> None:
    same = ("a b c d e",) * 9
    assert repr(graphmt.compare({"old": ["b"] * 9, "new": same}, same)).startswith(
        "Comparison('old, new', 9 sentences; BLEU 0.00 100.00, chrF2 "
    )
    assert repr(Compared("old", (Output("old.txt", same),))) == "Compared('old', 1 run of 9 lines)"
    assert repr(Output("old.txt", same)) == "Output('old.txt', 9 lines)"


def test_others(demo: Trained, tmp_path) -> None:
    (tmp_path / "t").write_text("a b\nc\n")
    (tmp_path / "c.po").write_text('msgid "a"\nmsgstr "b"\n')
    corpus = graphmt.demo.generate(graphmt.demo.DemoOptions(train=30, dev=2, test=1))
    steps = TextSteps(graphmt.corpus.TextOptions(case="true")).fit(["der Mann", "der Mann"])
    one = Iteration(1, 30.0, {"lm": 0.5}, 3, 4, None, 0.1, 0.1)
    shown = {
        "NBestList(0, 'a house', 2 candidates)": NBestList.of(0, [("a house", 1.0), ("house", 0.5)]),
        "NBest(1 sentence, 2 hypotheses)": NBest.from_lists([[(["a"], {"f": 1.0}), (["b"], {"f": 2.0})]], ["f"]),
        "Catalogue(1 message, skipped={})": read_catalogue(tmp_path / "c.po"),
        "CorpusStatistics(2 sentences with 3 tokens)": statistics(tmp_path / "t"),
        "TextSteps(TextOptions(case='true'), 1 word)": steps,
        "Tokeniser('de')": graphmt.corpus.Tokeniser("de"),
        "DemoCorpus(train=30, dev=2, test=1)": corpus,
        "Reranker('g-rerank', 10 weights)": Reranker.untuned(("score",), RerankOptions()),
        "TuneResult(bleu=30.00, 1 iteration, stopped='no gain')": TuneResult({"lm": 0.5}, 30.0, (one,), "no gain"),
        "Iteration(1, bleu=30.00, 4 hypotheses)": one,
        "Picture('Er schläft .', 3 words)": TREE.picture(),
    }
    assert [repr(one) for one in shown.values()] == list(shown)
    assert repr(corpus.train[0]).startswith("Pair('") and len(repr(corpus.train[0])) < 140
    assert len(repr(recipe("consensus"))) < 100
    table = RuleTable(demo.models["hpb"] / "rules.bin")
    assert repr(table).endswith("rules.bin', grammar='hierarchical')")
    assert repr(table.containing("er", 1)[0]).startswith("SourceSide('")


@pytest.mark.parametrize("system", ["pbmt", "hpb"])
def test_translations_draw_themselves(demo: Trained, system: str) -> None:
    model = demo.load(system)
    best = model.translate("Er schläft .", threads=1)
    assert best._repr_svg_() == best.derivation._repr_svg_()
    assert best._repr_svg_().startswith("<svg") and all(token in best._repr_svg_() for token in best.tokens)
    assert model.translate("", threads=1)._repr_svg_().startswith("<svg")


def test_trees_draw_themselves() -> None:
    assert TREE._repr_svg_() == TREE.picture().svg
    assert "nsubj" in TREE._repr_svg_() and "schläft" in TREE.picture().text
    assert "_" not in Tree(("a", "b"), (1, -1)).picture().text
    assert TREE.picture(bigram_links=True).svg != TREE.picture().svg
