"""Docstrings of public names: sections as NumPy's style has them, and examples that run."""

from __future__ import annotations

import ast
import dataclasses
import doctest
import importlib
import inspect
import types
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import graphmt
import pytest
from doc_blocks import ROOT
from doc_shell import copy_of
from graphmt import spark
from graphmt.errors import MissingPackageError
from graphmt.spark.session import require_spark

MODULES = [name for name in graphmt.__all__ if isinstance(getattr(graphmt, name), types.ModuleType)]
STUB = ast.parse((ROOT / "python" / "graphmt" / "_core.pyi").read_text("utf-8"))


def public(module: str) -> Iterator[tuple[str, Any]]:
    """The public functions and classes of a module; each belongs to the first module that has it."""
    for name in importlib.import_module(f"graphmt.{module}").__all__:
        found = getattr(importlib.import_module(f"graphmt.{module}"), name)
        if callable(found) and next(owner for owner in MODULES if _has(owner, found)) == module:
            yield name, found


def _has(module: str, found: Any) -> bool:
    home = importlib.import_module(f"graphmt.{module}")
    return any(getattr(home, name) is found for name in home.__all__)


def docstring(found: Any) -> str:
    """The docstring; that of the core's names is in the stub."""
    if found.__module__ != "graphmt._core":
        return inspect.cleandoc(found.__doc__ or "")
    nodes = (node for node in STUB.body if isinstance(node, ast.ClassDef | ast.FunctionDef))
    return ast.get_docstring(next(node for node in nodes if node.name == found.__name__)) or ""


def sections(text: str) -> dict[str, str]:
    """The sections by title."""
    found: dict[str, str] = {}
    lines, title = text.split("\n"), ""
    for number, line in enumerate(lines):
        if number + 1 < len(lines) and lines[number + 1] == "-" * len(line) and line:
            title = line
        found[title] = found.get(title, "") + line + "\n"
    return found


def wanted(found: Any) -> tuple[set[str], set[str]]:
    """The sections that a name must have, and the parameters that must be in them."""
    if inspect.isclass(found):
        # The fields of a dataclass are documented where they are declared.
        plain = dataclasses.is_dataclass(found) or issubclass(found, tuple) or getattr(found, "_is_protocol", False)
        takes = not plain and "__init__" in vars(found)
        names = set(inspect.signature(found).parameters) if takes else set()
        return {"Examples"} | ({"Parameters"} if names else set()), names
    signature = inspect.signature(found)
    names = {("**" if one.kind is one.VAR_KEYWORD else "") + name for name, one in signature.parameters.items()}
    returned = signature.return_annotation not in ("None", None, inspect.Signature.empty)
    is_stream = str(signature.return_annotation).startswith("Iterator")
    gives = {"Yields" if is_stream else "Returns"} if returned else set()
    return {"Examples", *gives} | ({"Parameters"} if names else set()), names


def missing(found: Any) -> list[str]:
    has = sections(docstring(found))
    titles, names = wanted(found)
    documented = {line for line in has.get("Parameters", "").split("\n") if line and not line.startswith(" ")}
    without = [f"parameter {name}" for name in sorted(names - documented)] if "Parameters" in has else []
    examples = [] if ">>> " in has.get("Examples", "") else ["an example"]
    return [*sorted(titles - set(has)), *without, *examples]


@pytest.mark.parametrize("module", MODULES)
def test_docstrings_have_their_sections(module: str) -> None:
    lacking = {f"{module}.{name}": missing(found) for name, found in public(module)}
    assert not {name: what for name, what in lacking.items() if what}


def test_missing_sections_are_found() -> None:
    def bare(a: int, b: int) -> int:
        """Add.

        Parameters
        ----------
        a
            One number.
        """
        return a + b

    assert missing(bare) == ["Examples", "Returns", "parameter b", "an example"]


@pytest.mark.parametrize("module", MODULES)
def test_examples_run(
    module: str, request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = copy_of(request.getfixturevalue("prepared"), tmp_path)
    monkeypatch.chdir(folder)
    run_examples(module, public(module))


def run_examples(module: str, names: Iterable[tuple[str, Any]]) -> None:
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    said: list[str] = []
    for name, found in names:
        texts = {name: docstring(found)}
        if inspect.isclass(found):
            own = {key: value for key, value in vars(found).items() if inspect.isfunction(value)}
            texts.update({f"{name}.{key}": inspect.getdoc(value) or "" for key, value in own.items()})
        for label, text in texts.items():
            test = doctest.DocTestParser().get_doctest(text, {}, f"{module}.{label}", None, 0)
            runner.run(test, out=said.append)
    assert not runner.failures, "".join(said)


def names_of_spark() -> list[tuple[str, Any]]:
    """The public names of graphmt.spark, which is no module of the package itself because it needs Spark."""
    return [(name, getattr(spark, name)) for name in spark.__all__ if callable(getattr(spark, name))]


def test_docstrings_of_the_spark_engine_have_their_sections() -> None:
    lacking = {name: missing(found) for name, found in names_of_spark()}
    assert not {name: what for name, what in lacking.items() if what}


@pytest.mark.long
def test_examples_of_the_spark_engine_run(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    try:
        require_spark()
    except MissingPackageError as error:
        pytest.skip(str(error))
    monkeypatch.chdir(copy_of(request.getfixturevalue("prepared"), tmp_path))
    session = spark.open_session("local[2]", {"spark.driver.memory": "1g"})
    try:
        run_examples("spark", names_of_spark())
    finally:
        session.stop()


def test_the_example_of_the_package_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    test = doctest.DocTestParser().get_doctest(graphmt.__doc__ or "", {}, "graphmt", None, 0)
    said: list[str] = []
    assert doctest.DocTestRunner().run(test, out=said.append).failed == 0, "".join(said)
