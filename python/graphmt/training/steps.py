"""The steps of a training run: each is done once and leaves a record, so that an interrupted run resumes."""

from __future__ import annotations

import dataclasses
import json
import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from graphmt import lm
from graphmt.align.step import Outputs
from graphmt.corpus import TextSteps, is_conllu
from graphmt.corpus.pair_steps import process_pair
from graphmt.corpus.parsers import split_name
from graphmt.corpus.parsers.parsed_side import ParsedFile, ParsedSide, texts_of
from graphmt.corpus.steps import FILE as STEPS
from graphmt.corpus.steps import process_file
from graphmt.errors import InputError
from graphmt.model import Manifest
from graphmt.model.layout import LM, PARSER, REORDERING, RULES, SOURCE_STEPS, TARGET_STEPS, rule_files
from graphmt.options import Options, about
from graphmt.reorder import train_reordering
from graphmt.rules import ExtractOptions, extract_settings
from graphmt.selection import Corpus, SelectionModel
from graphmt.storage.files import AnyPath, copy_file, digest, identity, link_or_copy, make_folder
from graphmt.storage.formats import MALFORMED
from graphmt.storage.resume import Steps
from graphmt.systems import System
from graphmt.training.engine import Engine, LocalEngine
from graphmt.training.options import SidesOptions, TrainOptions

log = logging.getLogger(__name__)


@dataclasses.dataclass(frozen=True)
class Inputs:
    """The inputs of a run, in addition to system and options."""

    sources: list[AnyPath]
    targets: list[AnyPath]
    alignment: AnyPath | None
    language_model: AnyPath | None
    rules_of: AnyPath | None
    weights: Mapping[str, float]
    selected: tuple[SelectionModel, ...]
    #: The files of pairs that sources and targets were read from.
    origins: Mapping[str, AnyPath] = dataclasses.field(default_factory=dict)
    #: The files that data of the caller was written to.
    data: frozenset[AnyPath] = frozenset()
    #: What runs the large stages; the model does not depend on it.
    engine: Engine = dataclasses.field(default_factory=LocalEngine)

    def request(self, chosen: System, stages: TrainOptions) -> dict[str, Any]:
        """Everything that determines the untuned model, as stored in a record."""
        others = [] if self.rules_of is None else [Path(self.rules_of) / name for name in rule_files(self.rules_of)]
        files = {"alignment": self.alignment, "lm": self.language_model, "parser": parser_file(stages)}
        asked = {
            "system": chosen.name,
            "selection": [model.name for model in self.selected],
            "stages": {
                field.name: identified(getattr(stages, field.name))
                for field in dataclasses.fields(stages)
                if field.name != "tune"
            },
            "weights": dict(self.weights),
            "source": [digest(path) for path in self.sources],
            "target": [digest(path) for path in self.targets],
            "rules": [identity(path) for path in others],
            **{role: None if path is None else identity(path) for role, path in files.items()},
        }
        plain: dict[str, Any] = json.loads(json.dumps(asked))
        return plain


#: What rules depend on, and the message where it differs.
_OF_RULES = {
    "system": "for another system",
    "data": "from another corpus",
    "sides": "from text prepared differently",
    "alignment": "with another word alignment",
    "extract": "with other options",
}


def parser_file(stages: TrainOptions) -> Path | None:
    """The file of the parser, which becomes a part of the model; None for parsers that are remembered by name."""
    kind, model = split_name(stages.parse.parser) if stages.parse.parser else ("", "")
    return Path(model) if kind == "udpipe" else None


def identified(options: Options) -> dict[str, Any]:
    """Whatever of a stage's options determines its results: of files their content, not their names."""
    values = _without_limits(options.as_dict())
    for field in dataclasses.fields(options):
        if about(field).unit == "file":
            given = values[field.name]
            paths = [given] if isinstance(given, str) else given
            values[field.name] = [digest(path) for path in paths if path]
    return dict(values)


def _without_limits(options: Any) -> Any:
    """Options without those that do not affect results."""
    if not isinstance(options, dict):
        return options
    return {name: value for name, value in options.items() if name not in ("threads", "max_memory")}


def _compared(name: str, options: Any) -> Any:
    """Options in a form in which equal ones compare equal."""
    if name != "sides":
        return _without_limits(options)
    sides = SidesOptions.from_mapping(options)
    return [sides.steps(side).for_tokens().options for side in (SOURCE_STEPS, TARGET_STEPS)], sides.tokenise


