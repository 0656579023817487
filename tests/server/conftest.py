"""A server with small models, in this process and on a port of its own."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="needs the extra 'serve'")
pytest.importorskip("uvicorn", reason="needs the extra 'serve'")
pytest.importorskip("httpx2", reason="needs httpx2, of the group 'test'")

from fastapi import FastAPI
from fastapi.testclient import TestClient
from graphmt.server import ModelSource, ServeOptions, create_app
from made_once import made_once
from serving import serving
from small_models import Trained
from small_served import make_special

#: The models that are served, the default first.
SERVED = ("hpb", "pbmt", "gbmt-ctx")


@pytest.fixture(scope="session")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("memory") / "memory.tsv"
    path.write_text("Er schläft .\tHe is fast asleep .\nSie schläft nicht .\tShe is awake .\n", "utf-8")
    return path


@pytest.fixture(scope="session")
def special(demo: Trained, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the models ``selecting`` (lexical selection) and ``agreeing`` (consensus)."""
    return made_once(tmp_path_factory, "special", partial(make_special, demo))


def make_app(demo: Trained, memory: Path) -> FastAPI:
    """An application with narrow limits."""
    options = ServeOptions(threads=2, max_words=50, max_sentences=20, max_n_best=20, max_body=64, reload_interval=0)
    sources = [ModelSource(name, str(demo.models[name])) for name in SERVED]
    sources.append(ModelSource("remembering", str(demo.models["pbmt"]), memory=str(memory)))
    return create_app(sources, options)


@pytest.fixture(scope="session")
def client(demo: Trained, memory: Path) -> Iterator[TestClient]:
    with TestClient(make_app(demo, memory), raise_server_exceptions=False) as opened:
        yield opened


@pytest.fixture
def app(demo: Trained, memory: Path) -> FastAPI:
    """One that a test may start and stop itself."""
    return make_app(demo, memory)


@pytest.fixture(scope="session")
def address(demo: Trained) -> Iterator[str]:
    """The address of a server that clients reach over loopback."""
    options = ServeOptions(threads=2, reload_interval=0)
    with serving([ModelSource(name, str(demo.models[name])) for name in ("hpb", "pbmt")], options) as at:
        yield at
