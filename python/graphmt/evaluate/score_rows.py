"""The scores of systems by a metric, as the rows of a table."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graphmt.evaluate.comparison import MetricScores, SystemScore

#: The column headings of the tests, by their names in results.
TESTS = {
    "bootstrap": "p (bootstrap)",
    "runs": "p (runs)",
    "sentences": "p (sentences)",
}


def signed(value: float) -> str:
    """A difference as printed in tables, without negative zero."""
    return f"{round(value, 2) + 0.0:+.2f}"


def plain_difference(system: SystemScore) -> str:
    """The difference of a system to the baseline."""
    return "–" if system.difference is None else signed(system.difference)


def score_rows(
    one: MetricScores, several: bool, difference: Callable[[SystemScore], object] = plain_difference
) -> tuple[list[str], list[list[object]]]:
    """The headings and a row for each system; ``several``: systems have several runs."""
    tests = [test for test in TESTS if any(test in system.p for system in one.systems)]
    head = ["system", f"{one.metric} {'↓' if one.lower_is_better else '↑'}"]
    head += ["s(runs)", "runs"] if several else []
    head += ["95 % confidence"]
    head += ["difference", *(TESTS[test] for test in tests)] if len(one.systems) > 1 else []
    rows = []
    for system in one.systems:
        row: list[object] = [system.system, f"{system.mean:.2f}"]
        if several:
            row += ["–" if system.spread is None else f"{system.spread:.2f}", " ".join(f"{x:.2f}" for x in system.runs)]
        row.append("{:.2f} ± {:.2f}".format(*system.confidence))
        if len(one.systems) > 1:
            row += [difference(system), *(_p(system.p.get(test)) for test in tests)]
        rows.append(row)
    return head, rows


def _p(value: float | None) -> str:
    if value is None:
        return "–"
    return "< 0.001" if value < 0.001 else f"{value:.3f}"
