"""Options of word alignment."""

from __future__ import annotations

from dataclasses import dataclass

from graphmt._core import HEURISTICS
from graphmt.options import MOST_THREADS, Options, option

#: The names of all models, the recommended ones first.
NAMES = ("gibbs", "thot-eflomal", "hmm", "fast-align", "ibm1", "ibm2", "ibm3", "ibm4", "eflomal")

#: The model that suits the task.
AUTO = "auto"


@dataclass(frozen=True)
class AlignOptions(Options):
    """How sentence pairs are aligned word by word.

    Examples
    --------
    >>> from graphmt.align import AlignOptions
    >>> AlignOptions(model="gibbs", seed=2)
    AlignOptions(model='gibbs', seed=2)
    """

    model: str = option(
        AUTO,
        "Alignment model. gibbs is part of graphmt; eflomal needs the extra eflomal (GPL); all others need the extra "
        "thot (LGPL). auto: gibbs; with a sample, thot-eflomal, as gibbs cannot be applied to other text. "
        "docs/benchmarks/alignment.md compares error rates and times.",
        choices=(AUTO, *NAMES),
    )
    symmetrise: str = option(
        "grow-diag-final-and",
        "How the two directions are combined (Koehn et al. 2005): intersection is precise, union complete.",
        choices=HEURISTICS,
    )
    lowercase: bool = option(True, "Lower-case both sides for alignment only; gives more evidence for each word.")
    prefix: int = option(
        0,
        "Truncate words to this many letters for alignment only; 0 keeps them whole. Helps with little text in highly "
        "inflected languages; try 4.",
        unit="letters",
        minimum=0,
    )
    max_length: int | None = option(
        None,
        "Pairs with a longer sentence get no links; none: the library's limit (hmm, ibm3 and ibm4: 200, others 1023 or "
        "1024).",
        unit="words",
        minimum=1,
    )
    sample: int = option(
        0,
        "Train on this many pairs, evenly spaced over the text, and apply the model to all; 0: train on all. For text "
        "that does not fit into memory, and with --engine spark. docs/benchmarks/alignment.md has the loss in AER.",
        unit="pairs",
        minimum=0,
    )
    ibm1_iterations: int = option(
        5,
        "Iterations of IBM model 1: in ibm1, and as first step of ibm2, hmm, ibm3 and ibm4.",
        minimum=1,
        only=("model", ("ibm1", "ibm2", "hmm", "ibm3", "ibm4")),
    )
    ibm2_iterations: int = option(5, "Iterations of IBM model 2 in ibm2.", minimum=1, only=("model", ("ibm2",)))
    hmm_iterations: int = option(
        5,
        "Iterations of the HMM (Vogel et al. 1996): in hmm, and as second step of ibm3 and ibm4.",
        minimum=1,
        only=("model", ("hmm", "ibm3", "ibm4")),
    )
    ibm3_iterations: int = option(
        5, "Iterations of IBM model 3: in ibm3, and as third step of ibm4.", minimum=1, only=("model", ("ibm3", "ibm4"))
    )
    ibm4_iterations: int = option(
        5, "Iterations of IBM model 4 in ibm4; all words share one class.", minimum=1, only=("model", ("ibm4",))
    )
    fast_align_iterations: int = option(
        5, "Iterations of fast-align (Dyer et al. 2013).", minimum=1, only=("model", ("fast-align",))
    )
    eflomal_length: float = option(
        1.0,
        "Sampling sweeps of gibbs, thot-eflomal and eflomal, relative to their own schedules, which fall with the "
        "square root of the number of pairs (Östling & Tiedemann 2016).",
        minimum=0.01,
        only=("model", ("gibbs", "thot-eflomal", "eflomal")),
    )
    samplers: int | None = option(
        None,
        "Independent samplers of gibbs, thot-eflomal and eflomal; time and memory grow linearly. none: 3 for gibbs, 2 "
        "for the others.",
        minimum=1,
        maximum=1000,
        only=("model", ("gibbs", "thot-eflomal", "eflomal")),
    )
    hmm_null: float = option(
        0.4, "Probability of NULL in hmm.", minimum=0, maximum=1, only=("model", ("hmm", "ibm3", "ibm4"))
    )
    seed: int = option(
        1,
        "Seed of gibbs and thot-eflomal. The eflomal package accepts none.",
        minimum=0,
        maximum=2**32 - 1,
        only=("model", ("gibbs", "thot-eflomal")),
    )
    threads: int = option(
        0,
        "Threads; 0: one per core; 1: one direction after the other. The links do not depend on it.",
        minimum=0,
        maximum=MOST_THREADS,
    )

    def named(self, *, applied: bool = False) -> AlignOptions:
        """The same with the name of a model instead of auto; ``applied``: to other text than it is trained on."""
        if self.model != AUTO:
            return self
        return self.replace(model="thot-eflomal" if applied or self.sample else "gibbs")
