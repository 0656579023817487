"""Options that nothing in a system reads are errors: one table of options and systems."""

from __future__ import annotations

import dataclasses
import pickle
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import graphmt
import pytest
from graphmt.errors import OptionError
from graphmt.experiments import Arm
from graphmt.model import Manifest, Model, SearchOptions, load_weights, save_weights
from graphmt.options import Options, about
from graphmt.reorder import ReorderOptions
from graphmt.rules import ExtractOptions, extract_settings
from graphmt.selection import MODELS, selection_models
from graphmt.stages import STAGES
from graphmt.systems import SYSTEMS
from graphmt.systems.base import REORDERING_FEATURES
from graphmt.systems.reads import only_for
from graphmt.training import TrainOptions
from graphmt.training.applicable import require_applicable
from small_models import Trained

LEFT_TO_RIGHT = {"pbmt", "tbmt", "gbmt", "gbmt-ctx"}
SUBGRAPHS = {*LEFT_TO_RIGHT, "btg"}
ALL = set(SYSTEMS)

#: Which systems read each option of extraction.
EXTRACT: Mapping[str, set[str]] = {
    "max_source": {*SUBGRAPHS, "dep2str"},
    "max_target": {*SUBGRAPHS, "dep2str"},
    "max_span": SUBGRAPHS,
    "unaligned": {"tbmt", "gbmt", "gbmt-ctx"},
    "identity": {"tbmt", "gbmt", "gbmt-ctx"},
    "context_scope": {"gbmt-ctx"},
    **{name: {"hpb", "dgst"} for name in ("max_length", "max_symbols", "max_holes", "min_hole")},
    **{name: {"dgst"} for name in ("max_external", "labels", "structure", "max_gaps", "any_span")},
    "partial": {"dep2str"},
    "phrasal": {"dep2str"},
    "smoothing": {*SUBGRAPHS, "dep2str"},
    "reordering": LEFT_TO_RIGHT,
    **dict.fromkeys(("min_count", "max_memory", "threads"), ALL),
}

#: Which systems read each option of the search, without lexical selection and with the usual rules.
SEARCH: Mapping[str, set[str]] = {
    **dict.fromkeys(("pop_limit", "stack_size", "beam_threshold", "table_limit"), ALL),
    "search": LEFT_TO_RIGHT,
    "distortion_limit": LEFT_TO_RIGHT,
    "max_span": {"hpb", "btg", "dgst"},
    **{name: {"gbmt-ctx"} for name in ("rule_kinds", "soft_context", "contexts")},
    "count_general": {"dep2str"},
    **{name: set() for name in ("gm_relatedness", "gm_reallocation", "gm_prior", "gm_keep", "document_length")},
}


def changed(options: Options, name: str) -> Any:
    """Another value than the default."""
    default = getattr(options, name)
    field = next(field for field in dataclasses.fields(options) if field.name == name)
    if named := about(field).choices:
        return next(one for one in named if one != default)
    if isinstance(default, tuple):
        return ("more",)
    if isinstance(default, bool):
        return not default
    most = about(field).maximum
    return default + 1 if most is None or default + 1 <= most else type(default)(default / 2)


CASES = [
    *((ExtractOptions(), name, systems) for name, systems in EXTRACT.items()),
    *((SearchOptions(), name, systems) for name, systems in SEARCH.items()),
]


@pytest.mark.parametrize(
    ("options", "name", "readers"), [pytest.param(*one, id=f"{type(one[0]).__name__}-{one[1]}") for one in CASES]
)
def test_every_option_in_every_system(options: Options, name: str, readers: set[str], demo: Trained) -> None:
    """Training refuses what it reads nowhere, whoever gives it, and so do extraction alone and opening a model."""
    section = "extract" if isinstance(options, ExtractOptions) else "search"
    given = options.replace(**{name: changed(options, name)})
    for system, chosen in SYSTEMS.items():

        def attempts(system: str = system) -> None:
            if section == "extract":
                extract_settings(SYSTEMS[system], given)  # type: ignore[arg-type]
            else:
                demo.load(system, **{name: getattr(given, name)})

        stages = TrainOptions(**{section: given})  # type: ignore[arg-type]
        # Rules over any span have no structure.
        if system in readers and name != "any_span":
            attempts()
            require_applicable(chosen, (), stages)
        elif system not in readers:
            with pytest.raises(OptionError, match=rf"^{name}: {system} has no [a-z]"):
                attempts()
            with pytest.raises(OptionError, match=rf"^\[{section}\] {name}: {system} has no [a-z]"):
                require_applicable(chosen, (), stages)
            with pytest.raises(OptionError, match=rf"arm x: \[{section}\] {name}: {system} has no [a-z]"):
                Arm("x", system, **{section: {name: getattr(given, name)}})


def test_the_table_is_complete() -> None:
    for table, cls in ((EXTRACT, ExtractOptions), (SEARCH, SearchOptions)):
        assert sorted(table) == sorted(field.name for field in dataclasses.fields(cls))


def test_contexts_of_rules_over_any_span() -> None:
    """Labels are contexts in dgst only among the rules of hpb."""
    stages = TrainOptions.of({"extract": {"any_span": True, "structure": False}, "search": {"contexts": "features"}})
    require_applicable(SYSTEMS["dgst"], (), stages)
    with pytest.raises(OptionError, match=r"rules with contexts. Only for gbmt-ctx and dgst with any_span\.$"):
        require_applicable(SYSTEMS["dgst"], (), dataclasses.replace(stages, extract=ExtractOptions()))


