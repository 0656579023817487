"""The parts of a report: scores, sentence lengths, tuning, rules, examples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from graphmt.draw.elements import Markup, element
from graphmt.draw.plot import Series, bar_chart, line_chart
from graphmt.evaluate.analysis import Difference, LengthGroup, by_length, largest_differences, rule_use
from graphmt.evaluate.comparison import Comparison, MetricScores, SystemScore
from graphmt.evaluate.report.derivations import drawn
from graphmt.evaluate.report.page import table
from graphmt.evaluate.report.selection import explained
from graphmt.evaluate.report.words import marked
from graphmt.evaluate.score_rows import score_rows, signed
from graphmt.explain import Explanation

#: Below this, a difference is called significant.
LEVEL = 0.05
#: Examples whose derivations are initially open.
OPEN = 3
#: Kinds of rules in the order of the table's columns: left-to-right systems', then those of a chart.
KINDS = ("basic", "segmenting", "selecting", "rule", "phrase", "straight", "inverted", "pseudo", "copy", "term")


def scores(comparison: Comparison) -> Markup:
    """A table for each metric."""
    parts: list[object] = []
    several = any(len(system.runs) > 1 for system in comparison.systems)
    if len(comparison.systems) > 1:
        words = (
            "Means over tuning runs; s(runs) is their standard deviation. The confidence is that over resampled test "
            "sets. "
            "p: probability of such a difference when the runs of both systems are shuffled within sentences (runs; "
            "Clark et al. 2011), and when all runs of a sentence change sides together (sentences). Runs of a system "
            "are alike, so that the first may be small where the second is not: only the second tells of other "
            "sentences."
            if several
            else "The confidence is that over resampled test sets, as sacreBLEU has it. p: probability of such a "
            "difference by chance, by sacreBLEU's paired bootstrap, and by approximate randomisation, which swaps the "
            "systems' translations of sentences (sentences)."
        )
        parts.append(element("p", f"Differences are relative to {comparison.systems[0].name}. {words}", class_="quiet"))
    for one in comparison.scores:
        parts.append(_score_table(one, several))
    return Markup("".join(str(part) for part in parts))


def _score_table(one: MetricScores, several: bool) -> Markup:
    head, rows = score_rows(one, several, lambda system: _difference(system, one.lower_is_better))
    return table(head, rows, caption=element("code", one.signature))


def _difference(system: SystemScore, lower_is_better: bool) -> Markup | str:
    if system.difference is None:
        return "–"
    shown = signed(system.difference)
    if not system.p or max(system.p.values()) >= LEVEL:
        return shown
    better = (system.difference < 0) == lower_is_better
    return element("span", shown, class_="better" if better else "worse")


def lengths(comparison: Comparison, texts: Sequence[str], side: str) -> Markup:
    """The first metric by sentence length, drawn and as numbers."""
    groups = by_length(comparison, texts)
    metric = comparison.metrics[0].name
    names = [system.name for system in comparison.systems]
    series = [_length_series(name, groups) for name in names]
    chart = line_chart(
        series,
        title=f"{metric} by sentence length",
        x_label=f"words in the {side} (sentences)",
        y_label=metric,
        x_names=[f"{group.label} ({group.sentences})" for group in groups],
    )
    rows = [[group.label, group.sentences, *(f"{group.scores[name]:.2f}" for name in names)] for group in groups]
    note = "Bars show one standard deviation over resampled sentences."
    numbers = element("details", element("summary", "The numbers"), table(["words", "sentences", *names], rows))
    return Markup(element("figure", Markup(chart), element("figcaption", note)) + numbers)


def _length_series(name: str, groups: Sequence[LengthGroup]) -> Series:
    places = [float(k) for k in range(len(groups))]
    return Series(name, places, [g.scores[name] for g in groups], [g.errors[name] for g in groups])


def curves(learned: Mapping[str, Sequence[tuple[int, float]]]) -> Markup:
    """Development BLEU by iteration of the tuner, a line for each run."""
    series = [Series(name, [x for x, _ in points], [y for _, y in points]) for name, points in learned.items()]
    chart = line_chart(series, title="Learning curve of tuning", x_label="iteration", y_label="BLEU (development set)")
    return element("figure", Markup(chart))


def rules(comparison: Comparison) -> Markup | None:
    """The rules that the derivations use, where systems have derivations."""
    used = {s.name: rule_use(s.runs[0].derivations) for s in comparison.systems if s.runs[0].derivations}
    if not used:
        return None
    kinds = [kind for kind in KINDS if any(kind in u.kinds for u in used.values())]
    rows = [
        [
            name,
            f"{use.rules:,}",
            *(f"{100 * use.kinds.get(kind, 0) / max(1, use.rules):.1f} %" for kind in kinds),
            f"{100 * use.discontinuous / max(1, use.rules):.1f} %",
            f"{use.words:.2f}",
        ]
        for name, use in used.items()
    ]
    shown = table(["system", "rules used", *kinds, "discontinuous", "source words per rule"], rows)
    if len(kinds) < 2:
        return shown
    series = [
        Series(
            name, [float(k) for k in range(len(kinds))], [100 * use.kinds.get(k, 0) / max(1, use.rules) for k in kinds]
        )
        for name, use in used.items()
    ]
    chart = bar_chart(series, title="Kinds of rules used", x_names=kinds, y_label="% of the rules used")
    return Markup(shown + element("figure", Markup(chart)))


def examples(comparison: Comparison, source: Sequence[str] | None) -> Markup:
    """The sentences on which the systems differ most, with their derivations side by side."""
    found = largest_differences(comparison)
    name = {"chrf": "chrF", "bleu": "BLEU (effective order)"}[comparison.options.rank_by]
    lead = element(
        "p",
        f"By sentence {name} of each system's first run. Words that differ from the reference are ",
        element("span", "coloured", class_="off"),
        ".",
        class_="quiet",
    )
    numbers = [one.sentence for one in found]
    asked = {system.name: system.runs[0].explain for system in comparison.systems}
    explained_by = {name: ask(numbers) for name, ask in asked.items() if ask is not None}
    shown = []
    for k, one in enumerate(found):
        of = {name: explanations[k] for name, explanations in explained_by.items()}
        shown.append(_example(comparison, one, source, of, is_open=k < OPEN))
    return Markup(lead + "".join(shown)) if shown else element("p", "The systems do not differ in any sentence.")


def _example(
    comparison: Comparison,
    one: Difference,
    source: Sequence[str] | None,
    explanations: Mapping[str, Explanation],
    *,
    is_open: bool,
) -> Markup:
    k = one.sentence
    rows: list[object] = []
    if source is not None:
        rows += [element("dt", "source"), element("dd", source[k]), element("dd", "")]
    for number, lines in enumerate(comparison.references, 1):
        label = "reference" if len(comparison.references) == 1 else f"reference {number}"
        rows += [element("dt", label), element("dd", lines[k]), element("dd", "")]
    for system in comparison.systems:
        said = system.runs[0].lines[k]
        shown = marked(said, comparison.references[0][k], lower=comparison.options.lowercase)
        score = element("dd", f"{one.scores[system.name]:.1f}", class_="score")
        rows += [element("dt", system.name), element("dd", shown), score]
    parts = [
        element("h3", f"Sentence {k + 1}", element("span", f"range {one.range:.1f}")),
        element("dl", *rows),
    ]
    derived = [drawn(s.name, s.runs[0].derivations[k]) for s in comparison.systems if s.runs[0].derivations]
    selected = [explained(name, explanation) for name, explanation in explanations.items()]
    for title, sides in (("Derivations", derived), ("Lexical selection", selected)):
        if sides:
            inside = element("div", *sides, class_="sides")
            parts.append(element("details", element("summary", title), inside, open="" if is_open else None))
    return element("article", *parts, class_="example")
