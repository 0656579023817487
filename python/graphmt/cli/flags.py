"""Command-line flags made from options dataclasses, so that nothing is declared twice.

A command takes its options as one parameter::

    @app.command()
    @with_options(clean=CleanOptions)
    def clean(source: Path, target: Path, clean: CleanOptions) -> None: ...

and gets a flag for every field, ``--config FILE`` for a TOML file with a section of the same name, and the
dataclass with defaults overridden by the file and then by flags. A parameter annotated as a ``dict`` gets only the
values that were given, for commands whose defaults come from elsewhere, such as a model. A dataclass of several stages
is read from the file only, with a section for each of its fields; and a class with ``from_tables`` makes itself from
its ``SECTIONS`` and from ``KEYS`` outside of sections.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import re
import typing
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from graphmt.errors import OptionError
from graphmt.options import About, Options, about, declared_by, field_type, plain_names, read_toml, shown
from graphmt.reprs import listed

Command = Callable[..., None]

#: For commands that write a folder.
Overwrite = Annotated[
    bool, typer.Option("--overwrite", help="Replace existing output; other files in the folder are kept.")
]


def with_options(**sections: Any) -> Callable[[Command], Command]:
    """Replace each parameter named here by flags for the fields of its dataclass, and add ``--config``."""

    def decorate(command: Command) -> Command:
        plain = inspect.signature(command, eval_str=True)
        in_file = {name: cls for name, cls in sections.items() if not issubclass(cls, Options)}
        flagged = {name: cls for name, cls in sections.items() if name not in in_file}
        kept = [parameter for name, parameter in plain.parameters.items() if name not in sections]
        flags = [_flag(name, cls, field) for name, cls in flagged.items() for field in dataclasses.fields(cls)]
        read = [*flagged, *(section for cls in in_file.values() for section in _sections(cls))]
        keys = [key for cls in in_file.values() for key in getattr(cls, "KEYS", ())]
        names = [flag.name for flag in flags]
        clash = {name for name in names if names.count(name) > 1} | ({p.name for p in kept} & set(names))
        if clash:
            raise TypeError(f"{command.__name__}: flags declared twice: {sorted(clash)}")

        @functools.wraps(command)
        def run(*, config: Path | None = None, **values: Any) -> None:
            tables = _read(config, read, keys) if config else {}
            built: dict[str, Any] = {name: _from_file(cls, tables, config) for name, cls in in_file.items()}
            for name, cls in flagged.items():
                flags_of = [field.name for field in dataclasses.fields(cls)]
                given = {flag: values.pop(flag) for flag in flags_of}
                given = {flag: _split(cls, flag, value) for flag, value in given.items() if value not in (None, [])}
                said = {**plain_names(tables.get(name, {})), **given}
                made = cls.from_mapping(said)
                built[name] = said if typing.get_origin(plain.parameters[name].annotation) is dict else made
            command(**values, **built)

        shown = [*kept, *flags, _config_flag(read, keys)]
        shown = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in shown]
        run.__signature__ = plain.replace(parameters=shown)  # type: ignore[attr-defined]
        run.__annotations__ = {p.name: p.annotation for p in shown}
        return run

    return decorate


def _sections(cls: Any) -> Iterable[str]:
    return getattr(cls, "SECTIONS", None) or [field.name for field in dataclasses.fields(cls)]


def _split(cls: type[Options], name: str, value: Any) -> Any:
    """The value of a flag; several names may also be separated by commas."""
    choices = next(about(field).choices for field in dataclasses.fields(cls) if field.name == name)
    return [part.strip() for one in value for part in one.split(",")] if choices and isinstance(value, list) else value


def _read(config: Path, read: Sequence[str], keys: Sequence[str]) -> dict[str, Any]:
    """The sections of a file; one that the command does not read must not change anything."""
    # All stages are imported only where a file may have sections of all of them.
    from graphmt.stages import STAGES

    tables = read_toml(config, STAGES, keys)
    for name, table in tables.items():
        if name not in (*read, *keys) and STAGES[name].from_mapping(table) != STAGES[name]():
            raise OptionError(
                f"this command does not read [{name}].",
                file=config,
                hint=f"It reads {_named(read)}; move the rest to a file for another command.",
            )
    return tables


def _named(sections: Iterable[str]) -> str:
    return listed([f"[{name}]" for name in dict.fromkeys(sections)])


def _from_file(stages: Any, tables: dict[str, Any], config: Path | None) -> Any:
    """A dataclass of several stages, each from its section, or a class that reads the tables itself."""
    if hasattr(stages, "from_tables"):
        return stages.from_tables(tables, str(config)) if config else stages()
    hints = typing.get_type_hints(stages)
    return stages(**{name: hints[name].from_mapping(table) for name, table in tables.items() if name in hints})


def _config_flag(sections: Iterable[str], keys: Sequence[str]) -> inspect.Parameter:
    help = f"TOML file with {escaped(_named(sections))}."
    if keys:
        help += f" Outside of sections: {listed(keys)}."
    hint = Annotated[Path | None, typer.Option("--config", metavar="FILE", help=help)]
    return inspect.Parameter("config", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=hint)


def _flag(section: str, cls: type[Options], field: dataclasses.Field[Any]) -> inspect.Parameter:
    wanted, _ = field_type(cls, field)
    declared = about(field)
    item: Any = typing.get_args(wanted)[0] if typing.get_origin(wanted) is tuple else None
    kind: Any = list[item] if item else wanted
    flag = "--" + field.name.replace("_", "-")
    # The default ``None`` marks flags that were not given; the help shows the actual default.
    info = typer.Option(
        f"{flag}/--no-{flag[2:]}" if wanted is bool else flag,
        help=_help(declared, field.default, _readers(declared_by(cls, field.name))),
        show_default=False,
        metavar=_metavar(item or wanted, declared),
        rich_help_panel=_group(section, cls, field.name),
        autocompletion=names(declared.choices) if declared.choices else None,
    )
    return inspect.Parameter(
        field.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[kind | None, info]
    )


def _readers(declares: type[Options]) -> str:
    """Which systems read the options that a class declares, if it is only a part of them."""
    if not declares.part:
        return ""
    from graphmt.systems.reads import only_for

    return only_for(declares)


def _group(section: str, cls: type[Options], name: str) -> str:
    """The title above flags in help texts: what the dataclass that declares the option says of itself."""
    first = (declared_by(cls, name).__doc__ or "").split("\n\n")[0].split(". ")[0]
    return f"{' '.join(first.split()).rstrip('.')} [{section}]"


def names(known: Iterable[str]) -> Callable[[str], list[str]]:
    """Complete the beginning of a name in a shell."""
    return lambda incomplete: [name for name in known if name.startswith(incomplete)]


def _help(declared: About, default: Any, where: str) -> str:
    text = escaped(declared.help)
    if declared.choices:
        several = isinstance(default, tuple)
        text += f" {'Some, separated by commas' if several else 'One'} of: {', '.join(declared.choices)}."
    if where:
        text += f" {where}"
    return f"{text} [dim]\\[default: {shown(default)}][/dim]"


def escaped(text: str) -> str:
    """A help text whose brackets are not markup; ``rich.markup.escape`` would take long to import."""
    return re.sub(r"\[[a-z#/@][^[]*?]", r"\\\g<0>", text)


def _metavar(wanted: type, declared: About) -> str | None:
    if wanted is bool:
        return None
    if declared.unit:
        return declared.unit.upper().replace(" ", "-")
    return {int: "N", float: "X", Path: "PATH"}.get(wanted, "NAME")
