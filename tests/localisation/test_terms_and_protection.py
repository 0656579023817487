"""Glossaries and marked input in raw text: protected text keeps its guarantee, and required terms are used."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from amounts import examples
from graphmt.cli.verbs import app
from graphmt.errors import InputError
from graphmt.glossary import Glossary, Term
from graphmt.model import Model
from graphmt.protect import Recogniser
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
