"""Text preparation of both sides of a parallel corpus together."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from itertools import zip_longest

from graphmt.corpus.pairs import require_one_side
from graphmt.corpus.steps import TextSteps
from graphmt.corpus.text import is_conllu, plain_lines, tokenised
from graphmt.progress import bar, sentences_in
from graphmt.protect.pairs import corresponding
from graphmt.storage.files import AnyPath
from graphmt.storage.together import writing_together

Two = tuple[AnyPath, AnyPath]


def process_pair(paths: Two, outs: Two, steps: tuple[TextSteps, TextSteps]) -> tuple[TextSteps, TextSteps]:
    """Write both sides of a parallel corpus with their steps applied; returns the steps, fitted on the text.

    Only protected items with a counterpart on the other side become typed tokens. If one side is longer, its other
    lines are written as well, so that the next stage reports the difference.
    """
    trees = [is_conllu(path) for path in paths]
    for path in paths:
        require_one_side(path)
    used = [
        (one.for_tokens() if from_trees else one).fit(path, target=is_target)
        for one, path, from_trees, is_target in zip(steps, paths, trees, (False, True), strict=True)
    ]
    sides = [
        tokenised(path) if from_trees else plain_lines(path) for path, from_trees in zip(paths, trees, strict=True)
    ]
    with writing_together(*outs) as streams, bar("lines", sentences_in(paths[0])) as advance:
        for number, pair in enumerate(zip_longest(*sides), 1):
            items = [[] if line is None else one.items(line) for one, line in zip(used, pair, strict=True)]
            typed = corresponding(*items)
            for side, line in enumerate(pair):
                if line is not None:
                    streams[side].write(f"{used[side].prepare(line, items[side], typed[side]).text}\n")
            advance(number)
    source, target = (
        dataclasses.replace(one, casings=fitted.casings, recaser=fitted.recaser)
        for one, fitted in zip(steps, used, strict=True)
    )
    return source, target


def prepared_references(
    steps: TextSteps, source: TextSteps, sentences: Sequence[str], references: Sequence[str]
) -> list[str]:
    """References prepared as the output of a model: only items that their source has become typed tokens."""
    if not steps.protects:
        return list(map(steps.apply, references))
    made = []
    for sentence, reference in zip(sentences, references, strict=True):
        items = steps.items(reference)
        _, typed = corresponding(source.items(sentence), items) if items else (set(), set())
        made.append(steps.prepare(reference, items, typed).text)
    return made
