"""Errors of worker processes, raised in the driver as what they were."""

from __future__ import annotations

import contextlib
import functools
import json
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from graphmt import errors
from graphmt.errors import GraphmtError, InputError
from graphmt.spark.session import first_line
from graphmt.spark.shared_tokens import require_announced

if TYPE_CHECKING:
    from pyspark.sql import Column

_P = ParamSpec("_P")
_T = TypeVar("_T")

_MARK = "graphmt error: "


class WorkerError(RuntimeError):
    """An error of a worker process, as JSON behind a mark, because Spark passes on only text."""

    def __init__(self, error: GraphmtError) -> None:
        super().__init__(_marked(error))


def raising(error: GraphmtError, **values: Column) -> Column:
    """A column that raises an error, in whose message the values replace ``{NAME}``."""
    from pyspark.sql import functions

    # Spark adds a code behind the text.
    text = functions.lit(f"{_marked(error)}\n")
    for name, value in values.items():
        text = functions.replace(text, functions.lit(f"{{{name}}}"), value.cast("string"))
    return functions.raise_error(text)


def _marked(error: GraphmtError) -> str:
    about = {
        "kind": type(error).__name__,
        "message": error.message,
        "file": error.file,
        "line": error.line,
        "hint": error.hint,
    }
    return _MARK + json.dumps(about)


def for_workers(step: Callable[_P, Iterator[_T]]) -> Callable[_P, Iterator[_T]]:
    """Make the errors of a generator readable for :func:`errors_of_workers`."""

    @functools.wraps(step)
    def run(*args: _P.args, **kwargs: _P.kwargs) -> Iterator[_T]:
        try:
            require_announced()
            yield from step(*args, **kwargs)
        except GraphmtError as error:
            raise WorkerError(error) from None

    return run


@contextlib.contextmanager
def errors_of_workers() -> Iterator[None]:
    """Raise the errors of workers during the block as they were; others as an error that says what Spark said."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError) as error:
        raise _original(str(error)) from None


def _original(text: str) -> GraphmtError:
    marked = (line.partition(_MARK)[2] for line in text.split("\n"))
    found = next((one for one in marked if one.startswith("{") and one.endswith("}")), None)
    if found is None:
        return InputError(f"a Spark job failed: {_cause(text)}", hint="Spark's own log has the details.")
    about: dict[str, Any] = json.loads(found)
    kind = getattr(errors, about.pop("kind"), InputError)
    made: GraphmtError = kind(about.pop("message"), **about)
    return made


def _cause(text: str) -> str:
    """The line that says most: the last cause, or the first line."""
    causes = re.findall(r"^(?:Caused by: |[\w.]*(?:Error|Exception): )(.+)$", text, re.MULTILINE)
    return (causes[-1] if causes else first_line(text))[:300]
