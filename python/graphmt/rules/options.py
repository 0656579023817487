"""Options of rule extraction and scoring."""

from __future__ import annotations

import dataclasses

from graphmt.options import MOST_THREADS, Options, option


@dataclasses.dataclass(frozen=True)
class ExtractOptions(Options):
    """Which rules are extracted from an aligned corpus.

    Examples
    --------
    >>> from graphmt.rules import ExtractOptions
    >>> ExtractOptions(max_source=5, max_target=5)
    ExtractOptions(max_source=5, max_target=5)
    """

    max_source: int = option(
        7,
        "Maximum number of words on a rule's source side; more covers longer idioms and takes more memory.",
        minimum=1,
        maximum=16,
    )
    max_target: int = option(7, "Maximum number of words on a rule's target side.", minimum=1, maximum=16)
    max_span: int = option(
        12,
        "Maximum distance from the first to the last word of a source side; limits how far apart the parts of a "
        "discontinuous rule are, in training and in translation.",
        unit="words",
        minimum=1,
        maximum=64,
    )
    unaligned: str = option(
        "linked",
        "Which unaligned source words a rule may include. linked: any with a link to the rest of the rule; neighbours: "
        "adjacent words, as in phrase extraction. No difference for pbmt.",
        choices=("linked", "neighbours"),
    )
    identity: str = option(
        "links",
        "When two source sides are identical. links: same words with the same links (as in the paper); gaps: same "
        "words with gaps at the same positions, less sparse.",
        choices=("links", "gaps"),
    )
    context_scope: str = option(
        "next",
        "Where the context of a rule is taken from (gbmt-ctx). next: each phrase directly to its right (as in the "
        "paper); rest: everything to its right.",
        choices=("next", "rest"),
    )
    max_length: int = option(
        10,
        "Maximum number of words on either side of a phrase pair that yields rules with holes (hpb, dgst).",
        unit="words",
        minimum=1,
        maximum=16,
    )
    max_symbols: int = option(5, "Maximum source-side length, words and holes (hpb, dgst).", minimum=1, maximum=8)
    max_holes: int = option(2, "Maximum number of holes of a rule (hpb, dgst).", minimum=0, maximum=2)
    min_hole: int = option(
        2,
        "Minimum source words of a hole (hpb, dgst). 1, as in Chiang (2007), yields several times more rules.",
        unit="words",
        minimum=1,
        maximum=16,
    )
    max_external: int = option(
        2,
        "Maximum number of nodes of a fragment with links to the rest of the dependency graph (dgst): the one above it "
        "and the open ones below. The paper uses 2; more allows more phrases.",
        minimum=1,
        maximum=16,
    )
    labels: str = option(
        "all",
        "What the label of a hole contains (dgst). all: the parts of speech of all its words whose head is outside (as "
        "in the paper); ends: only the first and last of these, less sparse; none: every hole is an X.",
        choices=("all", "ends", "none"),
    )
    structure: bool = option(
        True,
        "Distinguish rules by the dependencies between their symbols (dgst; as in the paper), not by words and labels "
        "alone.",
    )
    max_gaps: int = option(
        0,
        "Maximum gaps of a discontinuous fragment (dgst), beyond the paper: a phrase pair whose span is not a "
        "fragment still yields rules if it is one without the gaps. Any phrase can fill a gap.",
        minimum=0,
        maximum=2,
    )
    any_span: bool = option(
        False,
        "Also extract the rules of hpb (dgst), beyond the paper: their spans and holes need not be fragments. Features "
        "tell the two kinds apart. Needs structure off.",
    )
    partial: bool = option(
        True,
        "Also extract rules from a head with some of its dependents, adjacent to it and to each other, not only from "
        "heads with all of them (dep2str).",
    )
    phrasal: bool = option(
        True,
        "Also extract phrases without structure: whole subtrees, and adjacent dependents of a head with or without it, "
        "of at most max-source words (dep2str).",
    )
    smoothing: str = option(
        "none",
        "Discounting of p(t|g,c) and p(g,c|t). good-turing: joint counts up to 10; kneser-ney: modified, as in Foster "
        "et al. (2006); none: relative frequencies, Moses' default. Not available for hpb and dgst.",
        choices=("none", "good-turing", "kneser-ney"),
    )
    min_count: float = option(
        0.0,
        "Minimum count of a rule; rarer ones are dropped after scoring. 2 leaves a fraction of the rules. The rules of "
        "a phrase pair share one occurrence for hpb and dgst, so that many have counts below 1.",
        minimum=0,
    )
    reordering: bool = option(False, "Count orientations for lexicalised reordering (msd-bidirectional-fe).")
    memory: int = option(
        1024,
        "Memory for counting rules; more is sorted in temporary files. The trie (14 bytes per node) and target totals "
        "(about 20 bytes per distinct target side) are extra.",
        unit="MiB",
        minimum=1,
    )
    threads: int = option(0, "Threads; 0: one per core.", minimum=0, maximum=MOST_THREADS)
