"""A built-in German-English corpus with gold trees and gold word alignments, made by a small grammar.

It is synthetic: the sentences are generated, not written by people, and figures measured on them say
nothing about translating German. It serves to try and test everything without a download.

Data (the lexicon in ``data/``) → :mod:`.sampling` and :mod:`.grammar` (an abstract tree of a sentence) →
:mod:`.german` and :mod:`.english` (its words on each side) → :mod:`.corpus` (pairs, parts, files).
"""

from graphmt.demo.corpus import DemoCorpus, DemoOptions, Pair, generate, write

__all__ = ["DemoCorpus", "DemoOptions", "Pair", "generate", "write"]
