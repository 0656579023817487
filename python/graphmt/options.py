"""Options, declared once.

A stage's options are a frozen dataclass whose fields are made with :func:`option`. The command line, the TOML
file and the option pages of the documentation are all derived from it. Checks happen in one place, when the
dataclass is made (:class:`Options`), so Python callers and command-line users get the same messages.
"""

from __future__ import annotations

import dataclasses
import difflib
import functools
import math
import types
import typing
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from graphmt.errors import OptionError
from graphmt.storage import formats

T = TypeVar("T", bound="Options")

#: An upper limit on threads; ``threads::MOST`` of the core.
MOST_THREADS = 1024
#: The default maximum of integer options; every stage can represent it.
MOST = 2**31 - 1


@dataclasses.dataclass(frozen=True)
class About:
    """The declaration of a field: for help texts, documentation and checks."""

    help: str
    unit: str = ""
    choices: tuple[str, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    #: The option that decides whether this one is read, and the values with which it is.
    only: tuple[str, tuple[str, ...]] | None = None


def option(
    default: Any,
    help: str,
    *,
    unit: str = "",
    choices: Iterable[str] = (),
    minimum: float | None = None,
    maximum: float | None = None,
    only: tuple[str, tuple[str, ...]] | None = None,
) -> Any:
    """Declare one field of an :class:`Options` dataclass. ``help`` says what it does and its trade-off.

    ``only`` is another option of the class and its values with which this one is read, such as
    ``("tuner", ("mert",))``: see :meth:`Options.acting`.
    """
    about = About(help, unit, tuple(choices), minimum, maximum, only)
    return dataclasses.field(default=default, metadata={"about": about})


@dataclasses.dataclass(frozen=True)
class Options:
    """The base of every stage's options; validates its fields when created."""

    #: What a model must have for these options to act, as in "pbmt has no …"; empty if every model has it.
    part: ClassVar[str] = ""

    def __init_subclass__(cls, **how: Any) -> None:
        super().__init_subclass__(**how)
        # The decorator makes a representation with all fields for a class that has none of its own.
        cls.__repr__ = Options.__repr__  # type: ignore[method-assign]

    def __repr__(self) -> str:
        """The options that differ from their defaults."""
        values = ((field, getattr(self, field.name)) for field in dataclasses.fields(self))
        said = ", ".join(f"{field.name}={value!r}" for field, value in values if value != field.default)
        return f"{type(self).__name__}({said})"

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            if getattr(self, field.name) is not field.default:
                object.__setattr__(self, field.name, _checked(field, self))

    @classmethod
    def from_mapping(cls: type[T], values: Mapping[str, Any], *, file: str | None = None) -> T:
        """Create from names and values, as in a TOML table; unknown names are rejected."""
        known = [field.name for field in dataclasses.fields(cls)]
        renamed = plain_names(values)
        for name in renamed:
            if name not in known:
                raise OptionError(f"unknown option {name!r}{nearest(name, known)}.", file=file)
        try:
            return cls(**renamed)
        except OptionError as error:
            error.file = error.file or file
            raise

    @classmethod
    def of(cls: type[T], given: Options | Mapping[str, Any] | None) -> T:
        """The options as a caller gave them: as such, as a mapping of names to values, or none."""
        if given is None:
            return cls()
        if isinstance(given, Mapping):
            return cls.from_mapping(given)
        if not isinstance(given, cls):
            raise OptionError(
                f"options are {cls.__name__} or a mapping from names to values, not {type(given).__name__}.",
                hint=f"For example {cls.__name__}() or {{}}, for the defaults.",
            )
        return given

    def as_dict(self) -> dict[str, Any]:
        """The values by name, ready for a manifest."""
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}

    def acting(self: T) -> T:
        """The same options; an error if one was changed that is not read with the value of another.

        Called where the options are used: before that, others may still be changed.
        """
        for field in dataclasses.fields(self):
            only = about(field).only
            if (
                only is not None
                and getattr(self, field.name) != field.default
                and getattr(self, only[0]) not in only[1]
            ):
                name, values = only
                raise OptionError(
                    f"{field.name}: not read with the {name} {getattr(self, name)}.",
                    hint=f"It is for {', '.join(values)}.",
                )
        return self

    def replace(self: T, **changes: Any) -> T:
        """A checked copy with some values changed."""
        return dataclasses.replace(self, **changes)


