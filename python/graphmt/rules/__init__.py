"""Rules: extraction, scoring, the table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmt.exports import lazily

if TYPE_CHECKING:
    from graphmt.rules.extract import MAX_WORDS, ExtractReport, extract_rules, extract_settings, list_rules, rule_kinds
    from graphmt.rules.options import ExtractOptions
    from graphmt.rules.table import Pruned, Rule, RuleTable, SourceSide, filtered, from_moses, pruned, shown, split

__all__ = [
    "MAX_WORDS",
    "ExtractOptions",
    "ExtractReport",
    "Pruned",
    "Rule",
    "RuleTable",
    "SourceSide",
    "extract_rules",
    "extract_settings",
    "filtered",
    "from_moses",
    "list_rules",
    "pruned",
    "rule_kinds",
    "shown",
    "split",
]

__getattr__ = lazily(
    __name__,
    {
        "extract": "MAX_WORDS ExtractReport extract_rules extract_settings list_rules rule_kinds",
        "options": "ExtractOptions",
        "table": "Pruned Rule RuleTable SourceSide filtered from_moses pruned shown split",
    },
)
