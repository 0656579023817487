"""Experiments declared in a TOML file: a recipe of its own, or changes to a named one."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from graphmt.consensus import ConsensusOptions, RerankOptions
from graphmt.errors import OptionError
from graphmt.experiments.changes import SECTIONS, changed
from graphmt.experiments.features import Feature
from graphmt.experiments.recipe import KINDS, Ablation, Arm, Claim, Recipe, RuleShares
from graphmt.experiments.recipes import recipe
from graphmt.model import SearchOptions
from graphmt.options import Options, nearest, plain_names
from graphmt.rules import ExtractOptions
from graphmt.selection import MODELS

#: What is expected of a key: a plain type, or a list with such items.
Kinds = Mapping[str, type | list[type]]

_RECIPE: Kinds = {
    "name": str,
    "summary": str,
    "paper": str,
    "corpora": [str],
    "test": [str],
    "part": str,
    "metrics": [str],
    "extra_metrics": [str],
    "movement": bool,
    "ablation_only": [str],
    "rule_shares": dict,
    "arms": [dict],
    "claims": [dict],
    "ablations": [dict],
}
_ARM: Kinds = {
    "name": str,
    "system": str,
    "search": dict,
    "extract": dict,
    "start": dict,
    "tuned_as": str,
    "selection": [str],
    "training": dict,
    "lists": str,
    "over": str,
    "rerank": dict,
    "consensus": dict,
    "features": [dict],
}
_FEATURE: Kinds = {"function": str, "weights": dict}
_CLAIM: Kinds = {"arm": str, "over": str, "gain": dict}
_ABLATION: Kinds = {"title": str, "rows": [list], "varied": str}
_IN_WORDS = {str: "a text", bool: "true or false", dict: "a table", list: "a list"}


@dataclasses.dataclass(frozen=True)
class Declared:
    """What a file says of an experiment, and the file.

    Examples
    --------
    >>> from graphmt.experiments.declared import Declared
    >>> tables = {"corpora": ["news-de-en"], "arms": [{"name": "pbmt", "system": "pbmt"}]}
    >>> Declared.from_tables(tables, "mine.toml").recipe()
    Recipe('mine', 1 arm, corpora=('news-de-en',))
    """

    #: The fields of a recipe.
    fields: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    #: Options of all arms that read them, by section.
    sections: Mapping[str, Mapping[str, Any]] = dataclasses.field(default_factory=dict)
    file: str = ""

    #: The keys outside sections, and the sections.
    KEYS = tuple(_RECIPE)
    SECTIONS = tuple(SECTIONS)

    @classmethod
    def from_tables(cls, tables: Mapping[str, Any], file: str) -> Declared:
        """Read the keys and sections of a file; others are none of its business."""
        given = {name: value for name, value in tables.items() if name in cls.KEYS}
        sections = {name: value for name, value in tables.items() if name in cls.SECTIONS}
        try:
            return cls(_fields(given, Path(file).parent.absolute()), sections, file)
        except OptionError as error:
            error.file = error.file or file
            raise

    def recipe(self, name: str | None = None) -> Recipe:
        """The recipe of this name with the changes of the file, or without a name the file's own."""
        if "arms" in self.fields and name is not None:
            raise OptionError(
                f"this file has arms of its own; {name} is a recipe too.", file=self.file, hint="Leave out one."
            )
        if "arms" not in self.fields and name is None:
            said = "It has no [[arms]]; " if self.file else ""
            raise OptionError("no experiment was given.", hint=f"{said}graphmt experiment --list shows the named ones.")
        try:
            if name is not None:
                return changed(dataclasses.replace(recipe(name), **self.fields), self.sections)
            own = {"name": Path(self.file).stem, "summary": "", "paper": "", "corpora": (), **self.fields}
            return changed(Recipe(**own), self.sections)
        except OptionError as error:
            error.file = error.file or self.file or None
            raise


