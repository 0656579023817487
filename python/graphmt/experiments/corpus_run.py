"""One corpus of an experiment: text, alignment, language model, models, tuning runs, translations.

Every step is done once and recorded with what it was asked for; what an earlier run left is used when it was asked
for the same.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import graphmt
from graphmt import lm
from graphmt.align import AlignOptions
from graphmt.align.step import Outputs, align_files
from graphmt.corpus import TextOptions, TextSteps, read_trees
from graphmt.corpus.steps import process_file
from graphmt.experiments.corpora import PARTS, CorpusFiles
from graphmt.experiments.options import ExperimentOptions
from graphmt.experiments.recipe import Arm
from graphmt.experiments.tuner import UNTUNED, Asked, Tuned, Tuner
from graphmt.files import digest, writing
from graphmt.lm import LmOptions
from graphmt.model import Model, SearchOptions, load_weights, save_weights
from graphmt.model.manifest import FILE as MANIFEST
from graphmt.model.weights import FILE as WEIGHTS
from graphmt.progress import note
from graphmt.resume import Steps
from graphmt.rules import ExtractOptions
from graphmt.training import SidesOptions, Stages, train

CASE = "lower"
#: The log of a tuning run, beside its weights and under the name that the tuner gives it.
LOG = "weights.tuning.jsonl"


class CorpusRun:
    """The folder of one corpus within an experiment's output."""

    def __init__(self, files: CorpusFiles, out: Path, options: ExperimentOptions, method: str, tuner: Tuner) -> None:
        self.files, self.folder, self.options, self.method, self.tuner = files, out / files.name, options, method, tuner
        self.steps = Steps(self.folder / "steps")
        self.data = files.digests()
        self.text = {part: self.folder / "text" / f"{part}.{files.target_language}.gz" for part in PARTS}
        self.alignment, self.lm = self.folder / "alignment.gz", self.folder / "lm.bin"

    def step(
        self, name: str, request: dict[str, Any], outputs: list[Path], work: Callable[[], dict[str, Any]]
    ) -> dict[str, Any]:
        """Do a step unless it was done; the version of graphmt is part of every request."""

        def announced() -> dict[str, Any]:
            note(f"{self.files.name}: {name}.")
            for output in outputs:
                output.parent.mkdir(parents=True, exist_ok=True)
            return work()

        self.steps.folder.mkdir(parents=True, exist_ok=True)
        return self.steps.run(name, {"graphmt": graphmt.__version__, **request}, outputs, announced)

    def prepare(self) -> None:
        """What all systems share: the target side in lower case, the word alignment, the language model."""
        language = self.files.target_language
        for part, out in self.text.items():
            path = self.files.target[part]

            def lower(path: Path = path, out: Path = out) -> dict[str, Any]:
                process_file(path, out, TextSteps(TextOptions(language=language, case=CASE)))
                return {}

            self.step(f"text-{part}", {"data": self.data[path.name], "case": CASE}, [out], lower)
        train_data = {name: self.data[name] for name in self._names("train")}
        links = Outputs(self.alignment)
        options = AlignOptions(model=self.options.aligner, threads=self.options.threads)
        self.step(
            "align",
            {"data": train_data, "case": CASE, "options": _without_threads(options.as_dict())},
            links.files(),
            lambda: align_files(self.files.source["train"], self.text["train"], links, options, force=True) or {},
        )

        def estimate() -> dict[str, Any]:
            made = lm.train(
                self.text["train"], self.lm, LmOptions(order=self.options.order, threads=self.options.threads)
            )
            return {"tokens": made.tokens, "ngrams": list(made.ngrams)}

        target = self.data[self.files.target["train"].name]
        self.step("lm", {"data": target, "case": CASE, "order": self.options.order}, [self.lm], estimate)

    def model(self, arm: Arm) -> dict[str, Any]:
        """Train an arm's model; returns what extraction counted."""
        out = self.folder / "models" / arm.model

        def work() -> dict[str, Any]:
            made = train(
                arm.system,
                source=self.files.source["train"],
                target=self.text["train"],
                out=out,
                alignment=self.alignment,
                language_model=self.lm,
                stages=self._stages(arm),
            )
            rules: dict[str, Any] = made.manifest.report["rules"]
            return rules

        return self.step(f"model-{arm.model}", self._model_request(arm), [out / MANIFEST], work)

    def seeds(self) -> list[int]:
        """The seeds of the tuning runs; one run is enough where nothing is tuned."""
        count = 1 if self.method == UNTUNED else self.options.seeds or 1
        return list(range(self.options.first_seed, self.options.first_seed + count))

    def tune(self, arm: Arm, seed: int) -> None:
        """Weights of one tuning run, with the log of how they came about."""
        folder = self.run_folder(arm, seed)
        weights, log = folder / WEIGHTS, folder / LOG

        def work() -> dict[str, Any]:
            model = self._opened(arm)
            asked = Asked(self.method, seed, weights, self.options.threads)
            tuned = (
                Tuned(model.weights, [])
                if self.method == UNTUNED
                else self.tuner(model, self.files.source["dev"], self.text["dev"], asked)
            )
            with writing(log) as stream:
                stream.writelines(json.dumps(row, default=float) + "\n" for row in tuned.history)
            save_weights(tuned.weights, weights)
            return {"iterations": len(tuned.history)}

        self.step(f"tune-{self._run_name(arm, seed)}", self._tune_request(arm, seed), [weights, log], work)

    def translate(self, arm: Arm, seed: int, part: str) -> None:
        """A part of the corpus as one tuning run translates it: with derivations (JSON lines), and as tokens."""
        folder = self.run_folder(arm, seed)
        out, plain = self.output(arm, seed, part), folder / f"{part}.txt"

        def work() -> dict[str, Any]:
            model = self._opened(arm)
            model = model.reweighted(load_weights(folder / WEIGHTS, model.features))
            made = model.translate(list(read_trees(self.files.source[part])), threads=self.options.threads)
            with writing(out) as stream:
                stream.writelines(one.as_json(number) + "\n" for number, one in enumerate(made))
            with writing(plain) as stream:
                stream.writelines(" ".join(one.tokens) + "\n" for one in made)
            return {"sentences": len(made)}

        request = {
            "tune": _key(self._tune_request(arm, seed)),
            "weights": digest(folder / WEIGHTS),
            "data": self.data[self.files.source[part].name],
        }
        self.step(f"translate-{self._run_name(arm, seed)}-{part}", request, [out, plain], work)

    def run_folder(self, arm: Arm, seed: int) -> Path:
        """Where one tuning run of an arm is kept."""
        return self.folder / "runs" / self._run_name(arm, seed)

    def output(self, arm: Arm, seed: int, part: str) -> Path:
        """The translations that one tuning run made of a part."""
        return self.run_folder(arm, seed) / f"{part}.jsonl.gz"

    def _run_name(self, arm: Arm, seed: int) -> str:
        return f"{arm.name}-{self.method}-{seed}"

    def _stages(self, arm: Arm) -> Stages:
        source, target = self.files.source_language, self.files.target_language
        sides = SidesOptions(source_language=source, target_language=target, case=CASE)
        return Stages(sides=sides, extract=ExtractOptions(**arm.extract, threads=self.options.threads))

    def _opened(self, arm: Arm) -> Model:
        return Model(self.folder / "models" / arm.model, search=SearchOptions(**arm.search))

    def _names(self, part: str) -> list[str]:
        return [self.files.source[part].name, self.files.target[part].name]

    def _model_request(self, arm: Arm) -> dict[str, Any]:
        return {
            "system": arm.system,
            "data": {name: self.data[name] for name in self._names("train")},
            "aligner": self.options.aligner,
            "order": self.options.order,
            "sides": self._stages(arm).sides.as_dict(),
            "extract": _without_threads(self._stages(arm).extract.as_dict()),
        }

    def _tune_request(self, arm: Arm, seed: int) -> dict[str, Any]:
        return {
            "model": _key(self._model_request(arm)),
            "search": SearchOptions(**arm.search).as_dict(),
            "method": self.method,
            "seed": seed,
            "data": {name: self.data[name] for name in self._names("dev")},
        }


def _key(request: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(request, sort_keys=True).encode()).hexdigest()


def _without_threads(options: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if name != "threads"}
