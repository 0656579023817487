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
from graphmt.storage.known_files import note_replaced
from graphmt.storage.temporary import temporary_folder
from graphmt.systems.base import System
from graphmt.systems.reads import require_read

#: The maximum sentence length for rule extraction, and for translating from left to right in one piece.
MAX_WORDS = 256

_KINDS = (
    *("basic", "segmenting", "selecting"),
    *("lexical", "one_hole", "two_holes"),
    *("head", "head_dependents", "phrasal"),
)


@dataclasses.dataclass(frozen=True)
class ExtractReport:
    """The report of extraction.

    Examples
    --------
    >>> from graphmt.rules import extract_rules
    >>> from graphmt.systems import system
    >>> report = extract_rules(system("pbmt"), "tokens.de", "corpus/train.en", "corpus/train.align", "rules.bin")
    >>> report.pairs, sorted(report.kinds)
    (200, ['basic', 'segmenting', 'selecting'])
    """

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
    """Count rules by kind, from a manifest's report.

    Parameters
    ----------
    report
        The section ``rules`` of the report.

    Returns
    -------
    dict[str, int]
        Numbers of rules.

    Examples
    --------
    >>> from graphmt.model import Manifest
    >>> from graphmt.rules import rule_kinds
    >>> sorted(rule_kinds(Manifest.load("pbmt").report["rules"]))
    ['basic', 'segmenting', 'selecting']
    """
    return {kind: number for kind, number in report.items() if kind in _KINDS}


def extract_rules(
    system: System,
    source: AnyPath,
    target: AnyPath,
    alignment: AnyPath,
    out: AnyPath,
    *,
    trees: AnyPath | None = None,
    options: ExtractOptions | Mapping[str, Any] | None = None,
) -> ExtractReport:
    """Extract and score a system's rules from tokenised, aligned text, and write the table whole or not at all.

    ``trees`` is the source side as CoNLL-U with the same tokens; only its heads and parts of speech are used.

    Parameters
    ----------
    system
        The system, which decides the kinds of rules.
    source
        Tokenised source side.
    target
        Tokenised target side.
    alignment
        Links, one line per pair.
    out
        The rule table to write.
    trees
        The source side as CoNLL-U with the same tokens; only its heads and parts of speech are used.
    options
        Limits, smoothing and memory.

    Returns
    -------
    ExtractReport
        Counts of pairs and rules.

    Raises
    ------
    InputError
        If the files differ in length, or trees are missing.

    Examples
    --------
    >>> from graphmt.rules import RuleTable, extract_rules
    >>> from graphmt.systems import system
    >>> report = extract_rules(system("pbmt"), "tokens.de", "corpus/train.en", "corpus/train.align", "rules.bin")
    >>> RuleTable("rules.bin")
    RuleTable('rules.bin', grammar='subgraphs')
    """
    options = ExtractOptions.of(options)
    files = _core.CorpusFiles(source, target, alignment, trees if system.needs_trees else None)
    settings = extract_settings(system, options)
    with temporary_folder("rules") as folder, phases(sentences_in(source)) as report:
        made = _core.train_rules(files, settings, out, options, folder=folder, progress=report)
    note_replaced(out)
    return from_core(ExtractReport, made)


def list_rules(
    system: System,
    source: AnyPath,
    target: AnyPath,
    alignment: AnyPath,
    *,
    trees: AnyPath | None = None,
    options: ExtractOptions | Mapping[str, Any] | None = None,
) -> list[str]:
    r"""List every rule occurrence as ``source ||| target ||| alignment``.

    Contextual rules end in ``||| context``. Rules with holes end in ``||| count``, their share of the phrase pair's
    occurrence. A hole is its label in brackets on the source side, ``[X]``; on the target side it is the number of
    the source hole that goes there, ``[1]`` or ``[2]``. The labels of dep2str are ``[^VERB]`` for a head,
    ``[.NOUN]`` for a leaf, ``[+NOUN]`` and ``[:Haus]`` for an internal dependent by its part of speech or its word.
    For inspecting small corpora and comparing extractors; nothing is counted.

    Parameters
    ----------
    system
        The system, which decides the kinds of rules.
    source
        Tokenised source side.
    target
        Tokenised target side.
    alignment
        Links, one line per pair.
    trees
        The source side as CoNLL-U with the same tokens.
    options
        Limits of extraction.

    Returns
    -------
    list[str]
        A line per occurrence.

    Examples
    --------
    >>> from pathlib import Path
    >>> from graphmt.rules import list_rules
    >>> from graphmt.systems import system
    >>> n = Path("s").write_text("das Haus\n"), Path("t").write_text("the house\n"), Path("a").write_text("0-0 1-1\n")
    >>> list_rules(system("pbmt"), "s", "t", "a")
    ['das ||| the ||| 0-0', 'das Haus ||| the house ||| 0-0 1-1', 'Haus ||| house ||| 0-0']
    """
    files = _core.CorpusFiles(source, target, alignment, trees if system.needs_trees else None)
    return _core.list_rules(files, extract_settings(system, ExtractOptions.of(options)))


def extract_settings(system: System, options: ExtractOptions) -> _core.ExtractSettings:
    """The core's settings for extracting a system's rules.

    Parameters
    ----------
    system
        The system.
    options
        Its options.

    Returns
    -------
    ExtractSettings
        Settings for the core's extractors.

    Raises
    ------
    OptionError
        If an option that the system does not read differs from its default.

    Examples
    --------
    >>> from graphmt.rules import ExtractOptions, extract_settings
    >>> from graphmt.systems import system
    >>> type(extract_settings(system("pbmt"), ExtractOptions())).__name__
    'ExtractSettings'
    """
    require_read(options, system.extract_options, system.name)
    return system.grammar.extract_settings(system, options)
