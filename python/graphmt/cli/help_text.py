"""The layout of help texts, which needs rich; it is imported when a help text is shown."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.text import Text
from typer.core import TyperGroup

from graphmt.cli.help import argument_name

#: The widest text: longer lines are hard to read.
WIDEST = 100
#: The column at which texts begin, for flags and for commands.
TEXT_COLUMN = 26

ARGUMENTS, OPTIONS, COMMANDS = "Arguments", "Options", "Commands"


def written(command: Any, ctx: Any) -> str:
    """The help text of a command."""
    console = Console(highlight=False)
    console.width = min(console.width, WIDEST)
    with console.capture() as captured:
        console.print(command.get_usage(ctx), markup=False, style="bold")
        for paragraph in paragraphs(command.help or ""):
            console.print()
            console.print(Padding(Text.from_markup(paragraph), (0, 0, 0, 2)))
        for title, rows in _groups(command, ctx):
            console.print()
            console.print(Text(title, style="bold"))
            for flags, text in rows:
                _print_row(console, flags, text)
    return "\n".join(line.rstrip() for line in captured.get().splitlines()) + "\n"


def paragraphs(text: str) -> Iterator[str]:
    """The paragraphs of a docstring, each as one line; those that begin with ``\\b`` keep their lines."""
    for paragraph in inspect.cleandoc(text).split("\n\n"):
        yield paragraph[1:].strip("\n") if paragraph.startswith("\b") else " ".join(paragraph.split())


def _print_row(console: Console, flags: str, text: str) -> None:
    """Flags and their text, on one line where the flags are short."""
    lines = Text.from_markup(text).wrap(console, console.width - TEXT_COLUMN)
    start = Text("  ").append(flags, style="cyan")
    if start.cell_len > TEXT_COLUMN - 2 or not lines:
        console.print(start, soft_wrap=True)
    else:
        start.pad_right(TEXT_COLUMN - start.cell_len)
        first = lines.pop(0)
        first.rstrip()
        console.print(start.append_text(first), soft_wrap=True)
    for line in lines:
        line.rstrip()
        console.print(Text(" " * TEXT_COLUMN).append_text(line), soft_wrap=True)


def _groups(command: Any, ctx: Any) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Titles with rows of flags and texts: arguments, options without a group, the other groups, commands."""
    groups: dict[str, list[tuple[str, str]]] = {ARGUMENTS: [], OPTIONS: []}
    for parameter in command.get_params(ctx):
        if getattr(parameter, "hidden", False):
            continue
        is_argument = parameter.param_type_name == "argument"
        title = getattr(parameter, "rich_help_panel", None) or (ARGUMENTS if is_argument else OPTIONS)
        shown = argument_name(parameter) if is_argument else flag_names(parameter)
        groups.setdefault(title, []).append((shown, meaning(parameter)))
    for name in command.list_commands(ctx) if isinstance(command, TyperGroup) else ():
        verb: Any = command.get_command(ctx, name)
        title = getattr(verb, "rich_help_panel", None)
        first = next(paragraphs(verb.help or ""))
        groups.setdefault(title if isinstance(title, str) else COMMANDS, []).append((name, first))
    yield from ((title, rows) for title, rows in groups.items() if rows)


def flag_names(option: Any) -> str:
    """All spellings of a flag, and its value: ``-o, --out PATH``."""
    value = "" if option.is_flag or option.secondary_opts else f" {option.metavar or _kind(option)}"
    spelled = sorted([*option.opts, *option.secondary_opts], key=lambda flag: (flag.startswith("--"), 0))
    return ", ".join(spelled) + value


def meaning(parameter: Any) -> str:
    """The text of an argument or flag with its default, as rich's markup."""
    text = parameter.help or ""
    default = parameter.default
    if parameter.required and parameter.param_type_name == "option":
        return f"{text} [dim]\\[required][/dim]"
    # Flags that are made from options name their default themselves.
    told = "\\[default" in text or getattr(parameter, "is_eager", False)
    if told or callable(default) or default in (None, False, "", ...) or parameter.required:
        return text
    return f"{text} [dim]\\[default: {default}][/dim]"


def _kind(option: Any) -> str:
    """The value of a flag without a name of its own; typer keeps the type in different places."""
    described = getattr(option, "type_descriptor", None)
    kind = str(described.annotation if described else option.type.name).lower()
    return next((shown for part, shown in (("path", "PATH"), ("int", "N"), ("float", "X")) if part in kind), "NAME")
