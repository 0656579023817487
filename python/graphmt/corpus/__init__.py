"""Tokenised sentences of a plain or CoNLL-U file."""

from __future__ import annotations

from collections.abc import Iterator

from graphmt.files import AnyPath, lines


def tokenised(path: AnyPath, lowercase: bool = False) -> Iterator[str]:
    """The sentences of a file, tokens separated by one space; ``.conllu`` in the name: the FORM column."""
    name = str(path)
    found = _forms(path) if ".conllu" in name else (" ".join(line.split()) for line in lines(path))
    return (sentence.lower() for sentence in found) if lowercase else found


def _forms(path: AnyPath) -> Iterator[str]:
    words: list[str] = []
    for line in lines(path):
        if not line:
            yield " ".join(words)
            words = []
        elif not line.startswith("#"):
            number, form = line.split("\t", 2)[:2]
            if number.isdigit():
                words.append("_".join(form.split()))
    if words:
        yield " ".join(words)