def plain_names(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values under Python names: a file may use ``max-length`` or ``max_length``."""
    return {name.replace("-", "_"): value for name, value in values.items()}


def about(field: dataclasses.Field[Any]) -> About:
    """The declaration behind a field."""
    found: About = field.metadata["about"]
    return found


def choices(cls: type[Options], name: str) -> tuple[str, ...]:
    """The values that an option may have; none if it has no fixed choices."""
    return next(about(field).choices for field in dataclasses.fields(cls) if field.name == name)


def declared_by(cls: type[Options], name: str) -> type[Options]:
    """The class, among those that it inherits from, that declares an option."""
    return next(part for part in cls.__mro__ if name in vars(part).get("__annotations__", {}))


def field_type(cls: type[Options], field: dataclasses.Field[Any]) -> tuple[type, bool]:
    """The plain type of a field and whether ``None`` is allowed."""
    owner: Any = cls
    hint = _hints(owner)[field.name]
    parts = typing.get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
    plain = [part for part in parts if part is not type(None)]
    return plain[0], len(plain) < len(parts)


@functools.cache
def _hints(cls: Any) -> dict[str, Any]:
    """The types of a class' fields, cached: evaluating annotations takes longer than all checks together."""
    return typing.get_type_hints(cls)


def nearest(name: str, known: Iterable[str]) -> str:
    """`` (did you mean 'x'?)`` for the nearest known name, or the list of names when none is close."""
    names = sorted(known)
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.6)
    if close:
        return f" (did you mean {close[0]!r}?)"
    return f" (known: {', '.join(names)})"


def shown(default: Any) -> str:
    """A default as printed in help and documentation."""
    if default is None:
        return "none"
    if isinstance(default, bool):
        return "on" if default else "off"
    if isinstance(default, tuple):
        return " ".join(str(part) for part in default) or "none"
    return str(default)


def markdown(stages: Mapping[str, type[Options]], only_for: Callable[[type[Options]], str]) -> str:
    """The option pages of the documentation: a table for each stage.

    ``only_for`` says for a class of options, in a sentence, which models have it.
    """
    parts = ["# Options\n\nWritten by `graphmt options --markdown`. A TOML file has a section for each stage.\n"]
    for name, cls in stages.items():
        summary = (cls.__doc__ or "").strip().splitlines()[0]
        parts += [f"\n## [{name}]\n\n{summary}\n\n| option | default | what it does |\n|---|---|---|\n"]
        for field in dataclasses.fields(cls):
            declared = about(field)
            choices = f" One of: {', '.join(declared.choices)}." if declared.choices else ""
            unit = f" {declared.unit}" if declared.unit and field.default is not None else ""
            where = f" {said}" if (said := only_for(declared_by(cls, field.name))) else ""
            parts.append(f"| `{field.name}` | {shown(field.default)}{unit} | {declared.help}{choices}{where} |\n")
    return "".join(parts)


def template(stages: Mapping[str, type[Options]], only_for: Callable[[type[Options]], str]) -> str:
    """A TOML file with every option and its default, as a template; ``only_for`` as in :func:`markdown`."""
    parts = []
    for name, cls in stages.items():
        parts.append(f"[{name}]")
        for field in dataclasses.fields(cls):
            where = f" {said}" if (said := only_for(declared_by(cls, field.name))) else ""
            parts.append(f"# {about(field).help}{where}")
            parts.append(_as_toml(field.name, field.default))
        parts.append("")
    return "\n".join(parts)


