"""The files of a model folder. Each is read as a part of a whole model, which then translates."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import graphmt
from graphmt import _core, lm
from graphmt.corpus import TextSteps, Tree, read_trees
from graphmt.evidence import CandidatePlace, NgramPosteriors, SentenceLists, make_index
from graphmt.explain import explain
from graphmt.model import Manifest, Model, save_weights
from graphmt.model.model import LM, REORDERING, RULES, SOURCE_STEPS, TARGET_STEPS
from graphmt.model.weights import FILE as WEIGHTS
from graphmt.reorder.model import Block, ReorderingModel
from graphmt.rules import RuleTable
from graphmt.selection.gm import VECTORS, open_gm
from graphmt.selection.tsm import TOPICS
from graphmt.storage.sealed import DIGEST, sealed
from graphmt.systems import SYSTEMS, system

from fuzz import tokens
from fuzz.containers import LanguageModelFile, Sealed, Sections, Zip
from fuzz.mutate import BINARY, TEXT, Mutation
from fuzz.readers.base import Read, Reader, plain, seed

_SELECTION = {"gm.bin": "gm", VECTORS: "gm-vectors", "lrsm.bin": "lrsm", "tsm.bin": "tsm", TOPICS: "topics"}


#: Files that a model opens when its decoder and its documents are made, after those that describe it.
_TABLES = (RULES, REORDERING, *_SELECTION)


def model_folder(folder: Path, name: str, *, selection: bool = False) -> Path:
    """A model of a system, put together from seeds."""
    model = folder / name
    model.mkdir()
    if selection:
        shutil.copy(seed("manifest"), model)
        shutil.copy(seed("weights"), model)
        for file, reader in _SELECTION.items():
            shutil.copy(seed(reader), model / file)
    else:
        Manifest(system=name, options={}, versions={"graphmt": graphmt.__version__}).save(model)
        save_weights(system(name).features, model / WEIGHTS)
    shutil.copy(seed(f"rules-{name}"), model / RULES)
    shutil.copy(seed("lm"), model / LM)
    if system(name).grammar.has_reordering_model:
        shutil.copy(seed("reordering"), model / REORDERING)
    for side in (SOURCE_STEPS, TARGET_STEPS):
        (model / side).mkdir()
        TextSteps().save(model / side)
    return model


def sentence() -> Tree:
    """A sentence of the seeds, with its tree, which their models know."""
    return next(read_trees(seed("conllu")))


def short_sentence() -> Tree:
    """A shorter one, where most of the time is to be spent on reading."""
    return list(read_trees(seed("conllu")))[1]


def _translated(model: Model, tree: Tree) -> None:
    for one in model.n_best([tree], 2, threads=1)[0]:
        one.as_json(0)


def _explained(model: Model, tree: Tree) -> None:
    str(explain(model, tree))


def _part(
    name: str,
    file: str,
    also: Callable[[Path, Tree], object] | None = None,
    use: Callable[[Model, Tree], object] = _translated,
) -> Callable[[Path], Read]:
    """For a file of a model: the input becomes the file of that name, and the model is used."""

    def prepare(folder: Path) -> Read:
        model = model_folder(folder, name, selection=name == "hpb" and file != RULES)
        tree = sentence() if file == RULES else short_sentence()
        known = Model(model) if file in _TABLES else None

        def read(path: Path) -> None:
            path.replace(model / file)
            try:
                if also is not None:
                    also(model, tree)
                if known is not None:
                    # The rest of the model is the same every time.
                    known._decoder, known._documents = known._make_decoder(), known._open_documents()
                use(known or Model(model), tree)
            finally:
                # Back to where whoever looks for the input expects it.
                (model / file).replace(path)

        return read

    return prepare


def _look_up(model: Path, tree: Tree) -> None:
    table = RuleTable(model / RULES)
    assert isinstance(table.about, dict)
    for word in tree.tokens[:3]:
        table.find([word.lower()])
        table.containing(word.lower(), 3)


def _language_model(folder: Path) -> Read:
    def read(path: Path) -> None:
        opened = lm.load(path)
        list(zip(opened, range(200), strict=False))
        opened.full_scores("the house is nowhere .")
        opened.phrase("the man")
        opened.to_arpa(folder / "again.arpa")

    return read


def _reordering(model: Path, tree: Tree) -> None:
    opened = ReorderingModel(model / REORDERING)
    assert isinstance(opened.about, dict)
    opened.weights(tree.tokens[0].lower())
    block = Block([word.lower() for word in tree.tokens], ["the", "man"])
    opened.log_odds([(block, block)])


def _gm(model: Path, tree: Tree) -> None:
    opened = open_gm(model)
    words = opened.content_words()[:5]
    for word in words:
        opened.idf(word)
        for other in words:
            for measure in ("pmi", "embeddings"):
                opened.relatedness(measure, word, other)


def _classifiers(open_model: Callable[[Path], _core.Selector], features: int) -> Callable[[Path], Read]:
    """For classifiers with so many features, alone on the decoder of a model that does not change."""

    def prepare(folder: Path) -> Read:
        model = Model(model_folder(folder, "hpb"))
        given, decoder = model.prepare([sentence()]), model._make_decoder()

        def read(path: Path) -> None:
            annotated = decoder.annotated([open_model(path)], [*model._vector(), *[1.0] * features])
            annotated.translate(given, n_best=2, distinct=False, threads=1)

        return read

    return prepare


def _sections(name: str, of: str, file: str, also: Callable[[Path, Tree], object] | None = None) -> Reader:
    return Reader(name, "in.bin", _part(of, file, also), Sections())


def _relatedness(file: str) -> Callable[[Path], Read]:
    return _part("hpb", file, _gm, _explained)


def _ngram_predictor(path: Path) -> None:
    index = make_index([("das haus", "the house"), ("das auto", "the car")])
    lists = SentenceLists(["das alte haus"], [["the old house", "the house"]])
    posteriors = NgramPosteriors.open(path, index)
    posteriors.candidate_features(lists)
    posteriors.explain(lists, CandidatePlace(0, 0))


READERS = (
    Reader("lm", "in.bin", _language_model, LanguageModelFile()),
    *(_sections(f"rules-{name}", name, RULES, _look_up) for name in SYSTEMS),
    _sections("reordering", "btg", REORDERING, _reordering),
    Reader("gm", "in.bin", _relatedness("gm.bin"), Sections()),
    Reader("lrsm", "in.bin", _classifiers(_core.open_lrsm, 2), Sections()),
    Reader("dwl", "in.bin", _classifiers(_core.open_dwl, 1), Sections()),
    _sections("tsm", "hpb", "tsm.bin"),
    Reader("ngram-predictor", "in.bin", plain(_ngram_predictor), Sections()),
    Reader("gm-vectors", "in.npy", _relatedness(VECTORS), Mutation(BINARY, tokens.NPY)),
    Reader("topics", "in.npz", _part("hpb", TOPICS), Zip()),
    Reader("manifest", "in.json", _part("hpb", "manifest.json"), Sealed(sealed, DIGEST)),
    Reader("weights", "in.toml", _part("hpb", WEIGHTS), Mutation(TEXT, tokens.WEIGHTS)),
    Reader("text-steps", "in.json", _part("hpb", f"{SOURCE_STEPS}/text.json"), Mutation(TEXT, tokens.STEPS)),
)
