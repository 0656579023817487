"""Tuning a model on a development set."""

from __future__ import annotations

import dataclasses
import json
import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from graphmt.bars import shown
from graphmt.corpus import is_conllu, plain_lines, read_trees, require_trees
from graphmt.corpus.given import is_data
from graphmt.corpus.header import Columns
from graphmt.corpus.pair_files import PairReading, both_sides, files_of
from graphmt.corpus.pairs import require_tables
from graphmt.errors import InputError
from graphmt.model import Model, save_weights
from graphmt.model.layout import START
from graphmt.model.model import Sentence
from graphmt.model.weights import FILE as WEIGHTS
from graphmt.nbest.columns import NBest
from graphmt.storage.checks import require_outputs
from graphmt.storage.files import AnyPath, digest, identity, writing
from graphmt.storage.formats import MALFORMED
from graphmt.storage.locks import content_lock, writer_lock
from graphmt.storage.resume import resumable
from graphmt.tune.bleu import words
from graphmt.tune.loop import Iteration, TuneResult, optimise
from graphmt.tune.options import TuneOptions
from graphmt.tune.state import State


class TunedModel:
    """A model with a development set, as :func:`optimise` takes it.

    Parameters
    ----------
    model
        The model.
    sentences
        Source sentences of the development set.
    options
        Size of the lists, and whether case is ignored.

    Examples
    --------
    >>> import graphmt
    >>> from graphmt.tune import TunedModel, TuneOptions
    >>> tuned = TunedModel(graphmt.load("pbmt"), ["er schläft ."], TuneOptions(n_best=5))
    >>> tuned.decode(tuned.features)
    NBest(1 sentence, 5 hypotheses)
    """

    def __init__(self, model: Model, sentences: Sequence[Sentence], options: TuneOptions) -> None:
        pops = math.ceil(options.pop_share * model.search.pop_limit)
        self._model, self._options = model.with_pop_limit(max(1, pops)), options
        self._prepared = model.prepare(sentences)
        model.note_cuts(self._prepared)

    @property
    def features(self) -> Mapping[str, float]:
        """The model's features with their current weights."""
        return self._model.weights

    def decode(self, weights: Mapping[str, float]) -> NBest:
        """The n best of every sentence."""
        options = self._options
        found = self._model.reweighted(dict(weights)).n_best_columns(
            self._prepared, options.n_best, distinct=options.distinct, threads=options.threads
        )
        vocabulary = [word.lower() for word in found.words] if options.lowercase else found.words
        return NBest(found.hypotheses, found.tokens, found.numbers, vocabulary, found.values)


def tune_model(
    model: Model | AnyPath,
    source: AnyPath | Iterable[Any],
    target: AnyPath | Sequence[AnyPath] | Iterable[Any] | None = None,
    options: TuneOptions | Mapping[str, Any] | None = None,
    *,
    out: AnyPath | None = None,
    columns: Columns | None = None,
    header: bool | None = None,
    progress: bool = False,
) -> TuneResult:
    """Tune a model's weights on a development set.

    The state is kept in ``WEIGHTS.tuning`` until the run is finished, so that the same call resumes an interrupted
    run.

    Parameters
    ----------
    model
        The model, or its folder. An opened model whose folder gets the weights uses them from then on; copies that were
        made of it before keep theirs. With ``out`` it stays as it is; ``model.reweighted(result.weights)`` is the tuned
        one.
    source
        Source side of the development set, as the model translates it. Without ``target``: a file of pairs, as in
        :func:`graphmt.corpus.read_pairs`, in the languages of the model. Data as well, as for :func:`graphmt.train`.
    target
        Its reference, or several: files, a list of texts, or a list of texts for each reference.
    options
        The tuner and its settings.
    out
        The weights file to write. By default the weights go into the model's folder, where the old ones are kept as
        ``weights.start.toml``, together with a log of one line per iteration.
    columns
        Columns of source and target in a table of pairs; by default those that its header names, or the only two.
    header
        Whether a table of pairs has a header; None detects it.
    progress
        Show bars, in a notebook or on a terminal.

    Returns
    -------
    TuneResult
        The best weights, and the history.

    Raises
    ------
    InputError
        If the sides differ in length.

    Examples
    --------
    >>> import graphmt
    >>> options = graphmt.tune.TuneOptions(iterations=2, n_best=10)
    >>> result = graphmt.tune_model("pbmt", "corpus/dev.de.conllu", "corpus/dev.en", options, out="tuned.toml")
    >>> "lm" in result.weights
    True
    """
    options = TuneOptions.of(options).acting()
    languages = _languages(model) if target is None else None
    if target is None and not is_data(source):
        require_tables(files_of(source), columns, header)
    reading = PairReading(languages, columns, header)
    with (
        shown(progress),
        both_sides(source, target, reading, name="the development set", references=True) as sides,
    ):
        return TuneJob(model, sides.one_source, sides.targets, options, out, sides.data).run()


