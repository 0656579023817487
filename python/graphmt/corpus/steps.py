"""Text preparation before training and translating, stored with the model and undone on output."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import islice
from pathlib import Path

from graphmt import _core
from graphmt.corpus.conllu import Tree
from graphmt.corpus.pairs import require_one_side
from graphmt.corpus.text import is_conllu, plain_lines, tokenised
from graphmt.corpus.tokenise import Tokeniser
from graphmt.errors import InputError, OptionError
from graphmt.options import Options, option
from graphmt.progress import bar, sentences_in
from graphmt.reprs import counted
from graphmt.storage.files import AnyPath, writing
from graphmt.storage.formats import MALFORMED, read_json

#: The file in a model's folder, and the version of its format.
FILE = "text.json"
VERSION = 1

CASES = ("none", "lower", "true")


@dataclasses.dataclass(frozen=True)
class TextOptions(Options):
    """The declared steps from text to tokens.

    Examples
    --------
    >>> from graphmt.corpus import TextOptions
    >>> TextOptions(tokenise=True, language="de", case="lower")
    TextOptions(tokenise=True, language='de', case='lower')
    """

    tokenise: bool = option(False, "Tokenise the text; off for text that is tokenised already.")
    language: str = option("en", "Language of the text, which selects the tokenisation rules.", unit="code")
    case: str = option(
        "none",
        "Case of words. lower: all lower-case, fewest distinct words; true: truecase sentence starts, which keeps "
        "names distinct from words. Undone on output by capitalising sentence starts.",
        choices=CASES,
    )


@dataclasses.dataclass(frozen=True)
class TextSteps:
    """The declared steps, with what was learned from a corpus.

    ``casings`` has the known casings of each word, the most frequent first; None if nothing was learned.

    Examples
    --------
    >>> from graphmt.corpus import TextOptions, TextSteps
    >>> steps = TextSteps(TextOptions(tokenise=True, case="lower"))
    >>> steps.apply("A small house.")
    'a small house .'
    >>> steps.undo("a small house .")
    'A small house.'
    """

    options: TextOptions = dataclasses.field(default_factory=TextOptions)
    casings: tuple[tuple[str, ...], ...] | None = None

    def __repr__(self) -> str:
        learned = "" if self.casings is None else f", {counted(len(self.casings), 'word')}"
        return f"TextSteps({self.options!r}{learned})"

    def fit(self, corpus: AnyPath | Iterable[str]) -> TextSteps:
        """The steps fitted on a corpus: learns the truecaser's table; other steps need nothing.

        The corpus is a file or its lines, as passed to :meth:`apply`. Memory: the distinct words.
        """
        if self.options.case != "true":
            return self
        counts = _core.CasingCounts()
        trees = isinstance(corpus, str | os.PathLike) and is_conllu(corpus)
        found = _lines(corpus, trees) if isinstance(corpus, str | os.PathLike) else corpus
        split = self._tokeniser.tokenise_all(found) if self.options.tokenise and not trees else iter(found)
        while chunk := list(islice(split, 4096)):
            counts.add(chunk)
        return dataclasses.replace(self, casings=tuple(map(tuple, counts.table())))

    def apply(self, line: str) -> str:
        """A line prepared for the models: its tokens separated by spaces, in the declared case."""
        return self._cased(self._tokeniser.tokenise(line) if self.options.tokenise else line)

    def apply_all(self, lines: Iterable[str], *, processes: int = 1) -> Iterator[str]:
        """The same for many lines, in order, tokenised by several processes."""
        split = self._tokeniser.tokenise_all(lines, processes=processes) if self.options.tokenise else lines
        return map(self._cased, split)

    def apply_tree(self, tree: Tree) -> Tree:
        """The tree with its forms in the declared case; its tokenisation is kept."""
        if self.options.case == "none":
            return tree
        return dataclasses.replace(tree, forms=tuple(self._cased(tree.text).split(" ")))

    def undo(self, line: str) -> str:
        """A line of output, detokenised and with capitalised sentence starts."""
        if self.options.case != "none":
            line = _core.capitalise(line)
        return self._tokeniser.detokenise(line) if self.options.tokenise else line

    def save(self, folder: AnyPath) -> None:
        """Write the steps into a folder."""
        content = {"graphmt text steps": VERSION, "options": self.options.as_dict(), "casings": self.casings}
        with writing(Path(folder) / FILE) as stream:
            json.dump(content, stream, ensure_ascii=False, indent=None, separators=(",", ":"))
            stream.write("\n")

    @classmethod
    def load(cls, folder: AnyPath) -> TextSteps:
        """The steps saved in a folder."""
        path = Path(folder) / FILE
        try:
            content = read_json(path)
            version = content["graphmt text steps"]
            if version != VERSION:
                raise InputError(f"version {str(version)[:20]} of text steps; this graphmt reads {VERSION}.", file=path)
            casings = content["casings"]
            table = None if casings is None else tuple(map(tuple, casings))
            if not all(isinstance(row, list) and all(isinstance(word, str) for word in row) for row in casings or []):
                raise TypeError
            return cls(TextOptions.from_mapping(content["options"], file=str(path)), table)
        except OSError:
            raise InputError("no text steps: the file is missing or cannot be read.", file=path) from None
        except MALFORMED:
            raise InputError("not a text steps file, or damaged.", file=path) from None

    @cached_property
    def _tokeniser(self) -> Tokeniser:
        return Tokeniser(self.options.language)

    @cached_property
    def _truecaser(self) -> _core.Truecaser:
        if self.casings is None:
            raise OptionError("the truecaser has not been trained.", hint="Fit the steps on the training text first.")
        return _core.Truecaser(self.casings)

    def _cased(self, line: str) -> str:
        if self.options.case == "lower":
            return _core.lowercase(line)
        return self._truecaser.apply(line) if self.options.case == "true" else line


def process_file(
    source: AnyPath, out: AnyPath, steps: TextSteps, *, undo: bool = False, processes: int = 1
) -> TextSteps:
    """Write a text with the steps applied or undone; returns the steps, fitted on the text if necessary.

    The tokens of a CoNLL-U file are kept.
    """
    trees = os.fspath(source) != "-" and is_conllu(source)
    used = TextSteps(steps.options.replace(tokenise=False), steps.casings) if trees and not undo else steps
    if used.options.case == "true" and used.casings is None and not undo:
        if os.fspath(source) == "-":
            raise OptionError(
                "truecasing reads its text twice, which is impossible with standard input.",
                hint="Give a file, or saved steps with a trained truecaser (--steps).",
            )
        used = used.fit(source)
        steps = dataclasses.replace(steps, casings=used.casings)
    sentences = _lines(source, trees)
    with writing(out) as stream, bar("lines", sentences_in(source)) as advance:
        changed = map(used.undo, sentences) if undo else used.apply_all(sentences, processes=processes)
        for number, line in enumerate(changed, 1):
            stream.write(f"{line}\n")
            advance(number)
    return steps


def _lines(source: AnyPath, trees: bool) -> Iterator[str]:
    require_one_side(source)
    return tokenised(source) if trees else plain_lines(source)
