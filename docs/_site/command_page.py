"""Part of the documentation build: the page of the command line, made from the commands themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from graphmt.cli.help import argument_name
from graphmt.cli.help_text import flag_names, meaning, paragraphs
from graphmt.cli.verbs import with_all_verbs
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

INTRODUCTION = """# Command line

This page is generated from the commands. `graphmt COMMAND --help` prints the same text in a terminal.

Input text may be plain, `.gz`, `.bz2`, `.xz` or `.zst`, and `-` is standard input or output. Results go to standard
output, notes and progress to standard error. `graphmt --quiet COMMAND …` (or `-q`) hides the notes.

`graphmt --install-completion` installs completion for bash, zsh or fish: commands, flags, names of systems.

| exit code | meaning |
|---|---|
| 0 | success |
| 1 | bad input |
| 2 | bad option |
| 3 | a package is missing |
| 70 | a defect of graphmt; with `GRAPHMT_DEBUG=1` in the environment the command shows where it failed |
| 130 | interrupted |
| 143 | terminated |
"""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the page to those that are written by hand."""
    files.append(File.generated(config, "reference/command-line.md", content=page()))
    return files


def page() -> str:
    """The whole page as Markdown."""
    root = with_all_verbs()
    sections = (line for name, command in _all(root, "graphmt") for line in _section(name, command))
    return "\n".join([INTRODUCTION, *sections])


def _all(group: Any, prefix: str) -> Iterator[tuple[str, Any]]:
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from _all(command, f"{prefix} {name}")
        else:
            yield f"{prefix} {name}", command


def _section(name: str, command: Any) -> Iterator[str]:
    arguments = [p for p in command.params if p.param_type_name == "argument"]
    flags = [p for p in command.params if p.param_type_name == "option"]
    yield f"\n## {name}\n"
    yield _text(command.help or "") + "\n"
    yield f"```text\n{' '.join([name, *map(argument_name, arguments), '[OPTIONS]'])}\n```\n"
    rows = [(argument_name(p), meaning(p)) for p in arguments]
    rows += [(flag_names(p), meaning(p)) for p in flags if p.name != "help"]
    if rows:
        yield "| argument or flag | meaning |\n|---|---|"
        for shown, text in rows:
            yield f"| `{shown}` | {_cell(_text(text))} |".replace("||", "\\|\\|")


def _text(marked: str) -> str:
    """Text with rich's marks as Markdown."""
    plain = re.sub(r"\[/?(bold|dim)\]", "", marked).replace("\\[", "[")
    return re.sub(r"\[(?=\w[^]]*\]\()", r"\\[", "\n\n".join(paragraphs(plain)))


def _cell(text: str) -> str:
    return text.replace("\n", " ").replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*").replace("_", "\\_")
