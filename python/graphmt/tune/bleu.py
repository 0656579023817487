"""BLEU and TER by the core, equal to sacreBLEU's with ``tokenize="none"``."""

from __future__ import annotations

from collections.abc import Sequence

from graphmt import _core
from graphmt.errors import InputError


def corpus_bleu(
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str]],
    *,
    ignore_case: bool = False,
    smooth: bool = True,
    threads: int = 0,
) -> float:
    """BLEU (0 to 100) of tokenised text; ``references`` has for each sentence its references.

    ``smooth`` is sacreBLEU's ``exp`` (its default), without it ``none``.
    """
    if len(hypotheses) != len(references):
        raise InputError(f"{len(hypotheses)} translations for {len(references)} sentences with references.")
    statistics = _core.bleu_statistics(
        [words(line, ignore_case) for line in hypotheses],
        [[words(line, ignore_case) for line in lines] for lines in references],
        threads=threads,
    )
    return _core.bleu_score(statistics.sum(axis=0, dtype="int64").tolist(), smooth=smooth)


def corpus_ter(
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str]],
    *,
    ignore_case: bool = False,
    threads: int = 0,
) -> float:
    """TER (per cent) of tokenised text; ``references`` has for each sentence its references."""
    if len(hypotheses) != len(references):
        raise InputError(f"{len(hypotheses)} translations for {len(references)} sentences with references.")
    split = [[words(line, ignore_case) for line in lines] for lines in references]
    lists = _core.NBestLists(split, 1, metric="ter")
    edits = _core.ter_edits([words(line, ignore_case) for line in hypotheses], split, threads=threads)
    return -lists.quality_of([0] * 9 + [int(edits.sum(dtype="int64"))])


def words(line: str, ignore_case: bool = False) -> list[str]:
    """The words of a tokenised line."""
    return (line.lower() if ignore_case else line).split()
