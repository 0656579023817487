"""Examples of the documentation run as they stand."""

from __future__ import annotations

import contextlib
import dataclasses
import re
import shutil
from pathlib import Path

import pytest
from doc_blocks import REASON, ROOT, RUN, SHOWN, Block, blocks, pages
from doc_names import require_names
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
def test_a_block_that_does_not_run_names_only_what_exists(block: Block) -> None:
    """Its verbs, flags, scripts, targets, extras and Python names are those of the project."""
    require_names(block)


@pytest.mark.parametrize(
    ("language", "code", "wrong"),
    [
        ("sh", "graphmt rerunk lists.txt", "rerunk"),
        ("sh", "echo a | graphmt translate model --n-bets 5", "--n-bets"),
        ("sh", "graphmt lm train a.en --out lm  # once\ngraphmt lm tarin a.en", "tarin"),
        ("sh", "python bench/swerve.py --data FOLDER", "bench/swerve.py"),
        ("sh", "python bench/serve.py --date FOLDER", "--date"),
        ("sh", "make dmeo", "dmeo"),
        ("sh", 'pip install "graphmt[sevre]"', "sevre"),
        ("sh", "gaphmt translate model", "gaphmt"),
        ("python", "from graphmt.experiments import Recipy", "Recipy"),
        ("python", "from graphmt import spark\nspark.open_sesion('local')", "open_sesion"),
        ("python", "from graphmt.experiments import Claim\nClaim('a', 'b', {}, likely=1)", "likely"),
    ],
)
def test_names_that_do_not_exist_are_found(language: str, code: str, wrong: str) -> None:
    with pytest.raises(AssertionError, match=re.escape(wrong)):
        require_names(Block("page.md", 1, language, code, "a reason"))


def test_only_blocks_that_could_run_say_why_they_do_not() -> None:
    """A reason in front of a block that is only shown, or of no block at all, was left behind."""
    for page in pages():
        reasons = REASON.findall((ROOT / page).read_text("utf-8"))
        assert reasons == [block.reason for block in NOT_RUN if block.page == page], page


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
