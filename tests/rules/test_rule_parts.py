"""Rules counted in chunks and scored in parts: the table is that of one machine, however they are cut."""

from __future__ import annotations

import itertools
import random
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from graphmt import _core
from graphmt.corpus import read_trees
from graphmt.demo import DemoOptions
from graphmt.demo.corpus import write
from graphmt.errors import InputError
from graphmt.rules import ExtractOptions, extract_rules, extract_settings
from graphmt.spark.columns import PairColumns, TextColumn
from graphmt.systems import SYSTEMS, system


class Columns(NamedTuple):
    numbers: list[int]
    source: list[str]
    target: list[str]
    alignment: list[str]
    trees: list[str]

    def rows(self, first: int, end: int) -> Columns:
        return Columns(*(column[first:end] for column in self))

    def arrays(self) -> PairColumns:
        """As the core takes them."""
        texts = [text_column(column) for column in (self.source, self.target, self.alignment)]
        return PairColumns(np.array(self.numbers, np.int64), *texts, text_column(self.trees) if self.trees else None)


def text_column(texts: list[str]) -> TextColumn:
    encoded = [text.encode() for text in texts]
    return TextColumn(np.cumsum([0, *map(len, encoded)], dtype=np.int32), np.frombuffer(b"".join(encoded), np.uint8))


class Shared(NamedTuple):
    smoothing: str
    min_count: float
    statistics: list[int]
    targets: list[bytes]
    edges: list[tuple[bytes, int, list[int]]]


class Corpus(NamedTuple):
    folder: Path
    pairs: Columns

    def on_one_machine(self, name: str, options: ExtractOptions) -> bytes:
        out = self.folder / "one.bin"
        files = [self.folder / file for file in ("source", "target", "alignment")]
        extract_rules(system(name), *files, out, trees=self.folder / "trees.conllu", options=options)
        return out.read_bytes()


def corpus(folder: Path, pairs: int, seed: int = 1) -> Corpus:
    made = write(folder / "demo", DemoOptions(train=pairs, dev=0, test=0, seed=seed)).train
    trees = [tree.conllu() for tree in read_trees(folder / "demo" / "train.de.conllu")]
    columns = Columns(
        list(range(pairs)),
        [" ".join(tree.tokens) for tree in read_trees(folder / "demo" / "train.de.conllu")],
        (folder / "demo" / "train.en").read_text("utf-8").splitlines(),
        [" ".join(f"{i}-{j}" for i, j in sorted(pair.alignment)) for pair in made],
        trees,
    )
    for name, lines in (("source", columns.source), ("target", columns.target), ("alignment", columns.alignment)):
        (folder / name).write_text("".join(f"{line}\n" for line in lines), "utf-8")
    (folder / "trees.conllu").write_text("".join(trees), "utf-8")
    return Corpus(folder, columns)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return corpus(tmp_path_factory.mktemp("small"), 120)


def in_parts(name: str, options: ExtractOptions, given: Corpus, cuts: list[int], parts: int) -> tuple[bytes, int]:
    """The table from chunks that are read in any order, and how many source sides several parts share."""
    settings = extract_settings(system(name), options)
    pairs = given.pairs if system(name).needs_trees else given.pairs._replace(trees=[])
    chunks = [pairs.rows(first, end).arrays() for first, end in itertools.pairwise(cuts) if first < end]
    random.Random(len(cuts)).shuffle(chunks)

    places: dict[tuple[bool, str], int] = {}
    finder = _core.SymbolFinder(settings)
    for number, chunk in enumerate(chunks):
        assert finder.add(chunk)
        if number % 2 and chunk is not chunks[-1]:
            continue
        found = finder.take()
        for is_target, symbol, place in zip(found.is_target, found.symbols, found.places, strict=True):
            places[is_target, symbol] = min(place, places.get((is_target, symbol), place))
    ordered = sorted(places, key=lambda key: places[key])
    source, target = ("".join(f"{w}\n" for side, w in ordered if side == wanted) for wanted in (False, True))
    words = _core.RuleVocabulary(settings, source, target)

    sample = _core.RuleCounter(settings, words, [])
    sample.add(chunks[0])
    bounds = sample.suggest_bounds(parts)
    runs, links = defaultdict(list), []
    for chunk in chunks:
        counter = _core.RuleCounter(settings, words, bounds)
        counter.add(chunk)
        for piece in counter.take():
            runs[piece.part].append(piece.data)
        links.append(counter.links())

    merged = {part: _core.merge_rules(settings, data, 3) for part, data in sorted(runs.items())}
    by_target = defaultdict(list)
    for part, one in merged.items():
        for piece in one.targets:
            by_target[piece.part].append((part, piece.data))
    totals = defaultdict(list)
    for rows in by_target.values():
        for (part, _), data in zip(rows, _core.add_up_targets([data for _, data in rows]), strict=True):
            totals[part].append(data)
    edges = defaultdict(list)
    for one in merged.values():
        for edge in one.edges:
            edges[edge.prefix].append(edge)
    shared = [
        (
            prefix,
            sum(edge.total for edge in found),
            [sum(column) for column in zip(*(edge.rules for edge in found), strict=True)],
        )
        for prefix, found in edges.items()
        if len(found) > 1
    ]
    statistics = [sum(column) for column in zip(*(one.statistics for one in merged.values()), strict=True)]

    lexicon = _core.RuleLexicon(words, [piece.data for piece in _core.divide_runs(links, [])])
    out = given.folder / "parts.bin"
    writer = _core.RuleTableWriter(settings, words, out)
    kinds = [0, 0, 0]
    for part, one in merged.items():
        scored = _core.score_rules(
            settings, lexicon, one.runs, Shared(options.smoothing, options.min_count, statistics, totals[part], shared)
        )
        kinds = [a + b for a, b in zip(kinds, scored.kinds, strict=True)]
        for piece in scored.pieces:
            writer.add(piece)
    writer.finish(len(pairs.numbers), kinds)
    return out.read_bytes(), len(shared)


