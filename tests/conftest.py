"""What all tests share."""

from __future__ import annotations

import logging
import os
import signal
from pathlib import Path

import pytest
from amounts import examples
from graphmt.cli.display import show_messages
from graphmt.progress import set_display
from hypothesis import settings
from made_once import made_once
from small_models import Trained, trained
from small_treebanks import chinese_parser as made_chinese_parser

# Times differ from machine to machine; the whole run has its own limit.
# Anyone's run looks at new examples; a run that decides about a change looks at the same ones each time.
settings.register_profile("graphmt", deadline=None, derandomize=bool(os.environ.get("CI")), max_examples=examples(100))
settings.load_profile("graphmt")

# No test cuts the power, so nothing has to wait for the disk.
os.fsync = lambda _: None

# A run in the background ignores Ctrl-C, and so would the commands that it starts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave out what takes long unless it is asked for."""
    if not os.environ.get("GRAPHMT_LONG"):
        skip = pytest.mark.skip(reason="takes long: make test-all, or GRAPHMT_LONG=1")
        for item in items:
            if item.get_closest_marker("long"):
                item.add_marker(skip)


@pytest.fixture(autouse=True)
def messages() -> None:
    """A command that ran inside this process leaves its log handler and display behind, and perhaps ``--quiet``."""
    show_messages(quiet=False)
    set_display(None)
    logger = logging.getLogger("graphmt")
    logger.setLevel(logging.NOTSET)
    logger.handlers.clear()


@pytest.fixture(scope="session")
def reference() -> Path:
    """The folder of reference data, named by GRAPHMT_DATA; without it the test is skipped."""
    folder = Path(os.environ.get("GRAPHMT_DATA", Path(__file__).parent.parent.parent / "shared"))
    if not folder.is_dir():
        pytest.skip(f"needs the reference data: no folder {folder} (set GRAPHMT_DATA)")
    return folder


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Trained:
    """Models of all systems, trained on a small demo corpus."""
    return made_once(tmp_path_factory, "demo", trained)


@pytest.fixture(scope="session")
def chinese_parser(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a small UDPipe model for Chinese and gold trees that it has not seen."""
    pytest.importorskip("ufal.udpipe", reason="needs the extra 'udpipe'")
    return made_once(tmp_path_factory, "chinese-parser", made_chinese_parser)
