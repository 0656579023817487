"""The last part of the tour: lexical selection and consensus, with explanations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from graphmt import consensus
from graphmt.consensus import Candidates, NBestList, RerankOptions
from graphmt.demo.corpus import DemoCorpus, Pair
from graphmt.explain import Explanation, explain_some
from graphmt.model import Model
from graphmt.selection import GmOptions
from graphmt.training import TrainOptions, train

#: Constructions in which the translation of a word depends on other words.
AMBIGUOUS = {"ambiguous_noun", "ambiguous_verb"}
#: A higher weight than the default, to make the effect visible.
GM = {"gm": 1.0}
#: Translations of a sentence that consensus chooses from.
LISTED = 20


def selected(corpus: DemoCorpus, files: Mapping[str, Any], out: Path) -> Explanation | None:
    """Train hpb with collective lexical selection; returns the test sentence that improved most.

    Counts word forms, because lemmas need an optional package.
    """
    options = TrainOptions(gm=GmOptions(lemmas=False))
    model = train("hpb", **files, out=out, selection=["gm"], options=options, overwrite=True).reweighted(GM)
    pairs = [pair for pair in corpus.test if AMBIGUOUS & pair.phenomena]
    found = explain_some(model, [pair.source for pair in pairs], range(len(pairs)))

    def gained(both: tuple[Explanation, Pair]) -> int:
        with_, without = (_right(one.tokens, both[1]) for one in (both[0].translation, both[0].without))
        return with_ - without

    shown = [both for both in zip(found, pairs, strict=True) if both[0].graphs]
    return max(shown, key=gained)[0] if shown else None


def agreed(corpus: DemoCorpus, model: Model) -> tuple[consensus.Explanation | None, int]:
    """Re-rank a model's translations by consensus with similar training sentences, with weights tuned on dev; returns
    the test sentence that improved most, and how many translations changed."""
    options = RerankOptions(lowercase=True)
    pairs = zip(_sources(corpus.train), _targets(corpus.train), strict=True)
    memory = consensus.make_memory(pairs, options)
    dev, test = (Candidates(_sources(part), _lists(model, part), memory, options) for part in (corpus.dev, corpus.test))
    reranker = consensus.learn(dev, [[line] for line in _targets(corpus.dev)], options)
    scores = reranker.rank(test).scores
    changed = [one for one in consensus.explain(test, reranker, scores) if one.changed]

    def gained(one: consensus.Explanation) -> tuple[bool, int]:
        pair = corpus.test[one.sentence]
        chosen, first = (_right(text.split(), pair) for text in (one.chosen, one.first))
        return chosen == len(pair.target), chosen - first

    return max((one for one in changed if one.support), key=gained, default=None), len(changed)


def _right(tokens: Sequence[str], pair: Pair) -> int:
    """Number of words in the reference minus number of words not in it."""
    wanted = Counter(" ".join(pair.target).lower().split())
    matches = (Counter(tokens) & wanted).total()
    return 2 * matches - len(tokens)


def _lists(model: Model, pairs: Sequence[Pair]) -> list[NBestList]:
    found = model.n_best([pair.source for pair in pairs], LISTED, distinct=True)
    return [
        NBestList.of(number, [(" ".join(one.tokens), one.score) for one in best]) for number, best in enumerate(found)
    ]


def _sources(pairs: Sequence[Pair]) -> list[str]:
    return [" ".join(pair.source.forms) for pair in pairs]


def _targets(pairs: Sequence[Pair]) -> list[str]:
    return [" ".join(pair.target).lower() for pair in pairs]
