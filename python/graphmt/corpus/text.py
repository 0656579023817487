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

    Parameters
    ----------
    path
        The file, plain or compressed.

    Returns
    -------
    bool
        True for CoNLL-U.

    Examples
    --------
    >>> from graphmt.corpus import is_conllu
    >>> is_conllu("corpus/train.de.conllu"), is_conllu("corpus/train.en")
    (True, False)
    """
    return _core.is_conllu(path)


def plain_lines(path: AnyPath) -> Iterator[str]:
    """The lines of plain text (``-``: standard input), as a stream.

    Markup, tables and CoNLL-U, recognised by name or by an unmistakable start, are rejected.

    Parameters
    ----------
    path
        The file, plain or compressed; ``-`` is standard input.

    Yields
    ------
    str
        The lines, without their ends.

    Raises
    ------
    InputError
        If the file is markup, a table or CoNLL-U, or is not UTF-8.

    Examples
    --------
    >>> from graphmt.corpus import plain_lines
    >>> sum(1 for line in plain_lines("corpus/train.en"))
    200
    """
    with reading(path) as stream:
        _core.require_plain(path, stream.peek(_HEAD)[:_HEAD])
        yield from decoded_lines(stream, path)


def tokenised(path: AnyPath, *, lowercase: bool = False) -> Iterator[str]:
    """Read tokenised sentences, tokens separated by one space, as a stream.

    Any white space separates tokens, so that every later split of a line finds the same ones; a space inside a form
    becomes ``_``.

    Parameters
    ----------
    path
        Text with one sentence per line, or CoNLL-U (see :func:`is_conllu`), whose multiword tokens count as one
        token; plain or compressed, ``-`` is standard input.
    lowercase
        Lower-case the tokens.

    Yields
    ------
    str
        Sentences.

    Examples
    --------
    >>> from graphmt.corpus import tokenised
    >>> next(tokenised("corpus/test.de.conllu", lowercase=True))
    'sie ist glücklich .'
    """
    return chain.from_iterable(tokenised_chunks(path, lowercase=lowercase))


def tokenised_chunks(path: AnyPath, *, lowercase: bool = False, size: int = 4096) -> Iterator[list[str]]:
    """Read tokenised sentences as :func:`tokenised` does, in lists for bulk work.

    Parameters
    ----------
    path
        Text or CoNLL-U.
    lowercase
        Lower-case the tokens.
    size
        The most sentences of a list.

    Yields
    ------
    list[str]
        Lists of sentences.

    Examples
    --------
    >>> from graphmt.corpus import tokenised_chunks
    >>> [len(chunk) for chunk in tokenised_chunks("corpus/test.de.conllu", size=8)]
    [8, 2]
    """
    return iter(_core.TextReader(path, lowercase=lowercase, chunk=size))
