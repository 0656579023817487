"""Formats that people and other tools write: text, trees, pairs, links, lists, tables, options."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
from graphmt import _core, lm
from graphmt.align.lexical import LexicalTable
from graphmt.align.pharaoh import read_alignment
from graphmt.consensus import RerankOptions, rerank
from graphmt.corpus import TextSteps, read_pairs, read_trees
from graphmt.corpus.sides import read_side
from graphmt.evaluate.outputs import read_output
from graphmt.evaluate.report import read_curve
from graphmt.experiments import ExperimentOptions
from graphmt.experiments.declared import Declared
from graphmt.experiments.written import as_toml
from graphmt.glossary import TermMatcher, read_glossary
from graphmt.localisation import read_document
from graphmt.nbest import FORMATS, read_lists, written
from graphmt.options import read_toml
from graphmt.rules import RuleTable
from graphmt.rules.table import from_moses
from graphmt.stages import STAGES
from graphmt.storage.files import lines

from fuzz import tokens
from fuzz.containers import Gzip
from fuzz.mutate import BINARY, TEXT, Mutation
from fuzz.readers.base import Read, Reader, plain, seed, text

#: The most lists, and candidates of a list, that are re-ranked.
MOST_RERANKED = 50


def _conllu(path: Path) -> None:
    for chunk in read_side(path, lenient=True):
        chunk.written(np.ones(len(chunk.texts), dtype=np.bool_))
    for multiword in ("words", "surface"):
        for tree in read_trees(path, multiword=multiword):
            tree.projectivised().conllu()


def _text(path: Path) -> None:
    list(_core.TextReader(path, lowercase=True))
    list(lines(path))


def _pairs(path: Path) -> None:
    list(read_pairs(path))


def _filled(path: Path) -> None:
    document = read_document(path, ("de", "en"))
    document.filled([[*unit.sources] for unit in document.units])


def _document(path: Path) -> None:
    _filled(path)
    _pairs(path)


def _glossary(path: Path) -> None:
    TermMatcher(read_glossary(path), TextSteps(), TextSteps())


def _alignment(path: Path) -> None:
    read = read_alignment(path)
    read.transposed().text()
    lengths = np.full(len(read), 20, dtype=np.uint32)
    read_alignment(path, source_lengths=lengths, target_lengths=lengths)


def _lexical(beside: str) -> Callable[[Path], Read]:
    def prepare(folder: Path) -> Read:
        shutil.copy(seed(beside), folder)
        return lambda path: LexicalTable.load(path.with_suffix("")).translations("the")

    return prepare


def _nbest(format: str | None = None, list_size: int | None = None) -> Read:
    """Reads lists of a format (None: as detected) and writes them in all formats."""

    def read(path: Path) -> None:
        given = list(read_lists(path, format=format, list_size=list_size))
        for one in given:
            order = range(len(one))
            # A file of blank lines has a hundred thousand lists: the other formats get the first ones.
            for name in (None, *FORMATS) if one.number < MOST_RERANKED else (None,):
                written(one, order, [0.5] * len(one), {"gc1": [0.1] * len(one)}, name).encode("utf-8")
        if format is not None or list_size is not None:
            # Time and memory of the consensus graph grow with the square of equal sources and of candidates, so that
            # only small inputs are re-ranked here; the detected formats (nbest-moses, nbest-json) are without a limit.
            given = [one for one in given[:MOST_RERANKED] if len(one) <= MOST_RERANKED]
            if path.stat().st_size % 4:
                # Re-ranking takes longer than reading: a quarter of the inputs are enough for what the formats share.
                return
        rerank(["ein Haus"] * len(given), given, None, [("ein Haus", "a house")], RerankOptions(threads=1))

    return read


def _arpa(folder: Path) -> Read:
    def read(path: Path) -> None:
        lm.build(path, folder / "built", threads=1)
        built = lm.load(folder / "built")
        built.score("the house is nowhere .")
        built.to_arpa(folder / "again.arpa")

    return read


def _moses(folder: Path) -> Read:
    def read(path: Path) -> None:
        from_moses(path, folder / "table")
        table = RuleTable(folder / "table")
        table.to_moses(folder / "again")
        list(table.containing("der"))

    return read


def _derivations(path: Path) -> None:
    for derivation in read_output(path).derivations:
        str(derivation)
        derivation._repr_svg_()
    read_output(path, tokens=True)


def _config(path: Path) -> None:
    for name, values in read_toml(path, STAGES).items():
        STAGES[name].from_mapping(values)


def _experiment(path: Path) -> None:
    tables = read_toml(path, STAGES, Declared.KEYS)
    as_toml(Declared.from_tables(tables, str(path)).recipe(), ExperimentOptions())


READERS = (
    text("conllu", "in.conllu", _conllu, tokens.CONLLU),
    text("text", "in.txt", _text),
    Reader("gzip", "in.txt.gz", plain(_text), Gzip()),
    text("tsv", "in.tsv", _pairs),
    text("csv", "in.csv", _pairs, (b'"', b'""', b",", b";", b"\n")),
    text("tmx", "in.tmx", _document, tokens.TMX),
    text("xliff", "in.xlf", _document, tokens.XLIFF),
    text("html", "in.html", _filled, tokens.HTML),
    text("android", "strings.xml", _filled, tokens.ANDROID),
    text("apple-strings", "in.strings", _filled, tokens.STRINGS),
    text("json-strings", "in.arb", _filled, (*tokens.JSON, *tokens.STRINGS)),
    text("glossary", "in.tsv", _glossary, (b"\t", b"\trequired", b"\tforbidden\n")),
    text("tbx", "in.tbx", _glossary, tokens.TBX),
    text("po", "in.po", _document, tokens.PO),
    Reader("mo", "in.mo", plain(_pairs), Mutation(BINARY, tokens.MO)),
    text("alignment", "in.align", _alignment, tokens.LINKS),
    Reader("lexical", "lex.f2e", _lexical("lexical-reverse"), Mutation(TEXT, tokens.LEXICAL)),
    Reader("lexical-reverse", "lex.e2f", _lexical("lexical"), Mutation(TEXT, tokens.LEXICAL)),
    text("nbest-moses", "in.nbest", _nbest(), tokens.MOSES_LIST),
    text("nbest-json", "in.jsonl", _nbest(), tokens.JSON_LIST),
    text("nbest-json-array", "in.json", _nbest("json"), tokens.JSON_LIST),
    text("nbest-marian", "in.nbest", _nbest("marian"), tokens.MARIAN_LIST),
    text("nbest-fairseq", "in.out", _nbest("fairseq"), tokens.FAIRSEQ_LIST),
    text("nbest-opennmt", "in.log", _nbest("opennmt"), tokens.OPENNMT_LIST),
    text("nbest-tsv", "in.tsv", _nbest("tsv"), tokens.TSV_LIST),
    text("nbest-plain", "in.txt", _nbest(list_size=2), (b"\t", b"\t-1\n", b"\tnan\n")),
    Reader("arpa", "in.arpa", _arpa, Mutation(TEXT, tokens.ARPA)),
    Reader("moses-phrases", "in.moses", _moses, Mutation(TEXT, tokens.MOSES_TABLE)),
    Reader("moses-rules", "in.moses", _moses, Mutation(TEXT, tokens.MOSES_TABLE)),
    text("derivations", "in.jsonl", _derivations, tokens.DERIVATIONS),
    text("tuning-log", "in.jsonl", read_curve, tokens.JSON),
    text("config", "in.toml", _config, tokens.TOML),
    text("experiment", "in.toml", _experiment, tokens.EXPERIMENT),
)
