"""Text preparation before training and translating, stored with the model and undone on output."""

from __future__ import annotations

import dataclasses
import json
import os
from bisect import bisect_left
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property, partial
from itertools import accumulate, islice
from pathlib import Path

from graphmt import _core
from graphmt.corpus.conllu import Tree
from graphmt.corpus.pairs import require_one_side
from graphmt.corpus.recasing import Recaser, learn_recaser
from graphmt.corpus.text import is_conllu, plain_lines, tokenised
from graphmt.corpus.tokenise import Tokeniser
from graphmt.errors import InputError, OptionError
from graphmt.options import Options, option
from graphmt.progress import bar, sentences_in
from graphmt.protect import GROUPS, Item, ProtectedLine, Recogniser, Restored, restore
from graphmt.protect.marks import mark_of, marked, protected_line
from graphmt.reprs import counted
from graphmt.storage.checks import require_outputs
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
        "names distinct from words. Undone on output: sentence starts are capitalised.",
        choices=CASES,
    )
    protect: str = option(
        "none",
        "Text that must not change, replaced by typed tokens and restored in the output: auto (everything if the text "
        "is tokenised here, else nothing), none, or some of variables,tags,addresses,numbers.",
    )
    patterns: tuple[str, ...] = option((), "More protected text: regular expressions.")

    def __post_init__(self) -> None:
        super().__post_init__()
        # Errors are reported here, not when the first line is read.
        Recogniser(self.protected, self.patterns)

    @property
    def protected(self) -> tuple[str, ...]:
        """The groups of protected text, of :data:`graphmt.protect.GROUPS`."""
        if self.protect == "auto":
            return tuple(GROUPS) if self.tokenise else ()
        return () if self.protect == "none" else tuple(part.strip() for part in self.protect.split(","))


