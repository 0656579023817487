"""Moses' files (the folder peers/ of the reference data) beside ours: extraction, scores, best translations.

The README of that folder says what every field and feature is; the sums here follow it and nothing else.
"""

from __future__ import annotations

import collections
import dataclasses
import gzip
import itertools
import math
from collections.abc import Iterator, Sequence
from pathlib import Path

from graphmt import lm
from graphmt.corpus import TextOptions, TextSteps, tokenised
from graphmt.model import Manifest, Model, SearchOptions, Translation, save_weights
from graphmt.model.layout import LM, RULES, SOURCE_STEPS, TARGET_STEPS
from graphmt.model.weights import FILE as WEIGHTS
from graphmt.rules import ExtractOptions, ExtractReport, RuleTable, extract_rules, from_moses, list_rules
from graphmt.systems import SYSTEMS

#: In this order; "&" first.
ESCAPES = {
    "&": "&amp;",
    "|": "&#124;",
    "<": "&lt;",
    ">": "&gt;",
    "'": "&apos;",
    '"': "&quot;",
    "[": "&#91;",
    "]": "&#93;",
}
#: Moses prints six significant digits: half a unit of the last one of -105.823 is 5e-4.
PRINTED = 1.2e-3
#: Moses' weights of the system without lexicalised reordering (weights-pbnolr.txt), under our names.
WEIGHTS_PBNOLR = {
    "p_source_given_target": 0.105698,
    "lex_source_given_target": 0.0637881,
    "p_target_given_source": 0.120224,
    "lex_target_given_source": 0.0721994,
    "lm": 0.188357,
    "rule_penalty": 0.07335,
    "word_penalty": -0.253146,
    "distortion": 0.123237,
    "unknown": 100.0,
}


def peer(data: Path) -> Path:
    return data / "peers" / "moses-multi30k-de-en"


def text(data: Path) -> Path:
    return data / "data" / "multi30k-de-en"


def read(path: Path) -> Iterator[str]:
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        yield from (line.rstrip("\n") for line in stream)


def corpus(data: Path, folder: Path, pairs: int | None = None) -> dict[str, Path]:
    """The training text as Moses saw it, escaped and lower-case; the arguments that extraction takes."""
    table = str.maketrans(ESCAPES)
    files = {"source": folder / "train.de", "target": folder / "train.en", "alignment": folder / "train.align"}
    rows = {
        "source": (line.translate(table) for line in tokenised(text(data) / "train.de.conllu.gz", lowercase=True)),
        "target": (line.translate(table) for line in tokenised(text(data) / "train.en.gz", lowercase=True)),
        "alignment": read(peer(data) / "aligned.gdfa.gz"),
    }
    for name, path in files.items():
        with path.open("w", encoding="utf-8") as out:
            out.writelines(line + "\n" for line in itertools.islice(rows[name], pairs))
    return files


def extraction_difference(data: Path, folder: Path) -> tuple[collections.Counter[str], collections.Counter[str]]:
    """Phrase pairs of the first 1,000 sentence pairs that only Moses has, and that only we have."""
    ours = collections.Counter(map(ordered, list_rules(SYSTEMS["pbmt"], **corpus(data, folder, 1000))))
    theirs = collections.Counter(map(ordered, read(peer(data) / "extract-pb.1000.gz")))
    return theirs - ours, ours - theirs


def ordered(line: str) -> str:
    """A line with its alignment points in one order; Moses goes by target words, we go by source words."""
    source, target, links = line.split(" ||| ")
    return f"{source} ||| {target} ||| {' '.join(sorted(links.split()))}"


@dataclasses.dataclass
class TableDifference:
    """Lines of Moses' phrase table that are otherwise in ours."""

    lines: int = 0
    missing: int = 0
    counts: int = 0
    alignments: int = 0
    #: Relative, for each of the four scores.
    largest: list[float] = dataclasses.field(default_factory=lambda: [0.0] * 4)


