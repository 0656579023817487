"""The end of the tour: what lexical selection and consensus chose."""

from __future__ import annotations

import pytest
from graphmt.demo import DemoOptions
from graphmt.demo.choices import AMBIGUOUS, agreed, selected
from graphmt.demo.corpus import write
from graphmt.model import load


@pytest.mark.long
def test_better_words_and_better_translations_are_shown(tmp_path) -> None:
    corpus = write(tmp_path / "corpus", DemoOptions(dev=60))
    files = {
        "source": tmp_path / "corpus" / "train.de.conllu",
        "target": tmp_path / "corpus" / "train.en",
        "alignment": tmp_path / "corpus" / "train.align",
    }
    explained = selected(corpus, files, tmp_path / "hpb+gm")
    assert explained is not None and explained.graphs
    pair = next(pair for pair in corpus.test if pair.source.text.lower() == " ".join(explained.source))
    assert pair.phenomena & AMBIGUOUS
    wanted = set(" ".join(pair.target).lower().split())
    wrong, more_wrong = (
        [word for word in one.tokens if word not in wanted] for one in (explained.translation, explained.without)
    )
    assert len(wrong) < len(more_wrong)

    heard, changed = agreed(corpus, load(tmp_path / "hpb+gm"))
    assert heard is not None and heard.changed and heard.support and changed > 0
    assert heard.support[0].in_memory and "<svg" in heard.svg
