"""Options of rule extraction and scoring."""

from __future__ import annotations

import dataclasses

from graphmt.options import MOST_THREADS, Options, option


@dataclasses.dataclass(frozen=True)
class ExtractOptions(Options):
    """Which rules are taken from an aligned corpus."""

    max_source: int = option(
        7,
        "Most words on a rule's source side; more catch longer idioms, and cost memory.",
        minimum=1,
        maximum=16,
    )
    max_target: int = option(7, "Most words on a rule's target side.", minimum=1, maximum=16)
    max_span: int = option(
        12,
        "Most positions from the first to the last word of a source side; bounds how far apart the parts of a "
        "discontinuous rule are, in training and in translation.",
        unit="words",
        minimum=1,
        maximum=64,
    )
    unaligned: str = option(
        "linked",
        "Which unaligned source words a rule may take in. linked: any that a link joins to the rest of it; neighbours: "
        "those next to it in the string, as in phrase extraction. The same for pbmt.",
        choices=("linked", "neighbours"),
    )
    identity: str = option(
        "links",
        "When two source sides are the same. links: same words and same links among them (the paper's); gaps: same "
        "words and gaps at the same places, less sparse.",
        choices=("links", "gaps"),
    )
    context_scope: str = option(
        "next",
        "What the context of a rule is taken from (gbmt-ctx). next: each phrase directly right of it (the paper's); "
        "rest: all that is to its right.",
        choices=("next", "rest"),
    )
    max_length: int = option(
        10,
        "Most words on either side of a phrase pair that rules with holes are taken from (hpb, dgst).",
        unit="words",
        minimum=1,
        maximum=16,
    )
    max_symbols: int = option(5, "Most symbols, words and holes, on a source side (hpb, dgst).", minimum=1, maximum=8)
    max_holes: int = option(2, "Most holes of a rule (hpb, dgst).", minimum=0, maximum=2)
    min_hole: int = option(
        2,
        "Fewest source words of a hole (hpb, dgst). 1, as in Chiang (2007), gives several times as many rules.",
        unit="words",
        minimum=1,
        maximum=16,
    )
    max_external: int = option(
        2,
        "Most nodes of a fragment that touch the rest of the dependency graph (dgst): the one above it and the open "
        "ones below. 2 is the paper's; more allow more phrases.",
        minimum=1,
        maximum=16,
    )
    labels: str = option(
        "all",
        "What the label of a hole shows (dgst). all: the parts of speech of all its words whose head is outside (the "
        "paper's); ends: of the first and the last of them, less sparse; none: nothing, every hole is an X.",
        choices=("all", "ends", "none"),
    )
    structure: bool = option(
        True,
        "Whether rules are told apart by which symbol hangs on which (dgst; the paper's), and not by words and labels "
        "alone.",
    )
    max_gaps: int = option(
        0,
        "Most gaps of a discontinuous fragment (dgst), beyond the paper: a phrase pair whose span is no fragment gives "
        "rules too if it is one without what is in the gaps. A gap is a hole that any phrase can fill.",
        minimum=0,
        maximum=2,
    )
    partial: bool = option(
        True,
        "Also take rules from a head with some of its dependents, next to it and to one another, not only from heads "
        "with all of them (dep2str).",
    )
    phrasal: bool = option(
        True,
        "Also take phrases without structure: whole subtrees, and neighbouring dependents of a head with it or without "
        "it, of at most max-source words (dep2str).",
    )
    smoothing: str = option(
        "none",
        "Discounting of p(t|g,c) and p(g,c|t). good-turing: joint counts up to 10; kneser-ney: modified, as Foster et "
        "al. (2006); none: relative frequencies, as Moses by default. The rules of hpb and dgst have none.",
        choices=("none", "good-turing", "kneser-ney"),
    )
    reordering: bool = option(False, "Count orientations for lexicalised reordering (msd-bidirectional-fe).")
    memory: int = option(
        1024,
        "Memory for counted rules; what is above goes to temporary files. The trie (14 bytes a node) and target "
        "totals (about 20 bytes a distinct target side) come on top.",
        unit="MiB",
        minimum=1,
    )
    threads: int = option(0, "Threads; 0 means one for each core.", minimum=0, maximum=MOST_THREADS)
