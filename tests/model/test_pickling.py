"""Models are pickled by the path of their folder, with whatever was changed since they were opened."""

from __future__ import annotations

import multiprocessing
import pickle
import shutil
import sys

import numpy as np
import pytest
from graphmt import Model, _core
from graphmt.consensus.decoding import FEATURES
from graphmt.errors import InputError
from graphmt.glossary import Glossary, Term
from graphmt.model import FixedSpan, save_weights
from graphmt.rules import filtered
from small_models import Trained


def word_lengths(options: _core.OptionColumns, words: list[str]) -> np.ndarray:
    return np.arange(len(options.copied)) % 3


def translated(given: tuple[Model, str]) -> tuple[str, float]:
    """For another process."""
    model, text = given
    best = model.translate(text, threads=1)
    return best.text, best.score


def same(one: Model, other: Model, text: str) -> None:
    assert other.n_best(text, 5, threads=1) == one.n_best(text, 5, threads=1)
    assert other.weights == one.weights and other.search == one.search


def test_search_options_weights_and_added_features_are_kept(demo: Trained) -> None:
    text = demo.texts()[0]
    plain = demo.load("pbmt", pop_limit=20)
    for model in (
        plain,
        plain.reweighted({"lm": 2.0}),
        plain.annotated(word_lengths, {"odd": 0.5}).annotated(word_lengths, {"again": 1.5}).reweighted({"odd": -1.0}),
    ):
        same(model, pickle.loads(pickle.dumps(model)), text)


def test_weights_from_another_file_are_kept(demo: Trained, tmp_path) -> None:
    model = demo.load("pbmt").reweighted({"lm": 0.25})
    (tmp_path / "w.toml").write_text("".join(f"{name} = {value!r}\n" for name, value in model.weights.items()))
    opened = demo.load("pbmt", weights=tmp_path / "w.toml")
    (tmp_path / "w.toml").unlink()
    same(model, pickle.loads(pickle.dumps(opened)), demo.texts()[0])


