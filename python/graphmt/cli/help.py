"""Help texts: options in groups, flags on the left, and text that is readable in 80 columns.

typer's own tables have five columns; in 80 columns little room is left for the text. Flags that are too long for their
column have a line of their own here.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import typer
from rich.console import Console
from rich.padding import Padding
from rich.text import Text
from typer.core import TyperCommand, TyperGroup

from graphmt.cli.outputs import checked
from graphmt.errors import OptionError

Verb = TypeVar("Verb", bound=Callable[..., Any])

#: The widest text: longer lines are hard to read.
WIDEST = 100
#: The column at which texts begin, for flags and for commands.
TEXT_COLUMN = 26

ARGUMENTS, OPTIONS, COMMANDS = "Arguments", "Options", "Commands"


class App(typer.Typer):
    """A command with verbs whose help texts are laid out by this module."""

    def __init__(self, **how: Any) -> None:
        super().__init__(**{"cls": HelpGroup, **how}, no_args_is_help=True, rich_markup_mode="rich")

    def command(self, name: str | None = None, **how: Any) -> Callable[[Verb], Verb]:
        """Declare a verb, as :meth:`typer.Typer.command` does."""
        declare = super().command(name, cls=HelpCommand, **how)

        def declared(verb: Verb) -> Verb:
            declare(checked(verb))
            return verb

        return declared


class HelpCommand(TyperCommand):
    """A verb."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments; an option that takes one value and is given twice is an error."""
        given: list[Any] = self.make_parser(ctx).parse_args(args=list(args))[2]
        for option in given:
            takes_one = option.param_type_name == "option" and not option.multiple and not option.is_flag
            if takes_one and given.count(option) > 1:
                raise OptionError(
                    f"{max(option.opts, key=len)} is given {given.count(option)} times; it takes one value."
                )
        return super().parse_args(ctx, args)

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """What follows the command's name in the usage."""
        arguments = (one for one in self.get_params(ctx) if one.param_type_name == "argument")
        return ["[OPTIONS]", *map(argument_name, arguments)]

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help text."""
        formatter.write(_written(self, ctx))


class HelpGroup(TyperGroup):
    """A command with verbs."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help text."""
        formatter.write(_written(self, ctx))


def _written(command: Any, ctx: Any) -> str:
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


def argument_name(argument: Any) -> str:
    """An argument as the usage has it: ``MODEL``, ``[TEXT...]``."""
    name = (argument.metavar or argument.name).upper()
    name = name if argument.nargs == 1 or name.endswith("...") else f"{name}..."
    return name if argument.required else f"[{name}]"


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
