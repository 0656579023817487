"""The tuning loop: decode, add to the lists, optimise, again."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from graphmt import _core
from graphmt.errors import InputError, OptionError
from graphmt.progress import rounds
from graphmt.reprs import counted
from graphmt.tune.mert import mert
from graphmt.tune.mira import mira
from graphmt.tune.options import TuneOptions
from graphmt.tune.pro import pro
from graphmt.tune.state import State
from graphmt.tune.tunable import Tunable
from graphmt.tune.tuner import Free, Tuner, Vector, normalised

TUNERS: dict[str, Tuner] = {"mert": mert, "mira": mira, "pro": pro}

#: Features with a fixed weight: copying unknown words is a last resort.
FIXED = ("unknown",)


@dataclasses.dataclass(frozen=True)
class Iteration:
    """One round of tuning, as in the log.

    Examples
    --------
    >>> from graphmt.tune import Iteration
    >>> Iteration(1, 30.0, {"lm": 0.5}, new=3, hypotheses=4, list_bleu=None, decode_seconds=1.0, optimise_seconds=0.1)
    Iteration(1, bleu=30.00, 4 hypotheses)
    """

    iteration: int
    #: BLEU of the development set translated with ``weights``.
    bleu: float
    weights: dict[str, float]
    #: New hypotheses from decoding, and all in the lists.
    new: int
    hypotheses: int
    #: BLEU on the lists with the weights for the next round; None in the last.
    list_bleu: float | None
    #: Wall-clock seconds for translating and for optimising.
    decode_seconds: float
    optimise_seconds: float
    #: TER of the development set, when tuning for it.
    ter: float | None = None

    def __repr__(self) -> str:
        ter = "" if self.ter is None else f", ter={self.ter:.2f}"
        hypotheses = counted(self.hypotheses, "hypothesis", "hypotheses")
        return f"Iteration({self.iteration}, bleu={self.bleu:.2f}{ter}, {hypotheses})"

    @classmethod
    def from_record(cls, record: dict[str, Any]) -> Iteration:
        """An iteration that was stored; raises one of ``MALFORMED`` if the record is damaged."""
        weights = {str(name): float(weight) for name, weight in record["weights"].items()}
        figures = {name: float(record[name]) for name in ("bleu", "decode_seconds", "optimise_seconds")}
        known = {name: float(record[name]) for name in ("list_bleu", "ter") if record[name] is not None}
        made = cls(**{**record, **figures, **known, "weights": weights})
        if not all(isinstance(one, int) and 0 <= one < 2**63 for one in (made.iteration, made.new, made.hypotheses)):
            raise ValueError("a count that is none")
        return made

    @property
    def quality(self) -> float:
        """The objective: BLEU, or negated TER."""
        return self.bleu if self.ter is None else -self.ter


@dataclasses.dataclass(frozen=True)
class TuneResult:
    """The weights that translated the development set best, and the history.

    Examples
    --------
    >>> from graphmt.tune import TuneOptions, tune_model
    >>> options = TuneOptions(iterations=2, n_best=10)
    >>> result = tune_model("pbmt", "corpus/dev.de.conllu", "corpus/dev.en", options, out="tuned.toml")
    >>> len(result.history)
    2
    """

    weights: dict[str, float]
    bleu: float
    history: tuple[Iteration, ...]
    #: Why tuning stopped.
    stopped: str

    def __repr__(self) -> str:
        return f"TuneResult(bleu={self.bleu:.2f}, {counted(len(self.history), 'iteration')}, stopped={self.stopped!r})"


def optimise(
    system: Tunable,
    references: Sequence[Sequence[Sequence[str]]],
    options: TuneOptions | Mapping[str, Any] | None = None,
    *,
    fixed: Collection[str] = FIXED,
    state: State | None = None,
) -> TuneResult:
    """Tune the weights of any system that gives n-best lists.

    Stops when decoding finds nothing new, after ``patience`` iterations without improvement on the development set,
    or after ``iterations``.

    Parameters
    ----------
    system
        The system: features with initial weights, and lists for given weights.
    references
        For each sentence its references, each as words.
    options
        The tuner and its settings.
    fixed
        Features whose weights do not change.
    state
        Where the work is kept; interrupted runs resume and reach the same weights.

    Returns
    -------
    TuneResult
        The best weights, and the history.

    Examples
    --------
    >>> from graphmt.tune import NBest, TuneOptions, optimise
    >>> class Fixed:
    ...     features = {"lm": 1.0, "length": 0.1}
    ...     def decode(self, weights):
    ...         short, long = (["he"], {"lm": -1.0, "length": 1.0}), (["he", "sleeps"], {"lm": -1.5, "length": 2.0})
    ...         best = sorted((short, long), key=lambda one: -sum(weights[f] * one[1][f] for f in weights))
    ...         return NBest.from_lists([best], ["lm", "length"])
    >>> optimise(Fixed(), [[["he", "sleeps"]]], TuneOptions(iterations=3)).stopped != ""
    True
    """
    options = TuneOptions.of(options).acting()
    if not references:
        raise InputError("nothing to tune on: there are no sentences.")
    if options.metric != "bleu" and options.tuner != "mert":
        raise OptionError(f"{options.tuner} cannot tune for {options.metric}, only for bleu.", hint="Use --tuner mert.")
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
        """The iterations and the next weights of a record; raises one of ``MALFORMED`` if it is damaged."""
        weights = np.array(record["next"], dtype=np.float64)
        if weights.shape != (len(self.names),):
            raise ValueError("weights of other features")
        return [Iteration.from_record(one) for one in record["history"]], weights

    def best(self) -> Iteration:
        """The first iteration with the best quality in decoding."""
        return max(self.history, key=lambda one: one.quality)

    def reason_to_stop(self) -> str:
        """Why tuning stops; empty while it continues."""
        if not self.history:
            return ""
        last = self.history[-1]
        if last.new <= self.options.least_new * last.hypotheses:
            return "hardly any new hypotheses" if last.new else "no new hypotheses"
        # The first lists contain only what the first weights prefer, so weights learnt from them are often worse for a
        # few iterations.
        patience = self.options.patience * (2 if self.best().iteration == 1 else 1)
        if len(self.history) - self.best().iteration >= patience:
            return "no gain"
        return "most iterations" if len(self.history) >= self.options.iterations else ""

    def iterate(self) -> None:
        """Decode, add the hypotheses and, unless this is the last iteration, optimise."""
        begun = time.perf_counter()
        # The scale of the weights matters to MIRA, which compares scores with BLEU; decoding uses scaled ones.
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
        # A seed per iteration and run, so that no random state must survive an interruption.
        seed = self.options.seed * 1_000_003 + iteration
        return TUNERS[self.options.tuner](self.lists, self.weights, self.free, self.options, seed)

    def _as_dict(self) -> dict[str, Any]:
        return {
            "history": [dataclasses.asdict(one) for one in self.history],
            "next": self.weights.tolist(),
        }
