"""Options of language model estimation."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from graphmt.errors import OptionError
from graphmt.options import MOST_THREADS, Options, option


@dataclass(frozen=True)
class LmOptions(Options):
    """How a language model is estimated. Neither memory nor threads affect the result.

    Examples
    --------
    >>> from graphmt.lm import LmOptions
    >>> LmOptions(order=3, prune=(0, 0, 1))
    LmOptions(order=3, prune=(0, 0, 1))
    """

    order: int = option(
        5, "Length of the longest n-grams; higher orders predict better and take more space.", minimum=1, maximum=6
    )
    max_memory: int = option(
        1024,
        "Memory for sorting; larger text is sorted in temporary files. The vocabulary is extra.",
        unit="MiB",
        minimum=1,
    )
    prune: tuple[int, ...] = option(
        (),
        "Drop n-grams seen this often or less; repeat for each order from unigrams up, the last value holds for the "
        "remaining orders. Trades a little quality for a smaller model.",
    )
    discount_fallback: bool = option(
        True,
        "Where counts of counts yield no discounts (small or artificial text), use 0.5, 1 and 1.5 with a warning "
        "instead of stopping.",
    )
    reserved_words: str = option(
        "error",
        "What to do with `<s>`, `</s>` and `<unk>` in the text: reject it, remove them, or count `<unk>` as the "
        "unknown word.",
        choices=("error", "skip", "unknown"),
    )
    temporary: Path | None = option(None, "Folder for temporary files; none: the system's.")  # noqa: RUF009
    threads: int = option(0, "Threads for sorting; 0: one per core.", minimum=0, maximum=MOST_THREADS)

    def __post_init__(self) -> None:
        super().__post_init__()
        for threshold in self.prune:
            if not isinstance(threshold, int) or isinstance(threshold, bool) or threshold < 0:
                raise OptionError(f"prune takes non-negative integers, not {threshold!r}.")
        if len(self.prune) > self.order:
            raise OptionError(
                f"prune has {len(self.prune)} thresholds for a model of order {self.order}.",
                hint="Give at most one per order, from unigrams up.",
            )
        for before, after in zip(self.prune, self.prune[1:], strict=False):
            if after < before:
                raise OptionError(
                    f"prune thresholds must not decrease, but {after} follows {before}.",
                    hint="An n-gram cannot stay in the model when its shorter parts are pruned.",
                )
