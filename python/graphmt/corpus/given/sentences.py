"""The sentences of one side: texts, trees, parsed sentences of spaCy and conllu, columns of tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import Any, TypeGuard

from graphmt.corpus.conllu import Tree, parse_conllu
from graphmt.corpus.given.columns import chosen_one, is_nested, text_columns, text_fields
from graphmt.corpus.given.kinds import (
    column_names,
    column_values,
    described,
    is_doc,
    is_frame,
    is_token_list,
    items_of,
)
from graphmt.corpus.header import NESTED
from graphmt.errors import InputError

#: A sentence as the caller has it: a text, a :class:`graphmt.Tree`, a ``Doc`` of spaCy or a ``TokenList`` of conllu.
GivenSentence = Any

#: The first side of a pair.
SOURCE = 0
#: Its second side.
TARGET = 1


def is_sentence(given: Any) -> TypeGuard[str | Tree]:
    """Whether it is one sentence, and not several."""
    return isinstance(given, str | Tree) or is_doc(given) or is_token_list(given)


def given_sentence(given: GivenSentence) -> str | Tree:
    """A text or tree of a sentence; anything else is returned as it is."""
    if isinstance(given, str):
        return given if type(given) is str else str(given)
    if is_doc(given):
        return _of_doc(given)
    if is_token_list(given):
        return _of_token_list(given)
    sentence: str | Tree = given
    return sentence


def given_sentences(
    given: Any, name: str = "the sentences", *, side: int = SOURCE, language: str | None = None
) -> Iterator[str | Tree]:
    """The sentences of one side, as a stream.

    Of a table they are its only column with text, the one with the name of the ``language``, or that of the ``side``.
    """
    if is_sentence(given):
        raise InputError(
            "a single sentence; a list of sentences was expected.", file=name, hint="Give it as [sentence]."
        )
    if is_frame(given):
        yield from _of_values(_column(given, name, side, language), name)
        return
    items = items_of(given, name, "sentences were")
    first = list(islice(items, 1))
    items = chain(first, items)
    if first and isinstance(first[0], Mapping):
        items = _of_rows(items, first[0], name, side, language)
    yield from _of_values(items, name)


def given_texts(
    given: Any, name: str = "the sentences", *, side: int = SOURCE, language: str | None = None
) -> Iterator[str]:
    """The same as texts: the tokens of trees, separated by spaces."""
    for sentence in given_sentences(given, name, side=side, language=language):
        yield sentence.text if isinstance(sentence, Tree) else sentence


def sentence_at(value: Any, number: int, name: str, expected: str = "a text or a tree was") -> str | Tree:
    """A sentence of a stream, by its number from 1; anything else is refused by name."""
    sentence = given_sentence(value)
    if not isinstance(sentence, str | Tree):
        raise InputError(f"number {number:,} is {described(value)}; {expected} expected.", file=name)
    return sentence


def _of_values(values: Iterable[Any], name: str) -> Iterator[str | Tree]:
    for number, value in enumerate(values, 1):
        yield sentence_at(value, number, name)


def _column(frame: Any, name: str, side: int, language: str | None) -> Iterator[Any]:
    if is_nested(frame):
        rows = list(column_values(frame, column_names(frame).index(NESTED)))
        return _of_rows(iter(rows), rows[0], name, side, language)
    chosen = chosen_one(text_columns(frame), side, language, name)
    return column_values(frame, column_names(frame).index(chosen))


def _of_rows(
    rows: Iterator[Any], first: Mapping[str, Any], name: str, side: int, language: str | None
) -> Iterator[Any]:
    """The values of one field of each row."""
    texts = text_fields(nested(first))
    chosen = chosen_one(texts, side, language, name)
    for row in rows:
        yield nested(row).get(chosen) if isinstance(row, Mapping) else row


def nested(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """The field ``translation`` of a row if it has texts by language, else the row."""
    inner = row.get(NESTED)
    return inner if isinstance(inner, Mapping) else row


def _of_doc(doc: Any) -> str | Tree:
    """The tree of a parsed text, otherwise its text."""
    text = " ".join(doc.text.split())
    # A Span does not say whether it was parsed.
    if not getattr(doc, "doc", doc).has_annotation("DEP"):
        return text
    from graphmt.corpus.parsers.spacy import as_tree

    return as_tree(doc, text, tokenised=False) or ""


def _of_token_list(tokens: Any) -> str | Tree:
    """The tree of a sentence whose words have heads, otherwise its tokens."""
    words = [token for token in tokens if isinstance(token["id"], int)]
    if not words:
        return ""
    if any(token.get("head") is None for token in words):
        return " ".join(token["form"] for token in words)
    [tree] = parse_conllu(tokens.serialize())
    return tree
