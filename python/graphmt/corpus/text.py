"""Tokenised text from any supported file."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from graphmt import _core
from graphmt.storage.files import AnyPath, decoded_lines, reading

#: Bytes examined to distinguish plain text from markup.
_HEAD = 1 << 13


def is_conllu(path: AnyPath) -> bool:
    """Whether a file is CoNLL-U, by its name (``.conllu``, ``.conllu.gz``) or else by its content.

    In the content, the first line that is neither blank nor a comment has ten columns and a first word's id.
    """
    return _core.is_conllu(path)


def plain_lines(path: AnyPath) -> Iterator[str]:
    """The lines of plain text (``-``: standard input), as a stream.

    Markup, tables and CoNLL-U, recognised by name or by an unmistakable start, are rejected.
    """
    with reading(path) as stream:
        _core.require_plain(path, stream.peek(_HEAD)[:_HEAD])
        yield from decoded_lines(stream, path)


def tokenised(path: AnyPath, *, lowercase: bool = False) -> Iterator[str]:
    """One tokenised sentence after the other, tokens separated by one space, as a stream.

    The file (``-``: standard input) is plain or gzip; text with one sentence per line, or CoNLL-U
    (see :func:`is_conllu`), whose multiword tokens count as one token. Any white space separates
    tokens, so that every later split of a line finds the same ones; a space inside a form becomes ``_``.
    """
    return chain.from_iterable(tokenised_chunks(path, lowercase=lowercase))


def tokenised_chunks(path: AnyPath, *, lowercase: bool = False, size: int = 4096) -> Iterator[list[str]]:
    """The same in lists of at most ``size`` sentences, for bulk work."""
    return iter(_core.TextReader(path, lowercase=lowercase, chunk=size))
