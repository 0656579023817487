"""Training: from a parallel corpus to a model folder."""

from __future__ import annotations

import dataclasses
import importlib.metadata
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import graphmt
from graphmt import lm
from graphmt.align import AlignOptions
from graphmt.align.step import Outputs, align_files
from graphmt.corpus import TextOptions, TextSteps, is_conllu, require_trees
from graphmt.corpus.joining import join_pairs
from graphmt.corpus.origin import Origin, named_by_origin
from graphmt.corpus.steps import CASES, process_file
from graphmt.corpus.steps import FILE as STEPS
from graphmt.errors import InputError
from graphmt.lm import LmOptions
from graphmt.model import Manifest, Model, SearchOptions, save_weights
from graphmt.model.layout import LM, REORDERING, RULES, SOURCE_STEPS, TARGET_STEPS, is_part
from graphmt.model.manifest import FILE as MANIFEST
from graphmt.model.manifest import file_digests
from graphmt.model.weights import FILE as WEIGHTS
from graphmt.options import Options, option
from graphmt.progress import note
from graphmt.reorder import ReorderOptions, train_reordering
from graphmt.rules import ExtractOptions, extract_rules, extract_settings
from graphmt.selection import Corpus, GmOptions, LrsmOptions, SelectionModel, TsmOptions, selection_models
from graphmt.selection.tsm import TSM
from graphmt.storage.files import AnyPath, copy_file, digest, link_or_copy, make_folder, require_inputs
from graphmt.storage.folders import remove_abandoned, require_folder, writing_folder
from graphmt.storage.formats import MALFORMED
from graphmt.storage.locks import writer_lock
from graphmt.storage.resume import Steps, resumable
from graphmt.systems import System, system
from graphmt.systems.base import REORDERING_FEATURES, Blocks
from graphmt.training_record import TrainingRecord
from graphmt.tune import TuneOptions
from graphmt.tune.step import tune_before


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
    overwrite: bool = False,
) -> Model:
    """Train a system on a parallel corpus and write its model folder, whole or not at all.

    ``source`` is text with one sentence a line, or CoNLL-U, which systems with dependency links need; ``target`` is
    text. Each may be several files, which go together one by one; a document ends where its file does.
    ``alignment`` (``i-j``) and ``language_model`` (this package's binary) save the steps that would make them;
    ``rules_of`` is a model of the same system, trained in the same way, whose rule table is taken.
    ``selection`` names models of lexical selection to add (``gm``, ``lrsm``, ``tsm``).
    With ``dev``, a source and a target side, the weights are then tuned on it.
    A model that is there already is replaced only with ``overwrite``; files in its folder that are not the model's
    stay. The work is kept in ``OUT.training`` until the model is whole and tuned: the same call after a stop goes on
    where the run was.
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
    require_inputs(*sources, *targets, *(dev or ()), alignment, language_model)
    start = _first_weights(chosen, stages, selected)
    if unknown := [feature for feature in weights or {} if feature not in start]:
        raise InputError(f"{chosen.name} has no feature {unknown[0]!r}.")
    # What is in the way is refused before there is work to lose.
    require_folder(out, MANIFEST, overwrite=True)
    given = _Given(sources, targets, alignment, language_model, rules_of, {**start, **(weights or {})}, selected)
    record = TrainingRecord(out)
    advice = f"run the same command again to go on: finished steps are kept in {record.folder}."
    with writer_lock(out), resumable(advice):
        asked = record.published()
        # A run that was stopped while it tuned has made the model already.
        if asked is None or asked != given.request(chosen, stages):
            require_folder(out, MANIFEST, overwrite=overwrite)
            _make(chosen, stages, given, record, overwrite)
        remove_abandoned(out)
        record.clear()
        if dev is not None:
            note("Tuning.")
            tune_before(record.remove, out, *dev, stages.tune)
        record.remove()
    return Model(out)


@dataclasses.dataclass(frozen=True)
class _Given:
    """What a run is made from, beside system and options."""

    sources: list[AnyPath]
    targets: list[AnyPath]
    alignment: AnyPath | None
    language_model: AnyPath | None
    rules_of: AnyPath | None
    weights: dict[str, float]
    selected: tuple[SelectionModel, ...]

    def request(self, chosen: System, stages: Stages) -> dict[str, Any]:
        """All that decides the model before it is tuned, as a record keeps it."""
        rules = None if self.rules_of is None else Path(self.rules_of) / RULES
        files = {"alignment": self.alignment, "lm": self.language_model, "rules": rules}
        asked = {
            "system": chosen.name,
            "selection": [model.name for model in self.selected],
            "stages": {name: _without_limits(one) for name, one in stages.as_dict().items() if name != "tune"},
            "weights": self.weights,
            "source": [digest(path) for path in self.sources],
            "target": [digest(path) for path in self.targets],
            **{role: None if path is None else digest(path) for role, path in files.items()},
        }
        plain: dict[str, Any] = json.loads(json.dumps(asked))
        return plain


def _make(chosen: System, stages: Stages, given: _Given, record: TrainingRecord, overwrite: bool) -> None:
    """Do all steps in the folder of the record and put the model together, untuned."""
    with record.working():
        work = record.folder
        source, target, begins = _joined(given.sources, given.targets, work)
        data = {"source": digest(source), "target": digest(target)}
        run = _Run(chosen, stages, Path(source), Path(target), work, data, begins)
        origins = [
            Origin(Path(made), files, begins)
            for files, texts in ((given.sources, (run.source_text, source)), (given.targets, (run.target_text, target)))
            for made in texts
            if Path(made).parent == work
        ]
        with named_by_origin(*origins):
            report = run.make(given)
        versions = {package: importlib.metadata.version(package) for package in ("numpy", "sil-thot", "sacremoses")}
        manifest = Manifest(
            system=chosen.name,
            options=stages.as_dict(),
            data=data,
            versions={"graphmt": graphmt.__version__, **versions},
            report=report,
            selection=tuple(model.name for model in given.selected),
        )
        with writing_folder(record.model, MANIFEST, owned=is_part, overwrite=overwrite) as folder:
            run.fill(folder, given)
            # Weights are for people to change, and so have no digest.
            digests = file_digests(folder)
            save_weights(given.weights, folder / WEIGHTS)
            dataclasses.replace(manifest, files=digests).save(folder)
            record.publish(folder, given.request(chosen, stages))


def _first_weights(chosen: System, stages: Stages, selected: Sequence[SelectionModel]) -> dict[str, float]:
    start = dict(chosen.features)
    if stages.extract.reordering:
        start.update(REORDERING_FEATURES)
    for model in selected:
        start.update(model.features)
    return start


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

    def make(self, given: _Given) -> dict[str, Any]:
        """Do all steps; returns what they reported."""
        self.texts()
        report = {
            "align": self.alignment(given.alignment),
            "lm": self.language_model(given.language_model),
            "rules": self.rules(given.rules_of),
            **{model.name: self.select(model) for model in given.selected},
        }
        if isinstance(self.system.grammar, Blocks):
            report["reorder"] = self.reordering()
        return report

    def fill(self, folder: Path, given: _Given) -> None:
        """Put tables and text steps into the model's folder; they stay here as well, should that fail."""
        tables = [RULES, *(file for model in given.selected for file in model.files_in(self.work))]
        if isinstance(self.system.grammar, Blocks):
            tables.append(REORDERING)
        for file in tables:
            link_or_copy(self.work / file, folder / file)
        if given.language_model is None:
            link_or_copy(self.work / LM, folder / LM)
        else:
            copy_file(given.language_model, folder / LM)
        for side, steps in ((SOURCE_STEPS, self.source_steps), (TARGET_STEPS, self.target_steps)):
            make_folder(folder / side)
            steps.save(folder / side)

    def texts(self) -> None:
        """Both sides as the models see them."""
        for side, path, out in (
            (SOURCE_STEPS, self.source, self.source_text),
            (TARGET_STEPS, self.target, self.target_text),
        ):
            folder = self.work / side
            make_folder(folder)

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
        try:
            aligned, report = theirs.report["align"], dict(theirs.report["rules"])
            has = {
                "system": theirs.system,
                # Options that it does not name yet are as they always were.
                "extract": {**ExtractOptions().as_dict(), **theirs.options["extract"]},
                "data": theirs.data,
                "sides": theirs.options["sides"],
                "alignment": aligned.get("given", aligned.get("made")),
            }
        except MALFORMED:
            raise InputError("its manifest does not say how its rules were extracted.", file=other) from None
        for name, what in _OF_RULES.items():
            if _without_limits(has[name]) != _without_limits(request[name]):
                hint = "Train both with the same, or leave it out: the rules are extracted then."
                raise InputError(f"its rules were extracted {what}.", file=other, hint=hint)
        link_or_copy(other / RULES, out)
        return report

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
