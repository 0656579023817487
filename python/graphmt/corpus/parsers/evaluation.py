"""Attachment scores of a parser on gold trees."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from graphmt.corpus.conllu import Tree, read_trees
from graphmt.corpus.parsers.base import Parser
from graphmt.corpus.parsers.opening import open_parser
from graphmt.corpus.parsers.running import parse_batches
from graphmt.errors import InputError
from graphmt.progress import bar, sentences_in
from graphmt.storage.files import AnyPath, digest

if TYPE_CHECKING:
    from rich.table import Table

_TEXT = "# text ="


@dataclasses.dataclass(frozen=True)
class ParserScores:
    """Scores of a parser in percent.

    On gold tokens they are shares of the words. From raw text they are F1 scores over the tokens of the running text,
    and a token counts only if it has the same characters on both sides.

    Examples
    --------
    >>> from graphmt.corpus import ParserScores
    >>> ParserScores(sentences=1, words=4, tokens=100.0, upos=75.0, uas=75.0, las=50.0, raw=False).las
    50.0
    """

    sentences: int
    #: Words or tokens of the gold trees.
    words: int
    #: Correct tokens; 100 with gold tokens.
    tokens: float
    #: Correct universal tags.
    upos: float
    #: Correct heads.
    uas: float
    #: Correct heads with correct labels; only the universal part of a label (before ``:``) is compared.
    las: float
    #: Whether the parser split the raw text itself.
    raw: bool
    files: dict[str, str] = dataclasses.field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """All fields, for JSON."""
        return dataclasses.asdict(self)

    def table(self) -> Table:
        """The scores as a table."""
        from rich.table import Table

        table = Table(box=None, pad_edge=False)
        for name in ("sentences", "tokens" if self.raw else "words", "tokens %", "UPOS %", "UAS %", "LAS %"):
            table.add_column(name, justify="right")
        scores = (f"{score:.2f}" for score in (self.tokens, self.upos, self.uas, self.las))
        table.add_row(f"{self.sentences:,}", f"{self.words:,}", *scores)
        return table


def evaluate_parser(
    parser: str | Parser, gold: AnyPath, *, raw: bool = False, most: int | None = None, processes: int = 1
) -> ParserScores:
    """Score a parser on gold trees.

    Parameters
    ----------
    parser
        The name of a parser, as for :func:`open_parser`, or an opened one.
    gold
        CoNLL-U with gold trees.
    raw
        Parse the raw text (the comment ``# text``) instead of the gold words.
    most
        Use only so many sentences.
    processes
        Number of processes; 0: one per core.

    Returns
    -------
    ParserScores
        Unlabelled and labelled attachment scores, and the accuracy of tokens and tags.

    Raises
    ------
    InputError
        If the gold trees have no text that ``raw`` needs.

    Examples
    --------
    >>> import sys
    >>> from graphmt.corpus import evaluate_parser
    >>> scores = evaluate_parser(f"command:{sys.executable} chain_parser.py", "corpus/test.de.conllu")
    >>> scores.sentences, scores.tokens
    (10, 100.0)
    """
    trees = list(islice(read_trees(gold, multiword="surface" if raw else "words"), most))
    if not trees:
        raise InputError("this file has no trees.", file=gold)
    lines = [_text(tree, gold, number) if raw else tree.text for number, tree in enumerate(trees, 1)]
    opened = open_parser(parser) if isinstance(parser, str) else parser
    processes = 1 if opened.one_process or len(lines) < 1000 else processes
    batches = parse_batches(
        parser if isinstance(parser, str) and processes != 1 else opened,
        lines,
        tokenised=not raw,
        processes=processes,
        name=gold,
    )
    found: list[Tree] = []
    with bar("parsing", len(lines) if sentences_in(gold) is not None else None) as advance:
        for batch in batches:
            found += batch
            advance(len(found))
    made = _scores(trees, [tree.surface() for tree in found] if raw else found, raw)
    return dataclasses.replace(made, files={str(gold): digest(gold)})


def _text(tree: Tree, gold: AnyPath, number: int) -> str:
    for comment in tree.comments:
        if comment.startswith(_TEXT):
            return comment.removeprefix(_TEXT).strip()
    raise InputError(
        f"tree {number} has no comment '{_TEXT} …'.", file=gold, hint="Evaluate on gold tokens (without --raw)."
    )


def _scores(gold: Sequence[Tree], found: Iterable[Tree], raw: bool) -> ParserScores:
    own = other = tokens = upos = uas = las = 0
    for right, made in zip(gold, found, strict=True):
        pairs = _same_tokens(right, made) if raw else {word: word for word in range(len(right))}
        own, other, tokens = own + len(right), other + len(made), tokens + len(pairs)
        for left, word in pairs.items():
            upos += right.upos[left] == made.upos[word]
            head, guess = right.heads[left], made.heads[word]
            # A correct head is the same token on both sides.
            attached = (head < 0 and guess < 0) or (head >= 0 and pairs.get(head, -2) == guess)
            uas += attached
            las += attached and _universal(right.deprels[left]) == _universal(made.deprels[word])
    shares = [200.0 * correct / (own + other) for correct in (tokens, upos, uas, las)]
    return ParserScores(len(gold), own, shares[0], shares[1], shares[2], shares[3], raw)


def _universal(label: str) -> str:
    return label.partition(":")[0]


def _same_tokens(gold: Tree, made: Tree) -> dict[int, int]:
    """Tokens with the same characters in both trees, by their positions in the text without spaces."""
    place = {span: word for word, span in enumerate(_spans(made))}
    return {word: place[span] for word, span in enumerate(_spans(gold)) if span in place}


def _spans(tree: Tree) -> list[tuple[int, int]]:
    spans, start = [], 0
    for form in tree.forms:
        end = start + len("".join(form.split()))
        spans.append((start, end))
        start = end
    return spans
