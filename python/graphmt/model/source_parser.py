"""The parser of a model: trees for raw input, as in training."""

from __future__ import annotations

import dataclasses
import threading
import urllib.parse
from collections.abc import Sequence
from pathlib import Path

from graphmt.corpus import TextSteps, Tree
from graphmt.corpus.parsers import ParseOptions, Parser, open_parser, parse_lines, segmenter_of, split_name
from graphmt.corpus.parsers.corenlp import LOCAL
from graphmt.errors import MissingPackageError, OptionError
from graphmt.model.layout import PARSER
from graphmt.protect import Item, ProtectedLine


@dataclasses.dataclass(frozen=True)
class ParsedText:
    """A tree with the line that was parsed, whose protected items are single nodes."""

    tree: Tree
    line: ProtectedLine


class SourceParser:
    """Parses text as the model's training text was parsed.

    The parser is opened when the first text is parsed. ``given`` replaces the one that the model remembers.
    """

    def __init__(self, folder: Path, options: ParseOptions, steps: TextSteps, given: str | Parser | None) -> None:
        self.folder, self.options, self.steps, self.given = folder, options, steps, given
        self.segmenter = segmenter_of(options, steps.options)
        self._opened: Parser | None = None if isinstance(given, str) else given
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """The parser's name; that of its class if it was given as an object."""
        if self.given is not None:
            return self.given if isinstance(self.given, str) else type(self.given).__name__
        return self.options.parser

    def parsed(self, texts: Sequence[str], steps: TextSteps) -> list[Tree | ParsedText]:
        """One tree for each text, with the tokens of the running text as nodes.

        If ``steps`` protect raw text, each protected item is one word for the parser and one node.
        """
        if not steps.protects or self.segmenter == "none":
            return list(self._trees(texts))
        items = [steps.items(text) for text in texts]
        names = list(map(_stand_in, texts))
        hidden = [
            _replaced(text, own, name) if own else text for text, own, name in zip(texts, items, names, strict=True)
        ]
        made: list[Tree | ParsedText] = []
        for text, own, name, line, tree in zip(texts, items, names, hidden, self._trees(hidden), strict=True):
            places = _places(tree, name)
            if len(places) != len(own):
                # The parser split a stand-in or joined it to a word: it gets tokens instead.
                (tree,) = self._trees([line], tokenised=True)
                places = _places(tree, name)
            made.append(ParsedText(tree, steps.prepare_parsed(text, tree, own, places)))
        return made

    def _trees(self, texts: Sequence[str], *, tokenised: bool = False) -> list[Tree]:
        if self.segmenter == "text" or tokenised:
            plain = self.steps.options.replace(tokenise=True, case="none", protect="none", patterns=())
            texts = list(map(TextSteps(plain).apply, texts))
        with self._lock:
            if self._opened is None:
                self._opened = self._open()
            trees = parse_lines(self._opened, texts, tokenised=tokenised or self.segmenter != "parser")
        return [tree.surface() for tree in trees]

    def _open(self) -> Parser:
        if isinstance(self.given, str):
            return open_parser(self.given)
        kind, model = split_name(self.options.parser)
        self._require_trust(kind, model)
        try:
            if kind == "udpipe" and (self.folder / PARSER).is_file():
                return open_parser(f"udpipe:{self.folder / PARSER}")
            return open_parser(self.options.parser)
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


def _stand_in(text: str) -> str:
    """A word for protected items that the text does not contain."""
    name = "Qzx"
    while name.lower() in text.lower():
        name += "x"
    return name


def _replaced(text: str, items: Sequence[Item], name: str) -> str:
    parts, done = [], 0
    for item in items:
        parts += [text[done : item.start], f" {name} "]
        done = item.end
    return "".join([*parts, text[done:]])


def _places(tree: Tree, name: str) -> list[int]:
    return [place for place, token in enumerate(tree.tokens) if token == name]
