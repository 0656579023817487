"""Capitals of output, learned from the target side of a corpus."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from graphmt.corpus import TextOptions, TextSteps
from graphmt.corpus.recasing import Recaser, learn_recaser
from graphmt.corpus.steps import FILE
from graphmt.errors import InputError
from graphmt.training import train

LINES = [
    "Gestern sah ich das Haus .",
    "Das Haus der NASA ist alt , sagte Anna .",
    '" Wir essen heute ! " Das Essen ist gut .',
    "Wir essen gern , und das Essen ist gut .",
    "Sie essen Brot . Das Essen , das Essen !",
    "Er will essen und sie essen .",
    "IBM schweigt .",
]


def test_words_get_their_usual_form() -> None:
    recaser = learn_recaser(LINES)
    assert recaser.starts
    # The words of sentence starts say nothing, except for capitals after the first letter.
    assert recaser.apply("gestern war das haus der nasa bei ibm") == "gestern war das Haus der NASA bei IBM"
    assert "gestern" not in recaser.words
    assert "wir" not in recaser.words


def test_a_neighbour_decides() -> None:
    recaser = learn_recaser(LINES)
    assert "essen" not in recaser.words
    assert recaser.after["das essen"] == "Essen"
    assert recaser.apply("wir essen , das essen") == "wir essen , das Essen"


def test_capitals_only_where_the_training_text_has_them() -> None:
    steps = TextSteps(TextOptions(case="lower"))
    assert steps.undo("das haus . es") == "Das haus . Es"
    assert steps.fit(LINES, target=True).undo("das haus . es") == "Das Haus . Es"
    assert steps.fit([line.lower() for line in LINES], target=True).undo("das haus . es") == "das haus . es"
    assert steps.fit([line.upper() for line in LINES], target=True).undo("das haus") == "DAS HAUS"
    true = TextSteps(TextOptions(case="true"))
    assert true.fit(LINES, target=True).undo("das Haus") == "Das Haus"
    assert true.fit(["das Haus ist alt", "es ist alt"], target=True).undo("das Haus") == "das Haus"
    # Nothing is learned from a source side, nor for text whose case is kept.
    assert steps.fit(LINES).recaser is None
    assert TextSteps().fit(LINES, target=True).recaser is None


def test_capitals_inside_a_word_are_kept_at_sentence_starts() -> None:
    lines = ["Das iPhone ist teuer .", "Wir kaufen bei eBay .", "eBay ist bekannt .", "Das Haus ist alt ."]
    lower = TextSteps(TextOptions(case="lower")).fit(lines, target=True)
    assert lower.undo("iphone ist alt . ebay ist teuer .") == "iPhone ist alt . eBay ist teuer ."
    true = TextSteps(TextOptions(case="true")).fit(lines, target=True)
    assert true.undo("iPhone ist alt . eBay ist teuer .") == "iPhone ist alt . eBay ist teuer ."
    assert true.apply("eBay ist teuer .") == "eBay ist teuer ."


def test_protected_items_stay() -> None:
    steps = TextSteps(TextOptions(tokenise=True, case="lower", protect="auto")).fit(
        ["Das Haus {name} ist alt.", "Im Haus %s wohnt Anna."], target=True
    )
    source = steps.prepare("Das Haus {Name} von anna")
    made = steps.restore(["das", "haus", "⟨variable⟩", "von", "anna"], [(k, k) for k in range(5)], source)
    assert made.text == "Das Haus {Name} von Anna"
    lower = steps.prepare("das haus {Name}")
    assert steps.restore(["das", "haus", "⟨variable⟩"], [(k, k) for k in range(3)], lower).text == "das Haus {Name}"


def test_steps_are_saved_with_it(tmp_path: Path) -> None:
    fitted = TextSteps(TextOptions(case="lower")).fit(LINES, target=True)
    fitted.save(tmp_path)
    assert TextSteps.load(tmp_path) == fitted
    content = json.loads((tmp_path / FILE).read_text("utf-8"))
    for wrong in (
        3,
        {},
        {"starts": True, "words": {"a": 1}, "after": {}, "before": {}},
        {**content["recaser"], "starts": 1},
    ):
        (tmp_path / FILE).write_text(json.dumps({**content, "recaser": wrong}), "utf-8")
        with pytest.raises(InputError, match="damaged"):
            TextSteps.load(tmp_path)
    # Models made before recasers were learned.
    del content["recaser"]
    (tmp_path / FILE).write_text(json.dumps(content), "utf-8")
    assert TextSteps.load(tmp_path).undo("das haus") == "Das haus"


def test_a_trained_model_restores_capitals(tmp_path: Path) -> None:
    pairs = [("she saw anna .", "Sie sah Anna ."), ("the house is old .", "Das Haus ist alt ."), ("anna .", "Anna .")]
    for name, lines in zip(("en", "de"), zip(*pairs, strict=True), strict=True):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines * 3), "utf-8")
    made = train(
        "pbmt",
        source=tmp_path / "en",
        target=tmp_path / "de",
        out=tmp_path / "model",
        options={"lm": {"order": 2}, "align": {"model": "ibm1"}, "extract": {"threads": 1}},
    )
    assert made.target_steps.recaser is not None
    assert made.source_steps.recaser is None
    assert [one.text for one in made.translate(["the house is old .", "she saw anna ."], threads=1)] == [
        "Das Haus ist alt .",
        "Sie sah Anna .",
    ]


def test_a_recaser_of_nothing() -> None:
    assert learn_recaser([]) == Recaser()
    assert learn_recaser(["", "5 + 5"]).apply("a  b") == "a b"


def test_the_word_before_decides_first() -> None:
    recaser = Recaser(after={"das essen": "Essen"}, before={"essen ist": "ESSEN"})
    # At either end of a line there is one neighbour; beside two that know a form, the one before counts.
    assert recaser.apply("essen") == "essen"
    assert recaser.apply("wir essen") == "wir essen"
    assert recaser.apply("das essen") == "das Essen"
    assert recaser.apply("essen ist") == "ESSEN ist"
    assert recaser.apply("das essen ist gut") == "das Essen ist gut"
    assert recaser.apply("unser essen ist gut") == "unser ESSEN ist gut"
    assert recaser.apply("das essen schmeckt") == "das Essen schmeckt"
