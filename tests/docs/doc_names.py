"""Whether what a block of the documentation names exists, for blocks that do not run."""

from __future__ import annotations

import ast
import contextlib
import importlib
import inspect
import re
import shlex
from typing import Any

from doc_blocks import ROOT, Block
from graphmt.cli.verbs import with_all_verbs


def require_names(block: Block) -> None:
    """Fails with the first name of the block that the project does not have."""
    if block.language == "python":
        _require_python(block)
        return
    for line in block.code.splitlines():
        words = shlex.split(line, comments=True)
        while words:
            end = next((at for at, word in enumerate(words) if word in ("|", "<", ">")), len(words))
            _require_command(words[:end])
            words = words[end + 1 :] if words[end : end + 1] == ["|"] else []


def _require_command(words: list[str]) -> None:
    match words:
        case ["graphmt", *rest]:
            _require_verb(rest)
        case ["make", target]:
            assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text("utf-8"), re.M), f"no target {target}"
        case ["pip", "install", package]:
            extra = re.search(r"\[(.+)\]", package)
            known = (ROOT / "pyproject.toml").read_text("utf-8")
            assert extra is None or re.search(rf"^{extra[1]} = \[", known, re.M), f"no extra {package}"
        case ["python", script, *rest] if script.startswith("bench/"):
            assert (ROOT / script).is_file(), f"no {script}"
            text = (ROOT / script).read_text("utf-8")
            for flag in (word for word in rest if word.startswith("--")):
                assert f'"{flag}"' in text, f"{script} has no {flag}"
        case ["python", "-m", "spacy", *_] | ["echo", *_] | []:
            pass
        case _:
            raise AssertionError(f"{words[0]} is no command that the documentation uses")


def _require_verb(words: list[str]) -> None:
    command: Any = with_all_verbs()
    while hasattr(command, "commands"):
        assert words[0] in command.commands, f"no verb {words[0]}"
        command, words = command.commands[words[0]], words[1:]
    taken = {flag for parameter in command.params for flag in (*parameter.opts, *parameter.secondary_opts)}
    for flag in (word for word in words if word.startswith("-")):
        assert flag in taken, f"graphmt {command.name} has no {flag}"


def _require_python(block: Block) -> None:
    tree = ast.parse(block.code, block.place)
    names: dict[str, Any] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            module = importlib.import_module(str(node.module))
            for name in node.names:
                with contextlib.suppress(ModuleNotFoundError):
                    importlib.import_module(f"{node.module}.{name.name}")
                assert hasattr(module, name.name), f"{node.module} has no {name.name}"
                names[name.name] = getattr(module, name.name)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in names:
            assert hasattr(names[node.value.id], node.attr), f"{node.value.id} has no {node.attr}"
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names:
            taken = inspect.signature(names[node.func.id]).parameters
            for keyword in node.keywords:
                assert keyword.arg in taken, f"{node.func.id} takes no {keyword.arg}"
