"""Training: from a parallel corpus to a model folder."""

from __future__ import annotations

import contextlib
import dataclasses
import logging
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import graphmt
from graphmt import versions
from graphmt.bars import shown
from graphmt.corpus import is_conllu, require_trees
from graphmt.corpus.given import GivenPairs, is_data
from graphmt.corpus.header import Columns
from graphmt.corpus.joining import join_pairs
from graphmt.corpus.origin import Origin, named_by_origin
from graphmt.corpus.pair_files import Files, PairReading, both_sides, files_of
from graphmt.corpus.pairs import require_tables
from graphmt.corpus.parsers import open_parser, parsed_corpus, protects_parsed
from graphmt.corpus.parsers.parsed_side import ParsedFile
from graphmt.corpus.sides import require_parallel
from graphmt.errors import InputError
from graphmt.model import Manifest, Model, SearchOptions, save_weights
from graphmt.model.layout import SOURCE_STEPS, is_part
from graphmt.model.manifest import FILE as MANIFEST
from graphmt.model.weights import FILE as WEIGHTS
from graphmt.options import Options, nearest
from graphmt.selection import SelectionModel, selection_models
from graphmt.storage.checks import require_inputs
from graphmt.storage.files import AnyPath, digest, require_regular
from graphmt.storage.folders import remove_abandoned, require_folder, writing_folder
from graphmt.storage.known_files import identities
from graphmt.storage.locks import writer_lock
from graphmt.storage.resume import resumable
from graphmt.systems import System
from graphmt.systems import system as system_of
from graphmt.systems.base import option_features
from graphmt.training.applicable import require_applicable
from graphmt.training.engine import Engine
from graphmt.training.languages import with_languages
from graphmt.training.options import TrainOptions
from graphmt.training.record import TrainingRecord
from graphmt.training.steps import Inputs, Run
from graphmt.training.text_kinds import with_settled_sides
from graphmt.tune.step import TuneJob

log = logging.getLogger(__name__)

#: The name of data in messages.
CORPUS = "the corpus"


class DevFiles(NamedTuple):
    """The files of a development set."""

    source: AnyPath
    targets: list[AnyPath]
    #: Those of them that data was written to.
    data: frozenset[AnyPath]


def train(
    system: str,
    *,
    source: AnyPath | Sequence[AnyPath] | Iterable[Any],
    target: AnyPath | Sequence[AnyPath] | Iterable[Any] | None = None,
    out: AnyPath,
    columns: Columns | None = None,
    header: bool | None = None,
    alignment: AnyPath | None = None,
    language_model: AnyPath | None = None,
    rules_of: AnyPath | None = None,
    weights: dict[str, float] | None = None,
    dev: tuple[AnyPath | Iterable[Any], AnyPath | Iterable[Any]] | AnyPath | Iterable[Any] | None = None,
    selection: Sequence[str] = (),
    options: TrainOptions | Mapping[str, Mapping[str, Any] | Options] | None = None,
    overwrite: bool = False,
    engine: Engine | None = None,
    progress: bool = False,
) -> Model:
    """Train a system on a parallel corpus and write its model folder, whole or not at all.

    Intermediate results are kept in ``OUT.training`` until the model is finished and tuned, so that the same call
    resumes an interrupted run.

    Parameters
    ----------
    system
        The name of the system: one of :data:`graphmt.systems.SYSTEMS`.
    source
        Text with one sentence per line, or CoNLL-U; one file or several. Systems with dependency links need trees:
        CoNLL-U, or text and a parser (``options={"parse": {"parser": "udpipe:german.udpipe"}}``).
        A document ends with its file. Without ``target``: files of pairs, as in :func:`graphmt.corpus.read_pairs`,
        whose languages are ``options={"sides": {"source_language": …, "target_language": …}}``, by default those that
        the files state. Data as well: sentences (texts, trees, ``Doc`` of spaCy, ``TokenList`` of conllu) or, without
        ``target``, pairs of them, a DataFrame with two columns of text, or a data set of Hugging Face.
    target
        Text; as many files, paired in order; or data: texts. Raw text is recognised, tokenised and truecased; other
        text is used as tokens in lower case (``options={"sides": {"tokenise": …, "case": …}}``).
    out
        The model folder to write.
    columns
        Columns of source and target in tables of pairs, or in a DataFrame; by default those that their header names,
        or the only two.
    header
        Whether tables of pairs have a header; None detects it.
    alignment
        Links (``i-j``) to use instead of aligning the words.
    language_model
        A binary language model to use instead of training one.
    rules_of
        A model of the same system, trained with the same options, whose rule table is reused.
    weights
        Initial weights of some features.
    dev
        Source and target side of a development set, or a file of pairs, on which the weights are then tuned. Either
        may be data, as for ``source``; the target also several references, as a list of texts for each.
    selection
        Models of lexical selection to add: ``gm``, ``lrsm``, ``dwl``, ``order``, ``tsm``.
    options
        Options of the stages: a mapping with the sections of a TOML file, or :class:`TrainOptions`.
    overwrite
        Replace an existing model; other files in its folder are kept.
    engine
        What extracts rules and estimates the language model, such as :class:`graphmt.spark.SparkEngine`; by default
        this machine. The model does not depend on it.
    progress
        Show bars, in a notebook or on a terminal.

    Returns
    -------
    Model
        The trained model.

    Raises
    ------
    InputError
        If a file is missing or malformed, or the model exists.
    OptionError
        If a name is unknown (the message suggests the nearest one), or an option cannot act: no part of the model
        reads it, or what it makes is given.

    Examples
    --------
    >>> import graphmt
    >>> model = graphmt.train(
    ...     "pbmt",
    ...     source="corpus/train.de.conllu",
    ...     target="corpus/train.en",
    ...     alignment="aligned.gz",
    ...     out="new",
    ...     options={"lm": {"order": 3}, "extract": {"max_source": 4}},
    ... )
    >>> model.system.name
    'pbmt'
    """
    chosen = system_of(system)
    selected = selection_models(selection)
    stages = _with_search_defaults(TrainOptions.of(options), selected)
    corpus = _Corpus.of(source, target)
    require_tables([*corpus.of_pairs, *_files_of_pairs(dev)], columns, header, data=corpus.pairs is not None)
    stages, languages = with_languages(stages, corpus.pairs or corpus.sources, corpus.targets, columns)
    reading = PairReading(languages, columns, header)
    with (
        shown(progress),
        both_sides(corpus.pairs or source, target, reading) as sides,
        _dev_sides(dev, reading) as held_out,
    ):
        given = Inputs(
            sides.sources,
            sides.targets,
            alignment,
            language_model,
            rules_of,
            weights or {},
            selected,
            sides.origins,
            sides.data,
        )
        given = dataclasses.replace(given, engine=engine or given.engine)
        return _train(chosen, stages, given, held_out, out, overwrite)


