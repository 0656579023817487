"""One corpus of an experiment: text, alignment, language model, models, tuning runs, translations.

Every step is done once and recorded with its request; results of an earlier run are reused if the request is the same.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import logging
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import graphmt
from graphmt import lm
from graphmt.align import AlignOptions
from graphmt.align.step import Outputs, align_files
from graphmt.corpus import TextOptions, TextSteps, read_trees
from graphmt.corpus.steps import process_file
from graphmt.errors import InputError
from graphmt.evaluate.outputs import Explain, explainer
from graphmt.experiments.corpora import HALVES, HELD_OUT, LEARNT, CorpusFiles
from graphmt.experiments.halves import interleave, split
from graphmt.experiments.options import ExperimentOptions
from graphmt.experiments.recipe import Arm
from graphmt.experiments.tuner import UNTUNED, Asked, Tuned, Tuner
from graphmt.lm import LmOptions
from graphmt.model import Model, SearchOptions, load_weights, save_weights
from graphmt.model.manifest import FILE as MANIFEST
from graphmt.model.weights import FILE as WEIGHTS
from graphmt.rules import ExtractOptions
from graphmt.selection import MODELS, DwlOptions, GmOptions, LrsmOptions, OrderOptions, TsmOptions
from graphmt.storage.files import digest, make_folder, writing
from graphmt.storage.resume import Steps
from graphmt.training import SidesOptions, TrainOptions, train

log = logging.getLogger(__name__)

CASE = "lower"
#: The folder of the steps' records.
STEPS = "steps"
#: The log of a tuning run, next to its weights, as named by the tuner.
LOG = "weights.tuning.jsonl"


def require_own(folder: Path) -> None:
    """Reject an existing folder that no experiment created, to protect its files."""
    is_free = not os.path.lexists(folder) or (folder.is_dir() and not any(folder.iterdir()))
    if not is_free and not (folder / STEPS).is_dir():
        raise InputError(
            "exists already and was not made by an experiment.",
            file=folder,
            hint="Choose another --out, or move it away.",
        )


class CorpusRun:
    """The folder of one corpus within an experiment's output."""

    def __init__(self, files: CorpusFiles, out: Path, options: ExperimentOptions, method: str, tuner: Tuner) -> None:
        self.files, self.folder, self.options, self.method, self.tuner = files, out / files.name, options, method, tuner
        self.steps = Steps(self.folder / STEPS)
        self.data = files.digests()
        text, f, e = self.folder / "text", files.source_language, files.target_language
        self.source = {**files.source, **{half: text / f"{half}.{f}.conllu.gz" for half in HALVES}}
        self.text = {part: text / f"{part}.{e}.gz" for part in (*files.target, *HALVES)}
        self.source[HELD_OUT], self.text[HELD_OUT] = self.source["dev"], self.text["dev"]
        self.alignment, self.lm = self.folder / "alignment.gz", self.folder / "lm.bin"

    def step(
        self, name: str, request: dict[str, Any], outputs: list[Path], work: Callable[[], dict[str, Any]]
    ) -> dict[str, Any]:
        """Run a step unless it is done; the version of graphmt is part of every request."""

        def announced() -> dict[str, Any]:
            log.info(f"{self.files.name}: {name}.")
            for output in outputs:
                make_folder(output.parent)
            return work()

        make_folder(self.steps.folder)
        return self.steps.run(name, {"graphmt": graphmt.__version__, **request}, outputs, announced)

    def prepare(self, *, models: bool = True) -> None:
        """Shared inputs: the target side in lower case and, for models, word alignment and language model."""
        language = self.files.target_language
        for part, path in self.files.target.items():
            out = self.text[part]

            def lower(path: Path = path, out: Path = out) -> dict[str, Any]:
                process_file(path, out, TextSteps(TextOptions(language=language, case=CASE)))
                return {}

            self.step(f"text-{part}", {"data": self.data[path.name], "case": CASE}, [out], lower)
        if not models:
            return
        links = Outputs(self.alignment)
        options = AlignOptions(model=self.options.aligner, threads=self.options.threads)
        self.step(
            "align",
            {"data": self._data("train"), "case": CASE, "options": _without_threads(options.as_dict())},
            links.files(),
            lambda: align_files(self.files.source["train"], self.text["train"], links, options, overwrite=True) or {},
        )

        def estimate() -> dict[str, Any]:
            made = lm.train(
                self.text["train"], self.lm, LmOptions(order=self.options.order, threads=self.options.threads)
            )
            return {"tokens": made.tokens, "ngrams": list(made.ngrams)}

        target = self.data[self.files.target["train"].name]
        self.step("lm", {"data": target, "case": CASE, "order": self.options.order}, [self.lm], estimate)

    def model(self, arm: Arm) -> dict[str, Any]:
        """Train an arm's model; returns the counts of extraction."""
        out = self.folder / "models" / arm.model
        plain = self.folder / "models" / dataclasses.replace(arm, selection=(), training={}).model

        def work() -> dict[str, Any]:
            made = train(
                arm.system,
                source=self.files.source["train"],
                target=self.text["train"],
                out=out,
                alignment=self.alignment,
                language_model=self.lm,
                rules_of=plain if arm.selection and (plain / MANIFEST).exists() else None,
                selection=arm.selection,
                options=self._stages(arm),
                overwrite=True,
            )
            rules: dict[str, Any] = made.manifest.report["rules"]
            return rules

        return self.step(f"model-{arm.model}", self._model_request(arm), [out / MANIFEST], work)

    def halve(self) -> None:
        """The two halves of dev, for held-out scores."""
        halves = [(self.source[half], self.text[half]) for half in HALVES]
        self.step(
            "halves",
            {"data": self._data("dev"), "case": CASE},
            [path for half in halves for path in half],
            lambda: split(self.source["dev"], self.text["dev"], halves),
        )

    def seeds(self) -> list[int]:
        """The seeds of the tuning runs; a single one if nothing is tuned."""
        count = 1 if self.method == UNTUNED else self.options.seeds or 1
        return list(range(self.options.first_seed, self.options.first_seed + count))

    def tune(self, arm: Arm, seed: int, on: str = "dev") -> None:
        """Weights of one tuning run, with its log."""
        folder = self.run_folder(arm, seed, on)
        weights, log = folder / WEIGHTS, folder / LOG

        def work() -> dict[str, Any]:
            model = self._opened(arm)
            asked = Asked(self.method, seed, weights, self.options.threads)
            tuned = (
                Tuned(model.weights, [])
                if self.method == UNTUNED
                else self.tuner(model, self.source[on], self.text[on], asked)
            )
            with writing(log) as stream:
                stream.writelines(json.dumps(row, default=float) + "\n" for row in tuned.history)
            save_weights(tuned.weights, weights)
            return {"iterations": len(tuned.history)}

        self.step(f"tune-{self._run_name(arm, seed, on)}", self._tune_request(arm, seed, on), [weights, log], work)

    def borrow(self, arm: Arm, lender: Arm, seed: int) -> None:
        """The weights of another arm's tuning run, for an arm that differs only in the search."""
        folder, theirs = self.run_folder(arm, seed), self.run_folder(lender, seed)

        def work() -> dict[str, Any]:
            for name in (WEIGHTS, LOG):
                with writing(folder / name) as stream:
                    stream.write((theirs / name).read_text(encoding="utf-8"))
            return {"lender": lender.name}

        request = {**self._tune_request(arm, seed, "dev"), "weights": digest(theirs / WEIGHTS)}
        self.step(f"tune-{folder.name}", request, [folder / WEIGHTS, folder / LOG], work)

    def translate(self, arm: Arm, seed: int, part: str, on: str = "dev") -> None:
        """A part of the corpus as one tuning run translates it: with derivations (JSON lines), and as tokens."""
        folder = self.run_folder(arm, seed, on)
        out, plain = self.output(arm, seed, part, on), folder / f"{part}.txt"

        def work() -> dict[str, Any]:
            model = self.tuned(arm, seed, on)
            made = model.translate(list(read_trees(self.source[part])), threads=self.options.threads)
            with writing(out) as stream:
                stream.writelines(one.as_json(number) + "\n" for number, one in enumerate(made))
            with writing(plain) as stream:
                stream.writelines(" ".join(one.tokens) + "\n" for one in made)
            return {"sentences": len(made)}

        request = {
            "tune": _key(self._tune_request(arm, seed, on)),
            "weights": digest(folder / WEIGHTS),
            "data": digest(self.source[part]),
        }
        self.step(f"translate-{self._run_name(arm, seed, on)}-{part}", request, [out, plain], work)

    def translate_held_out(self, arm: Arm, seed: int) -> None:
        """Both halves of dev, each translated with weights tuned on the other, interleaved again."""

        def work(part: str, on: str) -> None:
            self.tune(arm, seed, on)
            self.translate(arm, seed, part, on)

        self.held_out(arm, seed, work)

    def held_out(self, arm: Arm, seed: int, work: Callable[[str, str], None]) -> None:
        """Both halves of dev, interleaved again; ``work`` translates a half with all that is tuned on the other."""
        parts: list[Path] = []
        for on, part in zip(HALVES, reversed(HALVES), strict=True):
            work(part, on)
            # The half with the first sentence of dev comes first.
            parts.insert(0, self.output(arm, seed, part, on))
        out = self.output(arm, seed, HELD_OUT)
        request = {"parts": [digest(path) for path in parts]}
        name = f"translate-{self._run_name(arm, seed, 'dev')}-{HELD_OUT}"
        self.step(name, request, [out], lambda: interleave(parts, out))

    def explainer(self, arm: Arm, seed: int, part: str) -> Explain | None:
        """A function that explains lexical selection in one tuning run; None if there is nothing to explain.

        That is the case without lexical selection, and for held-out translations, which come from two runs.
        """
        if not arm.selection or part == HELD_OUT:
            return None
        model = self._opened(arm)
        model = model.reweighted(load_weights(self.run_folder(arm, seed) / WEIGHTS, model.weights))
        return explainer(model, list(read_trees(self.source[part])), threads=self.options.threads)

    def run_folder(self, arm: Arm, seed: int, on: str = "dev") -> Path:
        """The folder of one tuning run of an arm."""
        return self.folder / "runs" / self._run_name(arm, seed, on)

    def output(self, arm: Arm, seed: int, part: str, on: str = "dev") -> Path:
        """The file with one tuning run's translations of a part, with derivations if a model made them."""
        return self.run_folder(arm, seed, on) / (f"{part}.jsonl.gz" if arm.has_model else f"{part}.txt")

    def tuned(self, arm: Arm, seed: int, on: str = "dev") -> Model:
        """The model of an arm with the weights of a tuning run."""
        model = self._opened(arm)
        return model.reweighted(load_weights(self.run_folder(arm, seed, on) / WEIGHTS, model.weights))

    def n_best(self, arm: Arm, seed: int, part: str, n: int, on: str = "dev") -> Path:
        """The distinct n best of each sentence of a part, as translated in one tuning run."""
        folder = self.run_folder(arm, seed, on)
        out = folder / f"{part}.nbest.gz"

        def work() -> dict[str, Any]:
            model = self.tuned(arm, seed, on)
            found = model.n_best(list(read_trees(self.source[part])), n, distinct=True, threads=self.options.threads)
            with writing(out) as stream:
                for number, best in enumerate(found):
                    stream.writelines(one.as_moses(number) + "\n" for one in best)
            return {"sentences": len(found)}

        request = {
            "tune": _key(self._tune_request(arm, seed, on)),
            "weights": digest(folder / WEIGHTS),
            "data": digest(self.source[part]),
            "n": n,
        }
        self.step(f"lists-{folder.name}-{part}", request, [out], work)
        return out

    def _run_name(self, arm: Arm, seed: int, on: str) -> str:
        return f"{arm.name}-{self.method}-{seed}" + ("" if on == "dev" else f"-{on}")

    def _stages(self, arm: Arm) -> TrainOptions:
        source, target = self.files.source_language, self.files.target_language
        sides = SidesOptions(source_language=source, target_language=target, case=CASE, tokenise=False)
        threads = self.options.threads
        return TrainOptions(
            sides=sides,
            extract=ExtractOptions(**arm.extract, threads=threads),
            gm=GmOptions(**arm.training.get("gm", {}), threads=threads),
            lrsm=LrsmOptions(**arm.training.get("lrsm", {}), threads=threads),
            dwl=DwlOptions(**arm.training.get("dwl", {}), threads=threads),
            order=OrderOptions(**arm.training.get("order", {}), threads=threads),
            tsm=TsmOptions(**arm.training.get("tsm", {}), threads=threads),
        )

    def _opened(self, arm: Arm) -> Model:
        opened = Model(self.folder / "models" / arm.model, search=SearchOptions(**arm.search))
        for feature in arm.features:
            opened = opened.annotated(feature.load(), dict(feature.weights))
        return opened.reweighted(dict(arm.start)) if arm.start else opened

    def learnt(self) -> dict[str, str]:
        """SHA-256 of the files that models and weights depend on; test sets are not among them."""
        return {name: value for part in LEARNT for name, value in self._data(part).items()}

    def _data(self, part: str) -> dict[str, str]:
        return {path.name: self.data[path.name] for path in (self.files.source[part], self.files.target[part])}

    def _model_request(self, arm: Arm) -> dict[str, Any]:
        return {
            "system": arm.system,
            "data": self._data("train"),
            "aligner": self.options.aligner,
            "order": self.options.order,
            "sides": self._stages(arm).sides.as_dict(),
            "extract": _without_threads(self._stages(arm).extract.as_dict()),
            **{name: _without_threads(getattr(self._stages(arm), name).as_dict()) for name in arm.selection},
        }

    def _tune_request(self, arm: Arm, seed: int, on: str) -> dict[str, Any]:
        return {
            "model": _key(self._model_request(arm)),
            "search": _search(arm),
            "start": dict(arm.start),
            **({"features": [feature.request() for feature in arm.features]} if arm.features else {}),
            "method": self.method,
            "seed": seed,
            "data": self._data("dev"),
            "on": on,
        }


def _search(arm: Arm) -> dict[str, Any]:
    """The search options without those of selection models that the arm does not have."""
    unread = {name for model in MODELS.values() if model.name not in arm.selection for name in model.search}
    return {name: value for name, value in SearchOptions(**arm.search).as_dict().items() if name not in unread}


def _key(request: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(request, sort_keys=True).encode()).hexdigest()


def _without_threads(options: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if name != "threads"}