def _as_toml(name: str, value: Any) -> str:
    if value is None:
        return f"# {name} ="
    if isinstance(value, bool):
        return f"{name} = {str(value).lower()}"
    if isinstance(value, tuple):
        return f"{name} = {list(value)}"
    return f'{name} = "{value}"' if isinstance(value, str | Path) else f"{name} = {value}"


def read_toml(path: str | Path, sections: Mapping[str, type[Options]], keys: Collection[str] = ()) -> dict[str, Any]:
    """The tables of a TOML file, one for each stage; unknown tables and keys are rejected.

    ``keys`` may be in the file beside the tables, unchecked.
    """
    tables = formats.read_toml(path)
    for name, values in tables.items():
        if name in keys:
            continue
        if name not in sections:
            raise OptionError(f"unknown section [{name}]{nearest(name, (*sections, *keys))}.", file=path)
        if not isinstance(values, dict):
            raise OptionError(
                f"{name!r} is outside a section.",
                file=path,
                hint=f"Move it below a line like [{next(iter(sections))}].",
            )
        sections[name].from_mapping(values, file=f"{path}, [{name}]")
    return tables


def _checked(field: dataclasses.Field[Any], owner: Options) -> Any:
    value: Any = getattr(owner, field.name)
    wanted, optional = field_type(type(owner), field)
    declared = about(field)
    flag = field.name.replace("_", "-")
    if value is None and optional:
        return None
    if wanted is float and isinstance(value, int) and not isinstance(value, bool):
        try:
            value = float(value)
        except OverflowError:
            raise OptionError(f"{flag} must be a finite number, not {_brief(value)}.") from None
    if wanted is Path and isinstance(value, str):
        value = Path(value)
    if wanted is tuple or typing.get_origin(wanted) is tuple:
        value = tuple(value) if isinstance(value, list) else value
        item = typing.get_args(wanted)[0] if typing.get_args(wanted) else object
        wanted = tuple
        for part in value if isinstance(value, tuple) else ():
            _of_type(flag, part, item)
    _of_type(flag, value, wanted)
    several = isinstance(value, tuple)
    for one in value if several else (value,):
        if declared.choices and one not in declared.choices:
            raise OptionError(
                f"{flag} cannot be {_brief(one)}{nearest(str(one), declared.choices)}.",
                hint=f"Choose {'some' if several else 'one'} of {', '.join(declared.choices)}.",
            )
    _in_range(flag, value, declared)
    return value


def _of_type(flag: str, value: Any, wanted: type) -> None:
    if not isinstance(value, wanted) or (wanted is not bool and wanted is not object and isinstance(value, bool)):
        raise OptionError(f"{flag} takes {_in_words(wanted)}, not {_brief(value)}.")


def _in_range(flag: str, value: Any, declared: About) -> None:
    for number in value if isinstance(value, tuple) else (value,):
        if isinstance(number, float) and not math.isfinite(number):
            raise OptionError(f"{flag} must be a finite number, not {number}.")
        is_whole = isinstance(number, int) and not isinstance(number, bool)
        minimum, maximum = declared.minimum, declared.maximum
        if minimum is None and is_whole:
            minimum = -MOST
        if maximum is None and is_whole:
            maximum = MOST
        if minimum is not None and number < minimum:
            raise OptionError(f"{flag} must be at least {_number(minimum)}, not {_brief(number)}.")
        if maximum is not None and number > maximum:
            raise OptionError(f"{flag} must be at most {_number(maximum)}, not {_brief(number)}.")


def _number(limit: float) -> str:
    return str(limit) if isinstance(limit, int) else f"{limit:g}"


def _brief(value: Any) -> str:
    """A value as quoted in a message, truncated if long."""
    try:
        text = repr(value)
    except ValueError:
        # A number with more digits than Python prints.
        return "a number with thousands of digits"
    return text if len(text) <= 60 else f"{text[:40]}… ({len(text):,} characters)"


def _in_words(wanted: type) -> str:
    words = {int: "a whole number", float: "a number", bool: "true or false", str: "a text", Path: "a path"}
    return words.get(wanted, f"a {wanted.__name__}")
