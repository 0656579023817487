"""Collective lexical selection: the translations of a sentence's content words support one another.

For every sentence, a random walk on its translation graph computes the evidence of each translation
("Graph-Based Collective Lexical Selection for Statistical Machine Translation").
"""

from __future__ import annotations

import dataclasses
import logging
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from graphmt import _core
from graphmt.corpus import TextSteps, require_trees
from graphmt.corpus.steps import process_file
from graphmt.errors import InputError
from graphmt.progress import phases
from graphmt.records import from_core
from graphmt.selection.base import Corpus, SelectionModel
from graphmt.selection.lemmas import Lemmatiser, lemmatiser, require_lemmas
from graphmt.selection.options import GmOptions, GmSearchOptions
from graphmt.selection.vectors import word_vectors
from graphmt.storage.checks import require_inputs
from graphmt.storage.files import AnyPath, writing_bytes
from graphmt.storage.formats import read_array
from graphmt.storage.temporary import temporary_folder

log = logging.getLogger(__name__)

#: The files in a model's folder; the second exists if the model was trained with dimensions.
FILE, VECTORS = "gm.bin", "gm-vectors.npy"

#: The walk stops when two rounds differ by less than ``EPSILON``, or after ``ROUNDS`` (section 4.1 of the paper).
#: Changes shrink by 1 - λ per round, so all later rounds together change (1 - λ) / λ times as much as this one.
#: A smaller λ than the paper's needs more rounds, and a smaller difference, for the same precision.
EPSILON, ROUNDS, PAPERS_LAMBDA = 1e-7, 100, 0.15


@dataclasses.dataclass(frozen=True)
class GmReport:
    """Counts of training."""

    pairs: int
    source_words: int
    #: Pairs of related source words.
    source_related: int
    target_words: int
    #: Target words counted as content words.
    target_content: int
    target_pairs: int
    translations: int


@dataclasses.dataclass(frozen=True)
class MoreText:
    """Text beside the corpus: files of source text, each with its trees, and of target text."""

    source: Sequence[tuple[AnyPath, AnyPath]] = ()
    target: Sequence[AnyPath] = ()


@dataclasses.dataclass(frozen=True)
class GmWalk:
    """How translation graphs are made and walked."""

    #: The measure of relatedness: ``lm``, ``pmi`` or ``embeddings``.
    relatedness: str = "pmi"
    #: The options ``gm_prior`` and ``gm_keep`` of the search.
    prior: bool = False
    keep: bool = False
    #: λ, the share of evidence that goes back to where it came from.
    reallocation: float = PAPERS_LAMBDA
    #: The walk ends when two rounds differ by less, or after so many rounds.
    epsilon: float = EPSILON
    rounds: int = ROUNDS


def train_gm(corpus: Corpus, out: AnyPath, options: GmOptions | Mapping[str, Any] | None = None) -> GmReport:
    """Collect the counts of gm from an aligned corpus, and write them whole or not at all."""
    options = GmOptions.of(options)
    if corpus.trees is None:
        raise InputError("gm needs the source side as CoNLL-U.", file=corpus.source)
    lemmas = {"source": _lemmas(corpus.source_steps, options), "target": _lemmas(corpus.target_steps, options)}
    with temporary_folder("gm") as folder, phases() as progress:
        more = MoreText(
            _more_source(options.more_source, corpus.source_steps, folder),
            _more_target(options.more_target, corpus.target_steps, folder),
        )
        made = _core.train_gm(
            corpus.files,
            more,
            out,
            options,
            folder=folder,
            lemmatise=lambda side, words: lemmas[side](words),
            progress=progress,
        )
    vectors = Path(out).with_name(VECTORS)
    # Vectors of an earlier run belong to other counts.
    vectors.unlink(missing_ok=True)
    if options.dimensions:
        with writing_bytes(vectors) as stream:
            near = _core.GmModel(out).neighbours()
            np.save(stream, word_vectors(near.offsets, near.words, near.counts, options.dimensions))
    report = from_core(GmReport, made)
    if not report.target_content:
        raise InputError(
            "gm found no content words: the parts of speech (UPOS, the fourth column) are missing.",
            file=corpus.trees,
            hint="Parse the text with a model that provides them, e.g. with graphmt corpus parse.",
        )
    if not report.source_related:
        log.warning("No source words are related, so gm has no effect. Use more text or a lower source_count in [gm].")
    return report


def _require(options: GmOptions) -> None:
    if options.lemmas:
        require_lemmas()
    for path in options.more_source:
        require_trees(path, "gm")
    require_inputs(*options.more_target)


def open_gm(folder: Path) -> _core.GmModel:
    """Open gm in a model's folder, with its vectors if it has any."""
    if not (folder / VECTORS).exists():
        return _core.GmModel(folder / FILE)
    try:
        vectors = read_array(folder / VECTORS)
        return _core.GmModel(folder / FILE, np.asarray(vectors, dtype=np.float32))
    except (OSError, ValueError, TypeError):
        raise InputError(
            "not a vector file of gm, or damaged.", file=folder / VECTORS, hint="Copy or train the model again."
        ) from None


def walk(search: Mapping[str, Any]) -> GmWalk:
    """The core's settings for graphs and random walks, from search options."""
    reallocation = search["gm_reallocation"]
    return GmWalk(
        relatedness=search["gm_relatedness"],
        prior=search["gm_prior"],
        keep=search["gm_keep"],
        reallocation=reallocation,
        epsilon=EPSILON * min(1.0, reallocation / PAPERS_LAMBDA),
        rounds=max(ROUNDS, math.ceil(math.log(EPSILON) / math.log1p(-reallocation))),
    )


def _lemmas(steps: TextSteps, options: GmOptions) -> Lemmatiser:
    if not options.lemmas:
        return list
    return lemmatiser(steps.options.language, lower=steps.options.case == "lower")


def _more_source(files: Sequence[str], steps: TextSteps, folder: Path) -> list[tuple[AnyPath, AnyPath]]:
    made: list[tuple[AnyPath, AnyPath]] = []
    for number, path in enumerate(files):
        require_trees(path, "gm")
        text = folder / f"more-source-{number}.gz"
        process_file(path, text, steps)
        made.append((text, path))
    return made


def _more_target(files: Sequence[str], steps: TextSteps, folder: Path) -> list[AnyPath]:
    made: list[AnyPath] = []
    for number, path in enumerate(files):
        text = folder / f"more-target-{number}.gz"
        process_file(path, text, steps)
        made.append(text)
    return made


GM = SelectionModel(
    name="gm",
    summary="collective lexical selection: a random walk on a graph of translations",
    features={"gm": 0.1},
    files=(FILE,),
    needs_trees=True,
    train=lambda corpus, folder, options: dataclasses.asdict(train_gm(corpus, folder / FILE, options)),
    search_options=GmSearchOptions,
    optional=(VECTORS,),
    require=_require,
    open=lambda folder, search: open_gm(folder).selector(walk(search)),
)
