"""Pairs of sentences that Python code has at hand: lists, generators, tables, data sets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any

from graphmt.corpus.conllu import Tree
from graphmt.corpus.given.columns import chosen_pair, is_nested, text_columns, text_fields
from graphmt.corpus.given.kinds import column_names, column_values, described, is_frame, items_of
from graphmt.corpus.given.sentences import GivenSentence, given_sentence, is_sentence, nested
from graphmt.corpus.header import NESTED, Columns, header_languages
from graphmt.corpus.languages import Languages, base_language
from graphmt.errors import InputError, OptionError

_PAIR = "a pair (source, target) of texts was expected."


class GivenPairs:
    """Pairs in any form, of which only the first was read."""

    def __init__(self, given: Any, name: str) -> None:
        self.name = name
        #: All columns, and those with text; None if the pairs are not in columns.
        self.columns: tuple[list[str], list[str]] | None = None
        self._frame: Any = None
        if is_frame(given) and is_nested(given):
            given = column_values(given, column_names(given).index(NESTED))
        if is_frame(given):
            self._frame, self.columns = given, (column_names(given), text_columns(given))
            return
        items = items_of(given, name, "pairs (source, target) were")
        first = list(islice(items, 1))
        self._items = chain(first, items)
        if first and isinstance(first[0], Mapping):
            row = nested(first[0])
            self.columns = list(map(str, row)), text_fields(row)

    def stated(self, columns: Columns | None = None) -> Languages | None:
        """The languages that name the columns, or the chosen ones of them, without regions; None if not two do."""
        if self.columns is None:
            return None
        texts = self.columns[1] if columns is None else [column for column in columns if isinstance(column, str)]
        found = header_languages(texts).both
        return None if found is None else (base_language(found[0]), base_language(found[1]))

    def read(
        self, languages: Languages | None = None, columns: Columns | None = None
    ) -> Iterator[tuple[str | Tree, str | Tree]]:
        """The pairs, once; sides that are neither texts nor parsed sentences are refused by name."""
        if self.columns is None:
            if columns is not None:
                raise OptionError("columns can only be given for tables.", file=self.name, hint="Leave it out.")
            return self._plain()
        chosen = chosen_pair(*self.columns, languages, columns, self.name)
        return self._of_columns(chosen) if self._frame is not None else self._of_rows(chosen)

    def _plain(self) -> Iterator[tuple[str | Tree, str | Tree]]:
        for number, pair in enumerate(self._items, 1):
            if type(pair) is tuple and list(map(type, pair)) == [str, str]:
                yield pair
                continue
            sides = None if is_sentence(pair) or not isinstance(pair, Sequence) else pair
            if sides is None and type(pair).__name__ == "ndarray":
                sides = list(pair)
            made = [] if sides is None or len(sides) != 2 else [given_sentence(one) for one in sides]
            if len(made) != 2 or not all(isinstance(one, str | Tree) for one in made):
                raise InputError(
                    f"number {number:,} of {self.name} is {described(pair)}; {_PAIR}",
                    hint="Leave out other columns: [(source, target) for source, target, _ in …].",
                )
            yield made[0], made[1]

    def _of_columns(self, chosen: tuple[str, str]) -> Iterator[tuple[str | Tree, str | Tree]]:
        names = column_names(self._frame)
        sides = (column_values(self._frame, names.index(name)) for name in chosen)
        for number, pair in enumerate(zip(*sides, strict=True), 1):
            yield self._texts(number, pair, chosen)

    def _of_rows(self, chosen: tuple[str, str]) -> Iterator[tuple[str | Tree, str | Tree]]:
        for number, row in enumerate(self._items, 1):
            if not isinstance(row, Mapping):
                raise InputError(f"row {number:,} is {described(row)}; a mapping was expected.", file=self.name)
            fields = nested(row)
            yield self._texts(number, tuple(fields.get(name) for name in chosen), chosen)

    def _texts(self, number: int, pair: Sequence[GivenSentence], chosen: tuple[str, str]) -> tuple[str, str]:
        for value, name in zip(pair, chosen, strict=True):
            if not isinstance(value, str):
                raise InputError(
                    f"row {number:,} has {described(value)} in {name!r}; a text was expected.",
                    file=self.name,
                    hint="Leave such rows out, as dropna() and drop_nulls() do.",
                )
        return str(pair[0]), str(pair[1])


def sides_or_pairs(given: Any) -> tuple[bool, Any]:
    """Whether data is pairs, and not sentences of one side; and the data, of which nothing was read."""
    if is_frame(given):
        return is_nested(given) or len(text_columns(given)) > 1, given
    items = items_of(given, "the corpus", "sentences or pairs were")
    first = list(islice(items, 1))
    if not first or is_sentence(first[0]):
        return False, chain(first, items)
    is_one = isinstance(first[0], Mapping) and len(text_fields(nested(first[0]))) == 1
    return not is_one, chain(first, items)


def text_pairs(
    given: Any, name: str = "the memory", *, languages: Languages | None = None, columns: Columns | None = None
) -> Iterator[tuple[str, str]]:
    """Pairs in any form as texts: the tokens of trees, separated by spaces."""
    return as_texts(GivenPairs(given, name).read(languages, columns))


def as_texts(pairs: Iterator[tuple[str | Tree, str | Tree]]) -> Iterator[tuple[str, str]]:
    """Pairs with the tokens of trees."""
    for source, target in pairs:
        yield _text(source), _text(target)


def _text(sentence: str | Tree) -> str:
    return sentence.text if isinstance(sentence, Tree) else sentence
