"""Limits of reading n-best lists: just below, at and just above."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from graphmt.errors import InputError
from graphmt.nbest import read_lists


@pytest.mark.parametrize(("messages", "refused"), [(999, False), (1000, False), (1001, True)])
def test_a_log_may_begin_with_a_thousand_messages(tmp_path: Path, messages: int, refused: bool) -> None:
    log = "2021-01-01 10:00:00 | INFO | fairseq | loading\n" * messages
    (tmp_path / "log").write_text(f"{log}H-0\t-0.5\ta house\n", "utf-8")
    with pytest.raises(InputError, match="1001") if refused else contextlib.nullcontext():
        assert [one.texts for one in read_lists(tmp_path / "log")] == [("a house",)]