def test_a_relative_path_is_found_from_another_folder(demo: Trained, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(demo.models["pbmt"].parent)
    stored = pickle.dumps(Model("pbmt"))
    monkeypatch.chdir(tmp_path)
    assert pickle.loads(stored).system.name == "pbmt"


@pytest.mark.parametrize("how", ["fork", "spawn"])
def test_models_go_to_other_processes(demo: Trained, how: str) -> None:
    if how not in multiprocessing.get_all_start_methods():
        pytest.skip(f"{sys.platform} has no {how}")
    model = demo.load("hpb").reweighted({"lm": 0.75})
    text = demo.texts()[0]
    with multiprocessing.get_context(how).Pool(1) as pool:
        assert pool.map(translated, [(model, text)]) == [translated((model, text))]
        # A method brings its model along.
        assert pool.map(model.translate, [text]) == [model.translate(text, threads=1)]


def test_what_cannot_be_pickled_is_an_error(demo: Trained) -> None:
    model = demo.load("hpb")
    with pytest.raises(InputError, match=r"<lambda>, which computes.*top level of a module"):
        pickle.dumps(model.annotated(lambda options, words: np.zeros(len(options.copied)), {"zero": 1.0}))
    empty = model.prepare([])
    memory = _core.TranslationMemory(lowercase=False)
    memory.finish(10)
    consensus = _consensus(model, empty, memory)
    with pytest.raises(InputError, match="consensus in its search cannot be pickled"):
        pickle.dumps(model.with_consensus(consensus, dict.fromkeys(FEATURES, 0.0)))


def _consensus(model: Model, prepared: list, memory: _core.TranslationMemory) -> _core.SpanConsensus:
    from graphmt.consensus import ConsensusOptions
    from graphmt.consensus.decoding import graph

    return graph(model, prepared, memory, ConsensusOptions(threads=1))


def test_a_model_that_is_gone_is_an_error(demo: Trained, tmp_path) -> None:
    (tmp_path / "model").symlink_to(demo.models["pbmt"], target_is_directory=True)
    stored = pickle.dumps(Model(tmp_path / "model"))
    (tmp_path / "model").unlink()
    with pytest.raises(InputError, match="model"):
        pickle.loads(stored)


#: For every method that returns a changed model: a use of it that changes the translation of one of TEXTS.
CHANGES = {
    "reweighted": lambda model: model.reweighted({"word_penalty": 3.0}),
    "annotated": lambda model: model.annotated(word_lengths, {"odd": 5.0}),
    "protecting": lambda model: model.protecting(["variables"]),
    "reading_raw_text": lambda model: model.reading_raw_text(),
    "with_glossary": lambda model: model.with_glossary(
        Glossary((Term("schläft", "slumbers", "preferred"),)), weight=9.0
    ),
    "with_xml_input": lambda model: model.with_xml_input("inclusive", weight=9.0),
    "with_fixed": lambda model: model.with_fixed({0: [FixedSpan(1, 2, "is dreaming")]}),
    "dropping_unknown": lambda model: model.dropping_unknown(),
    "with_pop_limit": lambda model: model.with_pop_limit(1),
}
TEXTS = [
    "Er schläft .",
    "Er schläft.",
    "Er schläft {NAME} .",
    "Er schläft Qwertz .",
    'Er <n translation="is dreaming">schläft</n> .',
]


def test_every_change_of_a_model_is_kept(demo: Trained) -> None:
    plain = demo.load("pbmt")
    methods = {
        name for name, one in vars(Model).items() if getattr(one, "__annotations__", {}).get("return") == "Model"
    }
    # Consensus belongs to the sentences of a call, and is an error.
    assert {name for name in methods if not name.startswith("_")} == {*CHANGES, "with_consensus"}
    everything = plain
    for name, change in CHANGES.items():
        changed = change(plain)
        if name != "with_pop_limit":
            assert changed.translate(TEXTS, threads=1) != plain.translate(TEXTS, threads=1), name
        _is_kept(changed)
        everything = change(everything)
        _is_kept(everything)


def _is_kept(model: Model) -> None:
    model.translate(TEXTS, threads=1)
    again = pickle.loads(pickle.dumps(model))
    assert again.translate(TEXTS, threads=1) == model.translate(TEXTS, threads=1)
    assert (again.weights, again.search, again.glossary) == (model.weights, model.search, model.glossary)
    # Later changes begin with the same.
    glossary = Glossary((Term("schläft", "slumbers", "preferred"),))
    assert again.with_glossary(glossary).weights == model.with_glossary(glossary).weights


def test_the_weight_of_a_glossary_to_come(demo: Trained, tmp_path) -> None:
    weights = demo.load("pbmt").weights
    save_weights({**weights, "glossary": 0.25}, tmp_path / "w.toml")
    again = pickle.loads(pickle.dumps(demo.load("pbmt", weights=tmp_path / "w.toml")))
    assert again.with_glossary(Glossary(())).weights["glossary"] == 0.25


class LocalParser:
    """A parser that another process cannot have."""

    one_process = True

    def __init__(self) -> None:
        self.opened = lambda: None


def test_a_parser_that_cannot_be_pickled_is_an_error(demo: Trained) -> None:
    with pytest.raises(InputError, match=r"its parser, LocalParser, cannot be: .*by its name"):
        pickle.dumps(Model(demo.models["hpb"], parser=LocalParser()))


def test_a_model_that_was_replaced_is_an_error(demo: Trained, tmp_path) -> None:
    folder = shutil.copytree(demo.models["pbmt"], tmp_path / "model")
    stored = pickle.dumps(Model(folder))
    filtered(demo.models["pbmt"] / "rules.bin", ["er schläft ."], folder / "rules.bin")
    with pytest.raises(InputError, match="was replaced after it was pickled"):
        pickle.loads(stored)
