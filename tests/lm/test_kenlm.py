"""Scores of the kenlm package on models of ours, where it is installed."""

from __future__ import annotations

from pathlib import Path

import pytest
from graphmt.lm import load

from .conftest import core_train, random_text

kenlm = pytest.importorskip("kenlm", reason="the kenlm package is not installed (extra: bench)")


@pytest.mark.parametrize(("order", "prune"), [(2, []), (3, [0, 1]), (5, []), (6, [0, 0, 1])])
def test_scores_agree_word_by_word(tmp_path: Path, order: int, prune: list[int]) -> None:
    text = random_text(order, 300, 40)
    core_train(text, tmp_path / "m.arpa", order=order, prune=prune)
    core_train(text, tmp_path / "m.lm", order=order, prune=prune)
    peer, model = kenlm.Model(str(tmp_path / "m.arpa")), load(tmp_path / "m.lm")
    for line in [*random_text(99, 200, 45).splitlines(), *text.splitlines()[:50]]:
        for bos in (True, False):
            theirs = list(peer.full_scores(line, bos=bos, eos=True))
            ours = model.full_scores(line, bos=bos, eos=True)
            assert [(length, unknown) for _, length, unknown in theirs] == [(w.length, w.unknown) for w in ours]
            for (log10, _, _), word in zip(theirs, ours, strict=True):
                assert word.log10 == pytest.approx(log10, abs=1e-5)
