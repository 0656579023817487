"""Options, declared once.

A stage's options are a frozen dataclass whose fields are made with :func:`option`. The command line, the TOML
file and the option pages of the documentation are all derived from it. Checks happen in one place, when the
dataclass is made (:class:`Options`), so a Python caller gets the same sentences as a user of the command.
"""

from __future__ import annotations

import dataclasses
import difflib
import sys
import types
import typing
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from graphmt.errors import InputError, OptionError

if sys.version_info >= (3, 11):
    import tomllib
else:  # pragma: no cover
    import tomli as tomllib

T = TypeVar("T", bound="Options")


@dataclasses.dataclass(frozen=True)
class About:
    """What a field says of itself: for help texts, documentation and checks."""

    help: str
    unit: str = ""
    choices: tuple[str, ...] = ()
    minimum: float | None = None
    maximum: float | None = None


def option(
    default: Any,
    help: str,
    *,
    unit: str = "",
    choices: Iterable[str] = (),
    minimum: float | None = None,
    maximum: float | None = None,
) -> Any:
    """Declare one field of an :class:`Options` dataclass. ``help`` says what it does and what it trades."""
    about = About(help, unit, tuple(choices), minimum, maximum)
    return dataclasses.field(default=default, metadata={"about": about})


@dataclasses.dataclass(frozen=True)
class Options:
    """The base of every stage's options; checks the values of its fields when made."""

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            object.__setattr__(self, field.name, _checked(field, self))

    @classmethod
    def from_mapping(cls: type[T], values: Mapping[str, Any], *, file: str | None = None) -> T:
        """Build from names and values, as a TOML table has them; an unknown name is refused."""
        known = [field.name for field in dataclasses.fields(cls)]
        renamed = {name.replace("-", "_"): value for name, value in values.items()}
        for name in renamed:
            if name not in known:
                raise OptionError(f"unknown option {name!r}{nearest(name, known)}.", file=file)
        return cls(**renamed)

    def as_dict(self) -> dict[str, Any]:
        """The values by name, ready for a manifest."""
        return dataclasses.asdict(self)

    def replace(self: T, **changes: Any) -> T:
        """A checked copy with some values changed."""
        return dataclasses.replace(self, **changes)


def about(field: dataclasses.Field[Any]) -> About:
    """The declaration behind a field."""
    found: About = field.metadata["about"]
    return found


def field_type(cls: type[Options], field: dataclasses.Field[Any]) -> tuple[type, bool]:
    """The plain type of a field and whether ``None`` is allowed."""
    hint = typing.get_type_hints(cls)[field.name]
    parts = typing.get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
    plain = [part for part in parts if part is not type(None)]
    return plain[0], len(plain) < len(parts)


def nearest(name: str, known: Iterable[str]) -> str:
    """`` (did you mean 'x'?)`` for the nearest known name, or the list of names when none is near."""
    names = sorted(known)
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.6)
    if close:
        return f" (did you mean {close[0]!r}?)"
    return f" (known: {', '.join(names)})"


def read_toml(path: str | Path, sections: Mapping[str, type[Options]]) -> dict[str, dict[str, Any]]:
    """The tables of a TOML file, one for each stage; unknown tables and unknown keys are refused."""
    path = Path(path)
    try:
        with path.open("rb") as stream:
            tables = tomllib.load(stream)
    except FileNotFoundError:
        raise InputError("no such file.", file=path) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"not a TOML file: {error}.", file=path) from None
    for name, values in tables.items():
        if name not in sections:
            raise OptionError(f"unknown section [{name}]{nearest(name, sections)}.", file=path)
        if not isinstance(values, dict):
            raise OptionError(
                f"{name!r} stands outside a section.",
                file=path,
                hint=f"Put it below a line like [{next(iter(sections))}].",
            )
        sections[name].from_mapping(values, file=f"{path}, [{name}]")
    return tables


def _checked(field: dataclasses.Field[Any], owner: Options) -> Any:
    value = getattr(owner, field.name)
    wanted, optional = field_type(type(owner), field)
    declared = about(field)
    flag = field.name.replace("_", "-")
    if value is None and optional:
        return None
    if wanted is float and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if wanted is Path and isinstance(value, str):
        value = Path(value)
    if wanted is tuple or typing.get_origin(wanted) is tuple:
        value = tuple(value) if isinstance(value, list) else value
        wanted = tuple
    if not isinstance(value, wanted) or (wanted is int and isinstance(value, bool)):
        raise OptionError(f"{flag} takes {_in_words(wanted)}, not {value!r}.")
    if declared.choices and value not in declared.choices:
        raise OptionError(
            f"{flag} has no choice {value!r}{nearest(str(value), declared.choices)}.",
            hint=f"Choose one of {', '.join(declared.choices)}.",
        )
    if declared.minimum is not None and value < declared.minimum:
        raise OptionError(f"{flag} must be at least {declared.minimum:g}, not {value}.")
    if declared.maximum is not None and value > declared.maximum:
        raise OptionError(f"{flag} must be at most {declared.maximum:g}, not {value}.")
    return value


def _in_words(wanted: type) -> str:
    words = {int: "a whole number", float: "a number", bool: "true or false", str: "a text", Path: "a path"}
    return words.get(wanted, f"a {wanted.__name__}")
