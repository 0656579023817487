"""The files of a model folder. Each is read as a part of a whole model, which then translates."""

from __future__ import annotations

import functools
import shutil
from collections.abc import Callable
from pathlib import Path

import graphmt
from graphmt import _core, lm
from graphmt.corpus import TextSteps, Tree, read_trees
from graphmt.corpus.steps import FILE as STEPS
from graphmt.evidence import CandidatePlace, NgramPosteriors, SentenceLists, make_index
from graphmt.explain import explain
from graphmt.model import Manifest, Model, save_weights
from graphmt.model.model import LM, REORDERING, RULES, SOURCE_STEPS, TARGET_STEPS
from graphmt.model.weights import FILE as WEIGHTS
from graphmt.model.weights import load_weights
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


@functools.cache
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
        short, long = short_sentence(), sentence()
        known = Model(model) if file in _TABLES else None
        reopen = _reopening(known, file) if known is not None else None

        def read(path: Path) -> None:
            # Rules are looked up in a longer sentence, too.
            tree = long if file == RULES and path.stat().st_size % 4 == 0 else short
            path.replace(model / file)
            try:
                if also is not None:
                    also(model, tree)
                if reopen is not None:
                    # The rest of the model is the same every time.
                    reopen()
                use(known or Model(model), tree)
            finally:
                # Back to where whoever looks for the input expects it.
                (model / file).replace(path)

        return read

    return prepare


def _reopening(known: Model, file: str) -> Callable[[], None]:
    """Opens a file of a model again, and nothing else where it is one of lexical selection."""
    if file not in _SELECTION:

        def reopen() -> None:
            known._decoder = known._make_decoder()

        return reopen
    bare = known._bare_decoder()
    search = known.search.as_dict()
    opened = [one.open(known.folder, search) for one in known.selection]

    def reopen_selection() -> None:
        if file == TOPICS:
            known._documents = known._open_documents()
            return
        fresh = [
            one.open(known.folder, search) if file in one.files else before
            for one, before in zip(known.selection, opened, strict=True)
        ]
        known._decoder = bare.annotated(fresh, known._vector())

    return reopen_selection


def _weights(folder: Path) -> Read:
    model = Model(model_folder(folder, "hpb", selection=True))
    given = model.prepare([short_sentence()])

    def read(path: Path) -> None:
        model.reweighted(load_weights(path, model.weights)).n_best_prepared(given, 2, threads=1)

    return read


def _text_steps(path: Path) -> None:
    steps = TextSteps.load(path.parent)
    tree = short_sentence()
    steps.prepare(" ".join(tree.tokens))
    steps.prepare_tree(tree)
    steps.undo("he was a student .")


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
    Reader("order", "in.bin", _classifiers(_core.open_order, 2), Sections()),
    _sections("tsm", "hpb", "tsm.bin"),
    Reader("ngram-predictor", "in.bin", plain(_ngram_predictor), Sections()),
    Reader("gm-vectors", "in.npy", _relatedness(VECTORS), Mutation(BINARY, tokens.NPY)),
    Reader("topics", "in.npz", _part("hpb", TOPICS), Zip()),
    Reader("manifest", "in.json", _part("hpb", "manifest.json"), Sealed(sealed, DIGEST)),
    Reader("weights", "in.toml", _weights, Mutation(TEXT, tokens.WEIGHTS)),
    Reader("text-steps", STEPS, plain(_text_steps), Mutation(TEXT, tokens.STEPS)),
)