class _Corpus(NamedTuple):
    """What a corpus was given as: the paths of its files, none where a side is data; or pairs that are data."""

    sources: list[AnyPath]
    targets: list[AnyPath] | None
    pairs: GivenPairs | None

    @classmethod
    def of(cls, source: Files, target: Files | None) -> _Corpus:
        if target is None and is_data(source):
            return cls([], None, GivenPairs(source, CORPUS))
        if target is not None and (is_data(source) or is_data(target)):
            return cls([], [], None)
        return cls(files_of(source), None if target is None else files_of(target), None)

    @property
    def of_pairs(self) -> list[AnyPath]:
        """The files of pairs."""
        return self.sources if self.targets is None else []


def _files_of_pairs(dev: Files | None) -> list[AnyPath]:
    return [] if dev is None or isinstance(dev, tuple) or is_data(dev) else files_of(dev)


@contextlib.contextmanager
def _dev_sides(dev: Files | None, reading: PairReading) -> Iterator[DevFiles | None]:
    """The development set as files."""
    if dev is None:
        yield None
        return
    if isinstance(dev, tuple) and len(dev) != 2:
        raise InputError(
            f"the development set is a tuple of {len(dev)}; (source, target) was expected.",
            hint="Give pairs as a list.",
        )
    source, target = dev if isinstance(dev, tuple) else (dev, None)
    plain = PairReading(reading.languages) if target is not None else reading
    with both_sides(source, target, plain, name="the development set", references=True) as sides:
        yield DevFiles(sides.one_source, sides.targets, sides.data)


