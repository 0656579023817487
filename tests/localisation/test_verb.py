"""``graphmt translate`` with localisation files, and models with and without protection."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from graphmt.cli.verbs import app
from graphmt.corpus import TextSteps
from graphmt.errors import InputError, OptionError
from graphmt.localisation import translate_document
from graphmt.model import Model, load
from graphmt.protect import GROUPS, Recogniser
from small_models import Trained
from typer.testing import CliRunner
from ui_strings import pairs


def run(*arguments: object) -> None:
    done = CliRunner().invoke(app, [str(one) for one in arguments])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception


def test_the_verb(ui_model: Model, tmp_path: Path) -> None:
    (tmp_path / "todo.po").write_text('msgid "Delete %(file)s?"\nmsgstr ""\n', "utf-8")
    run("translate", ui_model.folder, tmp_path / "todo.po", "-o", tmp_path / "done.po")
    assert (tmp_path / "done.po").read_text(
        "utf-8"
    ) == '#, fuzzy\nmsgid "Delete %(file)s?"\nmsgstr "%(file)s löschen?"\n'
    for more in ([], ["-o", tmp_path / "x.po", "--n-best", "2"]):
        with pytest.raises(OptionError):
            run("translate", ui_model.folder, tmp_path / "todo.po", *more)


def test_markup_of_unknown_kinds_is_rejected(ui_model: Model, tmp_path: Path) -> None:
    (tmp_path / "x.xml").write_text("<doc>Open File</doc>", "utf-8")
    (tmp_path / "x").write_text('<?xml version="1.0"?><doc>Open File</doc>', "utf-8")
    for name in ("x.xml", "x"):
        with pytest.raises(InputError):
            run("translate", ui_model.folder, tmp_path / name, "-o", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_model_of_tokenised_text_is_rejected(demo: Trained, tmp_path: Path) -> None:
    (tmp_path / "todo.po").write_text('msgid "a"\nmsgstr ""\n', "utf-8")
    with pytest.raises(InputError, match="--raw"):
        translate_document(demo.load("pbmt"), tmp_path / "todo.po", tmp_path / "done.po")


def test_typed_tokens_are_trained_tuned_and_translated(ui_model: Model) -> None:
    steps = TextSteps.load(ui_model.folder / "source")
    assert steps.options.protected
    best = ui_model.translate("Could not open <i>{file.name}</i>.", threads=1)
    assert best.text == "<i>{file.name}</i> konnte nicht geöffnet werden."
    assert "⟨variable⟩" in best.derivation.source
    assert best.repaired
    assert json.loads(best.as_json(0))["repaired"] == ["placed tags"]
    assert "repaired" not in json.loads(ui_model.translate("Open File", threads=1).as_json(0))
    # References are prepared with the items of their source: an item that it lacks is a word.
    assert ui_model.prepare_references(["Open %s"], ["%s und 5"]) == ["⟨variable⟩ und 5"]


def test_every_translation_of_a_list_is_whole(ui_model: Model) -> None:
    sources = [*[source for source, _ in pairs()][::3], "two files 5 %s", "<b>a</b> %d", "Page {a} of {b} of {c}"]
    for source, best in zip(sources, ui_model.n_best(sources, 5, threads=1), strict=True):
        wanted = Counter(item.text for item in Recogniser().find(source))
        assert [Counter(item.text for item in Recogniser().find(one.text)) for one in best] == [wanted] * len(best)


def test_a_model_without_protection_still_copies_items(ui_model: Model) -> None:
    # As if it had been trained without: its typed tokens are unknown words.
    plain = load(ui_model.folder)
    for steps in (plain.source_steps, plain.target_steps):
        object.__setattr__(steps, "options", steps.options.replace(protect="none"))
    broken = plain.translate('Save "%s" as <q>', threads=1).text
    assert "<q>" not in broken
    whole = plain.protecting(["tags", "variables"]).translate('Save "%s" as <q>', threads=1)
    assert "<q>" in whole.text
    assert "%s" in whole.text


def test_dropping_unknown_words_keeps_protected_items(ui_model: Model, tmp_path: Path) -> None:
    # No rule has a typed token of this kind, so it is copied as an unknown word is.
    plain = load(ui_model.folder).protecting(tuple(GROUPS))
    source = "Open qwertz File ada@example.org <u>now</u> 5"
    dropped = plain.dropping_unknown().translate(source, threads=1)
    assert "qwertz" in plain.translate(source, threads=1).text
    assert "qwertz" not in dropped.text
    assert not any(repair.startswith("inserted") for repair in dropped.repairs)
    assert Counter(i.text for i in Recogniser().find(dropped.text)) == Counter(
        i.text for i in Recogniser().find(source)
    )
    (tmp_path / "todo.po").write_text('msgid "Open qwertz %s"\nmsgstr ""\n', "utf-8")
    run("translate", ui_model.folder, tmp_path / "todo.po", "--drop-unknown", "-o", tmp_path / "done.po")
    done = (tmp_path / "done.po").read_text("utf-8").splitlines()[-1]
    assert "%s" in done
    assert "qwertz" not in done
