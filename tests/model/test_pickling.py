"""Models are pickled by the path of their folder, with whatever was changed since they were opened."""

from __future__ import annotations

import multiprocessing
import pickle
import sys

import numpy as np
import pytest
from graphmt import Model, _core
from graphmt.consensus.decoding import FEATURES
from graphmt.errors import InputError
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
