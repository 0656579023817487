"""Training models from text, and converting ARPA files of other toolkits."""

from __future__ import annotations

import logging
import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graphmt import _core
from graphmt.errors import InputError
from graphmt.lm.options import LmOptions
from graphmt.progress import phases
from graphmt.records import from_core
from graphmt.storage.checks import require_outputs
from graphmt.storage.compression import plain_name
from graphmt.storage.files import AnyPath
from graphmt.storage.known_files import note_replaced

log = logging.getLogger(__name__)

#: The log10 probability of unknown words if an ARPA file has none.
MISSING_UNKNOWN = -100.0


@dataclass(frozen=True)
class Trained:
    """The report of :func:`train`: lines and words read; by order the n-grams and the discounts D1, D2, D3+.

    Examples
    --------
    >>> from graphmt import lm
    >>> made = lm.train("corpus/train.en", "small.lm", lm.LmOptions(order=3))
    >>> made.lines, len(made.ngrams)
    (200, 3)
    """

    lines: int
    tokens: int
    ngrams: tuple[int, ...]
    discounts: tuple[tuple[float, float, float], ...]
    #: Orders with fixed discounts, and why.
    fallback: dict[int, str]
    #: Bytes written to temporary files while counting; 0 if memory was sufficient.
    spilled: int


@dataclass(frozen=True)
class Built:
    """The report of :func:`build`: n-grams by order, how many were added, whether ``<unk>`` was present.

    Examples
    --------
    >>> from graphmt import lm
    >>> lm.load("english.lm").to_arpa("english.arpa")
    >>> lm.build("english.arpa", "again.lm").has_unknown
    True
    """

    ngrams: tuple[int, ...]
    added: int
    has_unknown: bool


def is_arpa(path: AnyPath) -> bool:
    """Whether a file name has an ARPA extension."""
    return plain_name(path).endswith(".arpa")


def train(
    texts: AnyPath | Sequence[AnyPath], out: AnyPath, options: LmOptions | Mapping[str, Any] | None = None
) -> Trained:
    """Estimate a model with interpolated modified Kneser-Ney smoothing.

    ``out`` is written whole or not at all: an ARPA file if its name ends in ``.arpa`` or ``.arpa.gz``,
    otherwise the binary that :func:`graphmt.lm.load` opens.

    Parameters
    ----------
    texts
        Plain or compressed text, one sentence per line, words separated by spaces; one file or several.
    out
        The file to write, whole or not at all: an ARPA file if its name ends in ``.arpa`` or ``.arpa.gz``,
        otherwise the binary that :func:`graphmt.lm.load` opens.
    options
        Order, pruning and memory.

    Returns
    -------
    Trained
        Counts and discounts.

    Raises
    ------
    InputError
        If the text is empty, or discounts cannot be estimated.

    Examples
    --------
    >>> from graphmt import lm
    >>> made = lm.train("corpus/train.en", "small.lm", lm.LmOptions(order=3))
    >>> lm.load("small.lm").order
    3
    """
    options = LmOptions.of(options)
    names = [texts] if isinstance(texts, str | os.PathLike) else list(texts)
    if not names:
        raise InputError("no text was given.", hint="Give at least one file with one sentence per line.")
    require_outputs(out, inputs=names)
    with phases() as report:
        made = _core.lm_train(
            [os.fspath(name) for name in names],
            os.fspath(out),
            options,
            arpa=is_arpa(out),
            temporary=options.temporary or tempfile.gettempdir(),
            progress=report,
        )
    note_replaced(out)
    return report_of(made, options)


def report_of(made: _core.LmReport, options: LmOptions) -> Trained:
    """The report of the core, logged."""
    for order, why in made.fallback.items():
        log.warning(
            f"Order {order} uses the fixed discounts 0.5, 1 and 1.5: {why}. The text may be too small or artificial."
        )
    read = f"{made.tokens:,} words in {made.lines:,} lines"
    log.info(f"{read} yielded {sum(made.counts):,} n-grams of up to {options.order} words.")
    return from_core(
        Trained,
        made,
        ngrams=tuple(made.counts),
        discounts=tuple((d[0], d[1], d[2]) for d in made.discounts),
    )


def build(arpa: AnyPath, out: AnyPath, *, threads: int = 0) -> Built:
    """Convert an ARPA file of any toolkit to a binary model.

    Needs 40 bytes of memory per n-gram.

    Parameters
    ----------
    arpa
        The ARPA file, plain or compressed.
    out
        The binary model to write.
    threads
        Number of threads; 0: one per core.

    Returns
    -------
    Built
        Numbers of n-grams.

    Raises
    ------
    InputError
        If the file is damaged.

    Examples
    --------
    >>> from graphmt import lm
    >>> lm.load("english.lm").to_arpa("english.arpa")
    >>> len(lm.build("english.arpa", "again.lm").ngrams)
    5
    """
    require_outputs(out, inputs=[arpa])
    with phases() as report:
        made = _core.lm_build(os.fspath(arpa), os.fspath(out), threads=threads, progress=report)
    note_replaced(out)
    if made.added:
        log.info(f"{made.added:,} n-grams were added because longer ones end in them; this changes no score.")
    if not made.has_unknown:
        log.warning(f"The file has no <unk>; unknown words get the log10 probability {MISSING_UNKNOWN:g}.")
    return from_core(Built, made, ngrams=tuple(made.counts))
