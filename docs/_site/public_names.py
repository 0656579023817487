"""Part of the documentation build: comments that document attributes, and docstrings that are missing.

Griffe reads the package for the API pages. This extension takes ``#:`` comments above an attribute as its docstring
and warns of every public name without one; the build is strict, so a warning fails it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

import griffe
from mkdocs.plugins import get_plugin_logger

log = get_plugin_logger("public-names")


class PublicNames(griffe.Extension):
    """``#:`` comments as docstrings; a warning for each public name that has none."""

    def on_attribute_instance(
        self, *, node: ast.AST | griffe.ObjectNode, attr: griffe.Attribute, agent: griffe.Visitor, **_: Any
    ) -> None:
        """Use the comment above an attribute where there is no docstring below it."""
        if attr.docstring is None and attr.lineno is not None and isinstance(node, ast.AST):
            comment = _comment(agent.code.splitlines(), attr.lineno)
            if comment:
                attr.docstring = griffe.Docstring(comment, parent=attr)

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        """Look at the public names of every package once all of it is read."""
        _plain_references(pkg)
        for module in _public(pkg):
            for name in module.exports or []:
                _check(module, str(name))


def _plain_references(owner: Any) -> None:
    """Turn references as in ``:class:`Tree` `` into code, below an object that is not an alias."""
    if owner.docstring:
        owner.docstring.value = re.sub(r":\w+:`~?([^`]+)`", r"`\1`", owner.docstring.value)
    for member in owner.members.values():
        if not member.is_alias:
            _plain_references(member)


def _public(module: griffe.Module) -> Iterator[griffe.Module]:
    """A module and all below it that are not private."""
    yield module
    for name, below in module.modules.items():
        if not name.startswith("_") and not below.is_alias:
            yield from _public(below)


def _comment(lines: list[str], number: int) -> str:
    """The ``#:`` lines directly above a line, as one text."""
    found: list[str] = []
    for line in reversed(lines[: number - 1]):
        if not line.strip().startswith("#:"):
            break
        found.insert(0, line.strip()[2:].strip())
    return " ".join(found)


def _check(module: griffe.Module, name: str) -> None:
    if name.startswith("__"):
        return
    found = module.members.get(name)
    if found is None:
        log.warning("%s.%s is public but was not found.", module.path, name)
        return
    if found.is_alias:
        found = found.final_target
    if found.is_module:
        return
    if not found.has_docstring:
        log.warning("%s.%s has no docstring.", module.path, name)
    if found.is_class:
        for method in found.members.values():
            undocumented = not method.is_alias and method.is_function and not method.has_docstring
            if undocumented and not method.name.startswith("_") and not _inherited(found, method.name):
                log.warning("%s.%s.%s has no docstring.", module.path, name, method.name)


def _inherited(owner: Any, name: str) -> bool:
    """Whether a base class of ours documents the method."""
    return name in owner.inherited_members and owner.inherited_members[name].has_docstring
