"""Tokenising and detokenising by language: sacremoses, and jieba for Chinese."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from functools import lru_cache
from itertools import islice

from graphmt.errors import MissingPackageError, OptionError
from graphmt.processes import WorkerPool, as_completed

_LANGUAGE = re.compile(r"[a-z]{2,3}")
#: Characters of scripts without spaces between words. (Not Hangul: Korean has spaces.)
_UNSPACED = "[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]"
_GAP = re.compile(f"(?<={_UNSPACED}) (?={_UNSPACED})|(?<={_UNSPACED}) (?=[,.!?:;%)\\]])|(?<=[(\\[]) (?={_UNSPACED})")
#: sacremoses would drop these, and join the words beside them.
_CONTROLS = dict.fromkeys([*range(32), 127], " ")
#: Lines passed to another process at a time.
_BATCH = 2000


class Tokeniser:
    """Tokenises and detokenises one language, given by its ISO 639 code (``de``, ``en``, ``zh``, ...).

    Languages without an abbreviation list in sacremoses use the English one.

    Parameters
    ----------
    language
        An ISO 639 code of two or three letters.

    Raises
    ------
    OptionError
        If ``language`` is not a code.

    Examples
    --------
    >>> from graphmt.corpus import Tokeniser
    >>> Tokeniser("en").tokenise("A small house.")
    'A small house .'
    >>> Tokeniser("en").detokenise("A small house .")
    'A small house.'
    """

    def __init__(self, language: str) -> None:
        if not _LANGUAGE.fullmatch(language):
            raise OptionError(f"language takes a code of two or three letters like de or en, not {language!r}.")
        self.language = language

    def __repr__(self) -> str:
        return f"Tokeniser({self.language!r})"

    def tokenise(self, line: str) -> str:
        """The tokens of a line separated by single spaces; nothing is escaped."""
        return _split(self.language, line)

    def detokenise(self, line: str) -> str:
        """The detokenised line."""
        return _joiner(self.language)(line)

    def tokenise_all(self, lines: Iterable[str], *, processes: int = 1) -> Iterator[str]:
        """The lines tokenised, in order; several processes share the work of a large text."""
        if processes == 1:
            yield from map(self.tokenise, lines)
            return
        lines = iter(lines)
        waiting: list[Future[list[str]]] = []
        with WorkerPool(processes) as pool:
            while batch := list(islice(lines, _BATCH)):
                waiting.append(pool.submit(_tokenise_batch, self.language, batch))
                if len(waiting) > 2 * processes:
                    yield from next(as_completed([waiting.pop(0)]))
            for future in waiting:
                yield from next(as_completed([future]))


def _tokenise_batch(language: str, lines: list[str]) -> list[str]:
    return [_split(language, line) for line in lines]


def _split(language: str, line: str) -> str:
    return _splitter(language)(line.translate(_CONTROLS))


@lru_cache
def _splitter(language: str) -> Callable[[str], str]:
    if language == "zh":
        cut = _jieba()
        return lambda line: " ".join(" ".join(cut(line)).split())
    if language == "ja":
        raise OptionError(
            "there is no tokeniser for Japanese.",
            hint="Use a parser: graphmt corpus parse --parser spacy:ja_ginza IN OUT.conllu.gz",
        )
    from sacremoses import MosesTokenizer

    split = MosesTokenizer(language).tokenize
    return lambda line: str(split(line, return_str=True, escape=False))


@lru_cache
def _joiner(language: str) -> Callable[[str], str]:
    if language in ("zh", "ja"):
        return lambda line: _GAP.sub("", " ".join(line.split()))
    from sacremoses import MosesDetokenizer

    join = MosesDetokenizer(language).detokenize
    return lambda line: str(join(line.split(), return_str=True, unescape=False))


def _jieba() -> Callable[[str], Iterable[str]]:
    try:
        import jieba
    except ImportError:
        raise MissingPackageError(
            "tokenising Chinese needs jieba, which is not installed.",
            hint="pip install 'graphmt[chinese]'",
        ) from None
    jieba.setLogLevel("ERROR")
    jieba.initialize()
    cut: Callable[[str], Iterable[str]] = jieba.cut
    return cut
