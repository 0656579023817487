"""Parsing files: resumable, and cached beside the corpus."""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import os
import shutil
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Any

from graphmt.corpus.conllu import Tree
from graphmt.corpus.pairs import require_one_side
from graphmt.corpus.parsers.base import Parser
from graphmt.corpus.parsers.opening import ParseOptions, open_parser
from graphmt.corpus.parsers.running import parse_batches
from graphmt.corpus.parsers.stand_ins import HiddenLines, parse_tokens, tokeniser_of
from graphmt.corpus.steps import TextOptions, TextSteps
from graphmt.corpus.text import is_conllu, plain_lines, tokenised
from graphmt.errors import InputError
from graphmt.progress import Advance, bar, sentences_in
from graphmt.storage.checks import require_outputs
from graphmt.storage.drafts import holds_only_drafts
from graphmt.storage.files import AnyPath, digest, is_place, lines, make_folder, writing
from graphmt.storage.folders import remove_folder
from graphmt.storage.locks import writer_lock
from graphmt.storage.resume import resumable
from graphmt.storage.sealed import read_sealed, sealed

log = logging.getLogger(__name__)

#: Sentences in each part of an unfinished result.
PART = 5000
RECORD = "parsing.json"
VERSION = 1


def parse_file(
    source: AnyPath,
    out: AnyPath,
    parser: str | Parser,
    *,
    pretokenised: bool = False,
    text: TextOptions | None = None,
    protect: TextOptions | None = None,
    batch: int = 256,
    processes: int = 1,
) -> int:
    """Parse a text with one sentence per line into CoNLL-U with one tree per line; returns how many.

    Long texts are parsed in parts, which are kept in ``OUT.parsing`` until all are finished, so that the same call
    resumes an interrupted run.

    Parameters
    ----------
    source
        The text. The tokens of a CoNLL-U file are parsed again.
    out
        The CoNLL-U file to write.
    parser
        The name of a parser, as for :func:`open_parser`, or an opened one.
    pretokenised
        Keep the tokens of the text instead of tokenising it with the parser.
    text
        Tokenise the text with these options before it is parsed; its case is kept.
    protect
        Replace the protected items that these options find by a made-up word, so that each is one node.
    batch
        Sentences parsed at a time.
    processes
        Number of processes; 0: one per core.

    Returns
    -------
    int
        The number of trees.

    Raises
    ------
    MissingPackageError
        If a package, model or program is missing; the message says how to install it.
    InputError
        If the text is empty or has an empty line.

    Examples
    --------
    >>> import sys
    >>> from graphmt.corpus import parse_file
    >>> parse_file("raw.de", "raw.de.conllu", f"command:{sys.executable} chain_parser.py")
    2
    """
    require_one_side(source)
    require_outputs(out, inputs=[source])
    pretokenised = pretokenised or (os.fspath(source) != "-" and is_conllu(source))
    # Missing packages and models are reported before any work is done.
    opened = open_parser(parser) if isinstance(parser, str) else parser
    processes = 1 if opened.one_process else processes or os.cpu_count() or 1
    # A short text is parsed sooner than another process starts.
    if processes > 1 and not _has_more(source, 4 * batch):
        processes = 1
    used = parser if isinstance(parser, str) and processes > 1 else opened
    hidden = None
    if protect is not None and not pretokenised:
        hidden = HiddenLines(TextSteps(protect), lambda line: parse_tokens(opened, [line], protect)[0])
    sentences = _sentences(source, pretokenised, text, hidden)
    work = Parsing(used, source, pretokenised or text is not None, batch, processes, hidden)
    if os.fspath(source) == "-" or os.fspath(out) == "-" or is_place(Path(out)):
        return work.write(sentences, out)
    request = {
        "version": VERSION,
        "source": digest(source),
        "parser": opened.identity(),
        "pretokenised": pretokenised,
        "text": None if text is None else text.as_dict(),
        **({} if hidden is None or protect is None else {"protect": _protected(protect)}),
    }
    return work.write_in_parts(sentences, Path(out), request)


def _sentences(
    source: AnyPath, pretokenised: bool, text: TextOptions | None, hidden: HiddenLines | None
) -> Iterator[str]:
    if pretokenised:
        return tokenised(source)
    found = plain_lines(source) if hidden is None else hidden.hidden(plain_lines(source))
    return found if text is None else map(tokeniser_of(text), found)


def _protected(options: TextOptions) -> dict[str, Any]:
    """What decides which items are protected."""
    return {"groups": options.protected, "patterns": options.patterns, "tokenise": options.tokenise}


def _has_more(source: AnyPath, than: int) -> bool:
    if os.fspath(source) == "-" or not Path(source).is_file():
        return True
    return sum(1 for _ in islice(lines(source), than + 1)) > than


