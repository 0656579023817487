"""From an aligned corpus to a rule table."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from graphmt import _core
from graphmt.progress import phases, sentences_in
from graphmt.records import from_core
from graphmt.rules.options import ExtractOptions
from graphmt.storage.files import AnyPath
from graphmt.storage.temporary import temporary_folder
from graphmt.systems.base import System

#: The maximum sentence length for rule extraction, and for translating from left to right in one piece.
MAX_WORDS = 256

_KINDS = (
    *("basic", "segmenting", "selecting"),
    *("lexical", "one_hole", "two_holes"),
    *("head", "head_dependents", "phrasal"),
)


@dataclasses.dataclass(frozen=True)
class ExtractReport:
    """The report of extraction."""

    pairs: int
    #: Pairs skipped because a side is too long.
    too_long: int
    source_sides: int
    #: Distinct rules by kind: ``basic``, ``segmenting`` and ``selecting`` rules of subgraphs; for hpb and dgst
    #: ``lexical`` rules without holes, and those with ``one_hole`` and ``two_holes``; for dep2str ``head`` rules of one
    #: word, ``head_dependents`` and ``phrasal`` ones.
    kinds: dict[str, int]

    @property
    def rules(self) -> int:
        """All distinct rules."""
        return sum(self.kinds.values())

    def as_dict(self) -> dict[str, int]:
        """As stored in a manifest, with a number for each kind."""
        return {"pairs": self.pairs, "too_long": self.too_long, "source_sides": self.source_sides, **self.kinds}


def rule_kinds(report: Mapping[str, Any]) -> dict[str, int]:
    """The numbers of rules by kind, from a manifest's report."""
    return {kind: number for kind, number in report.items() if kind in _KINDS}


def extract_rules(
    system: System,
    source: AnyPath,
    target: AnyPath,
    alignment: AnyPath,
    out: AnyPath,
    *,
    trees: AnyPath | None = None,
    options: ExtractOptions | None = None,
) -> ExtractReport:
    """Extract and score a system's rules from tokenised text, and write the table whole or not at all.

    ``trees`` is the source side as CoNLL-U with the same tokens; only its heads and parts of speech are used.
    """
    options = options or ExtractOptions()
    files = _core.CorpusFiles(source, target, alignment, trees if system.needs_trees else None)
    settings = extract_settings(system, options)
    with temporary_folder("rules") as folder, phases(sentences_in(source)) as report:
        made = _core.train_rules(files, settings, out, options, folder=folder, progress=report)
    return from_core(ExtractReport, made)


def list_rules(
    system: System,
    source: AnyPath,
    target: AnyPath,
    alignment: AnyPath,
    *,
    trees: AnyPath | None = None,
    options: ExtractOptions | None = None,
) -> list[str]:
    """Every rule occurrence as ``source ||| target ||| alignment``, followed by ``||| context`` for contextual rules.

    Rules with holes end in ``||| count``, their share of the phrase pair's occurrence. A hole is its label in
    brackets on the source side, ``[X]``; on the target side it is the number of the source hole that goes there,
    ``[0]`` or ``[1]``. The labels of dep2str are ``[^VERB]`` for a head, ``[.NOUN]`` for a leaf, ``[+NOUN]`` and
    ``[:Haus]`` for an internal dependent by its part of speech or its word. For inspecting small corpora and
    comparing extractors; nothing is counted.
    """
    files = _core.CorpusFiles(source, target, alignment, trees if system.needs_trees else None)
    return _core.list_rules(files, extract_settings(system, options or ExtractOptions()))


def extract_settings(system: System, options: ExtractOptions) -> _core.ExtractSettings:
    """The core's settings for extracting a system's rules."""
    return system.grammar.extract_settings(system, options)
