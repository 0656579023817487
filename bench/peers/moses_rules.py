"""Moses' hierarchical rules beside ours: what is extracted, and what stands in the rule table."""

from __future__ import annotations

import collections
import dataclasses
import itertools
from pathlib import Path

from graphmt.rules import ExtractOptions, ExtractReport, Rule, RuleTable, extract_rules, list_rules
from graphmt.systems import HPB
from peers import moses

#: Source symbols, target symbols and alignment points, as Moses writes them but for the left-hand sides.
Key = tuple[str, str, str]


def ours(line: str) -> tuple[Key, float]:
    """A line of ``list_rules`` with the points of holes among the others."""
    source, target, links, count = line.split(" ||| ")
    symbols, points = target.split(), links.split()
    holes = [k for k, symbol in enumerate(source.split()) if symbol == "[X]"]
    for k, symbol in enumerate(symbols):
        if symbol in ("[1]", "[2]"):
            points.append(f"{holes[int(symbol[1]) - 1]}-{k}")
            symbols[k] = "[X]"
    return (source, " ".join(symbols), " ".join(sorted(points))), float(count)


def theirs(line: str) -> tuple[Key, float]:
    """A line of Moses' extract file."""
    source, target, links, count = line.split(" ||| ")[:4]
    sides = [side.removesuffix(" [X]").replace("[X][X]", "[X]") for side in (source, target)]
    return (sides[0], sides[1], " ".join(sorted(links.split()))), float(count)


@dataclasses.dataclass
class ExtractionDifference:
    """Rules of the first 300 sentence pairs: a line is a rule with its alignment in one sentence pair."""

    lines: int = 0
    lines_theirs: int = 0
    only_ours: int = 0
    only_theirs: int = 0
    #: Relative, of the counts over all pairs; Moses prints six digits.
    largest: float = 0.0


def extraction_difference(data: Path, folder: Path) -> ExtractionDifference:
    """Every sentence pair on its own, since Moses adds up what one pair gives."""
    found = ExtractionDifference()
    files = moses.corpus(data, folder, 300)
    one = {name: folder / f"one.{name}" for name in files}
    mine: collections.Counter[Key] = collections.Counter()
    for lines in zip(*(path.read_text().splitlines() for path in files.values()), strict=True):
        for path, line in zip(one.values(), lines, strict=True):
            path.write_text(line + "\n")
        of_pair: collections.Counter[Key] = collections.Counter()
        for key, count in map(ours, list_rules(HPB, **one)):
            of_pair[key] += count
        found.lines += len(of_pair)
        mine.update(of_pair)
    other: collections.Counter[Key] = collections.Counter()
    for line in moses.read(moses.peer(data) / "extract-hiero.300.gz"):
        key, count = theirs(line)
        found.lines_theirs += 1
        other[key] += count
    found.only_ours, found.only_theirs = len(mine.keys() - other.keys()), len(other.keys() - mine.keys())
    found.largest = max(abs(mine[key] / count - 1) for key, count in other.items())
    return found


@dataclasses.dataclass
class TableDifference:
    """Lines of Moses' rule table that are otherwise in ours."""

    lines: int = 0
    missing: int = 0
    alignments: int = 0
    #: Lines with another count, or a score that is off by more than one in ten thousand.
    different: int = 0
    #: Of these, lines that have the counts and scores of the rule with the same words and the holes in the other order.
    #: Moses takes lex(t|s) and the alignment from one half of its table, the rest from the other, and joins the halves
    #: by words alone.
    exchanged: int = 0
    #: Relative, for each of the four scores, over all other lines.
    largest: list[float] = dataclasses.field(default_factory=lambda: [0.0] * 4)


def table_difference(data: Path, table: RuleTable) -> TableDifference:
    """Every line of rule-table.hiero.test60.gz: three counts, four scores, alignment."""
    found = TableDifference()
    lines = (line.split(" ||| ") for line in moses.read(moses.peer(data) / "rule-table.hiero.test60.gz"))
    for source, fields in itertools.groupby(lines, key=lambda fields: fields[0]):
        symbols = source.replace("[X][X]", "[X]").split()[:-1]
        holes = [k for k, symbol in enumerate(symbols) if symbol == "[X]"]
        known = {rule.target: rule for side in table.find(symbols) for rule in side.rules}
        for field in fields:
            found.lines += 1
            points = [tuple(map(int, link.split("-"))) for link in field[3].split()]
            goes_to = {t: holes.index(s) for s, t in points if s in holes}
            words = field[1].split()[:-1]
            target = tuple(f" {goes_to[k]}" if k in goes_to else word for k, word in enumerate(words))
            rule = known.get(target)
            if rule is None:
                found.missing += 1
                continue
            found.alignments += sorted(p for p in points if p[0] not in holes) != sorted(rule.alignment)
            errors = _errors(field, rule, rule)
            if max(errors) < 1e-4:
                found.largest = [max(pair) for pair in zip(found.largest, errors[3:], strict=True)]
                continue
            found.different += 1
            turned = known.get(tuple({" 0": " 1", " 1": " 0"}.get(symbol, symbol) for symbol in target))
            found.exchanged += turned is not None and max(_errors(field, turned, rule)) < 1e-4
    return found


def _errors(field: list[str], rule: Rule, direct: Rule) -> list[float]:
    """Relative errors of the counts of target, source and both, and of four scores, the last one that of ``direct``."""
    p = rule.probabilities
    mine = (rule.count / p[0], rule.count / p[2], rule.count, *p[:3], direct.probabilities[3])
    other = [*map(float, field[4].split()[:3]), *map(float, field[2].split())]
    return [abs(a / b - 1) for a, b in zip(mine, other, strict=True)]


def full_table(
    files: dict[str, Path], out: Path, options: ExtractOptions | None = None
) -> tuple[ExtractReport, RuleTable]:
    """Our table of the whole aligned corpus (``files`` of :func:`peers.moses.corpus`)."""
    report = extract_rules(HPB, **files, out=out, options=options or ExtractOptions(threads=1))
    return report, RuleTable(out)
