"""Any program that reads lines and writes CoNLL-U: ``command:PROGRAM ARGUMENTS``."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from collections.abc import Sequence
from typing import Any, ClassVar

from graphmt.corpus.conllu import Tree
from graphmt.corpus.parsers.base import conllu_sentences, joined_tree
from graphmt.errors import InputError, MissingPackageError, OptionError


class CommandParser:
    """A program that reads one sentence per line and writes one tree for each, in the same order.

    It is started for each batch of lines, without a shell.
    """

    one_process: ClassVar[bool] = False

    def __init__(self, model: str) -> None:
        try:
            self.command = shlex.split(model)
        except ValueError as error:
            raise OptionError(f"the parser's command {model!r} is malformed: {error}.") from None
        if not self.command:
            raise OptionError("command: needs a program, as in command:my-parser --conllu.")
        if shutil.which(self.command[0]) is None:
            raise MissingPackageError(
                f"the parser's command {self.command[0]!r} does not exist.",
                hint="Install the program, or give its path.",
            )

    def identity(self) -> dict[str, Any]:
        """The command."""
        return {"kind": "command", "command": self.command}

    def parse(self, lines: Sequence[str], *, tokenised: bool) -> list[Tree | None]:
        """One tree for each line; the program must keep the tokens of tokenised text."""
        text = "".join(f"{line}\n" for line in lines)
        try:
            done = subprocess.run(self.command, input=text.encode(), capture_output=True, check=False)
        except OSError as error:
            raise MissingPackageError(
                f"the parser's command {self.command[0]!r} cannot be started: {error.strerror or error}.",
                hint="Check that it is a program for this computer.",
            ) from None
        if done.returncode != 0:
            said = done.stderr.decode("utf-8", "replace").strip().splitlines()
            last = f": {said[-1]}" if said else ""
            raise InputError(f"the parser's command {self.command[0]!r} failed with exit code {done.returncode}{last}.")
        try:
            found = conllu_sentences(done.stdout.decode("utf-8"))
        except UnicodeDecodeError:
            raise InputError(f"the parser's command {self.command[0]!r} wrote text that is not UTF-8.") from None
        if len(found) != len(lines):
            raise InputError(
                f"the parser's command {self.command[0]!r} wrote {len(found)} trees for {len(lines)} lines.",
                hint="It must write one tree for each line.",
            )
        return [joined_tree([rows], line) for rows, line in zip(found, lines, strict=True)]
