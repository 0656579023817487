"""Inspecting rule tables, and exchanging them with Moses."""

from __future__ import annotations

import dataclasses
import math
import os
import re
from collections.abc import Iterable, Sequence
from typing import Any

from graphmt import _core
from graphmt.errors import OptionError
from graphmt.records import from_core
from graphmt.reprs import counted
from graphmt.storage.checks import require_outputs
from graphmt.storage.files import AnyPath
from graphmt.storage.known_files import note_replaced
from graphmt.storage.sealed import described

#: How the second word of a phrase is attached to the first in a table of heads with their dependents.
_PHRASE = 3

#: Metadata of tables of dependency graphs: the extraction options that the search follows.
_SHAPE = ("max_external", "labels", "structure", "max_gaps", "any_span")

_BRACKETS = re.compile(r"\[[^\[\]]+\]")


@dataclasses.dataclass(frozen=True)
class Rule:
    """A rule of a given source side.

    Examples
    --------
    >>> from graphmt.rules import RuleTable
    >>> rule = RuleTable("pbmt/rules.bin").find(["schläft"])[0].rules[0]
    >>> rule.kind, rule.target
    ('basic', ('sleeping',))
    """

    #: ``basic``, ``segmenting`` or ``selecting``; with holes ``lexical``, ``one_hole`` or ``two_holes``; of heads with
    #: their dependents ``head``, ``head_dependents`` or ``phrasal``.
    kind: str
    #: Positions in the source side that must link to untranslated words; None for basic rules.
    context: tuple[int, ...] | None
    #: Words; a hole is a space and the number, from 0, of the source hole that fills it.
    target: tuple[str, ...]
    #: (position in the source side, position in the target side) of words; holes have no points.
    alignment: tuple[tuple[int, int], ...]
    count: float
    #: p(g,c|t), p_lex(g|t), p(t|g,c), p_lex(t|g).
    probabilities: tuple[float, ...]


@dataclasses.dataclass(frozen=True)
class SourceSide:
    """A source side with its rules, the most probable translation first.

    Examples
    --------
    >>> from graphmt.rules import RuleTable
    >>> side = RuleTable("pbmt/rules.bin").find(["er", "schläft"])[0]
    >>> side.words
    ('er', 'schläft')
    """

    #: A hole is a space and its label: no word begins with a space.
    words: tuple[str, ...]
    #: For each word the earlier positions it is linked to; none for tables with identity ``gaps`` or with holes.
    links: tuple[tuple[int, ...], ...]
    #: Whether there is a gap before each word; None if the table stores only links.
    gaps: tuple[bool, ...] | None
    rules: tuple[Rule, ...]

    def __repr__(self) -> str:
        return f"SourceSide({' '.join(shown(self.words))!r}, {counted(len(self.rules), 'rule')})"


