"""Parsers by name."""

from __future__ import annotations

import dataclasses
import importlib

from graphmt.corpus.parsers.base import Parser
from graphmt.errors import OptionError
from graphmt.options import Options, nearest, option

#: The kinds of parsers, each with the class in the module of its name. They are imported only when one is opened.
PARSERS = {
    "spacy": "SpacyParser",
    "udpipe": "UdpipeParser",
    "stanza": "StanzaParser",
    "corenlp": "CoreNlpParser",
    "command": "CommandParser",
}

#: Who splits a line into tokens before it is parsed.
SEGMENTERS = ("auto", "parser", "text", "none")


@dataclasses.dataclass(frozen=True)
class ParseOptions(Options):
    """Trees for raw text.

    Examples
    --------
    >>> from graphmt.corpus import ParseOptions
    >>> ParseOptions(parser="udpipe:german.udpipe")
    ParseOptions(parser='udpipe:german.udpipe')
    """

    parser: str = option(
        "",
        "Parser of source text without trees: spacy:MODEL, udpipe:FILE, stanza:LANGUAGE, corenlp:URL, or "
        "command:PROGRAM, which reads lines and writes CoNLL-U. The model remembers it.",
        unit="kind:model",
    )
    segmenter: str = option(
        "auto",
        "What splits source text into tokens before it is parsed. parser: the parser; text: the tokeniser of the "
        "language; none: the text is tokenised already; auto: parser for raw text, else none.",
        choices=SEGMENTERS,
    )
    batch: int = option(256, "Sentences parsed at a time; trades memory for speed.", unit="sentences", minimum=1)
    threads: int = option(0, "Processes that parse; 0: one per core.", minimum=0, maximum=1024)


def split_name(name: str) -> tuple[str, str]:
    """Kind and model of a parser's name.

    Without a kind, a name that ends in ``.udpipe`` is a UDPipe model, and any other is a spaCy model.
    """
    kind, colon, model = name.partition(":")
    if not colon:
        return ("udpipe" if name.endswith(".udpipe") else "spacy"), name
    if kind not in PARSERS:
        # A single letter is a drive of Windows.
        if len(kind) == 1:
            return ("udpipe" if name.endswith(".udpipe") else "spacy"), name
        raise OptionError(
            f"unknown kind of parser {kind[:40]!r}{nearest(kind, PARSERS)}.",
            hint="A parser is given as KIND:MODEL, such as udpipe:german.udpipe.",
        )
    if not model:
        raise OptionError(f"the parser {name!r} has no model.", hint=f"For example {kind}:{_EXAMPLES[kind]}.")
    return kind, model


_EXAMPLES = {
    "spacy": "de_core_news_sm",
    "udpipe": "german.udpipe",
    "stanza": "de",
    "corenlp": "http://localhost:9000",
    "command": "my-parser",
}


def open_parser(name: str) -> Parser:
    """Open a parser.

    Parameters
    ----------
    name
        ``KIND:MODEL``: ``spacy:de_core_news_sm`` (an installed model or its folder), ``udpipe:FILE``,
        ``stanza:LANGUAGE`` or ``stanza:LANGUAGE/PACKAGE``, ``corenlp:URL`` (of a running server, with
        ``?language=CODE`` after it), or ``command:PROGRAM ARGUMENTS``. Without a kind it is a UDPipe model if the name
        ends in ``.udpipe``, else a spaCy model.

    Returns
    -------
    Parser
        The parser, ready to parse.

    Raises
    ------
    MissingPackageError
        If its package, model or program is not installed; the message says how to install it.
    OptionError
        If there is no such kind.

    Examples
    --------
    >>> import sys
    >>> from graphmt.corpus import open_parser
    >>> parser = open_parser(f"command:{sys.executable} chain_parser.py")
    >>> parser.parse(["er schläft"], tokenised=True)
    [Tree('er schläft', 2 words)]
    """
    kind, model = split_name(name)
    made: Parser = getattr(importlib.import_module(f"graphmt.corpus.parsers.{kind}"), PARSERS[kind])(model)
    return made
