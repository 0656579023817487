"""Options of word alignment."""

from __future__ import annotations

from dataclasses import dataclass

from graphmt._core import HEURISTICS
from graphmt.options import MOST_THREADS, Options, option

#: The names of all models, the recommended one first.
NAMES = ("thot-eflomal", "hmm", "fast-align", "ibm1", "ibm2", "ibm3", "ibm4", "eflomal")


@dataclass(frozen=True)
class AlignOptions(Options):
    """How sentence pairs are aligned word by word."""

    model: str = option(
        "thot-eflomal",
        "Alignment model. All come with sil-thot but eflomal, which is a package of its own (GPL). "
        "docs/benchmarks/alignment.md compares error rates and times.",
        choices=NAMES,
    )
    symmetrise: str = option(
        "grow-diag-final-and",
        "How the two directions are joined (Koehn et al. 2005): intersection is precise, union complete.",
        choices=HEURISTICS,
    )
    lowercase: bool = option(True, "Lower-case both sides for the alignment only; fewer word forms are better known.")
    prefix: int = option(
        0,
        "Cut words to so many letters for the alignment only; 0 keeps them whole. Helps with little text in "
        "languages of many endings, for example 4.",
        unit="letters",
        minimum=0,
    )
    max_length: int | None = option(
        None,
        "Pairs with a longer sentence get no links; none means the longest the library takes "
        "(hmm, ibm3 and ibm4: 200, others 1023 or 1024).",
        unit="words",
        minimum=1,
    )
    ibm1_iterations: int = option(
        5, "Iterations of IBM model 1: ibm1, and first step of ibm2, hmm, ibm3, ibm4.", minimum=1
    )
    ibm2_iterations: int = option(5, "Iterations of IBM model 2 in ibm2.", minimum=1)
    hmm_iterations: int = option(
        5, "Iterations of the HMM (Vogel et al. 1996): hmm, and second step of ibm3, ibm4.", minimum=1
    )
    ibm3_iterations: int = option(5, "Iterations of IBM model 3: ibm3, and third step of ibm4.", minimum=1)
    ibm4_iterations: int = option(5, "Iterations of IBM model 4 in ibm4; all words are of one class.", minimum=1)
    fast_align_iterations: int = option(5, "Iterations of fast-align (Dyer et al. 2013).", minimum=1)
    eflomal_length: float = option(
        1.0,
        "Sweeps of thot-eflomal and eflomal relative to their own schedule, in which their number falls "
        "with the square root of the number of pairs (Östling & Tiedemann 2016).",
        minimum=0.01,
    )
    samplers: int = option(2, "Independent samplers of thot-eflomal and eflomal; time grows with them.", minimum=1)
    hmm_null: float = option(0.4, "Probability of NULL in hmm.", minimum=0, maximum=1)
    seed: int = option(1, "Seed of thot-eflomal. The eflomal package takes no seed.", minimum=0, maximum=2**32 - 1)
    threads: int = option(
        0,
        "Threads; 0 means one for each core, 1 aligns one direction after the other. The links are the same.",
        minimum=0,
        maximum=MOST_THREADS,
    )
