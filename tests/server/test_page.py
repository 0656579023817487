"""The page, used as a person uses it, in a real Chromium.

With ``GRAPHMT_LONG=1``, screenshots for review go to test-screenshots/.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from graphmt.server import ModelSource, ServeOptions
from pages import (
    KEY,
    PAGE,
    PHONE,
    TEXT,
    choose_system,
    context,
    output,
    popover,
    require_accessible,
    shot,
    site,
    tree,
    visit,
    word,
    write,
)
from playwright.sync_api import Page, expect
from serving import serving
from small_models import Trained

__all__ = ["context", "site", "visit"]


def test_typing_translates(visit: Callable[..., Page]) -> None:
    page = visit()
    expect(output(page)).to_have_text("The translation appears here.")
    require_accessible(page)
    page.get_by_role("textbox", name="Text to translate").press_sequentially("Er schläft.")
    expect(output(page)).to_have_text("He is sleeping.")
    # Screen readers are told the translation, once it is there.
    expect(page.get_by_role("status").first).to_have_text("He is sleeping.")
    expect(page.get_by_text("2 words")).to_be_visible()
    choose_system(page, "pbmt")
    expect(page.get_by_text("continuous phrases")).to_be_visible()
    expect(output(page)).to_have_text("He is sleeping.")
    page.get_by_role("button", name="Clear").click()
    expect(output(page)).to_have_text("The translation appears here.")
    expect(page.locator(".diagram")).to_be_hidden()
    expect(page.get_by_role("textbox", name="Text to translate")).to_be_focused()


def test_pointing_lights_up_the_rule(visit: Callable[..., Page], demo: Trained) -> None:
    page = visit()
    write(page, TEXT)
    word(page, "worked").hover()
    assert page.locator(".word.lit").all_text_contents() == ["bei", "gearbeitet", "worked", "for"]
    expect(page.locator(".caption")).to_contain_text("bei [1] gearbeitet → worked for [1]")
    expect(page.locator(".token.lit")).to_have_text(["worked", "for"])
    assert page.locator(".ribbon.lit").count() == 1
    shot(page, "pointing")
    # The words of the text do the same.
    page.locator(".token", has_text="bench").hover()
    assert page.locator(".word.lit").all_text_contents() == ["einer", "bank", "a", "bench"]
    page.get_by_role("heading", name="graphmt").hover()
    expect(page.locator(".lit")).to_have_count(0)

    # Trees have their arcs; those inside the rule are lit.
    choose_system(page, "gbmt-ctx")
    expect(output(page)).to_contain_text("The model gbmt-ctx translates trees and has no parser.")
    write(page, tree(demo, 10))
    own = demo.trees()[10]
    expect(page.locator(".arc")).to_have_count(sum(head >= 0 for head in own.heads))
    lit = 0
    for place in range(page.locator(".word.source").count()):
        page.locator(".word.source").nth(place).hover()
        inside = {int(one.get_attribute("data-place") or 0) for one in page.locator(".word.source.lit").all()}
        assert place in inside
        wanted = {f"{own.heads[k]}-{k}" for k in inside if own.heads[k] in inside}
        found = {one.get_attribute("data-link") for one in page.locator(".arc.lit").all()}
        assert found == wanted
        lit += len(found)
    assert lit
    shot(page, "source-graph")


def test_the_drawing_by_keyboard(visit: Callable[..., Page]) -> None:
    page = visit()
    write(page, TEXT)
    page.get_by_role("textbox", name="Text to translate").focus()
    focused = page.locator(":focus")
    for _ in range(12):
        page.keyboard.press("Tab")
        if "word" in (focused.get_attribute("class") or "").split():
            break
    assert focused.get_attribute("aria-label") == "wir, rule wir haben → we"
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    assert (focused.get_attribute("aria-label") or "").startswith("gearbeitet, rule bei [1] gearbeitet")
    assert page.locator(".word.lit").all_text_contents() == ["bei", "gearbeitet", "worked", "for"]
    page.keyboard.press("ArrowDown")
    expect(focused).to_have_attribute("data-side", "target")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(popover(page)).to_be_visible()
    expect(page.locator("[role=dialog] :focus")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(popover(page)).to_be_hidden()
    assert (focused.get_attribute("aria-label") or "").startswith("haben")
    # One more word, with Shift.
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Shift+Enter")
    expect(popover(page).get_by_role("heading")).to_have_text("wir haben")
    page.keyboard.press("Escape")
    # Tabs by arrow keys.
    page.get_by_role("tab", name="Sentence").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", name="Document")).to_have_attribute("aria-selected", "true")


def test_alternatives_are_fixed_and_released(visit: Callable[..., Page]) -> None:
    page = visit()
    write(page, TEXT)
    word(page, "bench").click()
    expect(popover(page).get_by_role("heading")).to_have_text("einer bank")
    expect(popover(page).locator("[aria-current=true]")).to_contain_text("a bench")
    shot(page, "alternatives")
    popover(page).get_by_role("button", name="a bank").click()
    expect(output(page)).to_have_text("We worked for a bank.")
    expect(page.locator(".word.target.fixed")).to_have_text(["a", "bank"])
    expect(page.get_by_text("Without the choice: We worked for a bench.")).to_be_visible()
    page.get_by_text("Without the choice").click()
    expect(page.get_by_role("table", name="What the choice changed, feature by feature")).to_be_visible()
    shot(page, "fixed")
    page.get_by_role("button", name="Release einer bank").click()
    expect(output(page)).to_have_text("We worked for a bench.")
    expect(page.get_by_role("list", name="Fixed choices")).to_have_count(0)

    # Any span: by Shift and a click, and by the buttons.
    word(page, "bei", "source").click()
    page.keyboard.press("Escape")
    word(page, "gearbeitet", "source").click(modifiers=["Shift"])
    expect(popover(page).get_by_role("heading")).to_have_text("bei einer bank gearbeitet")
    expect(page.locator(".word.selected")).to_have_count(4)
    popover(page).get_by_role("button", name="One word less at the beginning").click()
    popover(page).get_by_role("button", name="One word less at the end").click()
    expect(popover(page).get_by_role("heading")).to_have_text("einer bank")
    popover(page).get_by_role("button", name="More…").click()
    expect(popover(page).get_by_role("listitem").nth(5)).to_be_visible()
    popover(page).get_by_role("button", name="Close").click()
    expect(popover(page)).to_be_hidden()


def test_features_and_the_runner_up(visit: Callable[..., Page]) -> None:
    page = visit()
    write(page, TEXT)
    word(page, "bench").click()
    page.keyboard.press("Escape")
    rule = page.get_by_role("group", name="Rule", exact=True)
    expect(rule.get_by_role("heading", name="einer bank → a bench")).to_be_visible()
    adds = rule.get_by_role("table", name="What each feature adds to the score")
    numbers = [float(row.inner_text().replace("−", "-")) for row in adds.locator("tbody td:last-child").all()]
    [total] = [float(row.inner_text().replace("−", "-")) for row in adds.locator("tfoot td:last-child").all()]
    assert sum(numbers) == pytest.approx(total, abs=0.05)
    expect(rule.get_by_text("The best translation without this rule: We worked for a bank.")).to_be_visible()
    expect(rule.get_by_text("most for it: lex_target_given_source (+0.32)")).to_be_visible()
    expect(rule.get_by_role("table", name="The two translations, feature by feature")).to_contain_text("lm")
    shot(page, "features")


def test_two_systems_side_by_side(visit: Callable[..., Page]) -> None:
    page = visit(viewport={"width": 1500, "height": 900})
    write(page, f"{TEXT} Er schläft.")
    page.get_by_role("button", name="Compare two systems").click()
    choose_system(page, "pbmt", "Second system")
    panels = page.locator(".panel")
    expect(panels.nth(1).locator(".diagram")).to_be_visible()
    first, second = (panels.nth(k).bounding_box() or {} for k in (0, 1))
    assert first["y"] == second["y"] and second["x"] > first["x"] + first["width"]
    # Pointing at a word in one lights up its translation in the other.
    panels.nth(0).locator(".word.source").nth(5).hover()
    expect(panels.nth(1).locator(".word.source.lit")).to_contain_text(["gearbeitet"])
    shot(page, "two-systems")
    # The other sentence, in both.
    page.get_by_role("button", name="Next sentence").click()
    for k in (0, 1):
        expect(panels.nth(k).locator(".word.source")).to_have_text(["er", "schläft", "."])
        expect(panels.nth(k).locator(".sentence.chosen")).to_have_text("He is sleeping.")
    require_accessible(page)
    page.get_by_role("button", name="Compare two systems").click()
    expect(panels).to_have_count(1)


def test_selection_consensus_and_memory(visit: Callable[..., Page], demo: Trained) -> None:
    page = visit()
    choose_system(page, "selecting")
    write(page, tree(demo, 14))
    found = page.get_by_role("group", name="Lexical selection")
    candidate = found.locator(".candidate").first
    candidate.focus()
    expect(found.locator(".support.lit").first).to_be_visible()
    assert "evidence" in (candidate.get_attribute("aria-label") or "")
    shot(page, "lexical-selection")
    require_accessible(page)

    choose_system(page, "agreeing")
    write(page, "Er schläft heute.")
    found = page.get_by_role("group", name="Consensus")
    expect(found).to_contain_text(re.compile(r"With consensus: He is [a-z ]*[a-z]\."))
    expect(found.locator(".neighbours > li").first).to_contain_text("he is asleep today .")
    shot(page, "consensus")
    with page.expect_request("**/v1/explain") as asked:
        page.get_by_role("checkbox", name="Consensus").check()
    assert asked.value.post_data_json["consensus"] is True
    expect(found).to_contain_text(f"With consensus: {output(page).inner_text()}")

    choose_system(page, "remembering")
    write(page, "Er schläft.")
    expect(output(page)).to_have_text("He is fast asleep.")
    found = page.get_by_role("group", name="Translation memory")
    expect(found).to_contain_text("its translation is taken from there")
    write(page, "Er schläft nicht.")
    expect(found).to_contain_text("Sie schläft nicht.")


def test_glossary(visit: Callable[..., Page]) -> None:
    page = visit()
    write(page, TEXT)
    expect(page.get_by_role("checkbox", name="Consensus")).to_have_count(0)
    page.locator("summary", has_text="Glossary").click()
    terms = page.get_by_role("textbox", name="Terms, one per line: source = target")
    terms.fill("Bank = credit union\nno term")
    expect(output(page)).to_contain_text("credit union")
    expect(page.get_by_text("1 term, 1 line without a term")).to_be_visible()
    expect(page.locator(".word.target.fixed")).to_have_text(["credit", "union"])
    require_accessible(page)
    shot(page, "glossary")
    # The document view uses it too, and it outlasts a visit.
    page.reload()
    page.get_by_role("textbox", name="Text to translate").fill(TEXT)
    page.get_by_role("tab", name="Document").click()
    expect(page.locator(".document tbody tr").first).to_contain_text("credit union")
    page.get_by_role("tab", name="Sentence").click()
    page.locator("summary", has_text="Glossary").click()
    page.get_by_role("checkbox", name="Use the glossary").uncheck()
    expect(output(page)).to_have_text("We worked for a bench.")


def test_document(visit: Callable[..., Page]) -> None:
    page = visit()
    lines = [f"{TEXT} Er schläft.", "Er qwertz."] + ["Er schläft."] * 50
    page.get_by_role("textbox", name="Text to translate").fill("\n".join(lines))
    page.get_by_role("tab", name="Document").click()
    # More lines than one request has.
    expect(page.get_by_text("53 sentences,")).to_be_visible()
    rows = page.locator(".document tbody tr")
    expect(rows).to_have_count(53)
    expect(rows.nth(1).get_by_role("cell")).to_contain_text(["2", "Er schläft.", "He is sleeping.", "%"])
    expect(page.get_by_text("1 with unknown words")).to_be_visible()
    expect(rows.nth(2)).to_contain_text("unknown words")
    page.get_by_role("combobox", name="Order").select_option("least confident first")
    expect(rows.first).to_contain_text(TEXT)
    sure = [int(one.split()[0]) for one in page.locator(".document .confidence").all_text_contents()]
    assert sure == sorted(sure)
    assert page.locator(".document .confidence.low").count() == 2
    shot(page, "document")
    require_accessible(page)
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save translation").click()
    text = Path(saved.value.path()).read_text("utf-8")
    assert text.splitlines()[0] == "We worked for a bench. He is sleeping."
    assert len(text.splitlines()) == 52
    # A sentence in detail.
    rows.get_by_role("button", name="qwertz").click()
    expect(page.get_by_text("Sentence 3 of 53")).to_be_visible()
    expect(page.locator(".word.source")).to_have_text(["er", "qwertz", "."])
    expect(page.locator(".word.source.unknown")).to_have_text(["qwertz"])


def test_errors_are_sentences(visit: Callable[..., Page]) -> None:
    page = visit()
    field = page.get_by_role("textbox", name="Text to translate")
    field.fill("schläft " * 51)
    expect(output(page)).to_contain_text("Sentence 1 has 51 words; at most 50 are translated.")
    expect(output(page)).to_contain_text("Split it into shorter ones.")
    expect(page.get_by_role("status").first).to_contain_text("51 words")
    page.context.set_offline(True)
    field.fill("Er schläft.")
    expect(output(page)).to_contain_text("The server does not answer.")
    page.context.set_offline(False)
    field.press("End")
    field.press_sequentially(" ")
    expect(output(page)).to_have_text("He is sleeping.")
    # Text without words is copied, and there is nothing to explain.
    field.fill("…")
    expect(output(page)).to_have_text("…")
    expect(page.locator(".details")).to_be_hidden()
    # Markup stays text.
    write(page, "Er schläft <img src=x onerror=alert(1)> nicht.")
    assert page.locator(".output img, .diagram img, .diagram image").count() == 0


def test_new_text_aborts_the_request_before(visit: Callable[..., Page]) -> None:
    page = visit()
    held, aborted = [], []
    page.on("requestfailed", lambda request: aborted.append(request.post_data_json["text"]))
    page.route("**/v1/translate", lambda route: route.continue_() if held else held.append(route))
    field = page.get_by_role("textbox", name="Text to translate")
    with page.expect_request("**/v1/translate"):
        field.fill(TEXT)
    field.fill("Er schläft.")
    expect(output(page)).to_have_text("He is sleeping.")
    assert aborted == [TEXT]


def test_long_and_right_to_left_text(visit: Callable[..., Page]) -> None:
    page = visit(viewport=PHONE)
    choose_system(page, "pbmt")
    write(page, f"{'Er schläft und ' * 8}er schläft.")
    # Long sentences scroll inside their card, the page does not.
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert page.evaluate("(e => e.scrollWidth > e.clientWidth)(document.querySelector('.scroll'))")
    # Alternatives are asked for when they are wanted.
    word(page, "er", "source").first.click()
    expect(popover(page).locator(".option").first).to_be_visible()
    page.keyboard.press("Escape")
    write(page, "هو ينام الآن.")
    expect(page.locator(".word.source").first).to_have_text("هو")
    places = [one.bounding_box() or {} for one in page.locator(".word.source").all()]
    assert [box["x"] for box in places] == sorted((box["x"] for box in places), reverse=True)
    shot(page, "right-to-left")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_accessible_on_screens_and_phones(visit: Callable[..., Page], scheme: str, demo: Trained) -> None:
    page = visit(color_scheme=scheme)
    choose_system(page, "gbmt-ctx")
    write(page, tree(demo, 10))
    page.locator(".word.target").first.click()
    require_accessible(page)
    page.keyboard.press("Escape")
    page.set_viewport_size(PHONE)
    require_accessible(page)
    shot(page, f"phone-{scheme}")
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def test_themes_and_motion(visit: Callable[..., Page]) -> None:
    page = visit(color_scheme="light", reduced_motion="no-preference")
    write(page, TEXT)
    background = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(background)
    motion = "getComputedStyle(document.querySelector('.ribbon')).transitionProperty"
    assert page.evaluate(motion) == "fill-opacity"
    page.emulate_media(reduced_motion="reduce")
    assert page.evaluate(motion) == "none"
    page.get_by_role("combobox", name="Theme").select_option("Dark")
    dark = page.evaluate(background)
    assert light != dark
    page.reload()
    assert page.evaluate(background) == dark
    # The colours are written down twice: for those who choose dark here, and for those whose system is dark.
    names = set(re.findall(r"--[\w-]+(?=:)", (PAGE / "css" / "base.css").read_text("utf-8")))
    colours = f"{sorted(names)}.map(name => getComputedStyle(document.body).getPropertyValue(name))"
    chosen = page.evaluate(colours)
    page.get_by_role("combobox", name="Theme").select_option("System")
    page.emulate_media(color_scheme="dark")
    assert page.evaluate(background) == dark
    assert page.evaluate(colours) == chosen
    page.emulate_media(color_scheme="light")
    assert page.evaluate(background) == light


def test_a_server_with_keys_asks_for_one(visit: Callable[..., Page], demo: Trained, tmp_path: Path) -> None:
    (tmp_path / "keys").write_text(f"{KEY}\n", "utf-8")
    options = ServeOptions(threads=1, keys=str(tmp_path / "keys"), reload_interval=0)
    with serving([ModelSource("hpb", str(demo.models["hpb"]))], options) as address:
        page = visit(address)
        expect(page.get_by_role("alert")).to_have_text("An API key is needed.")
        page.get_by_label("API key").fill("a-wrong-key")
        page.keyboard.press("Enter")
        expect(page.get_by_role("alert")).to_have_text("Invalid API key.")
        require_accessible(page)
        page.get_by_label("API key").fill(KEY)
        page.get_by_role("button", name="Use this key").click()
        expect(page.get_by_label("API key")).to_be_hidden()
        write(page, "Er schläft.")
        expect(output(page)).to_have_text("He is sleeping.")
        page.close()
