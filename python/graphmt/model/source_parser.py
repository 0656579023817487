"""The parser of a model: trees for raw input, as in training."""

from __future__ import annotations

import dataclasses
import os
import pickle
import threading
import urllib.parse
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from graphmt.corpus import TextOptions, TextSteps, Tree
from graphmt.corpus.parsers import ParseOptions, Parser, open_parser, parse_lines, segmenter_of, split_name
from graphmt.corpus.parsers.base import LOCAL
from graphmt.corpus.parsers.running import parse_batches
from graphmt.corpus.parsers.stand_ins import hide, tokeniser_of
from graphmt.errors import InputError, MissingPackageError, OptionError
from graphmt.model.layout import PARSER
from graphmt.protect import ProtectedLine

#: Texts that one process parses; more are parsed by several.
MANY = 1024


@dataclasses.dataclass(frozen=True)
class ParsedText:
    """A tree with the line that was parsed, whose protected items are single nodes."""

    tree: Tree
    line: ProtectedLine


class ParserState(NamedTuple):
    """What was changed of a parser since its model was opened."""

    given: str | Parser | None
    text: TextOptions
    processes: int


class SourceParser:
    """Parses text as the model's training text was parsed.

    The parser is opened when the first text is parsed. ``given`` replaces the one that the model remembers.
    """

    def __init__(self, folder: Path, options: ParseOptions, steps: TextSteps, given: str | Parser | None) -> None:
        self.folder, self.options, self.steps, self.given = folder, options, steps, given
        self.segmenter = segmenter_of(options, steps.options)
        self._opened: Parser | None = None if isinstance(given, str) else given
        self._lock = threading.Lock()
        #: Processes that parse many texts; 0: one per core.
        self.processes = 1

    @property
    def name(self) -> str:
        """The parser's name; that of its class if it was given as an object."""
        if self.given is not None:
            return self.given if isinstance(self.given, str) else type(self.given).__name__
        return self.options.parser

    @property
    def state(self) -> ParserState:
        """For pickling."""
        return ParserState(self.given, self.steps.options, self.processes)

    def with_state(self, state: ParserState) -> SourceParser:
        """The parser of the same folder in another state."""
        steps = dataclasses.replace(self.steps, options=state.text)
        made = SourceParser(self.folder, self.options, steps, state.given)
        made.processes = state.processes
        return made

    def require_pickling(self) -> None:
        """Raise an error if a parser was given as an object that cannot be pickled."""
        try:
            pickle.dumps(self.given)
        except Exception as error:
            raise InputError(
                f"the model cannot be pickled: its parser, {self.name}, cannot be: {error}.",
                hint="Give the parser by its name, such as udpipe:FILE, or open the model in each process.",
            ) from None

    def parsed(self, texts: Sequence[str], steps: TextSteps) -> list[Tree | ParsedText]:
        """One tree for each text, with the tokens of the running text as nodes.

        If ``steps`` protect raw text, each protected item is one word for the parser and one node.
        """
        if not steps.protects or self.segmenter == "none":
            return list(self._trees(texts))
        lines = [hide(text, steps) for text in texts]
        made: list[Tree | ParsedText] = []
        for line, tree in zip(lines, self._trees([line.text for line in lines]), strict=True):
            if not line.is_whole_in(tree):
                (tree,) = self._trees([line.text], tokenised=True)
            made.append(ParsedText(tree, steps.prepare_parsed(line.line, tree, line.items, line.places(tree))))
        return made

    def _trees(self, texts: Sequence[str], *, tokenised: bool = False) -> list[Tree]:
        if self.segmenter == "text" or tokenised:
            texts = list(map(tokeniser_of(self.steps.options), texts))
        tokenised = tokenised or self.segmenter != "parser"
        with self._lock:
            if self._opened is None:
                self._opened = self._open()
            processes = self._processes(len(texts))
            if processes > 1 and (name := self._file_name()) is not None:
                # Every process opens the parser itself; batches are small enough for all of them.
                size = min(self.options.batch, -(-len(texts) // (2 * processes)))
                batches = parse_batches(name, texts, tokenised=tokenised, batch=size, processes=processes)
                trees = list(chain.from_iterable(batches))
            else:
                trees = parse_lines(self._opened, texts, tokenised=tokenised)
        return [tree.surface() for tree in trees]

    def _processes(self, texts: int) -> int:
        """Processes that parse so many texts: one for few, which are parsed sooner than another process starts."""
        if texts <= MANY or self._opened is None or self._opened.one_process:
            return 1
        return self.processes or os.cpu_count() or 1

    def _file_name(self) -> str | None:
        """The name by which another process opens the parser; None for one that was given as an object."""
        if self.given is not None:
            return self.given if isinstance(self.given, str) else None
        return f"udpipe:{self.folder / PARSER}" if self.is_own_file else self.options.parser

    @property
    def is_own_file(self) -> bool:
        """Whether the parser is a file in the model's folder."""
        if self.given is not None or split_name(self.options.parser)[0] != "udpipe":
            return False
        return (self.folder / PARSER).is_file()

    def _open(self) -> Parser:
        if isinstance(self.given, str):
            return open_parser(self.given)
        self._require_trust(*split_name(self.options.parser))
        try:
            return open_parser(self._file_name() or self.options.parser)
        except MissingPackageError as error:
            error.message = f"{self.folder} was trained with the parser {self.options.parser}: {error.message}"
            raise

    def _require_trust(self, kind: str, model: str) -> None:
        """Reject a parser that a model folder from elsewhere could misuse: it runs a program or sends text away."""
        if kind == "command":
            what = "runs a program to parse its input"
        elif kind == "corenlp" and urllib.parse.urlsplit(model).hostname not in LOCAL:
            what = "sends its input to another computer to parse it"
        else:
            return
        raise OptionError(
            f"{self.folder} {what}: {self.options.parser}.",
            hint=f"If you trust it, give the parser yourself: --parser {self.options.parser!r} (in Python: parser=…).",
        )
