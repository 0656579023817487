"""The models of sil-thot, each direction in a separate process.

Processes, because thot holds the GIL while it trains, so threads would not run in parallel. Crashes in the library stay
outside, too. Within a process, the samplers of thot-eflomal may run in parallel; each has its own random numbers, so
results do not change. The other models get one thread: their parallel loops add floating-point counts in the order in
which threads finish, and the links should not depend on that.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib.metadata
import importlib.util
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from graphmt._core import Alignment
from graphmt.align import worker
from graphmt.align.aligners import SAMPLERS, Aligner, Choices, Job
from graphmt.align.children import run_children
from graphmt.errors import InputError, MissingPackageError
from graphmt.progress import Advance
from graphmt.storage.temporary import temporary_folder

if TYPE_CHECKING:
    from graphmt.align.encoding import EncodedPairs
    from graphmt.align.options import AlignOptions


@dataclasses.dataclass(frozen=True)
class Stage:
    """A model, its iterations, and attributes set on it. Each stage starts from the one before."""

    model: str
    iterations: int
    settings: dict[str, Any] = dataclasses.field(default_factory=dict)


def schedule(options: AlignOptions, pairs: int) -> list[Stage]:
    """What is trained, in order: simple models give the later ones their first word translations."""
    ibm1 = Stage("ibm1", options.ibm1_iterations)
    ibm2 = Stage("ibm2", options.ibm2_iterations)
    hmm = Stage("hmm", options.hmm_iterations, {"hmm_p0": options.hmm_null})
    ibm3 = Stage("ibm3", options.ibm3_iterations)
    ibm4 = Stage("ibm4", options.ibm4_iterations)
    stages = {
        "ibm1": [ibm1],
        "ibm2": [ibm1, ibm2],
        "hmm": [ibm1, hmm],
        "ibm3": [ibm1, hmm, ibm3],
        "ibm4": [ibm1, hmm, ibm3, ibm4],
        "fast-align": [Stage("fast-align", options.fast_align_iterations)],
    }
    return stages[options.model] if options.model in stages else [_sampling(options, pairs)]


def _sampling(options: AlignOptions, pairs: int) -> Stage:
    # eflomal's schedule: 5000/sqrt(pairs) sweeps with fertilities, a quarter of that for each model before.
    sweeps = max(2, round(options.eflomal_length * 5000 / max(pairs, 1) ** 0.5))
    quarter = max(1, sweeps // 4)
    iterations = (max(2, quarter), quarter, sweeps)
    settings = {"seed": options.seed, "num_samplers": options.samplers or SAMPLERS, "iterations": iterations}
    return Stage("thot-eflomal", sum(iterations), settings)


class ThotAligner(Aligner):
    """Any model of sil-thot."""

    @property
    def max_length(self) -> int:
        """``max_sentence_length`` of the strictest model of the schedule."""
        return 200 if self.options.model in ("hmm", "ibm3", "ibm4") else 1024

    @property
    def library(self) -> str:
        """``sil-thot`` and its version."""
        if importlib.util.find_spec("thot") is None:
            raise MissingPackageError(
                f"the model {self.options.model} needs the package sil-thot (LGPL-3.0), which is not installed.",
                hint="Install it with: pip install 'graphmt[thot]', or use the model gibbs.",
            )
        return f"sil-thot {importlib.metadata.version('sil-thot')}"

    def align(self, pairs: EncodedPairs, advance: Advance) -> tuple[Alignment, Alignment]:
        """Train and align both directions, at the same time unless there is one thread only."""
        with temporary_folder("align") as folder:
            job = pairs.job(folder, pairs.kept)
            stages = self._stages(job)
            self._run(job, advance, lambda name: {"stages": stages, "out": str(folder / f"{name}.int32")})
            forward, reverse = _read(job)
        return forward.spread(pairs.kept), reverse.spread(pairs.kept)

    def train(self, job: Job, folder: Path, advance: Advance) -> None:
        """Train both directions and save the models."""
        stages = self._stages(job)
        self._run(job, advance, lambda name: {"stages": stages, "save": str(folder / name)})

    def apply(self, job: Job, folder: Path, advance: Advance) -> tuple[Alignment, Alignment]:
        """Align both directions with saved models."""

        def request(name: str) -> dict[str, Any]:
            out = str(job.folder / f"{name}.int32")
            return {"model": str(folder / name), "name": self.options.model, "out": out}

        self._run(job, advance, request)
        return _read(job)

    def search(self, folder: Path, source: list[str], target: list[str]) -> tuple[Choices, Choices]:
        """Align with saved models in this process."""
        forward, reverse = _opened(self.options.model, folder)
        found = worker.searched(forward, source, target), worker.searched(reverse, target, source)
        return np.array(found[0], np.int32), np.array(found[1], np.int32)

    def _stages(self, job: Job) -> list[dict[str, Any]]:
        return [dataclasses.asdict(stage) for stage in schedule(self.options, len(job.source_lengths))]

    def _run(self, job: Job, advance: Advance, more: Callable[[str], dict[str, Any]]) -> None:
        requests = []
        for name, given, choosing in (
            ("forward", job.source, job.target),
            ("reverse", job.target, job.source),
        ):
            path = job.folder / f"{name}.json"
            request = {"given": str(given), "choosing": str(choosing), **more(name)}
            path.write_text(json.dumps(request), encoding="utf-8")
            requests.append(path)
        run_children(
            "worker.py",
            requests,
            f"{self.library}, {self.options.model}",
            advance,
            threads=self.options.threads,
            most_each=(self.options.samplers or SAMPLERS) if self.options.model == "thot-eflomal" else 1,
        )


@functools.lru_cache(maxsize=1)
def _opened(name: str, folder: Path) -> tuple[Any, Any]:
    """The models of both directions."""
    try:
        return worker.opened(name, str(folder / "forward")), worker.opened(name, str(folder / "reverse"))
    except SystemExit as error:
        raise InputError(f"{error}.", hint="Train the aligner again.") from None


def _read(job: Job) -> tuple[Alignment, Alignment]:
    forward, reverse = (np.fromfile(job.folder / f"{name}.int32", np.int32) for name in ("forward", "reverse"))
    return (
        Alignment.from_choices(forward, job.target_lengths, False),
        Alignment.from_choices(reverse, job.source_lengths, True),
    )
