"""Where systems differ: by sentence length, in the rules they use, and in which sentences most."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from graphmt.evaluate.comparison import Comparison
from graphmt.evaluate.metrics import sentence_scores
from graphmt.model import Derivation

#: The upper bounds of the groups; longer sentences form the last one.
BOUNDS = (5, 10, 15, 20, 30, 40)
#: Groups with fewer sentences are merged with a neighbour: their scores would be noise.
FEWEST = 20


@dataclasses.dataclass(frozen=True)
class LengthGroup:
    """Sentences of similar length."""

    label: str
    sentences: int
    #: By system: the mean score of its runs, and the standard deviation over resampled sentences.
    scores: dict[str, float]
    errors: dict[str, float]


def by_length(comparison: Comparison, texts: Sequence[str], samples: int = 200) -> list[LengthGroup]:
    """Scores by the first metric for sentences grouped by their words in ``texts``: the source or a reference."""
    metric = comparison.metrics[0]
    rows = comparison.rows[metric.name]
    lengths = np.array([len(text.split()) for text in texts])
    found = []
    rng = np.random.default_rng(comparison.options.seed)
    for label, chosen in _groups(lengths):
        size = int(chosen.sum())
        draws = rng.integers(size, size=(samples, size))
        counts = np.stack([np.bincount(draw, minlength=size) for draw in draws])
        scores, errors = {}, {}
        for system, of_runs in zip(comparison.systems, rows, strict=True):
            scores[system.name] = float(np.mean([metric.score(run[chosen].sum(0)) for run in of_runs]))
            # The variance over sentences hardly depends on the run, so the first run is enough.
            errors[system.name] = float(np.std([metric.score(row) for row in counts @ of_runs[0][chosen]], ddof=1))
        found.append(LengthGroup(label, size, scores, errors))
    return found


def _groups(lengths: NDArray[np.int64]) -> list[tuple[str, NDArray[np.bool_]]]:
    edges = [0]
    for bound in BOUNDS:
        inside = (lengths > edges[-1]) & (lengths <= bound)
        if inside.sum() >= FEWEST and (lengths > bound).sum() >= FEWEST:
            edges.append(bound)
    found = []
    for low, high in zip(edges, [*edges[1:], None], strict=True):
        chosen = (lengths > low) if high is None else (lengths > low) & (lengths <= high)
        if low == 0:
            chosen |= lengths == 0
        label = f"{low + 1}+" if high is None else f"{low + 1}–{high}"
        found.append((label, chosen))
    return found


@dataclasses.dataclass(frozen=True)
class RuleUse:
    """The rules of a system's derivations (of its first run), without glue."""

    rules: int
    #: By kind, as derivations name them.
    kinds: dict[str, int]
    #: Rules whose source words are not adjacent.
    discontinuous: int
    #: Mean number of source words, over rules that have any.
    words: float


def rule_use(derivations: Sequence[Derivation]) -> RuleUse:
    """Count the rules of derivations."""
    steps = [step for derivation in derivations for step in derivation.steps if step.kind != "glue"]
    lexical = [step.positions for step in steps if step.positions]
    gaps = sum(positions[-1] - positions[0] + 1 > len(positions) for positions in lexical)
    words = sum(map(len, lexical))
    kinds = Counter(step.kind for step in steps)
    return RuleUse(len(steps), dict(kinds), gaps, words / max(1, len(lexical)))


@dataclasses.dataclass(frozen=True)
class Difference:
    """A sentence and the scores of each system's first run."""

    #: From 0.
    sentence: int
    #: By system.
    scores: dict[str, float]
    #: The highest score minus the lowest.
    range: float


def largest_differences(comparison: Comparison) -> list[Difference]:
    """The sentences on which the systems' first runs differ most, as many as the options say, greatest first."""
    references = [list(lines) for lines in comparison.references]
    scores = {
        system.name: sentence_scores(system.runs[0].lines, references, comparison.options)
        for system in comparison.systems
    }
    found = []
    for number, values in enumerate(zip(*scores.values(), strict=True)):
        found.append(Difference(number, dict(zip(scores, values, strict=True)), max(values) - min(values)))
    found = [one for one in found if one.range > 0]
    return sorted(found, key=lambda one: (-one.range, one.sentence))[: comparison.options.examples]
