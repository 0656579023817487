"""Moses' hierarchical system beside ours: the best totals with its own table, language model and weights.

The README of peers/moses-multi30k-de-en says what every feature is; the sums here follow it and nothing else.
"""

from __future__ import annotations

import math
from pathlib import Path

from graphmt import lm
from graphmt.model import Derivation, Model, SearchOptions, Translation
from graphmt.model.layout import LM
from peers.moses import ScoreDifference, model_folder, peer, read, score_difference

#: Moses' weights (weights-hiero.txt).
LM0 = 0.173565
WORD_PENALTY = -0.260178
PHRASE_PENALTY = 0.0736101
TABLE = (0.114811, 0.0731379, 0.0646549, 0.111261)
#: Of ln 2.718, what the glue grammar scores, for each S -> S X.
GLUE = 0.128782 * math.log(2.718)
#: Under our names. Moses' phrase penalty counts glue rules as well, so that it is in the weight of glue here; the rules
#: of the sentence's ends, and its two words, make a constant.
WEIGHTS_HIERO = {
    "p_source_given_target": TABLE[0],
    "lex_source_given_target": TABLE[1],
    "p_target_given_source": TABLE[2],
    "lex_target_given_source": TABLE[3],
    "lm": LM0,
    "rule_penalty": PHRASE_PENALTY,
    "word_penalty": WORD_PENALTY,
    "glue": PHRASE_PENALTY + GLUE,
    "unknown": 100.0,
}
CONSTANT = 2 * PHRASE_PENALTY - 2 * WORD_PENALTY
#: The rule table here serves the first so many sentences.
SENTENCES = 60


def model(data: Path, folder: Path) -> Path:
    """A model folder made of Moses' rule table, language model and weights."""
    return model_folder(data, folder / "moses-hiero", "hpb", "rule-table.hiero.test60.gz", WEIGHTS_HIERO)


class Rescorer:
    """The total of a derivation, from its rules alone, by the formula of the README."""

    def __init__(self, data: Path, folder: Path) -> None:
        self.lm = lm.load(folder / LM)
        self.table: dict[tuple[str, str], list[float]] = {}
        for line in read(peer(data) / "rule-table.hiero.test60.gz"):
            source, target, scores, points = line.split(" ||| ")[:4]
            numbered = _numbered(source.split()[:-1], target.split()[:-1], points)
            self.table[numbered] = [max(math.log(float(score)), -100.0) for score in scores.split()]

    def total(self, best: Translation) -> float:
        total = LM0 * math.log(10) * self.lm.score(" ".join(best.tokens))
        total -= WORD_PENALTY * (len(best.tokens) + 2)
        total += PHRASE_PENALTY * 2
        for number, step in enumerate(best.derivation.steps):
            if step.kind == "glue":
                total += (PHRASE_PENALTY + GLUE) * len(step.children)
                continue
            total += PHRASE_PENALTY
            if step.kind == "copy":
                total -= 100.0
            else:
                scores = self.table[_sides(best.derivation, number)]
                total += sum(weight * score for weight, score in zip(TABLE, scores, strict=True))
        return total


def _numbered(source: list[str], target: list[str], points: str) -> tuple[str, str]:
    """Both sides of a line of the table, with the number of the source hole in the place of each hole."""
    links = dict(tuple(map(int, reversed(point.split("-")))) for point in points.split())
    holes = [place for place, symbol in enumerate(source) if symbol == "[X][X]"]
    left = [f"[{holes.index(place)}]" if place in holes else symbol for place, symbol in enumerate(source)]
    right = [f"[{holes.index(links[place])}]" if symbol == "[X][X]" else symbol for place, symbol in enumerate(target)]
    return " ".join(left), " ".join(right)


def _sides(derivation: Derivation, number: int) -> tuple[str, str]:
    """Both sides of a rule of a derivation, in the same form."""

    def covered(at: int) -> list[int]:
        step = derivation.steps[at]
        return sorted([*step.positions, *(p for child in step.children for p in covered(child))])

    def placed(at: int) -> list[int]:
        step = derivation.steps[at]
        return sorted([*step.places, *(p for child in step.children for p in placed(child))])

    step = derivation.steps[number]
    children = sorted(step.children, key=lambda child: covered(child)[0])
    left = [(position, derivation.source[position]) for position in step.positions]
    right = list(zip(step.places, step.target, strict=True))
    for hole, child in enumerate(children):
        left.append((covered(child)[0], f"[{hole}]"))
        right.append((placed(child)[0], f"[{hole}]"))
    return " ".join(symbol for _, symbol in sorted(left)), " ".join(symbol for _, symbol in sorted(right))


def best_scores(data: Path, folder: Path, search: SearchOptions, moses_pops: int = 1000) -> ScoreDifference:
    """The best totals of ``folder`` (made by :func:`model`), every one summed anew, beside Moses' at a pop limit."""
    rescorer = Rescorer(data, folder)
    lines = list(read(peer(data) / f"hiero.test100.pop{moses_pops}.nbest1.gz"))[:SENTENCES]
    theirs = [float(line.split("|||")[3]) for line in lines]
    sentences = list(read(peer(data) / "test100.de.gz"))[:SENTENCES]
    translations = Model(folder, search=search).translate(sentences, threads=1)
    return score_difference([(rescorer.total(best), best.score + CONSTANT) for best in translations], theirs)
