"""A recipe as the TOML file that :mod:`graphmt.experiments.declared` reads."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from graphmt.experiments.declared import Declared
from graphmt.experiments.options import ExperimentOptions
from graphmt.experiments.recipe import Recipe


class NoTomlError(ValueError):
    """A value that TOML does not have."""


def as_toml(recipe: Recipe, options: ExperimentOptions) -> str:
    """The recipe and the options of its run; files of features by their whole paths.

    Raises :class:`NoTomlError` for an option that is none, which no file of options can say.
    """
    fields = {name: getattr(recipe, name) for name in Declared.KEYS}
    if recipe.rule_shares is not None:
        fields["rule_shares"] = recipe.rule_shares.paper
    plain = {name: value for name, value in fields.items() if name not in ("arms", "claims", "ablations")}
    tables = [_table("[[arms]]", _arm(arm)) for arm in recipe.arms]
    tables += [_table("[[claims]]", _fields(claim)) for claim in recipe.claims]
    tables += [_table("[[ablations]]", _fields(ablation)) for ablation in recipe.ablations]
    # Results do not depend on the number of threads.
    changed = {name: value for name, value in _fields(options).items() if name != "threads"}
    return "\n".join([_table("", plain), *tables, _table("[experiment]", changed)])


def _arm(arm: Any) -> dict[str, Any]:
    features = [{"function": str(Path.cwd() / one.function), "weights": one.weights} for one in arm.features]
    return {**_fields(arm), "features": features or None}


def _fields(made: Any) -> dict[str, Any]:
    """The fields that do not have their defaults."""
    default = {field.name: field.default for field in dataclasses.fields(made)}
    values = {field.name: getattr(made, field.name) for field in dataclasses.fields(made)}
    return {name: value for name, value in values.items() if value != default[name]}


def _table(head: str, values: Mapping[str, Any]) -> str:
    # An empty table of consensus means its defaults; of others, nothing.
    said = [
        (name, value)
        for name, value in values.items()
        if value not in (None, {}, ()) or (name, value) == ("consensus", {})
    ]
    lines = [*([head] if head else []), *(f"{name} = {_value(value)}" for name, value in said)]
    return "".join(f"{line}\n" for line in lines)


def _value(value: Any) -> str:
    if value is None:
        raise NoTomlError("none")
    if isinstance(value, Mapping):
        pairs = (f"{_key(name)} = {_value(one)}" for name, one in value.items())
        return f"{{ {', '.join(pairs)} }}" if value else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, bool | int):
        return str(value).lower()
    if isinstance(value, float):
        return repr(value)
    # Texts of JSON are texts of TOML.
    return json.dumps(str(value), ensure_ascii=False)


def _key(name: str) -> str:
    return name if name.replace("_", "").replace("-", "").isalnum() and name.isascii() else json.dumps(name)
