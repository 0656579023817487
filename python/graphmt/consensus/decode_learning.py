"""Tuning of consensus decoding: Algorithm 1, with the decoder instead of a list."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from graphmt import _core
from graphmt.consensus.cell_evidence import CellEvidence, model_pairs
from graphmt.consensus.decode_options import ConsensusOptions
from graphmt.consensus.decoding import ConsensusDecoder, graph
from graphmt.consensus.learning import LEAST_GAIN
from graphmt.consensus.tied import TiedModel
from graphmt.corpus import plain_lines
from graphmt.errors import InputError, OptionError
from graphmt.evidence import EvidenceOptions, make_index
from graphmt.model import Model
from graphmt.model.model import Sentence
from graphmt.storage.files import AnyPath
from graphmt.tune import TunedModel, TuneOptions, optimise
from graphmt.tune.bleu import words
from graphmt.tune.loop import FIXED
from graphmt.tune.step import read_sentences

log = logging.getLogger(__name__)

#: The initial weight of consensus features.
START = 0.02


def learn_decoding(
    model: Model,
    memory: _core.TranslationMemory,
    sentences: Sequence[Sentence],
    references: Sequence[Sequence[str]],
    options: ConsensusOptions | Mapping[str, Any] | None = None,
    *,
    pairs: Iterable[tuple[Sentence, str]] | None = None,
) -> ConsensusDecoder:
    """Tune a chart model with consensus on a development set.

    The model's own weights should be tuned already. The first graph of the development set uses the given model;
    then weights are tuned and the graph is rebuilt alternately until BLEU converges.

    Parameters
    ----------
    model
        A model of a chart system.
    memory
        Spans of the training corpus, of :func:`make_span_memory`.
    sentences
        Source sentences of the development set.
    references
        For each sentence its references, as text.
    options
        Settings of the graph and of tuning.
    pairs
        The training corpus, for the features ``memory``.

    Returns
    -------
    ConsensusDecoder
        The model with consensus, ready to translate.

    Examples
    --------
    >>> import graphmt
    >>> from graphmt.consensus import ConsensusOptions, learn_decoding, make_span_memory
    >>> model = graphmt.load("btg", pop_limit=20)
    >>> memory, reached = make_span_memory(model, [("er schläft .", "he sleeps .")])
    >>> options = ConsensusOptions(alternations=1)
    >>> decoder = learn_decoding(model, memory, ["er schläft ."], [["he sleeps ."]], options)
    >>> decoder.translate("er schläft .").text
    'He is sleeping .'
    """
    options = ConsensusOptions.of(options)
    if len(references) != len(sentences):
        raise InputError(f"{len(sentences)} sentences, but references for {len(references)}.")
    split = [
        [words(line, False) for line in model.prepare_references([sentence] * len(lines), lines)]
        for sentence, lines in zip(sentences, references, strict=True)
    ]
    tuning = TuneOptions(tuner=options.tuner, seed=options.seed, threads=options.threads)
    prepared = model.prepare(sentences)
    start = dict.fromkeys(options.names, START)
    stages, bleu, current = [dict(model.weights)], [0.0], model
    evidence: CellEvidence | None = None
    fitted: CellEvidence | None = None
    known = _evidence_pairs(model, pairs, options)
    index = make_index(known, EvidenceOptions(threads=options.threads)) if known is not None else None
    for turn in range(options.alternations):
        made = graph(current, prepared, memory, options)
        if turn == 0:
            fixed_links, open_links = made.edges.to_memory, made.edges.between
            log.info(f"{len(made):,} spans with {fixed_links:,} edges to training spans, {open_links:,} to one another")
        if known is not None and index is not None:
            texts = [[" ".join(one) for one in own] for own in split]
            fitted, made = CellEvidence.fit(known, index, made, texts, threads=options.threads)
        decoding = model.with_consensus(made, start)
        whole = TunedModel(decoding, sentences, tuning)
        tied = None if options.tune_all else TiedModel(whole, options.names)
        found = optimise(tied or whole, split, tuning, fixed=FIXED)
        weights = tied.weights(found.weights) if tied else dict(found.weights)
        log.info(f"turn {turn + 1} of graph and weights: dev BLEU {found.bleu:.2f}")
        if turn and found.bleu < bleu[-1] + LEAST_GAIN:
            break
        stages.append(weights)
        bleu.append(found.bleu)
        current = decoding.reweighted(weights)
        evidence = fitted
    return ConsensusDecoder(model, memory, options, tuple(stages), tuple(bleu[1:]), evidence)


def _evidence_pairs(
    model: Model, pairs: Iterable[tuple[Sentence, str]] | None, options: ConsensusOptions
) -> list[tuple[str, str]] | None:
    """The training pairs, if the features need them."""
    if "memory" not in options.groups:
        return None
    found = model_pairs(model, pairs or ())
    if not found:
        raise OptionError("the features memory need the training corpus.", hint="Give pairs, or choose other features.")
    return found


def learn_decoding_files(
    model: Model,
    memory: _core.TranslationMemory,
    dev: tuple[AnyPath, AnyPath],
    options: ConsensusOptions | Mapping[str, Any] | None = None,
    *,
    train: tuple[AnyPath, AnyPath] | None = None,
) -> ConsensusDecoder:
    """Tune a chart model with consensus on the files of a development set; see :func:`learn_decoding`.

    Parameters
    ----------
    model
        A model of a chart system.
    memory
        Spans of the training corpus.
    dev
        Source and target side of the development set.
    options
        Settings of the graph and of tuning.
    train
        Source and target side of the training corpus, for the features ``memory``.

    Returns
    -------
    ConsensusDecoder
        The model with consensus, ready to translate.

    Examples
    --------
    >>> import graphmt
    >>> from graphmt.consensus import ConsensusOptions, learn_decoding_files, make_span_memory
    >>> model = graphmt.load("btg", pop_limit=5)
    >>> memory, reached = make_span_memory(model, [("er schläft .", "he sleeps .")])
    >>> options = ConsensusOptions(alternations=1)
    >>> decoder = learn_decoding_files(model, memory, ("corpus/dev.de.conllu", "corpus/dev.en"), options)
    >>> len(decoder.bleu)
    1
    """
    references = [[line] for line in plain_lines(dev[1])]
    pairs = None
    if train is not None and "memory" in ConsensusOptions.of(options).groups:
        pairs = list(zip(read_sentences(model, train[0]), plain_lines(train[1]), strict=True))
    return learn_decoding(model, memory, read_sentences(model, dev[0]), references, options, pairs=pairs)