def table_difference(data: Path, table: RuleTable) -> TableDifference:
    """Every line of phrase-table.dev100.gz: three counts, four scores, alignment."""
    found = TableDifference()
    lines = (line.split(" ||| ") for line in read(peer(data) / "phrase-table.dev100.gz"))
    for source, fields in itertools.groupby(lines, key=lambda fields: fields[0]):
        known = {" ".join(rule.target): rule for side in table.find(source.split()) for rule in side.rules}
        for field in fields:
            found.lines += 1
            rule = known.get(field[1])
            if rule is None:
                found.missing += 1
                continue
            of_target, of_source, joint = (float(count) for count in field[4].split()[:3])
            ours = (rule.count / rule.probabilities[0], rule.count / rule.probabilities[2], rule.count)
            if any(
                abs(a - b) > 0.01 * max(1.0, b / 100) for a, b in zip(ours, (of_target, of_source, joint), strict=True)
            ):
                found.counts += 1
            links = sorted(tuple(map(int, link.split("-"))) for link in field[3].split())
            found.alignments += links != sorted(rule.alignment)
            for k, score in enumerate(map(float, field[2].split())):
                found.largest[k] = max(found.largest[k], abs(rule.probabilities[k] / score - 1))
    return found


def full_table(data: Path, folder: Path) -> tuple[ExtractReport, RuleTable]:
    """Our table of the whole aligned corpus."""
    report = extract_rules(
        SYSTEMS["pbmt"], **corpus(data, folder), out=folder / "full.bin", options=ExtractOptions(threads=1)
    )
    return report, RuleTable(folder / "full.bin")


def model(data: Path, folder: Path) -> Path:
    """A model folder made of Moses' phrase table, language model and weights."""
    return model_folder(data, folder / "moses-model", "pbmt", "phrase-table.dev100.gz", WEIGHTS_PBNOLR)


def model_folder(data: Path, out: Path, system: str, table: str, weights: dict[str, float]) -> Path:
    """A model folder made of one of Moses' tables, its language model, and its weights under our names."""
    out.mkdir()
    from_moses(peer(data) / table, out / RULES)
    lm.build(peer(data) / "lm.arpa.gz", out / LM, threads=1)
    for side in (SOURCE_STEPS, TARGET_STEPS):
        (out / side).mkdir()
        TextSteps(TextOptions()).save(out / side)
    save_weights(weights, out / WEIGHTS)
    Manifest(system=system, options={}).save(out)
    return out


def lowercased(data: Path, folder: Path) -> tuple[Path, Path]:
    """The training pairs in lower case, without Moses' escapes."""
    for name, source in (("train.de", "train.de.conllu.gz"), ("train.en", "train.en.gz")):
        with (folder / name).open("w", encoding="utf-8") as out:
            out.writelines(line + "\n" for line in tokenised(text(data) / source, lowercase=True))
    return folder / "train.de", folder / "train.en"


def surrounded(model: Path, name: str, language_model: Path) -> None:
    """Make a table of ours the model of a left-to-right system, with Moses' weights (a gap costs what a jump does)."""
    (model / LM).hardlink_to(language_model)
    for side in (SOURCE_STEPS, TARGET_STEPS):
        (model / side).mkdir()
        TextSteps(TextOptions(case="lower")).save(model / side)
    weights = {**WEIGHTS_PBNOLR, "gap": WEIGHTS_PBNOLR["distortion"], "basic_rule": 0.0}
    save_weights({feature: weights[feature] for feature in SYSTEMS[name].features}, model / WEIGHTS)
    Manifest(system=name, options={}).save(model)


def own_model(data: Path, folder: Path) -> Path:
    """pbmt with our table and language model of all pairs, which are Moses' own, and Moses' weights."""
    made = folder / "own-pbmt"
    made.mkdir()
    source, target = lowercased(data, folder)
    links = peer(data) / "aligned.gdfa.gz"
    extract_rules(SYSTEMS["pbmt"], source, target, links, made / RULES, options=ExtractOptions(threads=1))
    lm.train([target], folder / "own-lm.bin")
    surrounded(made, "pbmt", folder / "own-lm.bin")
    return made


