"""The tuning loop: decode, add to the lists, optimise, again."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from graphmt import _core
from graphmt.errors import InputError, OptionError
from graphmt.progress import rounds
from graphmt.tune.mert import mert
from graphmt.tune.mira import mira
from graphmt.tune.options import TuneOptions
from graphmt.tune.pro import pro
from graphmt.tune.state import State
from graphmt.tune.tunable import Tunable
from graphmt.tune.tuner import Free, Tuner, Vector, normalised

TUNERS: dict[str, Tuner] = {"mert": mert, "mira": mira, "pro": pro}

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
    #: TER of the development set where that is tuned for.
    ter: float | None = None

    @property
    def quality(self) -> float:
        """What tuning is to raise: BLEU, or TER with its sign turned."""
        return self.bleu if self.ter is None else -self.ter


@dataclasses.dataclass(frozen=True)
class TuneResult:
    """The weights with which the development set is translated best, and how it went."""

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
    if options.metric != "bleu" and options.tuner != "mert":
        raise OptionError(
            f"{options.tuner} tunes for BLEU, not for {options.metric}.", hint="--tuner mert can tune for ter."
        )
    run = _Run(system, references, options, fixed, state or State(None, {}))
    with rounds(f"{options.tuner} iteration", options.iterations) as advance:
        while not (stopped := run.reason_to_stop()):
            run.iterate()
            last, best = run.history[-1], run.best()
            name = options.metric.upper()
            so_far = f"dev {name} {abs(last.quality):.2f} (best {abs(best.quality):.2f})"
            advance(last.iteration, f"{so_far}, {last.new:,} new hypotheses")
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
        words = [[list(line) for line in lines] for lines in references]
        self.lists = _core.NBestLists(words, len(self.names), metric=options.metric)
        self.history: list[Iteration] = []
        self.weights: Vector = weights
        if saved := state.load(self.lists, self._read):
            self.history, self.weights = saved

    def _read(self, record: dict[str, Any]) -> tuple[list[Iteration], Vector]:
        """The iterations and the next weights of a record; raises one of ``MALFORMED`` where there are none."""
        weights = np.array(record["next"], dtype=np.float64)
        if weights.shape != (len(self.names),):
            raise ValueError("weights of other features")
        return [Iteration(**one) for one in record["history"]], weights

    def best(self) -> Iteration:
        """The iteration with the best quality by decoding, of several the first."""
        return max(self.history, key=lambda one: one.quality)

    def reason_to_stop(self) -> str:
        """Why there is no further iteration; empty while there is one."""
        if not self.history:
            return ""
        if self.history[-1].new == 0:
            return "no new hypotheses"
        # The first lists know only what the first weights like: what is learnt from them is often worse than these, and
        # a few iterations pass before it is better.
        patience = self.options.patience * (2 if self.best().iteration == 1 else 1)
        if len(self.history) - self.best().iteration >= patience:
            return "no gain"
        return "most iterations" if len(self.history) >= self.options.iterations else ""

    def iterate(self) -> None:
        """Decode, add, and optimise where another iteration follows."""
        begun = time.perf_counter()
        # MIRA's weights have a size that matters to MIRA: it weighs scores against BLEU. Decoding has one of its own.
        scaled = normalised(self.weights, self.free, self.norm)
        named: dict[str, float] = dict(zip(self.names, scaled.tolist(), strict=True))
        found = self.system.decode(named)
        before = self.lists.sizes()
        added = self.lists.add(found, threads=self.options.threads)
        decoded = time.perf_counter()
        done = Iteration(
            iteration=len(self.history) + 1,
            bleu=_core.bleu_score(added.first),
            weights=named,
            new=added.new,
            hypotheses=sum(before) + added.new,
            list_bleu=None,
            decode_seconds=decoded - begun,
            optimise_seconds=0.0,
            ter=-self.lists.quality_of(added.first) if self.options.metric == "ter" else None,
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
        return TUNERS[self.options.tuner](self.lists, self.weights, self.free, self.options, seed)

    def _as_dict(self) -> dict[str, Any]:
        return {
            "history": [dataclasses.asdict(one) for one in self.history],
            "next": self.weights.tolist(),
        }
