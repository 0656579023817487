"""The models of sil-thot, each direction in a separate process.

Processes, because thot holds the GIL while it trains, so threads would not run in parallel. Crashes in the library stay
outside, too. Within a process, the samplers of thot-eflomal may run in parallel; each has its own random numbers, so
results do not change. The other models get one thread: their parallel loops add floating-point counts in the order in
which threads finish, and the links should not depend on that.
"""

from __future__ import annotations

import dataclasses
import importlib.metadata
import importlib.util
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from graphmt._core import Alignment
from graphmt.align.aligners import Aligner, Job
from graphmt.align.children import run_children
from graphmt.errors import MissingPackageError
from graphmt.progress import Advance

if TYPE_CHECKING:
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
    settings = {"seed": options.seed, "num_samplers": options.samplers, "iterations": iterations}
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
                f"the model {self.options.model} needs the package sil-thot, which is not installed.",
                hint="Install it with: pip install sil-thot",
            )
        return f"sil-thot {importlib.metadata.version('sil-thot')}"

    def align(self, job: Job, advance: Advance) -> tuple[Alignment, Alignment]:
        """Train and align both directions, at the same time unless there is one thread only."""
        stages = [dataclasses.asdict(stage) for stage in schedule(self.options, len(job.source_lengths))]
        requests = []
        for name, given, choosing in (
            ("forward", job.source, job.target),
            ("reverse", job.target, job.source),
        ):
            request = {
                "given": str(given),
                "choosing": str(choosing),
                "stages": stages,
                "out": str(job.folder / f"{name}.int32"),
            }
            path = job.folder / f"{name}.json"
            path.write_text(json.dumps(request), encoding="utf-8")
            requests.append(path)
        run_children(
            "worker.py",
            requests,
            f"{self.library}, {self.options.model}",
            advance,
            threads=self.options.threads,
            most_each=self.options.samplers if self.options.model == "thot-eflomal" else 1,
        )
        return (
            _read(job.folder / "forward.int32", job.target_lengths, choosing_source=False),
            _read(job.folder / "reverse.int32", job.source_lengths, choosing_source=True),
        )


def _read(path: Path, lengths: Any, *, choosing_source: bool) -> Alignment:
    return Alignment.from_choices(np.fromfile(path, np.int32), lengths, choosing_source)
