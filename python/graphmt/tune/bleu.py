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
    """Score tokenised text by BLEU (0 to 100), as tuning does.

    ``smooth`` is sacreBLEU's ``exp`` (its default), without it ``none``.

    Parameters
    ----------
    hypotheses
        The translations.
    references
        For each sentence its references.
    ignore_case
        Compare in lower case.
    smooth
        sacreBLEU's smoothing ``exp`` (its default); without it ``none``.
    threads
        Number of threads; 0: one per core.

    Returns
    -------
    float
        The score.

    Examples
    --------
    >>> from graphmt.tune import corpus_bleu
    >>> round(corpus_bleu(["he is sleeping now ."], [["he is sleeping ."]]), 2)
    42.73
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
    """Score tokenised text by TER (per cent), as tuning does.

    Parameters
    ----------
    hypotheses
        The translations.
    references
        For each sentence its references.
    ignore_case
        Compare in lower case.
    threads
        Number of threads; 0: one per core.

    Returns
    -------
    float
        The score.

    Examples
    --------
    >>> from graphmt.tune import corpus_ter
    >>> corpus_ter(["he is sleeping now ."], [["he is sleeping ."]])
    25.0
    """
    if len(hypotheses) != len(references):
        raise InputError(f"{len(hypotheses)} translations for {len(references)} sentences with references.")
    split = [[words(line, ignore_case) for line in lines] for lines in references]
    lists = _core.NBestLists(split, 1, metric="ter")
    edits = _core.ter_edits([words(line, ignore_case) for line in hypotheses], split, threads=threads)
    return -lists.quality_of([0] * 9 + [int(edits.sum(dtype="int64"))])


def words(line: str, ignore_case: bool = False) -> list[str]:
    """The words of a tokenised line."""
    return (line.lower() if ignore_case else line).split()
