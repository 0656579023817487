"""Training: from a parallel corpus to a model folder."""

from __future__ import annotations

import dataclasses
import importlib.metadata
import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import graphmt
from graphmt import lm
from graphmt.align import AlignOptions
from graphmt.align.step import Outputs, align_files
from graphmt.corpus import TextOptions, TextSteps, is_conllu, require_trees
from graphmt.corpus.joining import join_pairs
from graphmt.corpus.steps import CASES, process_file
from graphmt.corpus.steps import FILE as STEPS
from graphmt.errors import InputError
from graphmt.files import AnyPath, digest, link_or_copy, require_inputs, writing_folder
from graphmt.lm import LmOptions
from graphmt.model import Manifest, SearchOptions, save_weights
from graphmt.model.manifest import FILE as MANIFEST
from graphmt.model.model import LM, REORDERING, RULES, SOURCE_STEPS, TARGET_STEPS, Model
from graphmt.model.weights import FILE as WEIGHTS
from graphmt.options import Options, option
from graphmt.progress import note
from graphmt.reorder import ReorderOptions, train_reordering
from graphmt.resume import Steps, resumable
from graphmt.rules import ExtractOptions, extract_rules, extract_settings
from graphmt.selection import Corpus, GmOptions, LrsmOptions, SelectionModel, TsmOptions, selection_models
from graphmt.selection.tsm import TSM
from graphmt.systems import System, system
from graphmt.systems.base import REORDERING_FEATURES, Blocks
from graphmt.tune import TuneOptions, tune


@dataclasses.dataclass(frozen=True)
class SidesOptions(Options):
    """The languages of a corpus and what is done to its words first."""

    source_language: str = option("de", "Source language: its rules for splitting words.", unit="code")
    target_language: str = option("en", "Target language: its rules for splitting and joining words.", unit="code")
    case: str = option(
        "lower",
        "Case of words on both sides. lower: fewest distinct words, capitals come back at sentence starts only; true: "
        "sentence starts as elsewhere; none: as they are.",
        choices=CASES,
    )
    tokenise: bool = option(
        False,
        "Split words and punctuation, and join them on output; off for text that has its tokens already.",
    )

    def steps(self, side: str) -> TextSteps:
        """The declared steps of one side."""
        language = self.source_language if side == SOURCE_STEPS else self.target_language
        return TextSteps(TextOptions(language=language, case=self.case, tokenise=self.tokenise))


@dataclasses.dataclass(frozen=True)
class Stages:
    """The options of every stage of training."""

    sides: SidesOptions = dataclasses.field(default_factory=SidesOptions)
    align: AlignOptions = dataclasses.field(default_factory=AlignOptions)
    lm: LmOptions = dataclasses.field(default_factory=LmOptions)
    extract: ExtractOptions = dataclasses.field(default_factory=ExtractOptions)
    reorder: ReorderOptions = dataclasses.field(default_factory=ReorderOptions)
    search: SearchOptions = dataclasses.field(default_factory=SearchOptions)
    gm: GmOptions = dataclasses.field(default_factory=GmOptions)
    lrsm: LrsmOptions = dataclasses.field(default_factory=LrsmOptions)
    tsm: TsmOptions = dataclasses.field(default_factory=TsmOptions)
    tune: TuneOptions = dataclasses.field(default_factory=TuneOptions)

    def as_dict(self) -> dict[str, dict[str, Any]]:
        """The options by stage, as a manifest keeps them."""
        return {field.name: getattr(self, field.name).as_dict() for field in dataclasses.fields(self)}

    def on_threads(self, threads: int) -> Stages:
        """The same with so many threads for every stage that does not say how many."""
        stages = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        open_ = {name: one for name, one in stages.items() if getattr(one, "threads", None) == 0}
        return dataclasses.replace(self, **{name: one.replace(threads=threads) for name, one in open_.items()})


