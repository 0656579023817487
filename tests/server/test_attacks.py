"""A server under attack: every request ends, none of them by an unexpected error, and the server is as it was."""

from __future__ import annotations

import asyncio
import os
import re
import time
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest
from graphmt.server import ModelSource, ServeOptions, connections, guard
from serving import serving
from small_models import Trained

from fuzz.attacks import attack

NUMBER = 3000 if os.environ.get("GRAPHMT_LONG") else 100


@pytest.mark.timeout(3600 if NUMBER > 100 else 300)
def test_no_attack_leaves_anything_behind(demo: Trained, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.2)
    monkeypatch.setattr(connections, "UNREAD_SECONDS", 0.2)
    monkeypatch.setattr(guard, "BODY_SECONDS", 0.2)
    options = ServeOptions(threads=2, reload_interval=0, timeout=0.5, max_words=10_000, max_sentences=200)
    sources = [ModelSource(name, str(demo.models[name])) for name in ("hpb", "pbmt")]
    with serving(sources, options) as address:
        outcomes = asyncio.run(attack(urlsplit(address).port, NUMBER, words=2000, pause=0.02))
        assert outcomes.total() == NUMBER
        assert [one for one in outcomes if one.endswith((" hung", " 500"))] == []
        while (left := state(address)) != {"waiting": 0, "running": 0, "in_progress": 1}:
            assert "graphmt_requests_in_progress" in metrics(address), left
            time.sleep(0.01)
        assert urlopen(f"{address}health", timeout=60).status == 200


def metrics(address: str) -> str:
    return urlopen(f"{address}metrics", timeout=60).read().decode()


def state(address: str) -> dict[str, int]:
    """The sentences that wait, those that are worked on, and the requests, of which this is one."""
    found = re.findall(r"^graphmt_(waiting|running|requests)_(\w+) (\d+)$", metrics(address), re.MULTILINE)
    return {name if name != "requests" else "in_progress": int(value) for name, _, value in found}