class RuleTable:
    """An opened (memory-mapped) rule table.

    Parameters
    ----------
    path
        The file, ``rules.bin`` in a model folder. If the table is in parts, the first one; the others are beside it.

    Raises
    ------
    InputError
        If the file is not a rule table, or is damaged.

    Examples
    --------
    >>> from graphmt.rules import RuleTable
    >>> table = RuleTable("pbmt/rules.bin")
    >>> table.find(["er", "schläft"])
    [SourceSide('er schläft', 1 rule)]
    """

    def __init__(self, path: AnyPath) -> None:
        self._table = _core.RuleTable(path)
        self._path = path

    def __repr__(self) -> str:
        return f"RuleTable({os.fspath(self._path)!r}, grammar={self._table.grammar!r})"

    @property
    def about(self) -> dict[str, Any]:
        """The number of rules of each kind, and how the table was made."""
        fragments = self._table.fragments
        return {
            **described(self._table.meta, self._path),
            **({} if fragments is None else {"fragments": {name: getattr(fragments, name) for name in _SHAPE}}),
            "grammar": self._table.grammar,
            "identity": self._table.identity,
            "max_span": self._table.max_span,
            "reordering": self._table.oriented,
            **({"parts": self._table.parts} if self._table.parts > 1 else {}),
        }

    def verify(self) -> None:
        """Read the whole file and verify its checksums."""
        self._table.verify()

    def find(self, words: Sequence[str]) -> list[SourceSide]:
        """The source sides that consist of these words, however they are linked.

        In a table of rules with holes, ``[X]`` is a hole, as well as a space and its label.
        """
        holes = self._table.grammar != "subgraphs"
        symbols = [f" {word[1:-1]}" if holes and _BRACKETS.fullmatch(word) else word for word in words]
        return [self._side(side) for side in self._table.with_words(symbols)]

    def containing(self, word: str, limit: int = 20) -> list[SourceSide]:
        """The first source sides that contain a word."""
        return [self._side(side) for side in self._table.containing(word, limit)]

    def to_moses(self, path: AnyPath) -> int:
        """Write the basic rules as a Moses phrase table, or rules with holes as its rule table; returns the lines."""
        require_outputs(path, inputs=[self._path])
        return self._table.to_moses(path)

    def _side(self, side: _core.SourceSide) -> SourceSide:
        words, joints = side.words, side.joints
        by_links = self._table.grammar != "subgraphs" or self._table.identity == "links"
        linked = by_links and self._table.grammar == "subgraphs"
        bits = tuple(tuple(k for k in range(16) if joint >> k & 1) for joint in joints)
        made = [
            Rule(
                kind=self._kind(rule.context, words, joints),
                context=None if rule.context is None else tuple(rule.context),
                target=tuple(rule.target),
                alignment=tuple(rule.alignment),
                count=rule.count,
                probabilities=tuple(math.exp(min(score, 0.0)) for score in rule.scores),
            )
            for rule in side.rules
        ]
        made.sort(key=lambda rule: (rule.context is not None, rule.context or (), -rule.probabilities[2]))
        return SourceSide(
            words=tuple(words),
            links=bits if linked else tuple(() for _ in joints),
            gaps=None if by_links else tuple(bool(joint) for joint in joints),
            rules=tuple(made),
        )

    def _kind(self, context: list[int] | None, words: list[str], joints: list[int]) -> str:
        if self._table.grammar == "head-dependents":
            if len(words) == 1:
                return "head"
            return "phrasal" if joints[1] == _PHRASE else "head_dependents"
        if self._table.grammar != "subgraphs":
            holes = sum(word.startswith(" ") for word in words)
            return ("lexical", "one_hole", "two_holes")[min(holes, 2)]
        if context is None:
            return "basic"
        return "segmenting" if context else "selecting"


def from_moses(path: AnyPath, out: AnyPath) -> int:
    """Convert a Moses phrase table or hierarchical rule table to a rule table.

    The first line shows which of the two it is: the sides of a hierarchical rule end with ``[X]``.

    Parameters
    ----------
    path
        The Moses table, plain or compressed.
    out
        The rule table to write.

    Returns
    -------
    int
        The number of rules.

    Raises
    ------
    InputError
        If a line is malformed.

    Examples
    --------
    >>> from graphmt.rules import RuleTable, from_moses
    >>> lines = RuleTable("pbmt/rules.bin").to_moses("phrases.gz")
    >>> from_moses("phrases.gz", "again.bin") == lines
    True
    """
    require_outputs(out, inputs=[path])
    made = _core.rules_from_moses(path, out)
    note_replaced(out)
    return made


def filtered(table: AnyPath, sentences: Iterable[str], out: AnyPath) -> int:
    """Write the part of a table that tokenised sentences can use.

    Parameters
    ----------
    table
        The rule table.
    sentences
        The sentences.
    out
        The table to write.

    Returns
    -------
    int
        The number of rules.

    Examples
    --------
    >>> from graphmt.rules import filtered
    >>> filtered("pbmt/rules.bin", ["er schläft ."], "some.bin") > 0
    True
    """
    require_outputs(out, inputs=[table])
    made = _core.filter_rules(table, out, [sentence.split() for sentence in sentences])
    note_replaced(out)
    return made