def train(
    name: str,
    *,
    source: AnyPath | Sequence[AnyPath],
    target: AnyPath | Sequence[AnyPath],
    out: AnyPath,
    alignment: AnyPath | None = None,
    language_model: AnyPath | None = None,
    rules_of: AnyPath | None = None,
    weights: dict[str, float] | None = None,
    dev: tuple[AnyPath, AnyPath] | None = None,
    selection: Sequence[str] = (),
    stages: Stages | None = None,
) -> Model:
    """Train a system on a parallel corpus and write its model folder, whole or not at all.

    ``source`` is text with one sentence a line, or CoNLL-U, which systems with dependency links need; ``target`` is
    text. Each may be several files, which go together one by one; a document ends where its file does.
    ``alignment`` (``i-j``) and ``language_model`` (this package's binary) save the steps that would make them;
    ``rules_of`` is a model of the same system, trained in the same way, whose rule table is taken.
    ``selection`` names models of lexical selection to add (``gm``, ``lrsm``, ``tsm``).
    With ``dev``, a source and a target side, the weights are then tuned on it. The work is kept in ``OUT.training``
    until the model is whole, so a run that was stopped goes on where it was; a model whose tuning was stopped is
    whole and untuned, and :func:`graphmt.tune.tune` goes on with it.
    """
    chosen = system(name)
    selected = selection_models(selection)
    stages = _with_documents(stages or Stages(), selected)
    sources, targets = _files(source), _files(target)
    who = [*([chosen.name] if chosen.needs_trees else []), *(model.name for model in selected if model.needs_trees)]
    if who:
        for side in (*sources, dev[0]) if dev else sources:
            require_trees(side, who[0])
    # What is missing is found before anything is made.
    for model in selected:
        model.require(getattr(stages, model.name))
    require_inputs(*sources, *targets)
    work = Path(f"{Path(out)}.training")
    work.mkdir(parents=True, exist_ok=True)
    source, target, begins = _joined(sources, targets, work)
    data = {"source": digest(source), "target": digest(target)}
    versions = {package: importlib.metadata.version(package) for package in ("numpy", "sil-thot", "sacremoses")}
    run = _Run(chosen, stages, Path(source), Path(target), work, data, begins)
    with resumable(f"run the same command again to go on: finished steps are kept in {work}."):
        run.texts()
        report = {
            "align": run.alignment(alignment),
            "lm": run.language_model(language_model),
            "rules": run.rules(rules_of),
            **{model.name: run.select(model) for model in selected},
        }
        if isinstance(chosen.grammar, Blocks):
            report["reorder"] = run.reordering()
    manifest = Manifest(
        system=chosen.name,
        options=stages.as_dict(),
        data=data,
        versions={"graphmt": graphmt.__version__, **versions},
        report=report,
        selection=tuple(model.name for model in selected),
    )
    start = dict(chosen.features)
    if stages.extract.reordering:
        start.update(REORDERING_FEATURES)
    for model in selected:
        start.update(model.features)
    if unknown := [feature for feature in weights or {} if feature not in start]:
        raise InputError(f"{chosen.name} has no feature {unknown[0]!r}.")
    with writing_folder(out, MANIFEST) as folder:
        shutil.move(work / RULES, folder / RULES)
        if isinstance(chosen.grammar, Blocks):
            shutil.move(work / REORDERING, folder / REORDERING)
        for file in (file for model in selected for file in model.files_in(work)):
            shutil.move(work / file, folder / file)
        shutil.copyfile(Path(language_model) if language_model else work / LM, folder / LM)
        for side, steps in ((SOURCE_STEPS, run.source_steps), (TARGET_STEPS, run.target_steps)):
            (folder / side).mkdir()
            steps.save(folder / side)
        save_weights({**start, **(weights or {})}, folder / WEIGHTS)
        manifest.save(folder)
    shutil.rmtree(work)
    if dev is not None:
        note("Tuning.")
        go_on = f"graphmt tune {out} --source {dev[0]} --target {dev[1]}"
        with resumable(f"{out} is trained but not tuned. To go on with tuning: {go_on}, with the same options."):
            tune(out, *dev, stages.tune)
    return Model(out)


def _files(side: AnyPath | Sequence[AnyPath]) -> list[AnyPath]:
    return [side] if isinstance(side, str | os.PathLike) else list(side)


def _joined(
    sources: Sequence[AnyPath], targets: Sequence[AnyPath], work: Path
) -> tuple[AnyPath, AnyPath, tuple[int, ...]]:
    """The two sides as one file each, and the first sentences of the files where there are several."""
    if len(sources) == len(targets) == 1:
        return sources[0], targets[0], ()
    made = work / "files.source", work / "files.target"
    return *made, join_pairs(sources, targets, made)


def _with_documents(stages: Stages, selected: Sequence[SelectionModel]) -> Stages:
    """Translation cuts documents as training does, unless it is told otherwise."""
    if TSM not in selected or stages.search.document_length != SearchOptions().document_length:
        return stages
    length = stages.tsm.document_length
    return dataclasses.replace(stages, search=stages.search.replace(document_length=length))


#: What rules depend on, and what is said where it differs.
_OF_RULES = {
    "system": "for another system",
    "data": "from another corpus",
    "sides": "from words that were prepared in another way",
    "alignment": "with another word alignment",
    "extract": "with other options",
}


def _without_limits(options: Any) -> Any:
    """Options without those that change no result."""
    if not isinstance(options, dict):
        return options
    return {name: value for name, value in options.items() if name not in ("threads", "memory")}


