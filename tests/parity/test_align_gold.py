"""Gold alignments: they are read as they are meant, and the default model is as good as it was measured."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import numpy as np
import pytest
from amounts import LONG
from graphmt.align import AlignOptions, align, read_alignment, score

DATA = Path(os.environ.get("GRAPHMT_DATA", Path(__file__).parents[2] / ".." / "shared"))
GOLD = DATA / "data" / "gold-alignments"

pytestmark = pytest.mark.skipif(not GOLD.is_dir(), reason=f"needs {GOLD} (set GRAPHMT_DATA)")


def text(name: str) -> tuple[list[str], list[str]]:
    with gzip.open(GOLD / name / "src-tgt.gz", "rt", encoding="utf-8") as stream:
        source, target = zip(*(line.split("|||") for line in stream), strict=True)
    return list(source), list(target)


def words(line: str) -> list[str]:
    return [token for token in line.strip("\n").split(" ") if token]


@pytest.mark.parametrize(
    ("name", "pairs", "links"), [("zh-en", 450, 11_416), ("ja-en", 582, 13_562), ("en-fr", 447, 17_438)]
)
def test_positions_start_at_one_and_fit_the_text(name, pairs, links) -> None:
    # A few Japanese tokens are ideographic spaces, so only the plain space separates tokens.
    source, target = (np.array([len(words(line)) for line in side], np.uint32) for side in text(name))
    gold = read_alignment(GOLD / name / "gold.gz", one_based=True, source_lengths=source, target_lengths=target)
    assert len(gold) == pairs
    assert gold.links <= links
    assert gold.has_possible == (name != "ja-en")


def test_the_default_on_a_few_hundred_pairs() -> None:
    # 17.3 % with the defaults, and little more with a fifth of the sweeps; the bound leaves room for another seed, not
    # for a mistake.
    options = AlignOptions() if LONG else AlignOptions(eflomal_length=0.2)
    gold = read_alignment(GOLD / "en-fr" / "gold.gz", one_based=True)
    found = align(*text("en-fr"), options).alignment
    assert score(gold, found).error_rate < 0.20
