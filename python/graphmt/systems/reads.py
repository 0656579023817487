"""Which options a system with its models of lexical selection reads; the others are refused."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from graphmt.errors import OptionError
from graphmt.options import Options, declared_by
from graphmt.reprs import listed
from graphmt.selection import MODELS, SelectionModel
from graphmt.systems import SYSTEMS
from graphmt.systems.base import System
from graphmt.systems.grammars import Declared


def search_options_of(chosen: System, selection: Sequence[SelectionModel], extract: Mapping[str, Any]) -> Declared:
    """The options of the search that a model reads; ``extract``: the options its rules were extracted with."""
    selected = (one.search_options for one in selection if one.search_options is not None)
    return (*chosen.search_options(extract), *selected)


def described(chosen: System, selection: Iterable[SelectionModel]) -> str:
    """The system and its lexical selection: ``hpb+gm``."""
    return "+".join([chosen.name, *(model.name for model in selection)])


def require_read(
    options: Options, read: Declared, owner: str, *, section: str = "", usual: Options | None = None
) -> None:
    """Reject an option that nothing reads, unless it has its default, or the value that is ``usual``.

    A file of options may have every option with its default, and serve several systems.
    """
    known = {field.name for cls in read for field in dataclasses.fields(cls)}
    for field in dataclasses.fields(options):
        value = getattr(options, field.name)
        accepted = (field.default, field.default if usual is None else getattr(usual, field.name))
        if field.name not in known and value not in accepted:
            cls = declared_by(type(options), field.name)
            raise OptionError(
                f"{f'[{section}] ' if section else ''}{field.name}: {owner} has no {cls.part}.",
                hint=None if cls.part in MODELS else only_for(cls),
            )


def only_for(cls: type[Options]) -> str:
    """``Only for hpb, btg and dgst.``, for a class of options that not every system reads; else nothing."""
    if selecting := [f"with {model.name}" for model in MODELS.values() if model.search_options is cls]:
        return f"Only {listed(selecting)}."
    readers = [name for name, one in SYSTEMS.items() if cls in (*one.extract_options, *one.search_options({}))]
    if len(readers) == len(SYSTEMS):
        return ""
    for name, one in SYSTEMS.items():
        switched = one.grammar.switched_search_options.items()
        readers += [f"{name} with {switch}" for switch, classes in switched if cls in classes]
    return f"Only for {listed(readers)}." if readers else ""
