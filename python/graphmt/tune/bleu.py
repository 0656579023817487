"""BLEU and TER by the core, equal to sacreBLEU's with ``tokenize="none"``."""

from __future__ import annotations

from collections.abc import Sequence

from graphmt import _core
from graphmt.errors import InputError


def corpus_bleu(
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str]],
    *,
    lowercase: bool = False,
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
    lowercase
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
    translated, split = _split(hypotheses, references, lowercase)
    statistics = _core.bleu_statistics(translated, split, threads=threads)
    return _core.bleu_score(statistics.sum(axis=0, dtype="int64").tolist(), smooth=smooth)


def corpus_ter(
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str]],
    *,
    lowercase: bool = False,
    threads: int = 0,
) -> float:
    """Score tokenised text by TER (per cent), as tuning does.

    Parameters
    ----------
    hypotheses
        The translations.
    references
        For each sentence its references.
    lowercase
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
    translated, split = _split(hypotheses, references, lowercase)
    lists = _core.NBestLists(split, 1, metric="ter")
    edits = _core.ter_edits(translated, split, threads=threads)
    return -lists.quality_of([0] * 9 + [int(edits.sum(dtype="int64"))])


def _split(
    hypotheses: Sequence[str], references: Sequence[Sequence[str]], lowercase: bool
) -> tuple[list[list[str]], list[list[list[str]]]]:
    """The words of translations and of their references."""
    if len(hypotheses) != len(references):
        raise InputError(f"{len(hypotheses)} translations for {len(references)} sentences with references.")
    split = [[words(line, lowercase) for line in lines] for lines in references]
    return [words(line, lowercase) for line in hypotheses], split


def words(line: str, lowercase: bool = False) -> list[str]:
    """The words of a tokenised line."""
    return (line.lower() if lowercase else line).split()
