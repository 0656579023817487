"""The page: choices hold in both views, text and drawing agree, problems are got over, and the focus stays in place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pages import TEXT, choose_system, context, output, popover, shot, site, visit, word, write
from playwright.sync_api import BrowserContext, Locator, Page, Route, expect

__all__ = ["context", "site", "visit"]


def field(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Text to translate")


def rows(page: Page) -> Locator:
    return page.locator(".document tbody tr")


def saved(page: Page) -> str:
    with page.expect_download() as found:
        page.get_by_role("button", name="Save translation").click()
    return Path(found.value.path()).read_text("utf-8")


def expect_drawn(page: Page, *words: str) -> None:
    """The target words of the drawing, which comes after the translation."""
    expect(page.locator(".word.target")).to_have_text(words)


def test_choices_hold_everywhere(visit: Callable[..., Page], context: BrowserContext) -> None:
    page = visit()
    write(page, f"Er schläft.\n\n  {TEXT} Er schläft.")
    page.get_by_role("button", name="Next sentence").click()
    word(page, "bench").click()
    popover(page).get_by_role("button", name="a bank").click()
    expect(page.locator(".sentence.chosen")).to_have_text("We worked for a bank.")
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    text = "He is sleeping.\n\n  We worked for a bank. He is sleeping."
    assert page.evaluate("navigator.clipboard.readText()") == text
    page.get_by_role("tab", name="Document").click()
    expect(rows(page).nth(1)).to_contain_text("We worked for a bank.")
    expect(rows(page).nth(1)).to_contain_text("1 fixed choice")
    assert saved(page) == f"{text}\n"
    # All is translated again, and the choice with it.
    page.locator("summary", has_text="Glossary").click()
    page.get_by_role("textbox", name="Terms, one per line: source = target").fill("schläft = slumbers")
    expect(rows(page).first).to_contain_text("He slumbers.")
    expect(page.get_by_text("3 sentences.")).to_be_visible()
    assert saved(page) == f"{text}\n".replace("is sleeping", "slumbers")


def test_text_and_drawing_are_one_translation(visit: Callable[..., Page]) -> None:
    page = visit()
    choose_system(page, "remembering")
    field(page).fill("Er schläft.\nEr liest.")
    memory = page.get_by_role("group", name="Translation memory")
    expect(memory).to_contain_text("its translation is taken from there")
    expect(page.locator(".sentence.chosen")).to_have_text("He is fast asleep.")
    expect(page.locator(".diagram")).to_have_count(0)
    shot(page, "memory")
    memory.get_by_role("button", name="Use the model’s translation").click()
    expect(page.locator(".sentence.chosen")).to_have_text("He is sleeping.")
    expect_drawn(page, "he", "is", "sleeping", ".")
    page.get_by_role("tab", name="Document").click()
    expect(rows(page).first).to_contain_text("He is sleeping.")
    page.get_by_role("tab", name="Sentence").click()
    memory.get_by_role("button", name="Use the memory’s translation").click()
    expect(page.locator(".sentence.chosen")).to_have_text("He is fast asleep.")
    # A required term wins, and the page says so.
    page.locator("summary", has_text="Glossary").click()
    page.get_by_role("textbox", name="Terms, one per line: source = target").fill("schläft = slumbers")
    expect(page.locator(".sentence.chosen")).to_have_text("He slumbers.")
    expect(memory).to_contain_text("contradicts the glossary (schläft → slumbers): He is fast asleep.")
    expect_drawn(page, "he", "slumbers", ".")


def test_the_text_is_what_is_explained(visit: Callable[..., Page]) -> None:
    """A model that looks at the sentences around it may translate a sentence alone in another way."""
    page = visit()

    def changed(route: Route) -> None:
        found = route.fetch()
        body = found.json()
        for one in body["sentences"]:
            one["translations"][0].update(text="Quite another one.", tokens=["quite", "another", "one", "."])
        route.fulfill(response=found, json=body)

    page.route("**/v1/translate", changed)
    write(page, "Er schläft. Er liest.")
    expect(page.locator(".sentence")).to_have_text(["He is sleeping.", "Quite another one."])
    expect_drawn(page, "he", "is", "sleeping", ".")
    page.get_by_role("tab", name="Document").click()
    assert saved(page) == "He is sleeping. Quite another one.\n"


def test_a_click_in_the_document(visit: Callable[..., Page]) -> None:
    page = visit()
    # More sentences than a request may have.
    field(page).fill("\n".join(["Er schläft."] * 69 + [TEXT] + ["Er schläft."] * 30))
    page.get_by_role("tab", name="Document").click()
    choose_system(page, "pbmt")
    expect(page.get_by_text("100 sentences")).to_be_visible()
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    rows(page).nth(69).get_by_role("button").click()
    expect(page.get_by_text("Sentence 70 of 100")).to_be_visible()
    expect(output(page)).to_be_focused()
    expect(page.get_by_role("combobox", name="System", exact=True).locator("visible=true")).to_have_value("pbmt")
    expect(page.locator(".word.source")).to_have_count(7)
    expect(page.locator(".sentence.chosen")).to_have_text("We worked for a bench.")
    expect(page.locator(".sentence.chosen")).to_be_in_viewport()
    # What is translated is not translated again.
    assert [url.rsplit("/", 1)[1] for url in asked] == ["explain"]
    # Choosing another one does not lose the focus either.
    page.locator(".output .sentence").nth(68).get_by_role("button").press("Enter")
    expect(page.get_by_text("Sentence 69 of 100")).to_be_visible()
    expect(output(page)).to_be_focused()


def test_portions_of_a_text(visit: Callable[..., Page]) -> None:
    page = visit()
    script = "async (text) => (await import('/js/text.js')).portions(text)"
    line = "Dieser Satz ist länger. " * 1000
    found = [one["text"] for one in page.evaluate(script, f"{line}\n\nKurz.\n")]
    assert "".join(found) == f"{line}\n\nKurz.\n"
    assert all(len(one) <= 8000 and one.rstrip().endswith(".") for one in found)
    assert len(found) == 4
    script = "async ([text, all]) => (await import('/js/text.js')).joined(text, all)"
    sentences = [{"text": "A. b", "translation": {"text": "1"}}, {"text": "b", "translation": {"text": ""}}]
    assert page.evaluate(script, ["… A. b\n\n\tb …", sentences]) == "… 1\n\n\t …"


def test_steps_can_be_told_apart(visit: Callable[..., Page]) -> None:
    script = "async () => Array.from({ length: 32 }, (_, k) => k).map((await import('/js/steps.js')).shadeClass)"
    assert len(set(visit().evaluate(script))) == 32


def test_the_key_for_translating_tries_again(visit: Callable[..., Page]) -> None:
    page = visit()
    # The list of systems may be what is missing.
    page.route("**/v1/models", lambda route: route.abort(), times=1)
    page.reload()
    expect(page.get_by_role("alert")).to_contain_text("The server does not answer.")
    field(page).fill("Er liest.")
    field(page).press("Control+Enter")
    expect(page.locator(".word.source").nth(1)).to_have_text("liest")
    page.context.set_offline(True)
    field(page).fill("Er schläft.")
    expect(output(page)).to_contain_text("The server does not answer.")
    page.context.set_offline(False)
    field(page).press("Control+Enter")
    expect(output(page)).to_have_text("He is sleeping.")
    # The explanation alone may fail, too.
    page.route("**/v1/explain", lambda route: route.abort(), times=1)
    field(page).fill("Er liest.")
    expect(output(page)).to_contain_text("The server does not answer.")
    field(page).press("Control+Enter")
    expect(page.locator(".word.source").nth(1)).to_have_text("liest")
    # A part of a document that fails takes nothing else with it.
    page.get_by_role("tab", name="Document").click()
    field(page).fill("Er schläft.\n" * 41 + "schläft " * 51)
    problem = page.get_by_role("tabpanel", name="Document").get_by_role("status")
    expect(problem).to_contain_text("Sentence 2 has 51 words")
    expect(problem).to_contain_text("Sentences are counted from number 41 of the text.")
    expect(rows(page)).to_have_count(40)
    rows(page).nth(39).get_by_role("button").click()
    expect(page.locator(".word.source").nth(1)).to_have_text("schläft")
    expect(output(page)).to_contain_text("Sentence 2 has 51 words")


def test_the_focus_of_alternatives(visit: Callable[..., Page]) -> None:
    page = visit()
    write(page, TEXT)
    focused = page.locator(":focus")
    word(page, "bench").focus()
    page.keyboard.press("Enter")
    # The translation in use; the arrow keys move from there.
    expect(focused).to_have_attribute("aria-current", "true")
    options = popover(page).locator(".option")
    texts = [one.split("\n")[0] for one in options.all_inner_texts()]
    at = texts.index("a bench")
    page.keyboard.press("ArrowDown" if at + 1 < len(texts) else "ArrowUp")
    expect(focused).not_to_have_attribute("aria-current", "true")
    page.keyboard.press("End")
    page.keyboard.press("Home")
    expect(focused).to_contain_text(texts[0])
    options.filter(has_text="a bank").focus()
    page.keyboard.press("Enter")
    expect(output(page)).to_have_text("We worked for a bank.")
    # The words of the choice, not the first of the sentence; also when it is released.
    expect(focused).to_have_attribute("data-place", "3")
    expect(page.locator('.diagram [tabindex="0"]')).to_have_attribute("data-place", "3")
    page.get_by_role("button", name="Release einer bank").press("Enter")
    expect(output(page)).to_have_text("We worked for a bench.")
    expect(focused).to_have_attribute("data-place", "3")
    # Shift and a click select words of the drawing, and no text.
    word(page, "bei", "source").click()
    page.keyboard.press("Escape")
    word(page, "gearbeitet", "source").click(modifiers=["Shift"])
    expect(popover(page).get_by_role("heading")).to_have_text("bei einer bank gearbeitet")
    assert page.evaluate("getSelection().toString()") == ""
    page.keyboard.press("Escape")
    # More options take the place of the button that asked for them.
    word(page, "haben", "source").press("Enter")
    popover(page).get_by_role("button", name="One word more at the beginning").click()
    more = popover(page).get_by_role("button", name="More…")
    more.press("Enter")
    expect(more).to_have_count(0)
    expect(popover(page).locator(":focus")).to_have_count(1)
    page.keyboard.press("Escape")
    # The drawing goes away while a word of it has the focus; faults of scripts fail the test.
    word(page, "bench").press("Enter")
    expect(popover(page).locator(".option").nth(1)).to_be_visible()
    page.context.set_offline(True)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(output(page)).to_contain_text("The server does not answer.")
    expect(output(page)).to_be_focused()
    page.context.set_offline(False)
    field(page).press("Control+Enter")
    expect(page.locator(".word.fixed").first).to_be_visible()


def test_marks_and_distances(visit: Callable[..., Page]) -> None:
    page = visit(viewport={"width": 640, "height": 800})
    write(page, f"Er schläft. Er qwertz 57 nicht. {'Sie schläft und ' * 9}sie xyzzy.")
    expect(page.locator(".output .unknown")).to_have_text(["qwertz", "xyzzy"])
    shot(page, "unknown-sentences")
    page.get_by_role("button", name="Next sentence").click()
    expect(page.locator(".word.source.unknown")).to_have_text(["qwertz"])
    expect(page.locator(".output .unknown")).to_have_text(["qwertz", "xyzzy"])
    page.get_by_role("tab", name="Document").click()
    expect(page.locator(".document .unknown")).to_have_text(["qwertz", "xyzzy"])
    expect(rows(page).nth(1).locator(".note")).to_have_text(["has unknown words"])
    expect(rows(page).first.locator(".note")).to_have_count(0)
    shot(page, "unknown-document")
    # The narrowest column does not break its heading.
    lines = "r => { r.selectNodeContents(document.querySelector('.document th')); return r.getClientRects().length }"
    assert page.evaluate(f"({lines})(document.createRange())") == 1
    # The frame of the field keeps a distance from its text, and from text that is scrolled, which is in its padding.
    style = "(e => getComputedStyle(e))(document.getElementById('text'))"
    sides = ("borderLeftWidth", "borderTopWidth")
    inside = [float(page.evaluate(f"parseFloat({style}.{side})")) for side in sides]
    outside = float(page.evaluate(f"parseFloat({style}.outlineOffset)"))
    assert all(one + outside >= 6 for one in inside)