def _languages(model: Model | AnyPath) -> tuple[str, str]:
    opened = model if isinstance(model, Model) else Model(model)
    return opened.source_steps.options.language, opened.target_steps.options.language


@dataclasses.dataclass(frozen=True)
class TuneJob:
    """A model, a development set, and where the tuned weights go; see :func:`tune_model`."""

    model: Model | AnyPath
    source: AnyPath
    target: AnyPath | Sequence[AnyPath]
    options: TuneOptions
    out: AnyPath | None = None
    #: The files that data was written to.
    data: frozenset[AnyPath] = frozenset()

    def run(self, done: Callable[[], None] = lambda: None) -> TuneResult:
        """Tune; ``done`` is called once the weights are written, before the temporary state is removed."""
        require_outputs(self.out, inputs=(self.source, *self._targets))
        folder = self.model.folder if isinstance(self.model, Model) else Path(self.model)
        with writer_lock(self.out) if self.out is not None else content_lock(folder, WEIGHTS):
            return self._run(done)

    @property
    def _targets(self) -> list[AnyPath]:
        return [self.target] if isinstance(self.target, str | os.PathLike) else list(self.target)

    def _request(self, opened: Model) -> dict[str, Any]:
        """Everything that decides the result."""
        terms = opened.glossary.terms if opened.glossary else ()
        return {
            "tune": {name: value for name, value in self.options.as_dict().items() if name != "threads"},
            "search": opened.search.as_dict(),
            "weights": opened.weights,
            "data": {"source": digest(self.source), "targets": [digest(path) for path in self._targets]},
            "model": {name: identity(opened.folder / name) for name in opened.files},
            "texts": [steps.options.as_dict() for steps in (opened.source_steps, opened.target_steps)],
            "parser": opened.parser,
            **({"glossary": [[term.source, term.target, term.usage] for term in terms]} if terms else {}),
        }

    def _run(self, done: Callable[[], None]) -> TuneResult:
        opened = self.model if isinstance(self.model, Model) else Model(self.model)
        sentences = read_sentences(opened, self.source, is_data=self.source in self.data)
        references = read_references(opened, self._targets, sentences, self.source, self.options.lowercase)
        place = Path(self.out) if self.out is not None else opened.folder / WEIGHTS
        state = State(place.with_name(f"{place.name}.tuning"), self._request(opened))
        start = opened.weights
        if (kept := _finished(state, own=self.out is None)) is not None:
            start, result = kept
        else:
            with resumable(f"run the same command again to resume; finished iterations are kept in {state.folder}."):
                tuned = TunedModel(opened, sentences, self.options)
                result = optimise(tuned, references, self.options, state=state)
            state.keep_result(result)
        if self.out is None:
            save_weights(start, opened.folder / START)
        write_log(result, place.with_name(f"{place.stem}.tuning.jsonl"))
        save_weights(result.weights, place)
        if self.out is None:
            # They are those of the folder now.
            opened.take_weights(result.weights)
        done()
        state.remove()
        return result


def _finished(state: State, *, own: bool) -> tuple[dict[str, float], TuneResult] | None:
    """The initial weights and the result of a run that was interrupted before writing them."""
    kept = state.result(own=own)
    if kept is None:
        return None
    try:
        result = kept["result"]
        history = tuple(Iteration.from_record(one) for one in result["history"])
        start: dict[str, float] = kept["request"]["weights"]
        return start, TuneResult(result["weights"], result["bleu"], history, result["stopped"])
    except MALFORMED:
        # It is damaged: resume from the last iteration.
        return None


def write_log(result: TuneResult, path: AnyPath) -> None:
    """A line of JSON for each iteration."""
    with writing(path) as out:
        out.writelines(json.dumps(dataclasses.asdict(one)) + "\n" for one in result.history)


def read_sentences(model: Model, path: AnyPath, *, is_data: bool = False) -> list[Sentence]:
    """The sentences of a file as input for a model; rejected at once if it needs trees, and no parser is known."""
    if model.needs_trees and model.parser is None:
        require_trees(path, model.described, is_data=is_data)
    return list(read_trees(path)) if is_conllu(path) else list(plain_lines(path))


def read_references(
    model: Model, paths: Sequence[AnyPath], sentences: Sequence[Sentence], source: AnyPath, lowercase: bool
) -> list[list[list[str]]]:
    """The references, prepared as the model's output; for each sentence, one from each file."""
    columns = []
    for path in paths:
        lines = list(plain_lines(path))
        if len(lines) != len(sentences):
            raise InputError(
                f"{len(lines)} lines, but {source} has {len(sentences)} sentences.",
                file=path,
                hint="A development set has one line for each source sentence.",
            )
        columns.append([words(line, lowercase) for line in model.prepare_references(sentences, lines)])
    return [list(one) for one in zip(*columns, strict=True)]
