"""The interface of parsers, and trees made from the rows that they return."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Protocol

from graphmt.corpus.conllu import MultiwordToken, Tree
from graphmt.errors import InputError

#: Names of this computer.
LOCAL = ("localhost", "127.0.0.1", "::1")


class Parser(Protocol):
    """Turns lines of text into dependency trees.

    A parser is named ``KIND:MODEL``, such as ``udpipe:german.udpipe``; :func:`open_parser` opens it.

    Examples
    --------
    >>> from graphmt.corpus import Parser, Tree
    >>> class Chain:
    ...     '''Attaches every word to the one before it.'''
    ...     one_process = True
    ...     def identity(self):
    ...         return {"kind": "chain"}
    ...     def parse(self, lines, *, tokenised):
    ...         words = [tuple(line.split()) for line in lines]
    ...         return [Tree(forms, tuple(range(-1, len(forms) - 1))) for forms in words]
    >>> parser: Parser = Chain()
    >>> parser.parse(["er schläft"], tokenised=True)
    [Tree('er schläft', 2 words)]
    """

    #: Whether one process is enough, because the parser uses several cores itself or works elsewhere.
    one_process: ClassVar[bool]

    def identity(self) -> dict[str, Any]:
        """Everything that determines its trees, as a cache stores it: kind, model, version or digest."""

    def parse(self, lines: Sequence[str], *, tokenised: bool) -> list[Tree | None]:
        """One tree for each line; None if it finds no words.

        Lines are not empty, and their words are separated by single spaces. ``tokenised``: these are the tokens.
        """


def joined_tree(sentences: Sequence[Sequence[Sequence[str]]], text: str) -> Tree | None:
    """One tree from the CoNLL-U rows of a line, each row with ten columns; None if there are no rows.

    Where a parser finds several sentences in one line, the further roots are attached to the first; labels are kept.
    A head that does not exist or lies on a cycle is replaced by the root.
    """
    words: list[Sequence[str]] = []
    heads: list[int] = []
    multiword: list[MultiwordToken] = []
    for rows in sentences:
        before = len(words)
        own = [row for row in rows if row[0].isdigit()]
        multiword += [_multiword(row, before) for row in rows if "-" in row[0]]
        heads += [before + int(row[6]) - 1 if _is_head(row[6], len(own)) else -1 for row in own]
        words += own
    if not words:
        return None
    columns = list(zip(*words, strict=True))
    return Tree(
        forms=columns[1],
        heads=single_root(heads),
        lemmas=columns[2],
        upos=columns[3],
        xpos=columns[4],
        feats=columns[5],
        deprels=columns[7],
        misc=columns[9],
        comments=(f"# text = {text}",),
        multiword=tuple(multiword),
    )


def _is_head(text: str, words: int) -> bool:
    return text.isdigit() and 1 <= int(text) <= words


def _multiword(row: Sequence[str], before: int) -> MultiwordToken:
    first, _, last = row[0].partition("-")
    return MultiwordToken(before + int(first) - 1, before + int(last) - 1, row[1], row[5], row[9])


def single_root(heads: Sequence[int]) -> tuple[int, ...]:
    """Heads with one root and no cycles: further roots, and one word of each cycle, are attached to the first root."""
    found = list(heads)
    if -1 not in found:
        found[0] = -1
    root = found.index(-1)
    found = [root if head == -1 and word != root else head for word, head in enumerate(found)]
    reaches_root = {root}
    for word in range(len(found)):
        path: list[int] = []
        while word not in reaches_root and word not in path:
            path.append(word)
            word = found[word]
        if word in path:
            found[word] = root
        reaches_root.update(path)
    return tuple(found)


def conllu_sentences(text: str) -> list[list[list[str]]]:
    """The sentences of CoNLL-U text as rows of ten columns, without comments and empty nodes."""
    sentences: list[list[list[str]]] = [[]]
    for line in text.splitlines():
        if not line.strip():
            sentences.append([])
        elif not line.startswith("#"):
            row = line.split("\t")
            if len(row) != 10:
                raise InputError(f"the parser wrote {len(row)} columns, 10 were expected: {line[:80]!r}.")
            if "." not in row[0]:
                sentences[-1].append(row)
    return [rows for rows in sentences if rows]
