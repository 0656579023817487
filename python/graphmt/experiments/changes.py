"""Options for all arms of a recipe, each applied to the arms that read it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from graphmt.consensus import ConsensusOptions, RerankOptions
from graphmt.errors import OptionError
from graphmt.experiments.recipe import Arm, Recipe
from graphmt.model import SearchOptions
from graphmt.options import Options, plain_names
from graphmt.rules import ExtractOptions
from graphmt.selection import DwlOptions, GmOptions, LrsmOptions, OrderOptions, TsmOptions

#: The sections of a file whose options are those of arms.
SECTIONS: dict[str, type[Options]] = {
    "extract": ExtractOptions,
    "search": SearchOptions,
    "gm": GmOptions,
    "lrsm": LrsmOptions,
    "dwl": DwlOptions,
    "order": OrderOptions,
    "tsm": TsmOptions,
    "rerank": RerankOptions,
    "consensus": ConsensusOptions,
}


def changed(recipe: Recipe, sections: Mapping[str, Mapping[str, Any]]) -> Recipe:
    """The recipe with these options, by section, in every arm that reads them and does not set them itself.

    An option that no arm takes is an error, unless it has its default.
    """
    for section, values in sections.items():
        given = SECTIONS[section].from_mapping(values)
        named = plain_names(values)
        wanted = {
            field.name: getattr(given, field.name)
            for field in dataclasses.fields(given)
            if field.name in named and getattr(given, field.name) != field.default
        }
        arms, untaken = [], set(wanted)
        for arm in recipe.arms:
            made = _taking(arm, section, wanted)
            untaken -= {name for name in wanted if (_own(made, section) or {}).get(name) == wanted[name]}
            arms.append(made)
        if untaken:
            raise OptionError(
                f"[{section}] {min(untaken)}: no arm takes it.",
                hint="The arms do not read it, or set it themselves; give it in [[arms]].",
            )
        recipe = dataclasses.replace(recipe, arms=tuple(arms))
    return recipe


def _taking(arm: Arm, section: str, wanted: Mapping[str, Any]) -> Arm:
    """The arm with as many of the options as it takes.

    Some options are read only with a value of another, so those that were refused are tried again.
    """
    own = _own(arm, section)
    left = {} if own is None else {name: value for name, value in wanted.items() if name not in own}
    while left:
        refused = {}
        for name, value in left.items():
            try:
                arm = _with(arm, section, {name: value})
            except OptionError:
                refused[name] = value
        if len(refused) == len(left):
            break
        left = refused
    return arm


def _own(arm: Arm, section: str) -> Mapping[str, Any] | None:
    """The options of a section that an arm sets itself; None if it has no such section."""
    if section == "rerank":
        return arm.rerank if arm.over and arm.consensus is None else None
    if section == "consensus":
        return arm.consensus
    if not arm.has_model:
        return None
    if section in ("extract", "search"):
        own: Mapping[str, Any] = getattr(arm, section)
        return own
    return arm.training.get(section, {}) if section in arm.selection else None


def _with(arm: Arm, section: str, values: Mapping[str, Any]) -> Arm:
    made = {**(_own(arm, section) or {}), **values}
    if section in arm.selection:
        return dataclasses.replace(arm, training={**arm.training, section: made})
    changes: dict[str, Any] = {section: made}
    return dataclasses.replace(arm, **changes)
