"""The Rust core. Long calls release the GIL; errors are those of ``graphmt.errors``."""

from collections.abc import Callable, Sequence
from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

__version__: str

#: Called with what is being done, how much is done, and how much there is (0: not known).
Progress = Callable[[str, int, int], None]

class _LmTrained(TypedDict):
    lines: int
    tokens: int
    counts: list[int]
    discounts: list[list[float]]
    fallback: list[tuple[int, str]]
    spilled: int

class _LmBuilt(TypedDict):
    counts: list[int]
    added: int
    has_unknown: bool

def lm_train(
    texts: Sequence[str],
    out: str,
    *,
    arpa: bool,
    order: int,
    memory: int,
    prune: Sequence[int],
    discount_fallback: bool,
    reserved_words: str,
    temporary: str,
    threads: int,
    progress: Progress | None = None,
) -> _LmTrained: ...
def lm_build(arpa: str, out: str, *, threads: int, progress: Progress | None = None) -> _LmBuilt: ...

class LanguageModel:
    def __init__(self, path: str) -> None: ...
    @property
    def order(self) -> int: ...
    @property
    def counts(self) -> list[int]: ...
    @property
    def size(self) -> int: ...
    def verify(self) -> None: ...
    def word(self, id: int) -> str | None: ...
    def id(self, word: str) -> int | None: ...
    def score(self, sentence: str, bos: bool, eos: bool) -> float: ...
    def full_scores(self, sentence: str, bos: bool, eos: bool) -> list[tuple[str, float, int, bool]]: ...
    def score_lines(
        self, lines: list[str], bos: bool, eos: bool, threads: int
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.uint32], NDArray[np.uint32]]: ...
    def score_pieces(self, pieces: Sequence[Sequence[int | str]]) -> float: ...
    def phrase(self, words: str) -> float: ...
    def state_words(self, words: str, bos: bool) -> list[int]: ...
    def measure(self, lines: list[str], rounds: int, ahead: bool) -> tuple[float, int, float]: ...
    def to_arpa(self, path: str, temporary: str) -> None: ...