@dataclasses.dataclass(frozen=True)
class TextSteps:
    """The declared steps, with what was learned from a corpus.

    ``casings`` has the known casings of each word, the most frequent first; None if nothing was learned. ``recaser``
    has the capitals of output; without one, sentence starts are capitalised.

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
    recaser: Recaser | None = None

    def __repr__(self) -> str:
        learned = "" if self.casings is None else f", {counted(len(self.casings), 'word')}"
        return f"TextSteps({self.options!r}{learned})"

    def fit(self, corpus: AnyPath | Iterable[str], *, target: bool = False) -> TextSteps:
        """The steps fitted on a corpus: learns the truecaser's table; other steps need nothing.

        The corpus is a file or its lines, as passed to :meth:`apply`. Memory: the distinct words. ``target``: learn the
        capitals of output as well, from the target side of a parallel corpus.
        """
        fitted = self
        if target and not isinstance(corpus, str | os.PathLike):
            # It is read twice.
            corpus = list(corpus)
        if self.options.case == "true":
            counts = _core.CasingCounts()
            split = self._split(corpus)
            while chunk := list(islice(split, 4096)):
                counts.add(chunk)
            fitted = dataclasses.replace(fitted, casings=tuple(map(tuple, counts.table())))
        if target and self.options.case != "none":
            recaser = learn_recaser(self._split(corpus), words=self.options.case == "lower")
            fitted = dataclasses.replace(fitted, recaser=recaser)
        return fitted

    def _split(self, corpus: AnyPath | Iterable[str]) -> Iterator[str]:
        """The tokens of a corpus with their case, and with marks for protected items."""
        trees = isinstance(corpus, str | os.PathLike) and is_conllu(corpus)
        found = _lines(corpus, trees) if isinstance(corpus, str | os.PathLike) else corpus
        hidden = (marked(line, self._items(line, trees)) for line in found) if self.protects else found
        return self._tokeniser.tokenise_all(hidden) if self.options.tokenise and not trees else iter(hidden)

    @property
    def protects(self) -> bool:
        """Whether any text is protected."""
        return bool(self.options.protected or self.options.patterns)

    def for_tokens(self) -> TextSteps:
        """The same steps for text that is tokenised already."""
        groups = ",".join(self.options.protected) or "none"
        return dataclasses.replace(self, options=self.options.replace(tokenise=False, protect=groups))

    def items(self, line: str) -> list[Item]:
        """The protected items of a line."""
        return self._items(line, trees=False)

    def prepare(
        self, line: str, items: Sequence[Item] | None = None, typed: Collection[int] | None = None
    ) -> ProtectedLine:
        """A line prepared for the models, with its protected items (``items``, if they are known already).

        Only the items with numbers in ``typed`` become typed tokens (None: all). The others remain, as one token each.
        """
        if items is None:
            items = self.items(line)
        split = self._tokeniser.tokenise(marked(line, items)) if self.options.tokenise else marked(line, items)
        return protected_line(line, items, split, self._cased, typed)

    def apply(self, line: str) -> str:
        """A line prepared for the models: its tokens separated by spaces, in the declared case."""
        if self.protects:
            return self.prepare(line).text
        return self._cased(self._tokeniser.tokenise(line) if self.options.tokenise else line)

    def apply_all(self, lines: Iterable[str], *, processes: int = 1) -> Iterator[str]:
        """The same for many lines, in order, tokenised by several processes."""
        if not self.protects:
            split = self._tokeniser.tokenise_all(lines, processes=processes) if self.options.tokenise else lines
            yield from map(self._cased, split)
            return
        waiting: deque[tuple[str, list[Item]]] = deque()

        def hidden() -> Iterator[str]:
            for line in lines:
                items = self.items(line)
                waiting.append((line, items))
                yield marked(line, items)

        found = hidden()
        for split_line in self._tokeniser.tokenise_all(found, processes=processes) if self.options.tokenise else found:
            line, items = waiting.popleft()
            yield protected_line(line, items, split_line, self._cased).text

    def apply_tree(self, tree: Tree) -> Tree:
        """The tree with its forms in the declared case; its tokenisation is kept."""
        if self.options.case == "none" and not self.protects:
            return tree
        return dataclasses.replace(tree, forms=self.prepare_tree(tree).tokens)

    def prepare_tree(self, tree: Tree) -> ProtectedLine:
        """The tokens of a tree prepared for the models, with those that are protected items."""
        line = tree.text
        items = self._items(line, trees=True)
        if not items:
            return self.prepare_parsed(line, tree, (), ())
        starts = list(accumulate((len(token) + 1 for token in tree.tokens), initial=0))
        return self.prepare_parsed(line, tree, items, [bisect_left(starts, item.start) for item in items])

    def prepare_parsed(
        self,
        line: str,
        tree: Tree,
        items: Sequence[Item],
        places: Sequence[int],
        typed: Collection[int] | None = None,
    ) -> ProtectedLine:
        """The tokens of a parsed line prepared for the models; the items of the line are the tokens at ``places``.

        ``typed`` is as in :meth:`prepare`.
        """
        tokens = list(tree.tokens)
        for place, item in zip(places, items, strict=True):
            tokens[place] = mark_of(item)
        if self.options.case != "none":
            tokens = self._cased(" ".join(tokens)).split(" ")
        for number, (place, item) in enumerate(zip(places, items, strict=True)):
            tokens[place] = item.token if typed is None or number in typed else "_".join(item.text.split())
        return ProtectedLine(line, tuple(tokens), tuple(items), tuple(places))

    def undo(self, line: str) -> str:
        """A line of output, detokenised and with capitalised sentence starts."""
        return self.detokenise(self.capitalise(line))

    def capitalise(self, line: str, *, starts: bool = True) -> str:
        """A tokenised line of output with its capitals, if the declared case changes them.

        ``starts``: sentences start with a capital, unless those of the training text do not.
        """
        if self.options.case == "none":
            return line
        if self.recaser is not None:
            line = self.recaser.apply(line) if self.options.case == "lower" else line
            starts = starts and self.recaser.starts
        return _core.capitalise(line) if starts else line

    def detokenise(self, line: str) -> str:
        """A line of output, detokenised if the text was tokenised here."""
        return self._tokeniser.detokenise(line) if self.options.tokenise else line

    def restore(
        self, tokens: Sequence[str], links: Iterable[tuple[int, int]], source: ProtectedLine, *, trees: bool = False
    ) -> Restored:
        """A translation with the protected items of its source, as :func:`graphmt.protect.restore` makes it.

        Sentence starts are not capitalised if the source starts with a lower-case letter, as many UI strings do.
        """
        recogniser = None if trees else self._recognisers[not self.options.tokenise]
        letter = next(filter(str.isalpha, marked(source.line, source.items)), "")
        capitalise = partial(self.capitalise, starts=not letter.islower() or trees)
        return restore(tokens, links, source, recogniser, capitalise=capitalise, detokenise=self.detokenise)

    def save(self, folder: AnyPath) -> None:
        """Write the steps into a folder."""
        content = {"graphmt text steps": VERSION, "options": self.options.as_dict(), "casings": self.casings}
        if self.recaser is not None:
            content["recaser"] = self.recaser.as_dict()
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
            # Models made before recasers were learned have none.
            recaser = Recaser.from_dict(content["recaser"]) if "recaser" in content else None
            return cls(TextOptions.from_mapping(content["options"], file=str(path)), table, recaser)
        except OSError:
            raise InputError("no text steps: the file is missing or cannot be read.", file=path) from None
        except MALFORMED:
            raise InputError("not a text steps file, or damaged.", file=path) from None

    @cached_property
    def _recognisers(self) -> tuple[Recogniser, Recogniser]:
        """For raw text, and for tokenised text."""
        groups, patterns = self.options.protected, self.options.patterns
        return Recogniser(groups, patterns), Recogniser(groups, patterns, whole_tokens=True)

    def _items(self, line: str, trees: bool) -> list[Item]:
        return [] if not self.protects else self._recognisers[trees or not self.options.tokenise].find(line)

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
    source: AnyPath,
    out: AnyPath,
    steps: TextSteps,
    *,
    undo: bool = False,
    processes: int = 1,
    target: bool = False,
) -> TextSteps:
    """Write a text with the steps applied or undone; returns the steps, fitted on the text if necessary.

    The tokens of a CoNLL-U file are kept. ``target``: the capitals of output are learned from this text.
    """
    require_outputs(out, inputs=[source])
    trees = os.fspath(source) != "-" and is_conllu(source)
    used = steps.for_tokens() if trees and not undo else steps
    if target or (used.options.case == "true" and used.casings is None and not undo):
        if os.fspath(source) == "-":
            raise OptionError(
                "truecasing reads its text twice, which is impossible with standard input.",
                hint="Give a file, or saved steps with a trained truecaser (--steps).",
            )
        used = used.fit(source, target=target)
    steps = dataclasses.replace(steps, casings=used.casings, recaser=used.recaser)
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
