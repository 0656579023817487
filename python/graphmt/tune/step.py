"""Tuning a model on a development set."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from graphmt.corpus import is_conllu, plain_lines, read_trees, require_trees
from graphmt.errors import InputError
from graphmt.model import Model, save_weights
from graphmt.model.layout import START
from graphmt.model.model import Sentence
from graphmt.model.weights import FILE as WEIGHTS
from graphmt.nbest.columns import NBest
from graphmt.storage.files import AnyPath, digest, require_outputs, writing
from graphmt.storage.locks import content_lock, writer_lock
from graphmt.storage.resume import resumable
from graphmt.tune.bleu import words
from graphmt.tune.loop import Iteration, TuneResult, optimise
from graphmt.tune.options import TuneOptions
from graphmt.tune.state import State


class TunedModel:
    """A model with a development set, as the loop wants it."""

    def __init__(self, model: Model, sentences: Sequence[Sentence], options: TuneOptions) -> None:
        self._model, self._options = model, options
        self._prepared = model.prepare(sentences)
        model.note_cuts(self._prepared)
        place = {name: number for number, name in enumerate(model.feature_names)}
        self._columns = [place[name] for name in model.weights]

    @property
    def features(self) -> Mapping[str, float]:
        """The model's features with the weights it has now."""
        return self._model.weights

    def decode(self, weights: Mapping[str, float]) -> NBest:
        """The n best of every sentence."""
        options = self._options
        found = self._model.reweighted(dict(weights)).n_best_columns(
            self._prepared, options.n_best, distinct=options.distinct, threads=options.threads
        )
        vocabulary = [word.lower() for word in found.words] if options.ignore_case else found.words
        values = np.ascontiguousarray(found.values[:, self._columns])
        return NBest(found.hypotheses, found.tokens, found.numbers, vocabulary, values)


def tune(
    model: Model | AnyPath,
    source: AnyPath,
    target: AnyPath | Sequence[AnyPath],
    options: TuneOptions | None = None,
    *,
    out: AnyPath | None = None,
) -> TuneResult:
    """Tune a model's weights on a development set: ``source`` as the model translates it, one or more references.

    The weights go to ``out``, or into the model's folder, where the old ones stay as ``weights.start.toml``; beside
    them a log with a line for each iteration. The work is kept in ``WEIGHTS.tuning`` until it is whole, so a run
    that was stopped goes on where it was when the same is asked for again.
    """
    return tune_before(lambda: None, model, source, target, options, out=out)


def tune_before(
    done: Callable[[], None],
    model: Model | AnyPath,
    source: AnyPath,
    target: AnyPath | Sequence[AnyPath],
    options: TuneOptions | None = None,
    *,
    out: AnyPath | None = None,
) -> TuneResult:
    """The same, with something to do as soon as the weights are written and before the work of tuning is removed."""
    folder = model.folder if isinstance(model, Model) else Path(model)
    require_outputs(out)
    with writer_lock(out) if out is not None else content_lock(folder, WEIGHTS):
        return _tune(done, model, source, target, options, out)


def _tune(
    done: Callable[[], None],
    model: Model | AnyPath,
    source: AnyPath,
    target: AnyPath | Sequence[AnyPath],
    options: TuneOptions | None,
    out: AnyPath | None,
) -> TuneResult:
    options = options or TuneOptions()
    opened = model if isinstance(model, Model) else Model(model)
    targets = [target] if isinstance(target, str | Path) or not isinstance(target, Sequence) else list(target)
    sentences = read_sentences(opened, source)
    references = read_references(opened, targets, len(sentences), source, options.ignore_case)
    place = Path(out) if out is not None else opened.folder / WEIGHTS
    request = {
        "tune": {name: value for name, value in options.as_dict().items() if name != "threads"},
        "search": opened.search.as_dict(),
        "weights": opened.weights,
        "data": {"source": digest(source), "targets": [digest(path) for path in targets]},
        "model": {name: digest(opened.folder / name) for name in opened.files},
    }
    state = State(place.with_name(f"{place.name}.tuning"), request)
    start = opened.weights
    if (kept := _finished(state, own=out is None)) is not None:
        start, result = kept
    else:
        with resumable(f"run the same command again to go on: finished iterations are kept in {state.folder}."):
            result = optimise(TunedModel(opened, sentences, options), references, options, state=state)
        state.keep_result(result)
    if out is None:
        save_weights(start, opened.folder / START)
    write_log(result, place.with_name(f"{place.stem}.tuning.jsonl"))
    save_weights(result.weights, place)
    done()
    state.remove()
    return result


def _finished(state: State, *, own: bool) -> tuple[dict[str, float], TuneResult] | None:
    """The weights that a run started from and its result, if it was stopped when all but writing them was done."""
    kept = state.result(own=own)
    if kept is None:
        return None
    try:
        result = kept["result"]
        history = tuple(Iteration(**one) for one in result["history"])
        start: dict[str, float] = kept["request"]["weights"]
        return start, TuneResult(result["weights"], result["bleu"], history, result["stopped"])
    except (KeyError, TypeError):
        # Something else has damaged it: the run goes on from its last iteration.
        return None


def write_log(result: TuneResult, path: AnyPath) -> None:
    """A line of JSON for each iteration."""
    with writing(path) as out:
        out.writelines(json.dumps(dataclasses.asdict(one)) + "\n" for one in result.history)


def read_sentences(model: Model, path: AnyPath) -> list[Sentence]:
    """The sentences of a file as a model wants them, refused at once where it needs trees and there are none."""
    if model.needs_trees:
        require_trees(path, model.described)
    return list(read_trees(path)) if is_conllu(path) else list(plain_lines(path))


def read_references(
    model: Model, paths: Sequence[AnyPath], sentences: int, source: AnyPath, ignore_case: bool
) -> list[list[list[str]]]:
    """The references as the model writes its words, for each sentence one from each file."""
    columns = []
    for path in paths:
        column = [words(model.target_steps.apply(line), ignore_case) for line in plain_lines(path)]
        if len(column) != sentences:
            raise InputError(
                f"{len(column)} lines, but {source} has {sentences} sentences.",
                file=path,
                hint="A development set has one line for each source sentence.",
            )
        columns.append(column)
    return [list(one) for one in zip(*columns, strict=True)]
