"""A server of small models and a browser, for the tests of the page.

With ``GRAPHMT_LONG=1``, screenshots for review go to test-screenshots/.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("playwright", reason="needs playwright, of the extra 'dev'")
pytest.importorskip("axe_playwright_python", reason="needs axe-playwright-python, of the extra 'dev'")

import graphmt.server
from axe_playwright_python.sync_playwright import Axe
from graphmt.server import ModelSource, ServeOptions
from playwright.sync_api import BrowserContext, Locator, Page, ViewportSize, expect, sync_playwright
from serving import serving
from small_models import Trained

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
if CHROMIUM is None:
    pytest.skip("needs Chromium (on Debian: apt-get install chromium)", allow_module_level=True)

PAGE = Path(graphmt.server.__file__).parent / "page"
SHOTS = Path(__file__).parents[2] / "test-screenshots"
TEXT = "Wir haben bei einer Bank gearbeitet."
#: A key of the server that needs one.
KEY = "a-key-for-tests"
SCREEN: ViewportSize = {"width": 1200, "height": 900}
PHONE: ViewportSize = {"width": 390, "height": 800}
#: Flags that spare processes, shared memory and drawing by a graphics card that is emulated.
CHEAP = ("--disable-dev-shm-usage", "--disable-gpu", "--process-per-site", "--disable-extensions")
#: Never a wait of this length: conditions are waited for, and this is when they count as failed.
PATIENCE = 30_000


@pytest.fixture(scope="module")
def site(demo: Trained, special: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Systems of all kinds: a chart, left to right, with trees, lexical selection, consensus, and a memory."""
    folder = tmp_path_factory.mktemp("page")
    (folder / "memory.tsv").write_text("Er schläft.\tHe is fast asleep.\nSie schläft nicht.\tShe is awake.\n", "utf-8")
    sources = [
        *(ModelSource(name, str(demo.models[name])) for name in ("hpb", "pbmt", "gbmt-ctx")),
        *(ModelSource(name, str(special / name)) for name in ("selecting", "agreeing")),
        ModelSource("remembering", str(demo.models["pbmt"]), memory=str(folder / "memory.tsv")),
    ]
    with serving(sources, ServeOptions(threads=2, max_words=50, max_sentences=60, reload_interval=0)) as address:
        yield address


@pytest.fixture(scope="module")
def context(site: str) -> Iterator[BrowserContext]:
    """One browser, in which a page stays open: the pages of the tests use its process and its cache."""
    SHOTS.mkdir(exist_ok=True)
    # Root cannot use the sandbox; containers have little shared memory.
    unconfined = hasattr(os, "geteuid") and os.geteuid() == 0
    args = [*CHEAP, *(["--no-sandbox"] if unconfined else [])]
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=args)
        made = browser.new_context()
        made.set_default_timeout(PATIENCE)
        made.new_page().goto(site)
        yield made
        browser.close()


@pytest.fixture
def visit(context: BrowserContext, site: str) -> Iterator[Callable[..., Page]]:
    """Open the page as for the first time. Faults of scripts and requests to other hosts fail the test."""
    kept, *_ = context.pages
    kept.evaluate("localStorage.clear()")
    faults: list[str] = []

    def said(text: str) -> None:
        # Answers with an error status are tested as such.
        if not text.startswith("Failed to load resource"):
            faults.append(text)

    def opened(address: str = site, *, viewport: ViewportSize = SCREEN, **media: Any) -> Page:
        page = context.new_page()
        page.set_viewport_size(viewport)
        # Drawing transitions without a graphics card takes time.
        page.emulate_media(**{"reduced_motion": "reduce", **media})
        page.on("console", lambda message: said(message.text))
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("request", lambda one: None if one.url.startswith((address, "blob:")) else faults.append(one.url))
        page.goto(address)
        return page

    yield opened
    context.set_offline(False)
    for page in context.pages:
        if page is not kept:
            page.close()
    assert not faults


def write(page: Page, text: str) -> None:
    """Put a text into the field and wait for its derivation."""
    page.get_by_role("textbox", name="Text to translate").fill(text)
    expect(page.locator(".diagram").first).to_be_visible()


def choose_system(page: Page, name: str, label: str = "System") -> None:
    page.get_by_role("combobox", name=label, exact=True).locator("visible=true").select_option(name)


def word(page: Page, text: str, side: str = "target") -> Locator:
    return page.locator(f".word.{side}").filter(has=page.get_by_text(text, exact=True))


def output(page: Page) -> Locator:
    return page.get_by_role("group", name="Translation", exact=True)


def popover(page: Page) -> Locator:
    return page.get_by_role("dialog")


def shot(page: Page, name: str) -> None:
    if os.environ.get("GRAPHMT_LONG"):
        page.screenshot(path=SHOTS / f"{name}.png", full_page=True)


def require_accessible(page: Page) -> None:
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


def tree(demo: Trained, number: int) -> str:
    return demo.trees()[number].conllu().strip() + "\n\n"
