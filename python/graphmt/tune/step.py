"""Tuning a model on a development set."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from graphmt.corpus import is_conllu, read_trees, require_trees
from graphmt.errors import InputError
from graphmt.files import AnyPath, digest, lines, writing
from graphmt.model import Model, save_weights
from graphmt.model.model import Sentence
from graphmt.model.weights import FILE as WEIGHTS
from graphmt.resume import resumable
from graphmt.tune.bleu import words
from graphmt.tune.loop import TuneResult, optimise
from graphmt.tune.nbest import NBest
from graphmt.tune.options import TuneOptions
from graphmt.tune.state import State

#: The weights from which tuning started, kept beside the tuned ones.
START = "weights.start.toml"


class TunedModel:
    """A model with a development set, as the loop wants it."""

    def __init__(self, model: Model, sentences: Sequence[Sentence], options: TuneOptions) -> None:
        self._model, self._options = model, options
        self._prepared = model.prepare(sentences)
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
    advice = f"run the same command again to go on: finished iterations are kept in {state.folder}."
    with resumable(advice):
        result = optimise(TunedModel(opened, sentences, options), references, options, state=state)
    if out is None:
        save_weights(opened.weights, opened.folder / START)
    write_log(result, place.with_name(f"{place.stem}.tuning.jsonl"))
    save_weights(result.weights, place)
    state.remove()
    return result


def write_log(result: TuneResult, path: AnyPath) -> None:
    """A line of JSON for each iteration."""
    with writing(path) as out:
        out.writelines(json.dumps(dataclasses.asdict(one)) + "\n" for one in result.history)


def read_sentences(model: Model, path: AnyPath) -> list[Sentence]:
    """The sentences of a file as a model wants them, refused at once where it needs trees and there are none."""
    if model.needs_trees:
        require_trees(path, model.described)
    return list(read_trees(path)) if is_conllu(path) else list(lines(path))


def read_references(
    model: Model, paths: Sequence[AnyPath], sentences: int, source: AnyPath, ignore_case: bool
) -> list[list[list[str]]]:
    """The references as the model writes its words, for each sentence one from each file."""
    columns = []
    for path in paths:
        column = [words(model.target_steps.apply(line), ignore_case) for line in lines(path)]
        if len(column) != sentences:
            raise InputError(
                f"{len(column)} lines, but {source} has {sentences} sentences.",
                file=path,
                hint="A development set has one line for each source sentence.",
            )
        columns.append(column)
    return [list(one) for one in zip(*columns, strict=True)]
