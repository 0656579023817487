"""Reports: self-contained HTML files."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence

import graphmt
from graphmt import versions
from graphmt.draw.elements import Markup, element
from graphmt.errors import InputError
from graphmt.evaluate.comparison import Comparison
from graphmt.evaluate.metrics import check_lengths
from graphmt.evaluate.report import sections
from graphmt.evaluate.report.page import table, write_page
from graphmt.storage.files import AnyPath, lines
from graphmt.storage.formats import MALFORMED, parse_json

__all__ = ["read_curve", "write_report"]


def read_curve(path: AnyPath) -> list[tuple[int, float]]:
    """Iterations and development BLEU from a tuner's log, one JSON object per line."""
    found = []
    for number, line in enumerate(lines(path), 1):
        try:
            content = parse_json(line)
            if "iteration" in content and "bleu" in content:
                iteration, bleu = int(content["iteration"]), float(content["bleu"])
                if not (0 <= iteration < 1 << 31 and 0 <= bleu <= 100):
                    raise ValueError
                found.append((iteration, bleu))
        except MALFORMED:
            raise InputError(
                "a JSON object was expected, as in a tuner's log, with a BLEU from 0 to 100.", file=path, line=number
            ) from None
    if not found:
        raise InputError("no line has an iteration with its bleu.", file=path, hint="graphmt tune writes such a log.")
    return found


def write_report(
    path: AnyPath,
    comparison: Comparison,
    *,
    title: str = "Comparison of translations",
    source: tuple[str, Sequence[str]] | None = None,
    curves: Mapping[str, Sequence[tuple[int, float]]] | None = None,
    extra: Sequence[tuple[str, Markup]] = (),
    facts: Mapping[str, str] | None = None,
) -> None:
    """Write the report of a comparison.

    ``source``: name and sentences of what was translated. ``curves``: by run, iteration and BLEU of its tuning.
    ``extra``: additional sections, title and content. ``facts``: additional provenance, such as hashes of files.
    """
    if source is not None:
        check_lengths([(source[0], len(source[1])), ("the reference", len(comparison.references[0]))])
    parts = [("Scores", sections.scores(comparison))]
    texts, side = (source[1], "source") if source is not None else (comparison.references[0], "reference")
    parts.append(("By sentence length", sections.lengths(comparison, texts, side)))
    if curves:
        parts.append(("Tuning", sections.curves(curves)))
    parts += extra
    if (used := sections.rules(comparison)) is not None:
        parts.append(("Rules used", used))
    if len(comparison.systems) > 1 and comparison.options.examples:
        shown = sections.examples(comparison, None if source is None else source[1])
        parts.append(("Sentences that differ most", shown))
    names = ", ".join(system.name for system in comparison.systems)
    lead = element("p", f"{names} · {len(comparison.references[0]):,} sentences", class_="quiet")
    write_page(path, title, lead, parts, _foot(comparison, facts or {}))


def _foot(comparison: Comparison, facts: Mapping[str, str]) -> Markup:
    """The provenance of the page."""
    made_by = {"graphmt": graphmt.__version__, **versions.installed("sacrebleu", "numpy")}
    made_by["Python"] = platform.python_version()
    options = ", ".join(f"{name} {value}" for name, value in comparison.as_dict()["options"].items())
    rows = [
        ["made by", ", ".join(f"{name} {version}" for name, version in made_by.items())],
        ["options", options],
        *([system.name, ", ".join(run.file for run in system.runs)] for system in comparison.systems),
        *([name, value] for name, value in facts.items()),
    ]
    return table(["what", "which"], rows, texts=(0, 1))
