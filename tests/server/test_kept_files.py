"""Translated files that are kept for download."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from graphmt.server import documents
from graphmt.server.documents import KEPT, FileStore
from graphmt.server.refusals import Refused


def test_a_number_of_files_is_kept_for_some_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "MOST_KEPT", 3)
    store = FileStore(tmp_path)
    names = []
    for number in range(5):
        names.append(store.put(b"%d" % number, "a b.po", "en"))
        os.utime(tmp_path / names[-1].partition(".")[0], (2e9 + number, 2e9 + number))
    for name in names[:2]:
        with pytest.raises(Refused, match="no such file"):
            store.get(name)
    assert [store.get(name) for name in names[2:]] == [(b"%d" % k, "a_b_en.po") for k in (2, 3, 4)]
    old = tmp_path / names[-1].partition(".")[0]
    os.utime(old, (old.stat().st_mtime, documents.time.time() - KEPT - 1))
    store.put(b"", "c.po", "en")
    assert not old.exists()


def test_requests_that_remove_old_files_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "MOST_KEPT", 2)
    # Two processes of a server share a folder.
    stores = [FileStore(tmp_path), FileStore(tmp_path)]
    with ThreadPoolExecutor(8) as threads:
        names = list(threads.map(lambda number: stores[number % 2].put(b"", "a.po", "en"), range(400)))
    assert len(set(names)) == 400
    assert len(list(tmp_path.iterdir())) <= 2 + len(threads._threads)
