"""Data of Python code as files: for stages that read a corpus several times, and by its digest know it again."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any

from graphmt.corpus.conllu import Tree
from graphmt.corpus.given.kinds import described, is_token_list
from graphmt.corpus.given.pairs import GivenPairs
from graphmt.corpus.header import Columns
from graphmt.corpus.languages import Languages
from graphmt.corpus.origin import GivenOrigin, named_by_origin
from graphmt.errors import InputError

#: How the name of a file ends, if it has no space.
_ENDING = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,9}\Z")
_LINE_ENDS = re.compile(r"[\r\n]+")
#: How sentences end in scripts without spaces between words, and others.
_STOPS = (".", "!", "?", "…", "。", "！", "？", "।", "؟")
#: Texts of a list that are looked at.
_LOOKED_AT = 100
#: Longer texts are no paths.
_LONGEST_PATH = 4096


def is_path(given: Any) -> bool:
    """Whether it is one path."""
    return isinstance(given, str | os.PathLike)


def is_data(given: Any, *, beside_data: bool = False) -> bool:
    """Whether it is data, and neither a path nor several.

    A list of texts is one of paths if a file has the name of one of them, or if all look like names of files: without
    spaces and not ending as a sentence does, or ending as such a name does. ``beside_data``: the other side is data, so
    that only existing files count.
    """
    if given is None or is_path(given):
        return False
    if not isinstance(given, list | tuple) or is_token_list(given) or not given:
        return True
    first = given[:_LOOKED_AT]
    if not all(map(is_path, first)):
        return True
    if any(isinstance(one, os.PathLike) or _exists(one) for one in first):
        return False
    return beside_data or not all(map(_is_like_name, given))


def _exists(name: str) -> bool:
    with contextlib.suppress(OSError, ValueError):
        return 0 < len(name) < _LONGEST_PATH and "\n" not in name and Path(name).is_file()
    return False


def _is_like_name(text: Any) -> bool:
    if not isinstance(text, str) or not text.strip() or len(text) >= _LONGEST_PATH:
        return False
    return _ENDING.search(text) is not None or not (text.endswith(_STOPS) or len(text.split()) > 1)


def write_side(sentences: Iterable[str | Tree], folder: Path, stem: str, name: str) -> Path:
    """Sentences as a file, a text or CoNLL-U; all must be of one kind."""
    with contextlib.ExitStack() as stack:
        side = _Side(folder, stem, name, stack)
        for sentence in sentences:
            side.write(sentence)
        return side.done()


def write_pairs(
    pairs: GivenPairs, folder: Path, stem: str, languages: Languages | None, columns: Columns | None
) -> tuple[Path, Path]:
    """Pairs as two files."""
    with contextlib.ExitStack() as stack:
        source, target = (_Side(folder, f"{stem}.{name}", pairs.name, stack) for name in ("source", "target"))
        for left, right in pairs.read(languages, columns):
            source.write(left)
            target.write(right)
        return source.done(), target.done()


class _Side:
    """A file that is written; its first sentence decides its format."""

    def __init__(self, folder: Path, stem: str, name: str, stack: contextlib.ExitStack) -> None:
        self._place, self._name, self._stack = folder / stem, name, stack
        self._stream: IO[str] | None = None
        self._path = self._place
        self._trees = False
        self._count = 0

    def write(self, sentence: str | Tree) -> None:
        """Add a sentence."""
        self._count += 1
        is_tree = isinstance(sentence, Tree)
        if self._stream is None:
            self._trees = is_tree
            self._path = self._place.with_name(f"{self._place.name}.{'conllu' if is_tree else 'txt'}")
            self._stream = self._stack.enter_context(self._path.open("w", encoding="utf-8", newline="\n"))
        if is_tree != self._trees:
            kinds = ("a tree", "a text") if is_tree else ("a text", "a tree")
            raise InputError(
                f"number {self._count:,} is {kinds[0]}, and the first is {kinds[1]}; all must be of one kind.",
                file=self._name,
                hint="Parse all sentences, or none.",
            )
        try:
            self._stream.write(sentence.conllu() if isinstance(sentence, Tree) else f"{_line(sentence)}\n")
        except UnicodeEncodeError as error:
            raise InputError(
                f"number {self._count:,} is not text: it has half of a surrogate pair ({error.object[error.start]!r}).",
                file=self._name,
                hint="Decode the text anew, from UTF-8.",
            ) from None

    def done(self) -> Path:
        """The path of the file."""
        if self._stream is None:
            raise InputError("no sentences.", file=self._name)
        return self._path


def _line(text: str) -> str:
    return _LINE_ENDS.sub(" ", text)


@contextlib.contextmanager
def named_by_data(files: Sequence[Path], name: str) -> Iterator[None]:
    """Errors about the files name the data that was written to them, and the number of the sentence."""
    with named_by_origin(*(GivenOrigin(file, [name]) for file in files)):
        yield


def require_path(given: Any, name: str) -> None:
    """Refuse data where only a path can be given."""
    if given is not None and not is_path(given):
        raise InputError(f"{described(given)}; the path of a file was expected.", file=name)
