"""What lexical selection did, in the report of a comparison."""

from __future__ import annotations

import dataclasses
import re
from xml.etree import ElementTree

import pytest
from graphmt.evaluate import EvaluateOptions, compare, read_compared
from graphmt.evaluate.outputs import MOST, explainer
from graphmt.evaluate.report import write_report
from graphmt.evaluate.report.selection import explained
from graphmt.explain import Explanation, explain, explain_some
from graphmt.model import Derivation, Translation, load

SVG = "{http://www.w3.org/2000/svg}svg"
OPTIONS = EvaluateOptions(metrics=("chrf",), samples=20, trials=20, examples=6, tokenise="none")


@pytest.fixture(scope="module")
def source(demo, tmp_path_factory):
    path = tmp_path_factory.mktemp("source") / "test.conllu"
    path.write_text("".join(tree.conllu() for tree in demo.trees()[:40]), "utf-8")
    return path


def read(path) -> ElementTree.Element:
    page = path.read_text("utf-8")
    outside = page.replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r"https?:|//[a-z]|url\(|@import|<script|<link|<img|<iframe|src=", outside)
    return ElementTree.fromstring(page.removeprefix("<!DOCTYPE html>\n"))


def told(article: ElementTree.Element) -> list[ElementTree.Element]:
    """The figures under the heading Lexical selection of an example."""
    found = [part for part in article.iter("details") if part.findtext("summary") == "Lexical selection"]
    return [figure for part in found for figure in part.iter("figure")]


def test_models_with_selection_are_explained_where_systems_differ_most(demo, two_ways, source, tmp_path) -> None:
    """Systems without lexical selection have nothing to tell; the others tell of the sentences shown."""
    given = [str(two_ways[name]) for name in ("pbmt", "pbmt+gm", "pbmt+all")]
    systems = [read_compared(one, source, tokens=True, threads=1) for one in given]
    reference = [" ".join(f"{word}x" for word in line.split()) for line in systems[0].runs[0].lines]
    assert [system.runs[0].explain is None for system in systems] == [True, False, False]
    write_report(tmp_path / "r.html", compare(systems, [("ref", reference)], OPTIONS))
    root = read(tmp_path / "r.html")
    articles = list(root.iter("article"))
    assert 0 < len(articles) <= OPTIONS.examples
    trees = demo.trees()[:40]
    opened = {name: load(two_ways[name]) for name in ("pbmt+gm", "pbmt+all")}
    pictures = 0
    for article in articles:
        number = int((article.findtext("h3") or "").split()[1]) - 1
        figures = told(article)
        assert [figure.findtext("figcaption") for figure in figures] == list(opened)
        for figure, model in zip(figures, opened.values(), strict=True):
            wanted = explain_some(model, trees, [number], most=MOST)[0]
            both = ["".join(dd.itertext()) for dd in figure.iter("dd") if "".join(dd.itertext())]
            same = wanted.translation.tokens == wanted.without.tokens
            plain = "(the same)" if same else " ".join(wanted.without.tokens)
            assert both == [" ".join(wanted.translation.tokens), plain]
            drawn = list(figure.iter(SVG))
            assert len(drawn) == len(wanted.graphs)
            pictures += len(drawn)
            for picture, graph in zip(drawn, wanted.graphs, strict=True):
                shown = [element.text for element in picture.iter(SVG.replace("}svg", "}text"))]
                assert all(word.text in shown for word in graph.words)
                assert all(one.text in shown for word in graph.words for one in word.candidates)
    assert pictures


def test_some_sentences_of_a_document_are_explained_as_they_are_translated(demo, two_ways) -> None:
    """With topics a sentence alone is another document: what is explained is what was translated together."""
    model, trees = load(two_ways["hpb+all"]), demo.trees()[:10]
    together = model.translate(trees)
    found = explain_some(model, trees, [7, 2])
    assert [one.translation.features for one in found] == [together[k].features for k in (7, 2)]
    assert [len(one.source) for one in found] == [len(trees[k].tokens) for k in (7, 2)]
    alone = explain(model, trees[7])
    assert alone.translation.features != found[0].translation.features


def test_a_model_without_selection_cannot_be_asked(demo, two_ways) -> None:
    assert explainer(load(two_ways["pbmt"]), demo.trees()) is None


def test_the_words_that_selection_changed_are_coloured() -> None:
    def made(text: str) -> Translation:
        tokens = tuple(text.split())
        return Translation(text, tokens, 0.0, {}, Derivation((), (), ()))

    one = Explanation(("ein", "<Tor>"), made("a <gate>"), made("a goal"), ())
    figure = ElementTree.fromstring(explained("hpb+gm", one))
    assert [span.text for span in figure.iter("span") if span.get("class") == "off"] == ["<gate>", "goal"]
    same = dataclasses.replace(one, without=one.translation)
    figure = ElementTree.fromstring(explained("hpb+gm", same))
    assert [dd.text for dd in figure.iter("dd")][2] == "(the same)"
    assert not [span for span in figure.iter("span") if span.get("class") == "off"]