def _train(
    chosen: System,
    stages: TrainOptions,
    given: Inputs,
    dev: DevFiles | None,
    out: AnyPath,
    overwrite: bool,
) -> Model:
    """Train on two sides; ``given`` may name some of the initial weights."""
    sources, targets, selected = given.sources, given.targets, given.selected
    require_applicable(
        chosen,
        selected,
        stages,
        alignment=given.alignment is not None,
        language_model=given.language_model is not None,
        tuned=dev is not None,
    )
    needing_trees = [
        *([chosen.name] if chosen.needs_trees else []),
        *(model.name for model in selected if model.needs_trees),
    ]
    if needing_trees and not stages.parse.parser:
        for side in (*sources, dev.source) if dev else sources:
            require_trees(side, needing_trees[0], is_data=side in (given.data | dev.data if dev else given.data))
    # Missing inputs are reported before any work is done.
    held_out = (dev.source, *dev.targets) if dev else ()
    for model in selected:
        model.require(getattr(stages, model.name))
    require_inputs(*sources, *targets, *held_out, given.alignment, given.language_model)
    # They are read more than once.
    require_regular(*sources, *targets, *held_out, given.alignment, given.language_model)
    for pair in zip(sources, targets, strict=False):
        require_parallel(pair)
    if stages.parse.parser:
        # A missing package or model is reported now.
        open_parser(stages.parse.parser)
    stages = with_settled_sides(stages, sources, targets)
    start = _first_weights(chosen, stages, selected)
    if unknown := [feature for feature in given.weights if feature not in start]:
        raise InputError(f"{chosen.name} has no feature {unknown[0]!r}{nearest(unknown[0], start)}.")
    # Output conflicts are reported before any work is done.
    require_folder(out, MANIFEST, overwrite=True)
    given = dataclasses.replace(given, weights={**start, **given.weights})
    # The parser that the user gave is trusted; a model only remembers it.
    parser = stages.parse.parser or None
    record = TrainingRecord(out)
    advice = f"run the same command again to resume; finished steps are kept in {record.folder}."
    with writer_lock(out), resumable(advice):
        asked = record.published()
        # A run that was interrupted while tuning has written the model already.
        if asked is None or asked != given.request(chosen, stages):
            require_folder(out, MANIFEST, overwrite=overwrite)
            _make(chosen, stages, given, record, overwrite)
        remove_abandoned(out)
        record.clear()
        if dev is not None:
            log.info("Tuning.")
            TuneJob(Model(out, parser=parser), dev.source, dev.targets, stages.tune).run(done=record.remove)
        record.remove()
    return Model(out, parser=parser)


def _make(chosen: System, stages: TrainOptions, given: Inputs, record: TrainingRecord, overwrite: bool) -> None:
    """Run all steps in the folder of the record and assemble the untuned model."""
    with record.working():
        work = record.folder
        parsed = _with_trees(given, stages, work)
        source, target, begins = _joined([file.trees for file in parsed], given.targets, work)
        data = {"source": digest(source), "target": digest(target)}
        run = Run(chosen, stages, Path(source), Path(target), work, data, begins, parsed, given.engine)
        origins = [
            Origin(Path(made), files, begins)
            for files, texts in ((given.sources, (run.source_text, source)), (given.targets, (run.target_text, target)))
            for made in texts
            if Path(made).parent == work or Path(made) != Path(files[0])
        ]
        with named_by_origin(*origins):
            report = run.make(given)
        manifest = Manifest(
            system=chosen.name,
            options=stages.as_dict(),
            data=data,
            versions={"graphmt": graphmt.__version__, **versions.installed("numpy", "sil-thot", "sacremoses")},
            report=report,
            selection=tuple(model.name for model in given.selected),
        )
        with writing_folder(record.model, MANIFEST, owned=is_part, overwrite=overwrite) as folder:
            run.fill(folder, given)
            # Weights may be edited or tuned, so the manifest does not know them.
            files = identities(folder)
            save_weights(given.weights, folder / WEIGHTS)
            dataclasses.replace(manifest, files=files).save(folder)
            record.publish(folder, given.request(chosen, stages))


def _first_weights(chosen: System, stages: TrainOptions, selected: Sequence[SelectionModel]) -> dict[str, float]:
    start = {**chosen.features, **option_features(chosen, stages.extract.as_dict())}
    for model in selected:
        start.update(model.features)
    return start


def _with_trees(given: Inputs, stages: TrainOptions, work: Path) -> list[ParsedFile]:
    """The source files, those without trees parsed if a parser is given."""
    if not stages.parse.parser:
        return [ParsedFile(path, None) for path in given.sources]
    text = stages.sides.steps(SOURCE_STEPS).options
    protects = protects_parsed(stages.parse, text)
    made = []
    for path in given.sources:
        if is_conllu(path):
            made.append(ParsedFile(path, None))
        else:
            # Data was written to a temporary file, beside which no cache would last.
            corpus = work / "data" if path in given.data else given.origins.get(os.fspath(path), path)
            trees = parsed_corpus(path, stages.parse, text=text, corpus=corpus, spare=work / "trees")
            made.append(ParsedFile(trees, path if protects else None))
    return made


def _joined(
    sources: Sequence[AnyPath], targets: Sequence[AnyPath], work: Path
) -> tuple[AnyPath, AnyPath, tuple[int, ...]]:
    """The two sides as one file each, and the first sentences of the files where there are several."""
    if len(sources) == len(targets) == 1:
        return sources[0], targets[0], ()
    made = work / "files.source", work / "files.target"
    return *made, join_pairs(sources, targets, made)


def _with_search_defaults(stages: TrainOptions, selected: Sequence[SelectionModel]) -> TrainOptions:
    """The search options that the selection models' training implies, where the caller left the defaults."""
    usual, implied = SearchOptions().as_dict(), {}
    for model in selected:
        defaults = model.search_defaults(getattr(stages, model.name))
        implied.update({name: value for name, value in defaults.items() if getattr(stages.search, name) == usual[name]})
    return dataclasses.replace(stages, search=stages.search.replace(**implied)) if implied else stages
