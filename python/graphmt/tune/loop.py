"""The tuning loop: decode, add to the lists, optimise, again."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from graphmt import _core
from graphmt.errors import InputError
from graphmt.progress import rounds
from graphmt.tune.mert import mert
from graphmt.tune.mira import mira
from graphmt.tune.nbest import Tunable
from graphmt.tune.options import TuneOptions
from graphmt.tune.pro import pro
from graphmt.tune.state import State
from graphmt.tune.tuner import Free, Tuner, Vector, normalised

TUNERS: Mapping[str, Tuner] = {"mert": mert, "mira": mira, "pro": pro}

#: Features whose weight tuning leaves alone: that of copied words says "never if it can be helped".
FIXED = ("unknown",)


@dataclasses.dataclass(frozen=True)
class Iteration:
    """One round of tuning, as the log has it."""

    iteration: int
    #: BLEU of the development set translated with ``weights``.
    bleu: float
    weights: dict[str, float]
    #: Hypotheses that decoding brought, and all in the lists.
    new: int
    hypotheses: int
    #: BLEU on the lists of the weights that were found there for the next round; None in the last.
    list_bleu: float | None
    #: Wall-clock seconds for translating and for optimising.
    decode_seconds: float
    optimise_seconds: float


@dataclasses.dataclass(frozen=True)
class TuneResult:
    """The weights with the best BLEU of the translated development set, and how it went."""

    weights: dict[str, float]
    bleu: float
    history: tuple[Iteration, ...]
    #: Why it ended.
    stopped: str


def optimise(
    system: Tunable,
    references: Sequence[Sequence[Sequence[str]]],
    options: TuneOptions | None = None,
    *,
    fixed: Collection[str] = FIXED,
    state: State | None = None,
) -> TuneResult:
    """Tune any system. ``references`` has for each sentence its references, each as words.

    It ends when decoding finds nothing new, when the development set has not been translated better for
    ``patience`` iterations, or after ``iterations``. With a ``state`` a run that was stopped goes on where it was,
    to the same weights.
    """
    options = options or TuneOptions()
    if not references:
        raise InputError("nothing to tune on: there is no sentence.")
    run = _Run(system, references, options, fixed, state or State(None, {}))
    with rounds(f"{options.tuner} iteration", options.iterations) as advance:
        while not (stopped := run.reason_to_stop()):
            run.iterate()
            last, best = run.history[-1], run.best()
            advance(last.iteration, f"dev BLEU {last.bleu:.2f} (best {best.bleu:.2f}), {last.new:,} new hypotheses")
    best = run.best()
    return TuneResult(best.weights, best.bleu, tuple(run.history), stopped)


class _Run:
    def __init__(
        self,
        system: Tunable,
        references: Sequence[Sequence[Sequence[str]]],
        options: TuneOptions,
        fixed: Collection[str],
        state: State,
    ) -> None:
        self.system, self.options, self.state = system, options, state
        start = dict(system.features)
        self.names = list(start)
        self.free: Free = np.array([name not in fixed for name in self.names])
        weights: Vector = np.array([start[name] for name in self.names], dtype=np.float64)
        self.norm = float(np.abs(weights[self.free]).sum()) or 1.0
        self.lists = _core.NBestLists([[list(line) for line in lines] for lines in references], len(self.names))
        self.history: list[Iteration] = []
        self.weights: Vector = weights
        if saved := state.load(self.lists):
            self.history = [Iteration(**one) for one in saved["history"]]
            self.weights = np.array(saved["next"], dtype=np.float64)

    def best(self) -> Iteration:
        """The iteration with the best BLEU by decoding, of several the first."""
        return max(self.history, key=lambda one: one.bleu)

    def reason_to_stop(self) -> str:
        """Why there is no further iteration; empty while there is one."""
        if not self.history:
            return ""
        if self.history[-1].new == 0:
            return "no new hypotheses"
        if len(self.history) - self.best().iteration >= self.options.patience:
            return "no gain"
        return "most iterations" if len(self.history) >= self.options.iterations else ""

    def iterate(self) -> None:
        """Decode, add, and optimise where another iteration follows."""
        begun = time.perf_counter()
        named: dict[str, float] = dict(zip(self.names, self.weights.tolist(), strict=True))
        found = self.system.decode(named)
        before = self.lists.sizes()
        new, first = self.lists.add(
            found.hypotheses, found.tokens, found.numbers, found.words, found.values, threads=self.options.threads
        )
        decoded = time.perf_counter()
        done = Iteration(
            iteration=len(self.history) + 1,
            bleu=_core.bleu_score(first),
            weights=named,
            new=new,
            hypotheses=sum(before) + new,
            list_bleu=None,
            decode_seconds=decoded - begun,
            optimise_seconds=0.0,
        )
        self.history.append(done)
        if not self.reason_to_stop():
            self.weights = self._optimised(done.iteration)
            self.history[-1] = dataclasses.replace(
                done,
                list_bleu=self.lists.bleu(self.weights, threads=self.options.threads),
                optimise_seconds=time.perf_counter() - decoded,
            )
        self.state.save(self.lists, before, self._as_dict())

    def _optimised(self, iteration: int) -> Vector:
        # A seed for each iteration and run, so that nothing random has to be carried over a stop.
        seed = self.options.seed * 1_000_003 + iteration
        weights = TUNERS[self.options.tuner](self.lists, self.weights, self.free, self.options, seed)
        return normalised(weights, self.free, self.norm)

    def _as_dict(self) -> dict[str, Any]:
        return {
            "history": [dataclasses.asdict(one) for one in self.history],
            "next": self.weights.tolist(),
        }
