"""Options of extraction, in one class for each kind of rules that reads them."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

from graphmt.options import MOST_THREADS, Options, option


@dataclasses.dataclass(frozen=True)
class RuleCounting(Options):
    """Counting of rules."""

    min_count: float = option(
        0.0,
        "Minimum count of a rule; rarer ones are dropped after scoring. 2 leaves a fraction of the rules. The rules of "
        "a phrase pair share one occurrence for hpb and dgst, so that many have counts below 1.",
        minimum=0,
    )
    max_memory: int = option(
        1024,
        "Memory for counting rules; more is sorted in temporary files. The trie (14 bytes per node) and target totals "
        "(about 20 bytes per distinct target side) are extra.",
        unit="MiB",
        minimum=1,
    )
    threads: int = option(0, "Threads; 0: one per core.", minimum=0, maximum=MOST_THREADS)


@dataclasses.dataclass(frozen=True)
class PhraseLimits(Options):
    """Lengths of the sides of rules."""

    part: ClassVar[str] = "limits of a side's words"

    max_source: int = option(
        7,
        "Maximum number of words on a rule's source side; more covers longer idioms and takes more memory.",
        minimum=1,
        maximum=16,
    )
    max_target: int = option(7, "Maximum number of words on a rule's target side.", minimum=1, maximum=16)


@dataclasses.dataclass(frozen=True)
class SubgraphSpan(Options):
    """Spans of subgraphs."""

    part: ClassVar[str] = "rules over subgraphs"

    max_span: int = option(
        12,
        "Maximum distance from the first to the last word of a source side; limits how far apart the parts of a "
        "discontinuous rule are, in training and in translation.",
        unit="words",
        minimum=1,
        maximum=64,
    )


@dataclasses.dataclass(frozen=True)
class DiscontinuousRules(Options):
    """Discontinuous rules."""

    part: ClassVar[str] = "discontinuous rules"

    unaligned: str = option(
        "linked",
        "Which unaligned source words a rule may include. linked: any with a link to the rest of the rule; neighbours: "
        "adjacent words, as in phrase extraction.",
        choices=("linked", "neighbours"),
    )
    identity: str = option(
        "links",
        "When two source sides are identical. links: same words with the same links (as in the paper); gaps: same "
        "words with gaps at the same positions, less sparse.",
        choices=("links", "gaps"),
    )


@dataclasses.dataclass(frozen=True)
class ContextScope(Options):
    """Contexts of rules."""

    part: ClassVar[str] = "contextual rules"

    context_scope: str = option(
        "next",
        "Where the context of a rule is taken from. next: each phrase directly to its right (as in the paper); rest: "
        "everything to its right.",
        choices=("next", "rest"),
    )


@dataclasses.dataclass(frozen=True)
class HoleLimits(Options):
    """Rules with holes over spans."""

    part: ClassVar[str] = "hierarchical rules"

    max_length: int = option(
        10,
        "Maximum number of words on either side of a phrase pair that yields rules with holes.",
        unit="words",
        minimum=1,
        maximum=16,
    )
    max_symbols: int = option(5, "Maximum source-side length, words and holes.", minimum=1, maximum=8)
    max_holes: int = option(2, "Maximum number of holes of a rule.", minimum=0, maximum=2)
    min_hole: int = option(
        2,
        "Minimum source words of a hole. 1, as in Chiang (2007), yields several times more rules.",
        unit="words",
        minimum=1,
        maximum=16,
    )


@dataclasses.dataclass(frozen=True)
class FragmentLimits(Options):
    """Fragments of the dependency graph."""

    part: ClassVar[str] = "rules over fragments"

    max_external: int = option(
        2,
        "Maximum number of nodes of a fragment with links to the rest of the dependency graph: the one above it and "
        "the open ones below. The paper uses 2; more allows more phrases.",
        minimum=1,
        maximum=16,
    )
    labels: str = option(
        "all",
        "What the label of a hole contains. all: the parts of speech of all its words whose head is outside (as in the "
        "paper); ends: only the first and last of these, less sparse; none: every hole is an X.",
        choices=("all", "ends", "none"),
    )
    structure: bool = option(
        True,
        "Distinguish rules by the dependencies between their symbols (as in the paper), not by words and labels alone.",
    )
    max_gaps: int = option(
        0,
        "Maximum gaps of a discontinuous fragment, beyond the paper: a phrase pair whose span is not a fragment still "
        "yields rules if it is one without the gaps. Any phrase can fill a gap.",
        minimum=0,
        maximum=2,
    )
    any_span: bool = option(
        False,
        "Also extract the rules of hpb, beyond the paper: their spans and holes need not be fragments. Features tell "
        "the two kinds apart. Needs structure off.",
    )


@dataclasses.dataclass(frozen=True)
class HeadRules(Options):
    """Rules of heads with their dependents."""

    part: ClassVar[str] = "rules of heads with their dependents"

    partial: bool = option(
        True,
        "Also extract rules from a head with some of its dependents, adjacent to it and to each other, not only from "
        "heads with all of them.",
    )
    phrasal: bool = option(
        True,
        "Also extract phrases without structure: whole subtrees, and adjacent dependents of a head with or without it, "
        "of at most max-source words.",
    )


@dataclasses.dataclass(frozen=True)
class Smoothing(Options):
    """Smoothing of probabilities."""

    part: ClassVar[str] = "whole counts of rules, which smoothing needs"

    smoothing: str = option(
        "none",
        "Discounting of p(t|g,c) and p(g,c|t). good-turing: joint counts up to 10; kneser-ney: modified, as in Foster "
        "et al. (2006); none: relative frequencies, Moses' default.",
        choices=("none", "good-turing", "kneser-ney"),
    )


@dataclasses.dataclass(frozen=True)
class Msd(Options):
    """Lexicalised reordering."""

    part: ClassVar[str] = "lexicalised reordering"

    reordering: bool = option(False, "Count orientations for lexicalised reordering (msd-bidirectional-fe).")
