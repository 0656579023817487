"""Tables of a few rules, and a decoder on them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

from graphmt import _core, lm
from graphmt.corpus import TextSteps
from graphmt.lm import LmOptions
from graphmt.model import SearchOptions
from graphmt.rules import ExtractOptions, extract_rules, extract_settings
from graphmt.selection import Corpus
from graphmt.systems import system

#: Rules of one word, so that each sentence has one segmentation.
WORDS = ExtractOptions(max_source=1, max_target=1, threads=1)


def corpus(
    folder: Path, pairs: Sequence[tuple[str, str]], name: str = "pbmt", options: ExtractOptions = WORDS
) -> Corpus:
    """A corpus of sentences that are aligned word by word, and its rule table."""
    files = {side: folder / side for side in ("source", "target", "links", "rules.bin")}
    files["source"].write_text("".join(f"{source}\n" for source, _ in pairs))
    files["target"].write_text("".join(f"{target}\n" for _, target in pairs))
    files["links"].write_text("".join(" ".join(f"{k}-{k}" for k in range(len(s.split()))) + "\n" for s, _ in pairs))
    extract_rules(system(name), files["source"], files["target"], files["links"], files["rules.bin"], options=options)
    steps = TextSteps()
    settings = extract_settings(system(name), options)
    return Corpus(files["source"], files["target"], files["links"], None, steps, steps, files["rules.bin"], settings)


def values(corpus: Corpus, model: _core.Selector, columns: int, sentence: str, topics: Sequence[float] = ()):
    """The added features of every translation of a sentence, by its words."""
    folder = Path(corpus.rules).parent
    lm.train([corpus.target], folder / "lm.bin", LmOptions(order=1, discount_fallback=True))
    weights = [0.0] * len(_core.FEATURES)
    decoder = _core.Decoder(
        corpus.rules,
        folder / "lm.bin",
        weights,
        SearchOptions(search="stack", stack_size=1000, beam_threshold=1e9, distortion_limit=0, table_limit=100),
        system("pbmt").links,
    ).annotated([model], weights + [0.0] * columns)
    words = sentence.split()
    given = _core.Sentence(words, topics=topics)
    (found,) = decoder.translate([given], n_best=100, distinct=True, threads=1)
    return {" ".join(one.tokens): one.features[len(_core.FEATURES) :] for one in found}


def shuffled(pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
    random.Random(1).shuffle(pairs)
    return pairs