def options_of(name: str) -> Iterator[ExtractOptions]:
    yield ExtractOptions(threads=1)
    yield ExtractOptions(threads=1, min_count=1.5)
    if name in ("pbmt", "gbmt-ctx"):
        yield ExtractOptions(threads=1, smoothing="kneser-ney", reordering=True)
        yield ExtractOptions(threads=1, smoothing="good-turing")


@pytest.mark.parametrize("name", SYSTEMS)
def test_the_table_does_not_depend_on_chunks_and_parts(name: str, small: Corpus) -> None:
    shared = 0
    for options in options_of(name):
        expected = small.on_one_machine(name, options)
        for cuts, parts in (([0, 120], 1), ([0, 50, 51, 51, 120], 7), ([0, 7, 64, 100, 120], 40)):
            made, at_borders = in_parts(name, options, small, cuts, parts)
            assert made == expected, (options, cuts, parts)
            shared += at_borders
    # Otherwise the counts of source sides at borders would not have been tried.
    assert shared > 0


def test_symbols_of_blocks_have_the_same_numbers_for_any_number_of_threads(tmp_path: Path) -> None:
    # The numbers of hole labels used to depend on the number of threads from 2,049 pairs on.
    given = corpus(tmp_path, 2300)
    options = ExtractOptions(max_symbols=3, max_length=4)
    expected = given.on_one_machine("dgst", options.replace(threads=1))
    assert given.on_one_machine("dgst", options.replace(threads=2)) == expected
    assert in_parts("dgst", options, given, [0, 2000, 2300], 3)[0] == expected


def test_faulty_pairs_are_named(small: Corpus) -> None:
    settings = extract_settings(system("tbmt"), ExtractOptions())
    words = _core.RuleVocabulary(settings, "a\nb\n", "c\n")
    counter = _core.RuleCounter(settings, words, [])
    tree = small.pairs.trees[0]
    for row, expected in (
        (Columns([6], ["x"], ["c"], ["0-0"], []), "sentence pair 7: the vocabulary lacks"),
        (Columns([6], ["a"], ["c"], ["0-3"], []), "sentence pair 7: link 0-3"),
        (Columns([6], ["a"], ["c"], ["0-0"], [" "]), "sentence pair 7: it has no tree"),
        (Columns([6], ["a"], ["c"], ["0-0"], [tree]), "sentence pair 7: its tree has"),
        (Columns([6], ["a"], ["c"], ["0-0"], [tree + tree]), "2 trees for 1 pairs"),
    ):
        with pytest.raises(InputError, match=expected):
            counter.add(row.arrays())


def test_damaged_pieces_are_rejected(small: Corpus) -> None:
    settings = extract_settings(system("pbmt"), ExtractOptions())
    for damaged in (b"\xff", b"\x50\x00\x01\x00\x00\x00abc"):
        with pytest.raises(Exception, match="ends within a record"):
            _core.merge_rules(settings, [damaged], 1)
