"""Features of an experiment's own: functions in Python files, added to the models of an arm."""

from __future__ import annotations

import dataclasses
import functools
import importlib.util
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from graphmt.errors import InputError, OptionError
from graphmt.model.annotations import Annotate
from graphmt.model.weights import checked_weight
from graphmt.storage.files import digest


@dataclasses.dataclass(frozen=True)
class Feature:
    """A function that adds features to the options of a sentence, as :meth:`graphmt.Model.annotated` takes it.

    Examples
    --------
    >>> from graphmt.experiments import Feature
    >>> Feature("lengths.py:same_length", {"same_length": 0.4}).weights
    {'same_length': 0.4}
    """

    #: The file and the function in it: ``FILE.py:NAME``.
    function: str
    #: The initial weights of its features, by name.
    weights: Mapping[str, float]

    def __post_init__(self) -> None:
        file, _, name = self.function.rpartition(":")
        if not file or not name.isidentifier():
            raise OptionError(
                f"the function of a feature cannot be {self.function!r}.",
                hint="Give its file and its name, as in lengths.py:same_length.",
            )
        if not self.weights:
            raise OptionError(
                f"feature {self.function}: no weights.", hint="Name each feature with its initial weight."
            )
        for name, weight in self.weights.items():
            checked_weight(name, weight)

    @property
    def file(self) -> Path:
        """The Python file."""
        return Path(self.function.rpartition(":")[0])

    def load(self) -> Annotate:
        """The function; its file is run once."""
        if not self.file.is_file():
            raise InputError("no such file; the function of a feature was expected in it.", file=self.file)
        return _loaded(os.path.realpath(self.file), digest(self.file), self.function.rpartition(":")[2])

    def request(self) -> dict[str, Any]:
        """What determines its values, wherever its file is."""
        name = self.function.rpartition(":")[2]
        return {"function": name, "file": digest(self.file), "weights": dict(self.weights)}

    def within(self, folder: Path) -> Feature:
        """The same with its file relative to a folder."""
        return dataclasses.replace(self, function=str(folder / self.function))


@functools.cache
def _loaded(file: str, content: str, name: str) -> Annotate:
    """``content`` is the digest of the file, so that a changed file is run again."""
    spec = importlib.util.spec_from_file_location(Path(file).stem, file)
    if spec is None or spec.loader is None:
        raise InputError("not a Python file; its name must end in .py.", file=file)
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise InputError(f"running this file failed: {type(error).__name__}: {error}.", file=file) from error
    found = getattr(module, name, None)
    if not callable(found):
        raise InputError(f"no function {name!r} in this file.", file=file)
    function: Annotate = found
    return function