@dataclasses.dataclass(frozen=True)
class PopCurve:
    """Moses' best totals of the 1,000 test sentences by pop limit."""

    totals: dict[int, list[float]]

    def mean(self, pops: int) -> float | None:
        """The mean at a pop limit, if it was stored."""
        totals = self.totals.get(pops)
        return None if totals is None else sum(totals) / len(totals)

    def below(self, ours: Sequence[float], pops: int | None = None) -> int:
        """How many of our totals are below Moses' at a pop limit, or below its best; digits not printed say nothing."""
        theirs = self.totals[pops] if pops else [max(found) for found in zip(*self.totals.values(), strict=True)]
        return sum(own < other - PRINTED for own, other in zip(ours, theirs, strict=True))


def pop_curve(data: Path) -> PopCurve:
    """The stored scores of Moses' cube pruning."""
    first, *rows = (line.split("\t") for line in read(peer(data) / "pbnolr.test.pop-curve.tsv.gz"))
    columns = zip(*rows, strict=True)
    next(columns)
    return PopCurve(
        {
            int(name.removeprefix("pop")): list(map(float, column))
            for name, column in zip(first[1:], columns, strict=True)
        }
    )


class Rescorer:
    """The total of a translation, from its segmentation alone, by the formula of the README."""

    def __init__(self, data: Path, folder: Path) -> None:
        self.lm = lm.load(folder / LM)
        self.table: dict[tuple[str, str], list[float]] = {}
        for line in read(peer(data) / "phrase-table.dev100.gz"):
            source, target, scores = line.split(" ||| ")[:3]
            self.table[source, target] = [max(math.log(float(score)), -100.0) for score in scores.split()]

    def total(self, best: Translation) -> float:
        weights = WEIGHTS_PBNOLR
        source = best.derivation.source
        total = weights["lm"] * math.log(10) * self.lm.score(" ".join(best.tokens))
        total -= weights["word_penalty"] * len(best.tokens)
        end = -1
        for step in best.derivation.steps:
            start = step.positions[0]
            total -= weights["distortion"] * abs(start - end - 1)
            end = step.positions[-1]
            total += weights["rule_penalty"]
            words = " ".join(source[p] for p in step.positions)
            if step.kind == "copy":
                total -= weights["unknown"]
            else:
                scores = self.table[words, " ".join(step.target)]
                total += sum(weight * score for weight, score in zip(list(weights.values())[:4], scores, strict=True))
        return total


@dataclasses.dataclass
class ScoreDifference:
    """Our best totals on the 100 sentences beside Moses'; a difference below the printed digits counts as none."""

    same: int = 0
    better: int = 0
    #: Sentence number, our total, theirs.
    worse: list[tuple[int, float, float]] = dataclasses.field(default_factory=list)
    #: Between the search's own score and the sum of the README.
    largest_error: float = 0.0
    mean: float = 0.0
    mean_theirs: float = 0.0


def best_scores(data: Path, folder: Path, search: SearchOptions) -> ScoreDifference:
    """The best totals of ``folder`` (made by :func:`model`), every one summed anew."""
    rescorer = Rescorer(data, folder)
    theirs = [float(line.split(" ||| ")[3]) for line in read(peer(data) / "pbnolr.test100.cube1000.nbest1.gz")]
    translations = Model(folder, search=search).translate(read(peer(data) / "test100.de.gz"), threads=1)
    return score_difference([(rescorer.total(best), best.score) for best in translations], theirs)


def score_difference(ours: Sequence[tuple[float, float]], theirs: Sequence[float]) -> ScoreDifference:
    """Totals summed anew, each with the search's own score, beside Moses' totals."""
    found = ScoreDifference()
    for number, ((total, own), moses) in enumerate(zip(ours, theirs, strict=True)):
        found.largest_error = max(found.largest_error, abs(total - own))
        found.mean += total / len(theirs)
        found.mean_theirs += moses / len(theirs)
        if abs(total - moses) <= PRINTED:
            found.same += 1
        elif total > moses:
            found.better += 1
        else:
            found.worse.append((number, total, moses))
    return found