class Run:
    """One training run: its files and its steps."""

    def __init__(
        self,
        chosen: System,
        stages: TrainOptions,
        source: Path,
        target: Path,
        work: Path,
        data: dict[str, str],
        begins: tuple[int, ...],
        parsed: Sequence[ParsedFile] = (),
        engine: Engine | None = None,
    ) -> None:
        self.engine = LocalEngine() if engine is None else engine
        self.system, self.stages, self.source, self.target, self.work = chosen, stages, source, target, work
        self.data, self.begins, self.parsed = data, begins, parsed
        self.steps = Steps(work)
        self.source_text, self.target_text = work / "source.txt", work / "target.txt"
        self.links = work / "alignment.gz"
        self.source_steps, self.target_steps = (stages.sides.steps(side) for side in (SOURCE_STEPS, TARGET_STEPS))

    def make(self, given: Inputs) -> dict[str, Any]:
        """Run all steps and return their reports."""
        self.texts()
        report = {
            "align": self.alignment(given.alignment),
            "lm": self.language_model(given.language_model),
            "rules": self.rules(given.rules_of),
            **{model.name: self.select(model) for model in given.selected},
        }
        if self.system.grammar.has_reordering_model:
            report["reorder"] = self.reordering()
        return report

    def fill(self, folder: Path, given: Inputs) -> None:
        """Link or copy tables and text steps into the model's folder."""
        tables = [*rule_files(self.work), *(file for model in given.selected for file in model.files_in(self.work))]
        if self.system.grammar.has_reordering_model:
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
        if (parser := parser_file(self.stages)) is not None:
            copy_file(parser, folder / PARSER)

    def texts(self) -> None:
        """Both sides as the models see them."""
        for side in (SOURCE_STEPS, TARGET_STEPS):
            make_folder(self.work / side)
        if any(self.stages.sides.steps(side).protects for side in (SOURCE_STEPS, TARGET_STEPS)):
            self._texts_together()
        else:
            self._texts_apart()
        self.source_steps = TextSteps.load(self.work / SOURCE_STEPS)
        self.target_steps = TextSteps.load(self.work / TARGET_STEPS)
        # Whatever the texts were made from: later steps depend on what became of it.
        self.prepared = {"source": digest(self.source_text), "target": digest(self.target_text)}

    def _texts_apart(self) -> None:
        self.steps.forget("text")
        for side, path, out in (
            (SOURCE_STEPS, self.source, self.source_text),
            (TARGET_STEPS, self.target, self.target_text),
        ):

            def work(side: str = side, path: Path = path, out: Path = out) -> dict[str, Any]:
                declared = self.stages.sides.steps(side)
                process_file(path, out, declared, target=side == TARGET_STEPS).save(self.work / side)
                return {}

            request = {"sides": self.stages.sides.as_dict(), "data": self.data[side]}
            self.steps.run(f"text-{side}", request, [out, self.work / side / STEPS], work)

    def _texts_together(self) -> None:
        """Protected items are compared between the sides of each pair."""
        self.steps.forget("text-source", "text-target")
        sides = (SOURCE_STEPS, TARGET_STEPS)
        texts = texts_of(self.parsed)

        def work() -> dict[str, Any]:
            declared = (self.stages.sides.steps(sides[0]), self.stages.sides.steps(sides[1]))
            source = ParsedSide(self.parsed, declared[0]) if texts else None
            fitted = process_pair((self.source, self.target), (self.source_text, self.target_text), declared, source)
            for side, steps in zip(sides, fitted, strict=True):
                steps.save(self.work / side)
            return {}

        request: dict[str, Any] = {"sides": self.stages.sides.as_dict(), "data": self.data}
        if texts:
            request["texts"] = [digest(path) for path in texts]
        outputs = [self.source_text, self.target_text, *(self.work / side / STEPS for side in sides)]
        self.steps.run("text", request, outputs, work)

    def alignment(self, given: AnyPath | None) -> dict[str, Any]:
        """Word alignment, given or computed."""
        if given is not None:
            self.links = Path(given)
            return {"given": digest(given)}
        log.info("Aligning words.")
        outputs = Outputs(self.links)
        options = self.stages.align
        request = {"align": identified(options), "texts": self.prepared}
        made = self.steps.run(
            "align",
            request,
            outputs.files(),
            lambda: self.engine.align(
                self.source_text, self.target_text, outputs, options, work=self.work / "engine-align"
            ),
        )
        return {**made, "made": digest(self.links)}

    def language_model(self, given: AnyPath | None) -> dict[str, Any]:
        """The target language model, given or trained on the target side."""
        if given is not None:
            return {"given": digest(given)}
        log.info("Training the language model.")
        out = self.work / LM
        request = {"lm": identified(self.stages.lm), "text": self.prepared["target"]}

        def work() -> dict[str, Any]:
            self.engine.train_lm(self.target_text, out, self.stages.lm, work=self.work / "engine-lm")
            return {"ngrams": list(lm.load(out).ngrams)}

        return self.steps.run("lm", request, [out], work)

    def rules(self, other: AnyPath | None) -> dict[str, Any]:
        """The rule table, extracted or that of another model."""
        log.info("Extracting rules." if other is None else f"Reusing the rules of {other}.")
        out = self.work / RULES
        options = self.stages.extract
        trees = self.source if self.system.needs_trees and is_conllu(self.source) else None
        request = {
            "system": self.system.name,
            "extract": identified(options),
            "texts": self.prepared,
            "trees": None if trees is None else self.data["source"],
            "alignment": digest(self.links),
        }
        if other is not None:
            return self.steps.run("rules", request, [out], lambda: self._rules_of(Path(other), out))

        def work() -> dict[str, Any]:
            made = self.engine.extract_rules(
                self.system,
                self.source_text,
                self.target_text,
                self.links,
                out,
                trees=trees,
                options=options,
                work=self.work / "engine-rules",
            )
            return made.as_dict()

        return self.steps.run("rules", request, [out], work)

    def _rules_of(self, other: Path, out: Path) -> dict[str, Any]:
        theirs = Manifest.load(other)
        wanted = {
            "system": self.system.name,
            "extract": self.stages.extract.as_dict(),
            "data": self.data,
            "sides": self.stages.sides.as_dict(),
            "alignment": digest(self.links),
        }
        try:
            aligned, report = theirs.report["align"], dict(theirs.report["rules"])
            has = {
                "system": theirs.system,
                # Options that are missing from an older manifest have their defaults.
                "extract": {**ExtractOptions().as_dict(), **theirs.options["extract"]},
                "data": theirs.data,
                "sides": {"protect": "none", "protect_patterns": (), **theirs.options["sides"]},
                "alignment": aligned.get("given", aligned.get("made")),
            }
        except MALFORMED:
            raise InputError("its manifest does not say how its rules were extracted.", file=other) from None
        for name, what in _OF_RULES.items():
            if _compared(name, has[name]) != _compared(name, wanted[name]):
                hint = "Train both with the same inputs and options, or extract the rules again."
                raise InputError(f"its rules were extracted {what}.", file=other, hint=hint)
        files = rule_files(other)
        if any(file in theirs.replaced for file in files):
            hint = "Name a model with its own rules, or extract them again."
            raise InputError(
                "its rules are not those that were extracted: they were replaced since.", file=other, hint=hint
            )
        theirs.check(other, files)
        for file in files:
            link_or_copy(other / file, out.with_name(file))
        return report

    def reordering(self) -> dict[str, Any]:
        """The model of straight and inverted order (btg)."""
        log.info("Training the reordering model.")
        out = self.work / REORDERING
        options = self.stages.reorder
        request = {"reorder": identified(options), "texts": self.prepared, "alignment": digest(self.links)}

        def work() -> dict[str, Any]:
            made = train_reordering(self.source_text, self.target_text, self.links, out, options)
            return dataclasses.asdict(made)

        return self.steps.run("reorder", request, [out], work)

    def select(self, model: SelectionModel) -> dict[str, Any]:
        """A model of lexical selection."""
        log.info(f"Training {model.name}.")
        options = getattr(self.stages, model.name)
        trees = self.source if is_conllu(self.source) else None
        request = {
            model.name: identified(options),
            "system": self.system.name,
            "extract": identified(self.stages.extract),
            "rules": [identity(self.work / name) for name in rule_files(self.work)],
            "texts": self.prepared,
            "trees": None if trees is None else self.data["source"],
            # Lemmas depend on the languages.
            "sides": self.stages.sides.as_dict(),
            "alignment": digest(self.links),
            "begins": list(self.begins),
        }
        corpus = Corpus(
            self.source_text,
            self.target_text,
            self.links,
            trees,
            self.source_steps,
            self.target_steps,
            self.work / RULES,
            extract_settings(self.system, self.stages.extract),
            self.begins,
        )
        made = [self.work / file for file in model.files]
        return self.steps.run(model.name, request, made, lambda: model.train(corpus, self.work, options))
