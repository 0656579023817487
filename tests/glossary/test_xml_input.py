"""Translations marked in the input, as in Moses; glossaries and marked input on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from graphmt.cli import app
from graphmt.errors import InputError, OptionError
from graphmt.glossary import Glossary, Term, read_markup
from small_models import Trained
from typer.testing import CliRunner


@pytest.mark.parametrize("system", ["pbmt", "hpb", "btg"])
def test_marked_translations_are_used(demo: Trained, system: str) -> None:
    words = demo.texts()[0].split()
    text = f'{words[0]} <n translation="zork &amp; blip">{words[1]} {words[2]}</n> {" ".join(words[3:])}'
    model = demo.load(system).with_xml_input()
    best = model.translate(text)
    [step] = [step for step in best.derivation.steps if step.kind == "term"]
    assert (step.positions, step.target) == ((1, 2), ("zork", "&", "blip"))
    assert best.derivation.source == demo.load(system).translate(" ".join(words)).derivation.source
    # Marks come before the glossary.
    again = model.with_glossary(Glossary((Term(words[1].lower(), "other"),))).translate(text)
    assert again.tokens == best.tokens


def test_alternatives_and_probabilities(demo: Trained) -> None:
    model = demo.load("pbmt").with_xml_input()
    words = demo.texts()[0].split()
    for first, second in ((0.9, 0.001), (0.001, 0.9)):
        mark = f'<n translation="zork||blip" prob="{first}||{second}">{words[0]}</n>'
        tokens = model.translate(" ".join([mark, *words[1:]])).tokens
        assert ("zork" in tokens) == (first > second) and ("blip" in tokens) == (second > first)


def test_inclusive_marks_compete(demo: Trained) -> None:
    words = demo.texts()[0].split()
    text = " ".join([f'<n translation="zork">{words[0]}</n>', *words[1:]])
    used = [
        "zork" in demo.load("hpb").with_xml_input("inclusive", weight=weight).translate(text).tokens
        for weight in (-50.0, 50.0)
    ]
    assert used == [False, True]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('a <n translation="b">c', "has no end </n>"),
        ('a <n translation="b"/> c', "has no end </n>"),
        ('a <n translation="b"> </n>', "encloses no words"),
        ('<n translation="b">a <m translation="c">d</m></n>', "inside another"),
        ('<n translation="b||">a</n>', "an empty translation"),
        ('<n translation="b" prob="2">a</n>', "prob is '2'"),
        ('<n translation="b" prob="x||y">a</n>', "prob is"),
    ],
)
def test_mistakes(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_markup(text)


def test_other_markup_is_text() -> None:
    for text in ("a <b>c</b> < d > <br/>", '<a href="x">y</a>', "1 < 2 && 3 > 2"):
        assert read_markup(text).text == text


def test_messages_name_the_sentence(demo: Trained) -> None:
    model = demo.load("pbmt").with_xml_input()
    with pytest.raises(InputError, match="sentence 2: the marked text 'er' does not consist of whole tokens"):
        model.translate(["Er schläft .", 'Schläf<n translation="x">er</n> .'])
    with pytest.raises(OptionError, match="did you mean 'exclusive'"):
        model.with_xml_input("exclusiv")


def run(*args: object, input: str | None = None) -> tuple[int, str]:
    result = CliRunner().invoke(app, [str(arg) for arg in args], input=input)
    return result.exit_code, result.output


def test_the_command(demo: Trained, tmp_path: Path) -> None:
    terms = tmp_path / "terms.tsv"
    terms.write_text("schläft\tslumbers\n", "utf-8")
    text, out = tmp_path / "text", tmp_path / "out"
    text.write_text('Er schläft .\n<n translation="She">Er</n> schläft .\n', "utf-8")
    options = ("--glossary", terms, "--xml-input", "exclusive", "--derivations", "json", "--out", out)
    assert run("translate", demo.models["pbmt"], text, *options)[0] == 0
    first, second = (json.loads(line) for line in out.read_text("utf-8").splitlines())
    assert "slumbers" in first["tokens"]
    assert second["tokens"][0] == "She"
    assert [step["kind"] for step in second["derivation"]["steps"]].count("term") == 2


def test_mistakes_in_the_glossary_end_the_command(demo: Trained, tmp_path: Path) -> None:
    terms = tmp_path / "terms.tsv"
    terms.write_text("schläft\n", "utf-8")
    result = CliRunner().invoke(
        app, ["translate", str(demo.models["pbmt"]), "--glossary", str(terms)], input="Er schläft .\n"
    )
    assert isinstance(result.exception, InputError)
    assert (result.exception.file, result.exception.line) == (str(terms), 1)
    result = CliRunner().invoke(app, ["translate", str(demo.models["pbmt"]), "--glossary-weight", "2"], input="")
    assert isinstance(result.exception, OptionError)
