"""The files and the server that tests of faults share."""

from __future__ import annotations

from pathlib import Path

import pytest
from forked import ForkServer
from programs import fork_server

from robustness.commands import Calm, prepare


@pytest.fixture(scope="package")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return prepare(tmp_path_factory.mktemp("prepared"))


@pytest.fixture(scope="package")
def server() -> ForkServer:
    pytest.importorskip("resource", reason="processes are forked and limited, which needs Unix")
    return fork_server()


@pytest.fixture(scope="package")
def calm(prepared: Path, server: ForkServer, tmp_path_factory: pytest.TempPathFactory) -> Calm:
    """What commands write when nothing disturbs them."""
    return Calm(prepared, server, tmp_path_factory.mktemp("calm"))
