"""Systems to compare: texts, translations with derivations, or models."""

from __future__ import annotations

import dataclasses
import logging
import os
from collections.abc import Callable, Sequence
from pathlib import Path

from graphmt.corpus import is_conllu, plain_lines, read_trees
from graphmt.corpus.conllu import Tree
from graphmt.errors import InputError, OptionError
from graphmt.explain import Explanation, explain_some
from graphmt.model import Derivation, Model, Translation
from graphmt.model.derivation_json import derivation_from
from graphmt.reprs import counted
from graphmt.storage.compression import plain_name
from graphmt.storage.files import AnyPath, lines
from graphmt.storage.formats import MALFORMED, parse_json

log = logging.getLogger(__name__)

#: Explains lexical selection for sentences of a test set, given their numbers from 0.
Explain = Callable[[Sequence[int]], list[Explanation]]

#: Candidates per word in the pictures of a report, few because a page has many sentences.
MOST = 4


@dataclasses.dataclass(frozen=True)
class Output:
    """One translation of the whole test set.

    Examples
    --------
    >>> from graphmt.evaluate import Output
    >>> Output("out.txt", ("he sleeps .",))
    Output('out.txt', 1 line)
    """

    #: Where it came from.
    file: str
    lines: tuple[str, ...]
    #: The derivation of each line, if known.
    derivations: tuple[Derivation, ...] = ()
    #: Explains lexical selection, if the lines come from a model that has it.
    explain: Explain | None = dataclasses.field(default=None, compare=False)

    def __repr__(self) -> str:
        known = ", with derivations" if self.derivations else ""
        return f"Output({self.file!r}, {counted(len(self.lines), 'line')}{known})"


@dataclasses.dataclass(frozen=True)
class Compared:
    """A system with its runs: the same data, tuned with different seeds.

    Examples
    --------
    >>> from graphmt.evaluate import Compared, Output
    >>> Compared("pbmt", (Output("run1", ("he sleeps .",)), Output("run2", ("he sleep .",))))
    Compared('pbmt', 2 runs of 1 line)
    """

    name: str
    runs: tuple[Output, ...]

    def __repr__(self) -> str:
        return (
            f"Compared({self.name!r}, {counted(len(self.runs), 'run')} of {counted(len(self.runs[0].lines), 'line')})"
        )


def read_text(path: AnyPath) -> tuple[str, ...]:
    """Read the sentences of a text, or the tokens of a CoNLL-U file.

    Parameters
    ----------
    path
        The file, plain or compressed.

    Returns
    -------
    tuple[str, ...]
        A text per sentence.

    Examples
    --------
    >>> from graphmt.evaluate import read_text
    >>> len(read_text("corpus/test.en"))
    10
    """
    if os.fspath(path) != "-" and is_conllu(path):
        return tuple(" ".join(tree.tokens) for tree in read_trees(path))
    return tuple(plain_lines(path))


def read_output(path: AnyPath, *, tokens: bool = False) -> Output:
    """Read the translations of a test set.

    ``tokens``: read the tokens of JSON lines, not the detokenised text.

    Parameters
    ----------
    path
        Text with one translation per line, or JSON lines written by ``graphmt translate --derivations json``.
    tokens
        Read the tokens of JSON lines, not the detokenised text.

    Returns
    -------
    Output
        The translations, and the derivations of JSON lines.

    Raises
    ------
    InputError
        If a JSON line is not a translation.

    Examples
    --------
    >>> from graphmt.evaluate import read_output
    >>> read_output("corpus/test.en")
    Output('corpus/test.en', 10 lines)
    """
    name = os.fspath(path)
    if not plain_name(name).endswith(".jsonl"):
        return Output(name, tuple(plain_lines(path)))
    texts, derivations = [], []
    for number, line in enumerate(lines(path), 1):
        try:
            content = parse_json(line)
            if content["rank"]:
                continue
            text = " ".join(content["tokens"]) if tokens else content["text"]
            if not isinstance(text, str):
                raise TypeError
            texts.append(text)
            derivations.append(derivation_from(content["derivation"]))
        except MALFORMED:
            raise InputError(
                "not a translation in JSON.",
                file=name,
                line=number,
                hint="graphmt translate --derivations json writes such lines.",
            ) from None
    return Output(name, tuple(texts), tuple(derivations))


def from_translations(name: str, made: Sequence[Translation], *, tokens: bool = False) -> Output:
    """The output of a model."""
    texts = tuple(" ".join(one.tokens) if tokens else one.text for one in made)
    return Output(name, texts, tuple(one.derivation for one in made))


def explainer(model: Model, sentences: Sequence[str | Tree], *, threads: int = 0) -> Explain | None:
    """A function that explains a model's lexical selection; None for a model without."""
    if not model.selection:
        return None
    return lambda numbers: explain_some(model, sentences, numbers, most=MOST, threads=threads)


def read_compared(given: str, source: AnyPath | None, *, tokens: bool = False, threads: int = 0) -> Compared:
    """Read a system as given on the command line: ``[NAME=]RUN[,RUN...]``, each run an output file or a model folder.

    Parameters
    ----------
    given
        Name and runs.
    source
        The text that models translate.
    tokens
        Use the tokens of models, not the detokenised text.
    threads
        Number of threads; 0: one per core.

    Returns
    -------
    Compared
        The system with its runs.

    Examples
    --------
    >>> from graphmt.evaluate import read_compared
    >>> read_compared("reference=corpus/test.en", None)
    Compared('reference', 1 run of 10 lines)
    """
    name, parts = _named(given)
    runs = []
    for part in parts:
        if Path(part).is_dir():
            if source is None:
                raise OptionError(f"{part} is a model, but there is nothing to translate.", hint="Give --source FILE.")
            model = Model(part)
            log.info(f"Translating with {part}.")
            sentences = _sentences(source)
            made = from_translations(part, model.translate(sentences, threads=threads), tokens=tokens)
            runs.append(dataclasses.replace(made, explain=explainer(model, sentences, threads=threads)))
        else:
            runs.append(read_output(part, tokens=tokens))
    return Compared(name, tuple(runs))


def _sentences(source: AnyPath) -> list[str | Tree]:
    return list(read_trees(source)) if is_conllu(source) else list(plain_lines(source))


def _named(given: str) -> tuple[str, list[str]]:
    name, equals, rest = given.partition("=")
    if not equals or Path(given).exists():
        name, rest = "", given
    # File names may contain commas.
    parts = [rest] if Path(rest).exists() else [part for part in rest.split(",") if part]
    if not parts:
        raise OptionError(f"{given!r} is neither a file nor a model.")
    return name or _short(parts[0]), parts


def _short(path: str) -> str:
    name = plain_name(Path(path).name)
    for ending in (".txt", ".out", ".jsonl"):
        name = name.removesuffix(ending)
    return name or path
