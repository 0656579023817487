"""The parts of the documentation that are generated when the site is built."""

from __future__ import annotations

import importlib.util
import logging
from pathlib import Path
from types import ModuleType

import pytest
from doc_blocks import ROOT
from graphmt.cli.verbs import with_all_verbs

pytest.importorskip("mkdocs", reason="needs the docs extra")
griffe = pytest.importorskip("griffe", reason="needs the docs extra")
SITE = ROOT / "docs" / "_site"


def loaded(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, SITE / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_of_the_command_line_has_every_command_and_flag() -> None:
    page = loaded("command_page").page()
    sections = dict(part.split("\n", 1) for part in page.split("\n## ")[1:])

    def check(group, prefix: str) -> None:
        for name, command in group.commands.items():
            if hasattr(command, "commands"):
                check(command, f"{prefix} {name}")
                continue
            section = sections.pop(f"{prefix} {name}")
            for parameter in command.params:
                if parameter.param_type_name == "option" and parameter.name != "help":
                    assert all(flag in section for flag in parameter.opts)

    check(with_all_verbs(), "graphmt")
    assert not sections
    assert "| `--system NAME` | One of: pbmt" in page and "[default: hpb] |" in page


def test_public_names_without_a_docstring_are_reported(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "sample.py").write_text(
        '"""A module."""\n__all__ = ["LIMIT", "BARE", "Thing", "quiet", "told"]\n'
        "#: The most there can be; see :class:`Thing`.\nLIMIT = 3\nBARE = 4\n"
        'class Thing:\n    """A thing."""\n    def silent(self): ...\n    def _own(self): ...\n'
        'def quiet(): ...\ndef told():\n    """Says so."""\ndef _private(): ...\n'
    )
    with caplog.at_level(logging.WARNING):
        extensions = griffe.load_extensions(loaded("public_names").PublicNames())
        sample = griffe.load("sample", search_paths=[tmp_path], extensions=extensions)
    said = [record.getMessage() for record in caplog.records if "docstring" in record.getMessage()]
    assert [line.split()[-4] for line in said] == ["sample.BARE", "sample.Thing.silent", "sample.quiet"]
    assert sample["LIMIT"].docstring.value == "The most there can be; see `Thing`."
