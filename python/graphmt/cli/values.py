"""Values of options converted without pydantic, which newer versions of typer import for them.

Importing it takes longer than most commands. What is converted here are the types that the commands have; everything
else, and every value that does not fit, is typer's, with its messages.
"""

from __future__ import annotations

import typing
from pathlib import Path
from typing import Any

#: The attribute in which typer keeps what converts the values of a parameter; None until it is needed.
_CONVERTER = "_runtime_param"


def convert_quickly(parameters: list[Any]) -> list[Any]:
    """Parameters with this conversion, where the installed typer has one to replace."""
    for parameter in parameters:
        if getattr(parameter, _CONVERTER, 0) is None and hasattr(parameter, "type_descriptor"):
            setattr(parameter, _CONVERTER, QuickValue(parameter.type_descriptor))
    return parameters


class QuickValue:
    """Converts the values of one parameter."""

    def __init__(self, described: Any) -> None:
        self._kind, self._limits = described.annotation, (described.parameter_info.min, described.parameter_info.max)

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """The converted value of a parameter."""
        if value is None:
            return () if param.multiple or param.nargs == -1 else None
        try:
            return self._converted(self._kind, value)
        except (TypeError, ValueError):
            setattr(param, _CONVERTER, None)
            return param.get_runtime_param().coerce(value, param=param, ctx=ctx)

    def _converted(self, kind: Any, value: Any) -> Any:
        """A value of a kind; ValueError if it does not fit, or the kind is another."""
        parts = typing.get_args(kind)
        if typing.get_origin(kind) is list:
            return [self._converted(parts[0], one) for one in value]
        if typing.get_origin(kind) is tuple:
            return tuple(self._converted(part, one) for part, one in zip(parts, value, strict=True))
        if kind in (str, Path) and isinstance(value, str | Path):
            return kind(value)
        if kind is bool and isinstance(value, bool):
            return value
        if kind not in (int, float) or isinstance(value, bool) or not isinstance(value, str | int | float):
            raise ValueError
        number = kind(value)
        low, high = self._limits
        if (low is not None and number < low) or (high is not None and number > high):
            raise ValueError
        return number
