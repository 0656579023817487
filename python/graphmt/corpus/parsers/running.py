"""Parsing many lines: in several processes, in order, with checks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future
from functools import lru_cache
from itertools import islice

from graphmt.corpus.conllu import Tree
from graphmt.corpus.parsers.base import Parser
from graphmt.corpus.parsers.opening import open_parser
from graphmt.errors import InputError
from graphmt.processes import WorkerPool, as_completed
from graphmt.storage.files import AnyPath, name_of


def parse_lines(
    parser: Parser, lines: Sequence[str], *, tokenised: bool = False, name: AnyPath | None = None, first: int = 1
) -> list[Tree]:
    """One tree for each line; ``name`` and ``first``, the number of the first line, are used in errors."""
    for number, line in enumerate(lines, first):
        if not line.split():
            raise InputError(
                "an empty line has no tree.",
                file=name,
                line=number,
                hint="Drop it together with its counterpart first: graphmt corpus clean.",
            )
    texts = [" ".join(line.split()) for line in lines]
    try:
        trees = parser.parse(texts, tokenised=tokenised)
    except InputError as error:
        if error.line is not None and error.file is None:
            error.line, error.file = error.line + first - 1, None if name is None else name_of(name)
        raise
    return [
        _checked(*pair, tokenised, name, number) for number, pair in enumerate(zip(texts, trees, strict=True), first)
    ]


def _checked(text: str, tree: Tree | None, tokenised: bool, name: AnyPath | None, number: int) -> Tree:
    if tree is None:
        raise InputError("the parser found no words in this line; a tree needs one.", file=name, line=number)
    if tokenised and tree.multiword:
        # Multiword tokens that the parser has split are nodes of their own again.
        tree = tree.surface()
    if tokenised and " ".join(tree.forms) != text:
        raise InputError(
            f"the parser changed the tokens of this line to {' '.join(tree.forms)[:80]!r}.",
            file=name,
            line=number,
            hint="Let the parser tokenise the text (--segmenter parser), or use one that keeps tokens.",
        )
    return tree


#: The parser of a worker process.
_opened = lru_cache(maxsize=1)(open_parser)


def _work(parser: str, lines: list[str], tokenised: bool, file: str | None, first: int) -> list[Tree]:
    return parse_lines(_opened(parser), lines, tokenised=tokenised, name=file, first=first)


def parse_batches(
    parser: str | Parser,
    lines: Iterable[str],
    *,
    tokenised: bool = False,
    batch: int = 256,
    processes: int = 1,
    name: AnyPath | None = None,
    first: int = 1,
) -> Iterator[list[Tree]]:
    """The trees of many lines in batches, in order.

    A parser given by name is opened once in each process; any other parser works in this process.
    """
    stream = iter(lines)
    if not isinstance(parser, str) or processes == 1:
        opened = open_parser(parser) if isinstance(parser, str) else parser
        while chunk := list(islice(stream, batch)):
            yield parse_lines(opened, chunk, tokenised=tokenised, name=name, first=first)
            first += len(chunk)
        return
    file = None if name is None else name_of(name)
    waiting: list[Future[list[Tree]]] = []
    with WorkerPool(processes) as pool:
        while chunk := list(islice(stream, batch)):
            waiting.append(pool.submit(_work, parser, chunk, tokenised, file, first))
            first += len(chunk)
            if len(waiting) > 2 * processes:
                yield next(as_completed([waiting.pop(0)]))
        while waiting:
            yield next(as_completed([waiting.pop(0)]))