def _fields(given: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """The fields of a recipe; files of features are relative to a folder."""
    fields = _checked(given, _RECIPE, "recipe")
    made: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in fields.items()}
    if "arms" in made:
        made["arms"] = tuple(_arm(one, number, folder) for number, one in enumerate(made["arms"], 1))
    if "claims" in made:
        made["claims"] = tuple(_claim(one) for one in made["claims"])
    if "ablations" in made:
        made["ablations"] = tuple(_ablation(one) for one in made["ablations"])
    if "rule_shares" in made:
        made["rule_shares"] = RuleShares(_checked(made["rule_shares"], dict.fromkeys(KINDS, str), "rule_shares", KINDS))
    return made


def _arm(table: Mapping[str, Any], number: int, folder: Path) -> Arm:
    where = f"arm {table.get('name', number)}"
    fields = _checked(table, _ARM, where, needed=["name"])
    if not (fields.get("over") or fields.get("lists")):
        _require(fields, ["system"], where)
    fields.setdefault("system", fields.get("over") or fields["name"])
    classes: dict[str, type[Options]] = {"search": SearchOptions, "extract": ExtractOptions, "rerank": RerankOptions}
    try:
        for name, cls in {**classes, "consensus": ConsensusOptions}.items():
            if name in fields:
                fields[name] = options(cls, fields[name])
        if "training" in fields:
            fields["training"] = {name: _of_model(name, values) for name, values in fields["training"].items()}
        if "features" in fields:
            fields["features"] = tuple(_feature(one).within(folder) for one in fields["features"])
    except OptionError as error:
        raise OptionError(f"{where}: {error.message}", hint=error.hint) from None
    return Arm(**{**fields, "selection": tuple(fields.get("selection", ()))})


def options(cls: type[Options], values: Mapping[str, Any]) -> dict[str, Any]:
    """Options as given, with the types and names of their class."""
    made = cls.from_mapping(values)
    return {name: getattr(made, name) for name in plain_names(values)}


def _of_model(name: str, values: Any) -> dict[str, Any]:
    if name not in MODELS:
        raise OptionError(f"training: unknown model {name!r}{nearest(name, MODELS)}.")
    if not isinstance(values, dict):
        raise OptionError(f"training: {name} takes a table, not {values!r}.")
    return options(SECTIONS[name], values)


def _feature(table: Mapping[str, Any]) -> Feature:
    return Feature(**_checked(table, _FEATURE, "features", needed=["function", "weights"]))


def _claim(table: Mapping[str, Any]) -> Claim:
    fields = _checked(table, _CLAIM, "claims", needed=["arm", "over"])
    for languages, gain in fields.setdefault("gain", {}).items():
        if isinstance(gain, bool) or not isinstance(gain, int | float) or not math.isfinite(gain):
            raise OptionError(f"claims: the gain for {languages} takes a number, not {gain!r}.")
    return Claim(**fields)


def _ablation(table: Mapping[str, Any]) -> Ablation:
    fields = _checked(table, _ABLATION, "ablations", needed=["title", "rows"])
    for row in fields["rows"]:
        if len(row) != 2 or not all(isinstance(cell, str) for cell in row):
            raise OptionError(f"ablations: a row takes a label and an arm, as two texts, not {row!r}.")
    return Ablation(**{**fields, "rows": tuple((label, arm) for label, arm in fields["rows"])})


def _checked(table: Mapping[str, Any], kinds: Kinds, where: str, needed: Iterable[str] = ()) -> dict[str, Any]:
    """The values under Python names, if they are all known and of the expected types."""
    values = plain_names(table)
    for name, value in values.items():
        if name not in kinds:
            raise OptionError(f"{where}: unknown key {name!r}{nearest(name, kinds)}.")
        kind = kinds[name]
        items, wanted = (value, kind[0]) if isinstance(kind, list) and isinstance(value, list) else ([value], kind)
        if isinstance(wanted, list) or not all(isinstance(item, wanted) for item in items):
            many = f"a list, each item {_IN_WORDS[kind[0]]}" if isinstance(kind, list) else _IN_WORDS[kind]
            raise OptionError(f"{where}: {name} takes {many}, not {value!r}.")
    _require(values, needed, where)
    return values


def _require(values: Mapping[str, Any], needed: Iterable[str], where: str) -> None:
    if missing := next((name for name in needed if name not in values), None):
        raise OptionError(f"{where}: {missing} is missing.")
