"""Examples of the documentation run as they stand."""

from __future__ import annotations

import contextlib
import dataclasses
import re
import shutil
from pathlib import Path

import pytest
from doc_blocks import ROOT, RUN, SHOWN, Block, blocks, pages
from doc_shell import DOCUMENTED, SERVE, Shell, copy_of

#: Pages that begin in an empty folder; the others begin where the tutorial ends.
FROM_NOTHING = ("README.md", "docs/index.md", "docs/tutorial.md")
RUNNING = [page for page in pages() if any(block.language in RUN and not block.reason for block in blocks(page))]
NOT_RUN = [block for page in pages() for block in blocks(page) if block.language in RUN and block.reason]


@pytest.mark.parametrize("page", RUNNING)
def test_the_blocks_of_a_page_run(page: str, shell: Shell, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    if page not in FROM_NOTHING:
        copy_of(request.getfixturevalue("prepared"), tmp_path)
    address = DOCUMENTED
    with contextlib.ExitStack() as stack:
        for block in blocks(page):
            if block.language not in RUN or block.reason:
                continue
            if block.code.startswith(SERVE):
                address = stack.enter_context(shell.serving(block, tmp_path))
            elif block.code.startswith("curl "):
                require_answers(shell, block, tmp_path, address)
            else:
                shell.run(block, tmp_path, address)


def require_answers(shell: Shell, block: Block, folder: Path, address: str) -> None:
    """Every command of a block gets the translation of the page's example."""
    if shutil.which("curl") is None:
        pytest.skip(f"{block.place} needs curl")
    for command in block.code.splitlines():
        said = shell.run(dataclasses.replace(block, code=command), folder, address)
        assert "He is sleeping." in said and "error" not in said, f"{command}\n{said}"


@pytest.mark.parametrize("block", NOT_RUN, ids=[block.place for block in NOT_RUN])
def test_a_block_that_does_not_run_says_why(block) -> None:
    pytest.skip(f"{block.place}: {block.reason}")


@pytest.mark.parametrize("page", pages())
def test_every_block_names_its_language(page: str) -> None:
    unknown = [block.place for block in blocks(page) if block.language not in (*RUN, *SHOWN)]
    assert not unknown


def test_the_first_translation_from_python_is_short() -> None:
    first = next(block for block in blocks("README.md") if block.language == "python")
    assert len(first.code.splitlines()) <= 10


def test_re_ranking_from_python_prints_what_the_page_says(shell: Shell, tmp_path: Path) -> None:
    (block,) = (block for block in blocks("docs/how-to/rerank.md") if block.language == "python")
    assert f"# {shell.run(block, tmp_path).strip()}\n" in block.code


def test_links_of_the_readme_lead_somewhere() -> None:
    for page in ("README.md", "CONTRIBUTING.md"):
        for place in re.findall(r"\]\(([^)#:]+)\)", (ROOT / page).read_text("utf-8")):
            assert (ROOT / place).exists(), f"{page}: {place}"