@pytest.mark.parametrize("name", [*MODELS, "reorder"])
def test_stages_of_absent_parts(name: str) -> None:
    """Every option of a stage, except the threads: these are set for all stages at once."""
    cls = STAGES[name]
    system = "btg" if name == "reorder" else "hpb"
    for field in dataclasses.fields(cls):
        given = cls().replace(**{field.name: changed(cls(), field.name)})
        stages = TrainOptions(**{name: given})  # type: ignore[arg-type]
        require_applicable(SYSTEMS[system], selection_models([name] if name in MODELS else []), stages)
        if field.name == "threads":
            require_applicable(SYSTEMS["pbmt"], (), stages)
            continue
        with pytest.raises(OptionError, match=rf"^\[{name}\] {field.name}: pbmt has no "):
            require_applicable(SYSTEMS["pbmt"], (), stages)


def test_search_options_of_selection_models() -> None:
    for name, option in (("gm", "gm_prior"), ("tsm", "document_length")):
        stages = TrainOptions(search=SearchOptions(**{option: changed(SearchOptions(), option)}))
        require_applicable(SYSTEMS["btg"], selection_models([name]), stages)
        with pytest.raises(OptionError, match=rf"^\[search\] {option}: btg\+lrsm has no {name}\.$"):
            require_applicable(SYSTEMS["btg"], selection_models(["lrsm"]), stages)


@pytest.mark.parametrize(
    ("stage", "given", "said"),
    [
        ({"align": {"model": "hmm"}}, {"alignment": True}, r"^\[align\] model: the word alignment is given\."),
        ({"lm": {"order": 3}}, {"language_model": True}, r"^\[lm\] order: the language model is given\."),
        ({"tune": {"seed": 2}}, {"tuned": False}, r"^\[tune\] seed: nothing is tuned\."),
        ({"parse": {"segmenter": "text"}}, None, r"^\[parse\] segmenter: there is no parser\."),
    ],
)
def test_steps_that_are_not_taken(stage: dict[str, Any], given: dict[str, bool] | None, said: str) -> None:
    if given is not None:
        require_applicable(SYSTEMS["pbmt"], (), TrainOptions.of(stage))
    else:
        require_applicable(SYSTEMS["pbmt"], (), TrainOptions.of({"parse": {"parser": "spacy:x", **stage["parse"]}}))
    with pytest.raises(OptionError, match=said):
        require_applicable(SYSTEMS["pbmt"], (), TrainOptions.of(stage), **(given or {}))


def test_training_refuses_before_it_writes(demo: Trained, tmp_path: Path) -> None:
    files = {"source": demo.source, "target": demo.target, "alignment": demo.alignment, "language_model": demo.lm}
    for options in ({"extract": {"reordering": True}}, {"gm": {"source_window": 3}}, {"align": {"model": "hmm"}}):
        with pytest.raises(OptionError):
            graphmt.train("btg", **files, out=tmp_path / "m", options=options)
    assert not list(tmp_path.iterdir())


def with_options(folder: Path, weights: Mapping[str, float] = {}, **stages: dict[str, Any]) -> Path:
    """A model whose manifest has other options, as older versions accepted them."""
    manifest = Manifest.load(folder)
    options = {name: {**values, **stages.get(name, {})} for name, values in manifest.options.items()}
    dataclasses.replace(manifest, options=options).save(folder)
    path = folder / "weights.toml"
    save_weights({**load_weights(path, Model(folder).features, dict(weights)), **weights}, path)
    return folder


def copied(demo: Trained, name: str, folder: Path) -> Path:
    folder.mkdir()
    for path in demo.models[name].rglob("*"):
        if path.is_file():
            (folder / path.relative_to(demo.models[name])).parent.mkdir(exist_ok=True)
            (folder / path.relative_to(demo.models[name])).write_bytes(path.read_bytes())
    return folder


def test_models_with_such_options_still_open(demo: Trained, tmp_path: Path) -> None:
    """They translate as before: what cannot act is neither an error nor a feature to tune."""
    text = demo.texts()[0]
    odd = {"search": {"search": "stack", "gm_prior": True}, "extract": {"reordering": True}}
    folder = with_options(copied(demo, "btg", tmp_path / "btg"), dict.fromkeys(REORDERING_FEATURES, 0.3), **odd)
    model, usual = graphmt.load(folder, pop_limit=100), demo.load("btg", pop_limit=100)
    assert model.weights == usual.weights and not model.features.keys() & REORDERING_FEATURES.keys()
    assert model.translate(text).tokens == pickle.loads(pickle.dumps(model)).translate(text).tokens
    assert model.translate(text).tokens == usual.translate(text).tokens
    with pytest.raises(OptionError, match="distortion_limit: btg has no left-to-right search"):
        graphmt.load(folder, distortion_limit=3)


def test_what_help_says_comes_from_the_same_lists() -> None:
    for cls, table in ((ExtractOptions, EXTRACT), (SearchOptions, SEARCH)):
        for name, systems in table.items():
            owner = next(one for one in cls.__mro__ if name in vars(one).get("__annotations__", {}))
            said = only_for(owner).replace(" and ", ", ").removeprefix("Only for ").rstrip(".").split(", ")
            if systems == ALL:
                assert said == [""]
            elif systems:
                assert {one for one in said if " with " not in one} == systems
    assert ReorderOptions not in ExtractOptions.__mro__ and only_for(ReorderOptions) == ""
