"""The models and data that an experiment left, for benchmarks that look at them again."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from graphmt.corpus import Tree, read_trees
from graphmt.experiments import ExperimentOptions, Recipe
from graphmt.experiments.corpora import find_corpus
from graphmt.experiments.corpus_run import CorpusRun
from graphmt.experiments.tuner import tune
from peers.folder import data_folder


def experiment_parser(description: str | None, *, recipe: str, sentences: int) -> argparse.ArgumentParser:
    """Arguments: the data, the folder that ``graphmt experiment`` wrote, recipe, corpora, number of sentences."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--data", type=data_folder, required=True, help="folder that holds data/")
    parser.add_argument("--out", type=Path, required=True, help="folder that the experiment wrote")
    parser.add_argument("--recipe", default=recipe)
    parser.add_argument("--corpus", action="append", help="instead of the recipe's; may be given several times")
    parser.add_argument("--sentences", type=int, default=sentences)
    return parser


def corpus_runs(given: argparse.Namespace, asked: Recipe) -> Iterator[tuple[str, CorpusRun, list[Tree]]]:
    """Each corpus with the first sentences of dev."""
    for name in given.corpus or asked.corpora:
        run = CorpusRun(find_corpus(given.data / "data", name), given.out, ExperimentOptions(), asked.tuner, tune)
        yield name, run, list(islice(read_trees(run.source["dev"]), given.sentences))
