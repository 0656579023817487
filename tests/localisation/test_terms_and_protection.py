"""Glossaries and marked input in raw text: protected text keeps its guarantee, and required terms are used."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from amounts import examples
from graphmt.cli.verbs import app
from graphmt.errors import InputError
from graphmt.glossary import Glossary, Term
from graphmt.model import Model, SentenceMemory
from graphmt.protect import Recogniser
from graphmt.training import train
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

TERMS = {"File": "Zork", "Office 365": "Paket Office 365", "copy of %s": "%s-Zwilling", "open files": "alles"}

pieces = st.sampled_from(
    [*TERMS, "the", "Open", "a", "{name}", "%d", "<b>", "</b>", "365", "12", "me@example.org", "."]
)


@pytest.fixture(scope="module")
def model(ui_model: Model) -> Model:
    return ui_model.with_glossary(Glossary(tuple(Term(*pair) for pair in TERMS.items())))


def counted(text: str) -> Counter[str]:
    return Counter(item.text for item in Recogniser().find(text))


@settings(max_examples=examples(40))
@given(st.lists(pieces, min_size=1, max_size=8).map(" ".join))
def test_both_hold(model: Model, line: str) -> None:
    best = model.translate(line, threads=1)
    assert counted(best.text) == counted(line)
    if "kept the source text" not in best.repairs:
        used = [step for step in best.derivation.steps if step.kind == "term"]
        assert len(used) == sum(line.count(term) for term in TERMS)
        assert best.text.count("Zork") == line.count("File")


def test_items_of_terms_come_from_the_source(model: Model) -> None:
    assert "Paket Office 365" in model.translate("Open Office 365 now.", threads=1).text
    assert "Paket" not in model.translate("Open Office 364 now.", threads=1).text


def test_marked_input(ui_model: Model) -> None:
    model = ui_model.with_xml_input()
    best = model.translate('Open <b><n translation="Zork {x}">the {x}</n></b>, 5 times.', threads=1)
    assert "Zork {x}" in best.text
    assert counted(best.text) == counted("Open <b>the {x}</b>, 5 times.")
    with pytest.raises(InputError, match=r"sentence 1: '\{y\}' is protected text"):
        model.translate('Open <n translation="Zork {y}">the {x}</n>.', threads=1)


def test_catalogues(ui_model: Model, tmp_path: Path) -> None:
    (tmp_path / "terms.tsv").write_text("File\tZork\n", "utf-8")
    (tmp_path / "todo.po").write_text('msgid "Open File"\nmsgstr ""\n', "utf-8")
    options = ["-o", tmp_path / "done.po", "--glossary", tmp_path / "terms.tsv"]
    done = CliRunner().invoke(app, [str(one) for one in ("translate", ui_model.folder, tmp_path / "todo.po", *options)])
    assert done.exit_code == 0
    assert "Zork" in (tmp_path / "done.po").read_text("utf-8")


def test_terms_items_and_memory_in_a_catalogue(ui_model: Model, tmp_path: Path) -> None:
    """Exact matches are taken unless they lack an item or the term; all other messages have the term and the items."""
    (tmp_path / "terms.tsv").write_text("File\tZork\n", "utf-8")
    memory = [("Open File", "Zork auf"), ("Open File %s", "Datei %s auf"), ("Open File {name}", "Zork ohne alles")]
    (tmp_path / "memory.tsv").write_text("".join(f"{one}\t{other}\n" for one, other in memory), "utf-8")
    sources = [source for source, _ in memory] + ["Open File {other}", "<b>File</b> %d"]
    (tmp_path / "todo.po").write_text("".join(f'msgid "{one}"\nmsgstr ""\n\n' for one in sources), "utf-8")
    files = ["--glossary", tmp_path / "terms.tsv", "--memory", tmp_path / "memory.tsv", "-o", tmp_path / "done.po"]
    done = CliRunner().invoke(app, [str(one) for one in ("translate", ui_model.folder, tmp_path / "todo.po", *files)])
    assert done.exit_code == 0
    made = dict(re.findall(r'msgid "(.*)"\nmsgstr "(.*)"', (tmp_path / "done.po").read_text("utf-8")))
    assert made["Open File"] == "Zork auf"
    for source in sources[1:]:
        assert "Zork" in made[source] and counted(made[source]) == counted(source)


def test_terms_and_memory(ui_model: Model) -> None:
    model = ui_model.with_glossary(Glossary((Term("File", "Zork"),)))
    memory = SentenceMemory(model, [("Open File", "Zork auf"), ("Close the File", "Datei zu")], threshold=0.5)
    lines = ["Open File", "Close the File now", "Print File"]
    found = [
        best[0]
        for best in memory.translate(
            lines, model.prepare(lines), lambda rest: model.n_best_prepared(rest, 1, threads=1)
        )
    ]
    assert found[0].text == "Zork auf" and found[0].memory is not None and found[0].memory.taken
    assert "Zork" in found[1].text and found[1].memory is not None and not found[1].memory.taken
    assert "Zork" in found[2].text and found[2].memory is None


def test_terms_keep_their_case_in_a_recased_model(tmp_path: Path) -> None:
    """The recaser has other capitals for the words of a term than the glossary; the glossary's are used."""
    pairs = [("she saw the house .", "Sie sah das Haus ."), ("the house is old .", "Das Haus ist alt .")]
    for name, lines in zip(("en", "de"), zip(*pairs, strict=True), strict=True):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines * 2), "utf-8")
    (tmp_path / "links").write_text("0-0 1-1 2-2 3-3 4-4\n0-0 1-1 2-2 3-3 4-4\n" * 2)
    files = {"source": tmp_path / "en", "target": tmp_path / "de", "alignment": tmp_path / "links"}
    options = {"sides": {"case": "lower", "tokenise": False}, "lm": {"order": 2}, "extract": {"threads": 1}}
    plain = train("pbmt", **files, out=tmp_path / "model", options=options)
    assert plain.translate("she saw the house .", threads=1).text == "Sie sah das Haus ."
    terms = Glossary((Term("saw", "hAuS"), Term("old", "eBay Sah")))
    assert plain.with_glossary(terms).translate("she saw the house .", threads=1).text == "Sie hAuS das Haus ."
    assert plain.with_glossary(terms).translate("old is the house .", threads=1).text.startswith("eBay Sah ist")