class Parsing:
    """The work of parsing a text."""

    def __init__(
        self,
        parser: str | Parser,
        source: AnyPath,
        tokenised: bool,
        batch: int,
        processes: int,
        hidden: HiddenLines | None,
    ) -> None:
        self.parser, self.source, self.tokenised = parser, source, tokenised
        self.batch, self.processes, self.hidden = batch, processes, hidden

    def write(self, sentences: Iterator[str], out: AnyPath) -> int:
        """Write the trees as they come; nothing is resumed."""
        trees = self._trees(sentences, 0)
        first = next(trees, None)
        if first is None:
            raise self._empty()
        with writing(out) as stream, bar("parsing", sentences_in(self.source)) as advance:
            for count, tree in enumerate(chain([first], trees), 1):
                stream.write(tree.conllu())
                advance(count)
        return count

    def write_in_parts(self, sentences: Iterator[str], out: Path, request: dict[str, Any]) -> int:
        """Write the trees in parts, then join them."""
        folder = out.with_name(f"{out.name}.parsing")
        advice = f"run the same command again to resume; finished parts are kept in {folder}."
        with writer_lock(out), resumable(advice), bar("parsing", sentences_in(self.source)) as advance:
            parts = _finished_parts(folder, request)
            done = PART * len(parts)
            for _ in islice(sentences, done):
                pass
            if self.hidden is not None:
                self.hidden.skip()
            advance(done)
            trees = self._trees(sentences, done)
            count, text = _next_part(trees, done, advance)
            while count == PART:
                if not parts:
                    _start_record(folder, request)
                parts.append(folder / f"{len(parts):06}.conllu")
                with writing(parts[-1]) as stream:
                    stream.write(text)
                done += count
                count, text = _next_part(trees, done, advance)
            done += count
            if not done:
                raise self._empty()
            with writing(out) as stream:
                for path in parts:
                    with path.open(encoding="utf-8", newline="") as kept:
                        shutil.copyfileobj(kept, stream, 1 << 20)
                stream.write(text)
            if folder.is_dir():
                remove_folder(folder, last=RECORD)
        return done

    def _trees(self, sentences: Iterator[str], done: int) -> Iterator[Tree]:
        batches = parse_batches(
            self.parser,
            sentences,
            tokenised=self.tokenised,
            batch=self.batch,
            processes=self.processes,
            name=self.source,
            first=done + 1,
        )
        trees = chain.from_iterable(batches)
        return trees if self.hidden is None else self.hidden.checked(trees)

    def _empty(self) -> InputError:
        return InputError("this file is empty; there is nothing to parse.", file=self.source)


def _next_part(trees: Iterator[Tree], done: int, advance: Advance) -> tuple[int, str]:
    """The number of trees of the next part and its text."""
    text = []
    for tree in islice(trees, PART):
        text.append(tree.conllu())
        advance(done + len(text))
    return len(text), "".join(text)


def _finished_parts(folder: Path, request: dict[str, Any]) -> list[Path]:
    """The finished parts of the same request; those of another one are removed."""
    if not folder.is_dir():
        return []
    known = read_sealed(folder / RECORD)
    if known is None and not holds_only_drafts(folder, RECORD):
        raise InputError(
            f"exists already and has no {RECORD}; parsing needs this folder.",
            file=folder,
            hint="Move it away, or give the output another name.",
        )
    if known != request:
        remove_folder(folder, last=RECORD)
        return []
    parts = sorted(path for path in folder.glob("*.conllu") if path.stem.isdigit())
    return [path for number, path in enumerate(parts) if int(path.stem) == number]


def _start_record(folder: Path, request: dict[str, Any]) -> None:
    make_folder(folder)
    with writing(folder / RECORD) as stream:
        json.dump(sealed(request), stream, ensure_ascii=False, indent=2)


def parsed_corpus(source: AnyPath, options: ParseOptions, *, text: TextOptions, corpus: AnyPath, spare: Path) -> Path:
    """The trees of a text, from the cache beside its corpus (``CORPUS.parsed``) or parsed now.

    ``text`` are the options of the source side. ``corpus`` is the user's file: the text itself, or the file of pairs
    that it was read from. ``spare`` is a folder for the trees where the corpus' own folder is not writable.
    """
    opened = open_parser(options.parser)
    segmenter = segmenter_of(options, text)
    request = {
        "version": VERSION,
        "source": digest(source),
        "parser": opened.identity(),
        "segmenter": segmenter,
        "language": text.language if segmenter == "text" else None,
    }
    protect = text if protects_parsed(options, text) else None
    if protect is not None:
        request["protect"] = _protected(protect)
    key = hashlib.sha256(json.dumps(request, sort_keys=True).encode()).hexdigest()[:16]
    beside = Path(f"{os.fspath(corpus)}.parsed")
    for folder in (beside, spare):
        if (made := folder / f"{key}.conllu").is_file():
            log.info(f"Trees of {os.fspath(corpus)}: {made}.")
            return made
    folder = beside if _is_writable(beside) else spare
    make_folder(folder)
    made = folder / f"{key}.conllu"
    log.info(f"Parsing {os.fspath(corpus)} with {options.parser}; its trees are kept in {folder}.")
    try:
        parse_file(
            source,
            made,
            options.parser,
            pretokenised=segmenter == "none",
            text=text if segmenter == "text" else None,
            protect=protect,
            batch=options.batch,
            processes=options.threads,
        )
    except BaseException:
        # Finished parts are kept.
        with contextlib.suppress(OSError):
            folder.rmdir()
        raise
    return made


def segmenter_of(options: ParseOptions, text: TextOptions) -> str:
    """The segmenter that is used: ``parser``, ``text`` or ``none``."""
    if options.segmenter == "auto":
        return "parser" if text.tokenise else "none"
    return options.segmenter


def protects_parsed(options: ParseOptions, text: TextOptions) -> bool:
    """Whether protected items of raw text are single nodes of its trees, in training and in translation."""
    return segmenter_of(options, text) != "none" and TextSteps(text).protects


def _is_writable(folder: Path) -> bool:
    return os.access(folder if folder.is_dir() else folder.parent or Path(), os.W_OK)
