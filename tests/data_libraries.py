"""Tables, data sets and parsed sentences of other libraries, and stand-ins with the same interface.

Every maker has a stand-in, which always runs, and the library itself, which is skipped where it is not installed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pytest


class Frame:
    """As a DataFrame of polars: named columns, each a sequence."""

    def __init__(self, columns: Mapping[str, Sequence[Any]]) -> None:
        self._columns = {name: list(values) for name, values in columns.items()}

    @property
    def columns(self) -> list[str]:
        return list(self._columns)

    @property
    def shape(self) -> tuple[int, int]:
        return len(next(iter(self._columns.values()))), len(self._columns)

    def __getitem__(self, name: str) -> list[Any]:
        return self._columns[name]

    def __iter__(self) -> Iterator[list[Any]]:
        return iter(self._columns.values())


class NamesFrame(Frame):
    """As a DataFrame of pandas: iterating gives the names of the columns."""

    def __iter__(self) -> Iterator[Any]:
        return iter(self._columns)

    @property
    def iloc(self) -> Any:
        values = list(self._columns.values())

        class At:
            def __getitem__(self, place: tuple[slice, int]) -> list[Any]:
                return values[place[1]]

        return At()


class LazyFrame:
    """As a LazyFrame of polars."""

    columns = ("de", "en")

    def collect_schema(self) -> None: ...

    def __getitem__(self, name: str) -> None:
        raise TypeError


class DataSet:
    """As a data set of Hugging Face: rows are mappings."""

    def __init__(self, rows: Sequence[Mapping[str, Any]]) -> None:
        self._rows = rows

    info = None

    @property
    def column_names(self) -> list[str]:
        return list(self._rows[0])

    @property
    def shape(self) -> tuple[int, int]:
        return len(self._rows), len(self.column_names)

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        return iter(self._rows)

    def __getitem__(self, place: int) -> Mapping[str, Any]:
        return self._rows[place]


class Token:
    """As a token of spaCy."""

    def __init__(self, i: int, text: str, dep: str, space: bool) -> None:
        self.i, self.text, self.dep_ = i, text, dep
        self.pos_ = self.tag_ = self.lemma_ = self.morph = ""
        self.is_space, self.whitespace_ = False, " " if space else ""
        self.head = self


class Doc:
    """As a Doc of spaCy."""

    vocab = None

    def __init__(self, words: Sequence[str], heads: Sequence[int] | None, spaces: Sequence[bool]) -> None:
        self._parsed = heads is not None
        deps = ["ROOT" if heads is None or heads[i] == i else "dep" for i in range(len(words))]
        self._tokens = [Token(i, word, deps[i], spaces[i]) for i, word in enumerate(words)]
        for token, head in zip(self._tokens, heads or (), strict=False):
            token.head = self._tokens[head]

    @property
    def text(self) -> str:
        return "".join(token.text + token.whitespace_ for token in self._tokens)

    def has_annotation(self, name: str) -> bool:
        assert name == "DEP"
        return self._parsed

    def __iter__(self) -> Iterator[Token]:
        return iter(self._tokens)

    def __len__(self) -> int:
        return len(self._tokens)


class TokenList(list):
    """As a TokenList of conllu."""

    metadata: Mapping[str, str] = {}

    def serialize(self) -> str:
        rows = ("\t".join("_" if token.get(name) is None else str(token[name]) for name in _COLUMNS) for token in self)
        return "\n".join(rows) + "\n\n"


_COLUMNS = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")


def _pandas(columns: Mapping[str, Sequence[Any]]) -> Any:
    return pytest.importorskip("pandas", reason="needs pandas").DataFrame(columns)


def _polars(columns: Mapping[str, Sequence[Any]]) -> Any:
    return pytest.importorskip("polars", reason="needs polars").DataFrame(columns)


def _arrow(columns: Mapping[str, Sequence[Any]]) -> Any:
    return pytest.importorskip("pyarrow", reason="needs pyarrow").table(columns)


#: Makers of tables from columns.
FRAMES: dict[str, Callable[[Mapping[str, Sequence[Any]]], Any]] = {
    "a table": Frame,
    "a table that iterates over names": NamesFrame,
    "pandas": _pandas,
    "polars": _polars,
    "pyarrow": _arrow,
}


def _datasets(rows: Sequence[Mapping[str, Any]]) -> Any:
    return pytest.importorskip("datasets", reason="needs datasets").Dataset.from_list(list(rows))


def _streamed(rows: Sequence[Mapping[str, Any]]) -> Any:
    return _datasets(rows).to_iterable_dataset()


#: Makers of data sets from rows.
DATA_SETS: dict[str, Callable[[Sequence[Mapping[str, Any]]], Any]] = {
    "rows": list,
    "a stream of rows": iter,
    "a data set": DataSet,
    "datasets": _datasets,
    "streamed datasets": _streamed,
}


def _spacy(words: Sequence[str], heads: Sequence[int] | None, spaces: Sequence[bool]) -> Any:
    spacy = pytest.importorskip("spacy", reason="needs spaCy")
    deps = None if heads is None else ["ROOT" if head == i else "dep" for i, head in enumerate(heads)]
    vocab = spacy.blank("de").vocab
    return spacy.tokens.Doc(vocab, words=list(words), heads=heads and list(heads), deps=deps, spaces=list(spaces))


#: Makers of a Doc from words, heads (None: not parsed) and whether a space follows.
DOCS: dict[str, Callable[[Sequence[str], Sequence[int] | None, Sequence[bool]], Any]] = {"a Doc": Doc, "spaCy": _spacy}


def _conllu(text: str) -> Any:
    return pytest.importorskip("conllu", reason="needs conllu").parse(text)[0]


def _token_list(text: str) -> TokenList:
    found = TokenList()
    for line in text.strip().split("\n"):
        token: dict[str, Any] = dict(zip(_COLUMNS, line.split("\t"), strict=True))
        token["id"] = int(token["id"])
        token["head"] = None if token["head"] == "_" else int(token["head"])
        found.append(token)
    return found


#: Makers of a TokenList from CoNLL-U.
TOKEN_LISTS: dict[str, Callable[[str], Any]] = {"a TokenList": _token_list, "conllu": _conllu}
