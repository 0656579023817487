"""Options of training that can act: those of absent parts, and of steps whose result is given, are refused."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from graphmt.errors import OptionError
from graphmt.reprs import listed
from graphmt.selection import MODELS, SelectionModel
from graphmt.systems import SYSTEMS, System
from graphmt.systems.reads import described, require_read, search_options_of
from graphmt.training.options import TrainOptions


def require_applicable(
    chosen: System,
    selected: Sequence[SelectionModel],
    stages: TrainOptions,
    *,
    alignment: bool = False,
    language_model: bool = False,
    tuned: bool = True,
) -> None:
    """Reject changed options that nothing reads in this run.

    ``alignment``, ``language_model``: whether they are given; ``tuned``: whether there is a development set.
    """
    name = described(chosen, selected)
    require_read(stages.extract, chosen.extract_options, chosen.name, section="extract")
    read = search_options_of(chosen, selected, stages.extract.as_dict())
    require_read(stages.search, read, name, section="search")
    for model in MODELS.values():
        if model not in selected:
            _require_unchanged(stages, model.name, f"{name} has no {model.name}.", f"Add --with {model.name}.")
    if not chosen.grammar.has_reordering_model:
        having = [one.name for one in SYSTEMS.values() if one.grammar.has_reordering_model]
        _require_unchanged(stages, "reorder", f"{name} has no reordering model.", f"Only for {listed(having)}.")
    if alignment:
        _require_unchanged(stages, "align", "the word alignment is given.", "Leave out one of them.")
    if language_model:
        _require_unchanged(stages, "lm", "the language model is given.", "Leave out one of them.")
    if not stages.parse.parser:
        _require_unchanged(stages, "parse", "there is no parser.", "Give one with --parser.")
    for section, options in (("align", stages.align.named()), ("tune", stages.tune)):
        try:
            options.acting()
        except OptionError as error:
            raise OptionError(f"[{section}] {error.message}", hint=error.hint) from None
    if not tuned:
        _require_unchanged(stages, "tune", "nothing is tuned.", "Give a development set with --dev.")


def _require_unchanged(stages: TrainOptions, section: str, reason: str, hint: str) -> None:
    """Reject changed options of a stage, except the threads, which are set for all stages at once."""
    options = getattr(stages, section)
    for field in dataclasses.fields(options):
        if field.name != "threads" and getattr(options, field.name) != field.default:
            raise OptionError(f"[{section}] {field.name}: {reason}", hint=hint)