@dataclasses.dataclass(frozen=True)
class Pruned:
    """The numbers of rules that :func:`pruned` kept and dropped.

    Examples
    --------
    >>> from graphmt.rules import Pruned
    >>> Pruned(kept=2, dropped=1)
    Pruned(kept=2, dropped=1)
    """

    kept: int
    dropped: int


def pruned(table: AnyPath, out: AnyPath, *, min_count: float = 1.0, significance: float | None = None) -> Pruned:
    """Write the rules of a table that are frequent and significant enough, with their scores unchanged.

    The significance of a rule is -ln p of Fisher's exact test (Johnson et al. 2007): p is the probability that its two
    sides would occur together at least as often by chance. The counts are occurrences of rules, N in all, where the
    paper counts sentence pairs. The threshold is α = ln N plus ``significance``. A rule whose sides occur once, and
    together, has significance α, so 0.01 (the paper's α + ε) drops such rules and -0.01 (α - ε) keeps them.

    Parameters
    ----------
    table
        The rule table.
    out
        The table to write.
    min_count
        The minimum count of a rule.
    significance
        The minimum significance of a rule, relative to α; None: any.

    Returns
    -------
    Pruned
        The numbers of rules kept and dropped.

    Raises
    ------
    InputError
        If no rule is left.

    Examples
    --------
    >>> from graphmt.rules import pruned
    >>> everything = pruned("pbmt/rules.bin", "all.bin")
    >>> everything.dropped
    0
    >>> pruned("pbmt/rules.bin", "significant.bin", significance=0.01).dropped > 0
    True
    """
    for name, value in (("min_count", min_count), ("significance", significance)):
        if value is not None and not math.isfinite(value):
            raise OptionError(f"{name} must be a number, not {value}.")
    require_outputs(out, inputs=[table])
    made = _core.prune_rules(table, out, min_count=min_count, significance=significance)
    note_replaced(out)
    return from_core(Pruned, made)


def split(table: AnyPath, out: AnyPath, *, part_size: int) -> int:
    """Write a table in several files that open as one, or join such files again.

    A part ends where the first word of the source sides changes, so parts may be larger than asked for.

    Parameters
    ----------
    table
        The rule table.
    out
        The first file to write; the others get its name with ``.1``, ``.2`` and so on.
    part_size
        Bytes of rules after which a part ends.

    Returns
    -------
    int
        The number of files.

    Raises
    ------
    OptionError
        If the size is less than 1.

    Examples
    --------
    >>> from graphmt.rules import RuleTable, split
    >>> split("pbmt/rules.bin", "parts.bin", part_size=20_000) > 1
    True
    >>> RuleTable("parts.bin").find(["er", "schläft"])
    [SourceSide('er schläft', 1 rule)]
    """
    if not 1 <= part_size < 2**63:
        raise OptionError(f"the size of a part must be at least 1, not {part_size}.")
    require_outputs(out, inputs=[table])
    parts = _core.split_rules(table, out, part_size)
    note_replaced(out)
    return parts


def shown(symbols: Iterable[str]) -> list[str]:
    """Spell symbols for display: holes are in brackets; those of a target side are numbered from 1, as in derivations.

    Parameters
    ----------
    symbols
        Words, and holes as a space and their label, or on the target side the number, from 0, of the source hole.

    Returns
    -------
    list[str]
        The spelled symbols.

    Examples
    --------
    >>> from graphmt.rules import shown
    >>> shown(["ruft", " X", "an"])
    ['ruft', '[X]', 'an']
    >>> shown(["call", " 0"])
    ['call', '[1]']
    """
    return [f"[{_hole(symbol[1:])}]" if symbol.startswith(" ") else symbol for symbol in symbols]


def _hole(name: str) -> str:
    return str(int(name) + 1) if name.isdecimal() else name
