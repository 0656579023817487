"""A model as a notebook shows it: its system, languages, corpus, scores and files."""

from __future__ import annotations

import contextlib
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphmt.draw.elements import Markup, element
from graphmt.draw.notebook import card, table
from graphmt.errors import GraphmtError
from graphmt.model.weights import FILE as WEIGHTS
from graphmt.reprs import counted
from graphmt.rules import rule_kinds
from graphmt.storage.files import lines

if TYPE_CHECKING:
    from graphmt.model.model import Model

#: The log of tuning beside the weights.
_LOG = Path(WEIGHTS).with_suffix(".tuning.jsonl").name
#: How a weight may differ from the log's.
_SAME = 1e-6


def model_card(model: Model) -> Markup:
    """The card of a model."""
    report, options = model.manifest.report, model.manifest.options
    source, target = (steps.options for steps in (model.source_steps, model.target_steps))
    raw = "raw, " if source.tokenise else "tokenised, "
    return card(
        f"graphmt model {model.folder}",
        [
            ("system", f"{model.described}: {model.system.summary}"),
            ("languages", f"{source.language} → {target.language}"),
            ("text", f"{raw}case: {source.case}"),
            ("parser", model.parser),
            ("corpus", _corpus(model.manifest.data, report.get("rules") or {})),
            ("rules", ", ".join(_kinds(report.get("rules")))),
            ("language model", _ngrams(report.get("lm") or {})),
            (
                "alignment",
                "given" if "given" in (report.get("align") or {}) else (options.get("align") or {}).get("model"),
            ),
            ("scores", _tuned(model)),
            ("weights", _weights(model.weights)),
            ("files", _files(model)),
            ("made by", f"graphmt {model.manifest.versions.get('graphmt', '')}"),
        ],
    )


def _corpus(data: Mapping[str, str], rules: Mapping[str, Any]) -> str:
    pairs = [counted(rules["pairs"], "pair")] if isinstance(rules.get("pairs"), int) else []
    return ", ".join([*pairs, *(f"SHA-256 of {side} {digest[:12]}…" for side, digest in data.items())])


def _kinds(rules: Any) -> list[str]:
    found = rule_kinds(rules) if rules else {}
    return [f"{number:,} {kind.replace('_', ' ')}" for kind, number in found.items() if number]


def _ngrams(made: Mapping[str, Any]) -> str:
    orders = made.get("ngrams")
    if not orders:
        return "given" if "given" in made else ""
    return f"{sum(orders):,} n-grams of up to {counted(len(orders), 'word')}"


def _tuned(model: Model) -> str:
    """The score of the development set with the model's weights, if they are those of the log of tuning."""
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError, GraphmtError):
        rounds = [json.loads(line) for line in lines(model.folder / _LOG)]
        for one in sorted(rounds, key=lambda row: -float(row["bleu"])):
            own = model.weights
            if all(name in own and math.isclose(value, own[name], rel_tol=_SAME, abs_tol=_SAME)
                   for name, value in one["weights"].items()):  # fmt: skip
                return f"dev BLEU {float(one['bleu']):.2f} after {counted(len(rounds), 'iteration')} of tuning"
        return "other weights than those of the last tuning"
    return "not tuned"


def _weights(weights: Mapping[str, float]) -> Markup:
    rows = [(name, f"{weight:.4g}") for name, weight in weights.items()]
    return element("details", element("summary", counted(len(rows), "feature")), table((), rows, texts=(0,)))


def _files(model: Model) -> Markup:
    sizes = {}
    for name in sorted({*model.files, WEIGHTS}):
        with contextlib.suppress(OSError):
            sizes[name] = (model.folder / name).stat().st_size
    rows = [(name, f"{size:,}") for name, size in sizes.items()]
    whole = f"{counted(len(rows), 'file')}, {sum(sizes.values()):,} bytes"
    return element("details", element("summary", whole), table((), rows, texts=(0,)))