class _Run:
    """One training run: its files and its steps."""

    def __init__(
        self,
        chosen: System,
        stages: Stages,
        source: Path,
        target: Path,
        work: Path,
        data: dict[str, str],
        begins: tuple[int, ...],
    ) -> None:
        self.system, self.stages, self.source, self.target, self.work = chosen, stages, source, target, work
        self.data, self.begins = data, begins
        self.steps = Steps(work)
        self.source_text, self.target_text = work / "source.txt", work / "target.txt"
        self.links = work / "alignment.gz"
        self.source_steps, self.target_steps = (stages.sides.steps(side) for side in (SOURCE_STEPS, TARGET_STEPS))

    def texts(self) -> None:
        """Both sides as the models see them."""
        for side, path, out in (
            (SOURCE_STEPS, self.source, self.source_text),
            (TARGET_STEPS, self.target, self.target_text),
        ):
            folder = self.work / side
            folder.mkdir(exist_ok=True)

            def work(side: str = side, path: Path = path, out: Path = out) -> dict[str, Any]:
                process_file(path, out, self.stages.sides.steps(side)).save(self.work / side)
                return {}

            request = {"sides": self.stages.sides.as_dict(), "data": self.data[side]}
            self.steps.run(f"text-{side}", request, [out, folder / STEPS], work)
        self.source_steps = TextSteps.load(self.work / SOURCE_STEPS)
        self.target_steps = TextSteps.load(self.work / TARGET_STEPS)

    def alignment(self, given: AnyPath | None) -> dict[str, Any]:
        """Word alignment, given or made."""
        if given is not None:
            self.links = Path(given)
            return {"given": digest(given)}
        note("Aligning words.")
        outputs = Outputs(self.links)
        options = self.stages.align
        request = {"align": options.as_dict(), "data": self.data, "sides": self.stages.sides.as_dict()}
        made = self.steps.run(
            "align",
            request,
            outputs.files(),
            lambda: align_files(self.source_text, self.target_text, outputs, options, force=True) or {},
        )
        return {**made, "made": digest(self.links)}

    def language_model(self, given: AnyPath | None) -> dict[str, Any]:
        """The target language model, given or made of the target side."""
        if given is not None:
            return {"given": digest(given)}
        note("Training the language model.")
        out = self.work / LM
        request = {
            "lm": self.stages.lm.as_dict(),
            "data": self.data["target"],
            "sides": self.stages.sides.as_dict(),
        }

        def work() -> dict[str, Any]:
            lm.train([self.target_text], out, self.stages.lm)
            return {"ngrams": list(lm.load(out).ngrams)}

        return self.steps.run("lm", request, [out], work)

    def rules(self, other: AnyPath | None) -> dict[str, Any]:
        """The rule table, extracted or that of another model."""
        note("Extracting rules." if other is None else f"Taking the rules of {other}.")
        out = self.work / RULES
        options = self.stages.extract
        request = {
            "system": self.system.name,
            "extract": options.as_dict(),
            "data": self.data,
            "sides": self.stages.sides.as_dict(),
            "alignment": digest(self.links),
        }
        if other is not None:
            return self.steps.run("rules", request, [out], lambda: self._rules_of(Path(other), request, out))
        trees = self.source if self.system.needs_trees and is_conllu(self.source) else None

        def work() -> dict[str, Any]:
            made = extract_rules(
                self.system, self.source_text, self.target_text, self.links, out, trees=trees, options=options
            )
            return made.as_dict()

        return self.steps.run("rules", request, [out], work)

    def _rules_of(self, other: Path, request: dict[str, Any], out: Path) -> dict[str, Any]:
        theirs = Manifest.load(other)
        aligned = theirs.report["align"]
        has = {
            "system": theirs.system,
            # Options that it does not name yet are as they always were.
            "extract": {**ExtractOptions().as_dict(), **theirs.options["extract"]},
            "data": theirs.data,
            "sides": theirs.options["sides"],
            "alignment": aligned.get("given", aligned.get("made")),
        }
        for name, what in _OF_RULES.items():
            if _without_limits(has[name]) != _without_limits(request[name]):
                hint = "Train both with the same, or leave it out: the rules are extracted then."
                raise InputError(f"its rules were extracted {what}.", file=other, hint=hint)
        link_or_copy(other / RULES, out)
        return dict(theirs.report["rules"])

    def reordering(self) -> dict[str, Any]:
        """The model of straight and inverted order (btg)."""
        note("Training the reordering model.")
        out = self.work / REORDERING
        options = self.stages.reorder
        request = {
            "reorder": options.as_dict(),
            "data": self.data,
            "sides": self.stages.sides.as_dict(),
            "alignment": digest(self.links),
        }

        def work() -> dict[str, Any]:
            made = train_reordering(self.source_text, self.target_text, self.links, out, options)
            return dataclasses.asdict(made)

        return self.steps.run("reorder", request, [out], work)

    def select(self, model: SelectionModel) -> dict[str, Any]:
        """A model of lexical selection."""
        note(f"Training {model.name}.")
        options = getattr(self.stages, model.name)
        request = {
            model.name: options.as_dict(),
            "system": self.system.name,
            "extract": self.stages.extract.as_dict(),
            "data": self.data,
            "sides": self.stages.sides.as_dict(),
            "alignment": digest(self.links),
            "begins": list(self.begins),
        }
        corpus = Corpus(
            self.source_text,
            self.target_text,
            self.links,
            self.source if is_conllu(self.source) else None,
            self.source_steps,
            self.target_steps,
            self.work / RULES,
            extract_settings(self.system, self.stages.extract),
            self.begins,
        )
        made = [self.work / file for file in model.files]
        return self.steps.run(model.name, request, made, lambda: model.train(corpus, self.work, options))
