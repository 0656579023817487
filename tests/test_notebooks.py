"""Notebooks show tables of models, comparisons, lists, choices and statistics, and bars while they wait."""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
import types
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import graphmt
import pytest
from graphmt.bars import progress_bar
from graphmt.consensus import NBestList, RerankOptions
from graphmt.corpus import statistics
from graphmt.draw.elements import Markup
from graphmt.draw.notebook import MOST, long_table
from graphmt.tune import TuneOptions
from small_models import Trained

#: Text that would do something in a notebook if it were not escaped.
HOSTILE = "<script>alert('x')</script> & \x07 \"b\""
SHOWN = "&lt;script&gt;"


class Outline(HTMLParser):
    """The texts of the cells of all tables, by row; tags that are left open, and unexpected ones, are errors."""

    KNOWN = ("table", "thead", "tbody", "tr", "th", "td", "caption", "b", "p", "code", "details", "summary", "div")

    def __init__(self, html: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.open: list[str] = []
        self.feed(html)
        assert not self.open

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        assert tag in self.KNOWN and all(name == "style" for name, _ in attrs)
        self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if {"td", "th"} & set(self.open):
            self.rows[-1][-1] += data


def shown(one: Any) -> list[list[str]]:
    html = one._repr_html_()
    assert "<script" not in html and "\x07" not in html
    return Outline(html).rows


def test_comparisons() -> None:
    reference = ["he is sleeping now .", "she reads a book .", "it rains ."]
    systems = {"old": ["he sleeps .", "she reads a book .", "rain ."], HOSTILE: reference}
    found = graphmt.compare(systems, reference)
    rows = shown(found)
    assert rows[0] == ["system", "BLEU ↑", "95 % confidence", "difference", "p (bootstrap)", "p (sentences)"]
    old, _ = found.scores[0].systems
    assert rows[1][:4] == ["old", f"{old.mean:.2f}", "{:.2f} ± {:.2f}".format(*old.confidence), "–"]
    assert rows[2][1] == "100.00" and rows[2][3].startswith("+") and float(rows[2][5].strip("< ")) <= 1
    assert [row[1] for row in rows if row[0] == "system"] == ["BLEU ↑", "chrF2 ↑", "TER ↓"]
    assert SHOWN in found._repr_html_() and found.scores[0].signature in found._repr_html_()
    mean, half = old.confidence
    assert old.interval == (mean - half, mean + half)


def test_lists_and_choices(demo: Trained) -> None:
    lists = [[("a house", -1.0), (HOSTILE, -2.0)], [("yes", -1.0)]]
    one = NBestList.of(0, lists[0])
    assert shown(one)[:2] == [["", "candidate", "score"], ["1", "a house", "-1"]]
    choices = graphmt.rerank(["das Haus", "ja"], lists)
    assert choices == list(choices) and len(shown(choices[:1])) == 2 and choices[0].best == "a house"
    assert shown(choices) == [
        ["", "best", "place before", "candidates", "score"],
        ["1", "a house", "1", "2", f"{choices[0].scores[0]:.4g}"],
        ["2", "yes", "1", "1", f"{choices[1].scores[0]:.4g}"],
    ]
    memory = [("das Haus", HOSTILE)]
    [choice] = graphmt.rerank(
        ["das Haus"], lists[:1], memory=memory, options=RerankOptions(features="gc", tokenise=False)
    )
    assert [row[1] for row in shown(choice)][1:] == [str(place + 1) for place in choice.places]
    best = demo.load("pbmt").n_best("Er schläft <b> .", 3)
    assert [row[1] for row in shown(best)[1:]] == [one.text for one in best]
    many = long_table(("",), [(number,) for number in range(MOST + 7)])
    assert len(Outline(many).rows) == MOST + 1 and "7 more rows" in many


def test_statistics(tmp_path: Path) -> None:
    rows = {row[0]: row[1:] for row in shown(statistics(["er schläft .", ""], ["he sleeps .", "x"]))}
    assert rows["sentences"] == ["2", "2"] and rows["tokens"] == ["3", "4"] and rows[""] == ["source", "target"]
    (tmp_path / "<script>").write_text("a\n")
    assert SHOWN in statistics(tmp_path / "<script>")._repr_html_()


def test_the_card_of_a_model(demo: Trained, tmp_path: Path) -> None:
    shutil.copytree(demo.models["pbmt"], tmp_path / "<script>")
    model = graphmt.load(tmp_path / "<script>")

    def facts() -> dict[str, str]:
        assert SHOWN in model._repr_html_()
        return {row[0]: row[1] for row in shown(model) if len(row) == 2}

    first = facts()
    assert first["system"].startswith("pbmt: ") and first["languages"] == "de → en"
    assert first["corpus"].startswith("500 pairs, SHA-256 of source ") and "basic" in first["rules"]
    assert first["scores"] == "not tuned" and first["alignment"] == "given"
    assert (
        first["weights"].startswith(f"{len(model.weights)} features")
        and first["lm.bin"] == f"{demo.lm.stat().st_size:,}"
    )
    german, english = demo.texts()[:6], ["he is sleeping ."] * 6
    result = graphmt.tune_model(model, german, english, TuneOptions(iterations=2, n_best=5, threads=1))
    assert facts()["scores"] == f"dev BLEU {result.bleu:.2f} after {len(result.history)} iterations of tuning"
    model = model.reweighted({"lm": 7.0})
    assert facts()["scores"] == "other weights than those of the last tuning"
    (tmp_path / "<script>" / "weights.tuning.jsonl").write_text("{}\n")
    assert facts()["scores"] == "not tuned"
    shutil.rmtree(tmp_path / "<script>")
    assert facts()["files"].startswith("0 files")


class Handle:
    """As the handle of an output of IPython."""

    def __init__(self, contents: dict[str, str]) -> None:
        self.shown = [contents]

    def update(self, contents: dict[str, str], *, raw: bool) -> None:
        assert raw
        self.shown.append(contents)


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> list[Handle]:
    """A stand-in for IPython in the kernel of a notebook; the outputs that were shown."""
    handles: list[Handle] = []

    def display(contents: dict[str, str], *, raw: bool, display_id: bool) -> Handle:
        assert raw and display_id
        handles.append(Handle(contents))
        return handles[-1]

    package, module = types.ModuleType("IPython"), types.ModuleType("IPython.display")
    package.get_ipython = lambda: types.SimpleNamespace(kernel=object())  # type: ignore[attr-defined]
    module.display = display  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", package)
    monkeypatch.setitem(sys.modules, "IPython.display", module)
    return handles


def test_bars_in_a_notebook(notebook: list[Handle]) -> None:
    with progress_bar():
        with graphmt.progress.bar(HOSTILE, 3) as advance:
            advance(3)
        with graphmt.progress.bar("words") as advance:
            advance(1234)
        with graphmt.progress.rounds("iteration", 5) as report:
            report(2, "BLEU 30")
    bar, words, rounds = (handle.shown for handle in notebook)
    assert '<progress value="3" max="3">' in bar[1]["text/html"] and SHOWN in bar[1]["text/html"]
    assert "<progress></progress>" in words[0]["text/html"]
    assert rounds[1]["text/plain"].startswith("iteration: BLEU 30 2/5")
    assert all(one[-1] == {"text/plain": "", "text/html": ""} for one in (bar, words, rounds))
    with graphmt.progress.bar("after", 3):
        pass
    assert len(notebook) == 3


def test_calls_with_bars(demo: Trained, notebook: list[Handle], tmp_path: Path) -> None:
    def titles() -> set[str]:
        found = {handle.shown[0]["text/plain"].split(" 0")[0] for handle in notebook}
        notebook.clear()
        return found

    model = demo.load("pbmt")
    sentences = (demo.texts() * 4)[:130]
    plain = model.translate(sentences)
    assert not titles()
    assert model.translate(sentences, progress=True) == plain
    [handle] = notebook
    assert "130/130" in handle.shown[-2]["text/plain"] and titles() == {"sentences"}
    assert model.n_best(sentences, 2, progress=True) == model.n_best(sentences, 2)
    graphmt.rerank(["das Haus"], [["a house", "house"]], memory=[("das Haus", "house")], progress=True)
    assert "pairs of the memory" in titles()
    options = TuneOptions(iterations=1, n_best=5, threads=1)
    graphmt.tune_model(model, sentences[:3], ["he ."] * 3, options, out=tmp_path / "w.toml", progress=True)
    assert "mira iteration" in titles()
    pairs = [("er schläft .", "he sleeps ."), ("sie liest .", "she reads .")] * 9
    graphmt.train("pbmt", source=pairs, out=tmp_path / "model", options={"align": {"model": "hmm"}}, progress=True)
    assert {"aligning", "lines"} <= titles()
    # The display of whoever asked before remains.
    seen = []
    with graphmt.on_progress(lambda *what: seen.append(what)):
        model.translate(sentences)
    assert seen[-1] == ("sentences", 130, 130) and not titles()


def test_bars_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.delenv("FORCE_COLOR", raising=False)

    def work() -> None:
        with progress_bar(), graphmt.progress.bar("sentences", 9) as advance:
            advance(7)

    work()
    assert stream.getvalue() == ""
    monkeypatch.setenv("FORCE_COLOR", "1")
    work()
    assert "7/9" in stream.getvalue()


def test_the_package_imports_no_notebook() -> None:
    script = "import sys, graphmt.training, graphmt.bars; assert not {'IPython', 'rich', 'pandas'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", script], check=True)


def test_markup_is_not_escaped_again() -> None:
    assert "<b>&amp;</b>" in long_table((), [(Markup("<b>&amp;</b>"),)])
