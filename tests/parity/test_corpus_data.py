"""The readers on reference corpora: what they hold is known, and comes back as it was."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from graphmt.corpus import convert, read_trees, statistics, tokenised


@pytest.mark.parametrize(("language", "crossing"), [("de", 135), ("en", 47), ("ja", 0), ("zh", 20)])
def test_gold_trees(reference: Path, tmp_path: Path, language: str, crossing: int) -> None:
    path = reference / "data" / "gold-trees" / f"pud.{language}.conllu.gz"
    original = gzip.decompress(path.read_bytes()).decode()
    (side,) = statistics(path).sides
    assert side.trees is not None
    assert (side.sentences, side.trees.non_projective, side.trees.faults) == (1000, crossing, 0)
    out = tmp_path / "words.conllu"
    convert.rewrite_trees(path, out, multiword="words")
    assert out.read_text(encoding="utf-8") == original
    assert "".join(tree.conllu() for tree in read_trees(path, multiword="words")) == original
    convert.projectivise_trees(path, out)
    trees = statistics(out).sides[0].trees
    assert trees is not None and trees.non_projective == 0


def test_multiword_tokens_give_the_running_text(reference: Path) -> None:
    for language in ("de", "en"):
        for tree in read_trees(reference / "data" / "gold-trees" / f"pud.{language}.conllu.gz"):
            (text,) = (line.removeprefix("# text = ") for line in tree.comments if line.startswith("# text = "))
            assert "".join(tree.forms).replace(" ", "") == text.replace(" ", "").replace("\u00a0", "")


def test_lower_cased_forms_are_the_official_tokens(reference: Path) -> None:
    lines = list(tokenised(reference / "data" / "multi30k-de-en" / "test.de.conllu.gz", lowercase=True))
    assert len(lines) == 1000
    peer = reference / "peers" / "moses-multi30k-de-en" / "test100.de.gz"
    assert lines[:100] == list(tokenised(peer))
