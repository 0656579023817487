"""Help texts: options in groups, flags on the left, and text that is readable in 80 columns.

typer's own tables have five columns; in 80 columns little room is left for the text. Flags that are too long for their
column have a line of their own here.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable
from typing import Annotated, Any, TypeVar

import typer
from typer.core import TyperCommand, TyperGroup

from graphmt.cli.display import show_messages
from graphmt.cli.outputs import checked
from graphmt.cli.values import convert_quickly
from graphmt.errors import OptionError

Verb = TypeVar("Verb", bound=Callable[..., Any])


class App(typer.Typer):
    """A command with verbs whose help texts are laid out by this module."""

    def __init__(self, **how: Any) -> None:
        super().__init__(**{"cls": HelpGroup, **how}, rich_markup_mode="rich")

    def command(self, name: str | None = None, **how: Any) -> Callable[[Verb], Verb]:
        """Declare a verb, as :meth:`typer.Typer.command` does."""
        declare = super().command(name, cls=HelpCommand, **how)

        def declared(verb: Verb) -> Verb:
            declare(quietly(checked(verb)))
            return verb

        return declared


Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No messages and no progress bars.")]


def quietly(verb: Callable[..., Any]) -> Callable[..., Any]:
    """The verb with the flag --quiet, which may also stand before it."""

    @functools.wraps(verb)
    def run(*, quiet: bool, **values: Any) -> Any:
        if quiet:
            show_messages(quiet=True)
        return verb(**values)

    plain = inspect.signature(verb, eval_str=True)
    flag = inspect.Parameter("quiet", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=Quiet)
    parameters = [*plain.parameters.values(), flag]
    named = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in parameters]
    run.__signature__ = plain.replace(parameters=named)  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in named}
    return run


class HelpCommand(TyperCommand):
    """A verb."""

    def get_params(self, ctx: Any) -> list[Any]:
        """All parameters, those of the help text included."""
        return convert_quickly(super().get_params(ctx))

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
        formatter.write(_text(self, ctx))


class HelpGroup(TyperGroup):
    """A command with verbs; without any argument it shows its help text."""

    def get_params(self, ctx: Any) -> list[Any]:
        """All parameters, those of the help text included."""
        return convert_quickly(super().get_params(ctx))

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments."""
        if not args and not ctx.resilient_parsing:
            print(_text(self, ctx), end="", file=sys.stderr)
            raise SystemExit(2)
        return super().parse_args(ctx, args)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help text."""
        formatter.write(_text(self, ctx))


def _text(command: Any, ctx: Any) -> str:
    from graphmt.cli.help_text import written

    return written(command, ctx)


def argument_name(argument: Any) -> str:
    """An argument as the usage has it: ``MODEL``, ``[TEXT...]``."""
    name = (argument.metavar or argument.name).upper()
    name = name if argument.nargs == 1 or name.endswith("...") else f"{name}..."
    return name if argument.required else f"[{name}]"
