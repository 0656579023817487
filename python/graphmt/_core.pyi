"""The Rust core. Long calls release the GIL; errors are those of ``graphmt.errors``."""

import os
from collections.abc import Callable, Sequence
from typing import Any, TypedDict, final

import numpy as np
from numpy.typing import NDArray

__version__: str

def exit_when_out_of_memory() -> None: ...

# --- corpus: readers

def is_conllu(path: str | os.PathLike[str]) -> bool: ...
def require_plain(path: str | os.PathLike[str], head: bytes, *, trees: bool = False) -> None: ...
def open_corpus(
    path: str | os.PathLike[str], *, chunk: int = 4096, lenient: bool = False
) -> ConlluReader | TextReader: ...

@final
class ConlluReader:
    """Chunks of trees. ``lenient`` keeps the place of a bad tree and notes its fault instead of raising."""

    def __new__(
        cls,
        path: str | os.PathLike[str],
        *,
        multiword: str = "surface",
        chunk: int = 4096,
        lenient: bool = False,
    ) -> ConlluReader: ...
    def __iter__(self) -> ConlluReader: ...
    def __next__(self) -> TreeChunk: ...

@final
class TreeChunk:
    """Sentence ``s`` has the words ``offsets[s]:offsets[s + 1]``; heads count from 0, -1 is the root."""

    @property
    def offsets(self) -> NDArray[np.uint32]: ...
    @property
    def heads(self) -> NDArray[np.int32]: ...
    @property
    def lines(self) -> NDArray[np.uint64]: ...
    def __len__(self) -> int: ...
    def faults(self) -> list[tuple[int, Exception]]: ...
    def tokens(self, *, lowercase: bool = False) -> list[str]: ...
    def columns(self, sentence: int) -> tuple[Any, ...]: ...
    def conllu(self, *, keep: NDArray[np.bool_] | None = None, verbatim: bool = False) -> str: ...
    def non_projective(self) -> int: ...
    def projectivise(self) -> tuple[int, int]: ...

@final
class TextReader:
    """Chunks of lines from text or CoNLL-U, with one space between tokens."""

    def __new__(
        cls,
        path: str | os.PathLike[str],
        *,
        lowercase: bool = False,
        chunk: int = 4096,
    ) -> TextReader: ...
    def __iter__(self) -> TextReader: ...
    def __next__(self) -> list[str]: ...

# --- corpus: lines

def lowercase(text: str) -> str: ...
def capitalise(line: str) -> str: ...

@final
class CasingCounts:
    def __new__(cls) -> CasingCounts: ...
    def add(self, lines: Sequence[str]) -> None: ...
    def table(self) -> list[list[str]]: ...

@final
class Truecaser:
    def __new__(cls, table: Sequence[Sequence[str]]) -> Truecaser: ...
    def apply(self, line: str) -> str: ...

@final
class Judge:
    """Takes a ``graphmt.corpus.cleaning.CleanOptions``; gives each pair the number of its reason."""

    def __new__(cls, options: object) -> Judge: ...
    def judge(self, sources: Sequence[str], targets: Sequence[str], faulty: Sequence[int]) -> NDArray[np.uint8]: ...

@final
class Statistics:
    def __new__(cls) -> Statistics: ...
    def add(self, lines: Sequence[str]) -> None: ...
    @property
    def lengths(self) -> NDArray[np.uint64]: ...
    @property
    def types(self) -> int: ...
    @property
    def singletons(self) -> int: ...
    def unknown(self, other: Statistics) -> tuple[int, int]: ...

# --- graph

def graph_links(heads: Sequence[int], bigram: bool, dependency: bool) -> NDArray[np.int32]: ...
def check_tree(heads: Sequence[int]) -> int: ...
def is_projective(heads: Sequence[int]) -> bool: ...
def projectivise(heads: Sequence[int]) -> list[int]: ...
def fragments(
    heads: Sequence[int], tags: Sequence[str], longest: int, max_external: int, labels_of: str = "all"
) -> list[tuple[int, int, str, int, int]]: ...

HEURISTICS: list[str]

@final
class Alignment:
    """The links of a corpus, sentence by sentence: sorted (source, target) positions from 0.

    Examples
    --------
    >>> from graphmt.align import Alignment
    >>> links = Alignment.from_pairs([[(0, 0), (1, 1)], [(0, 1)]])
    >>> len(links), links[1]
    (2, [(0, 1)])
    """

    def __new__(cls) -> Alignment: ...
    @staticmethod
    def from_pairs(sentences: Sequence[Sequence[tuple[int, int]]]) -> Alignment:
        """From (source, target) positions for each sentence."""

    @staticmethod
    def from_columns(offsets: NDArray[np.int64], source: NDArray[np.uint16], target: NDArray[np.uint16]) -> Alignment:
        """From columns: sentence ``s`` has the links ``offsets[s]:offsets[s + 1]``."""

    @staticmethod
    def from_choices(choices: NDArray[np.int32], lengths: NDArray[np.uint32], choosing_source: bool) -> Alignment:
        """From one choice for every word of one side: the position it is linked to, or -1."""

    def add_lines(
        self,
        lines: list[str],
        one_based: bool = False,
        source_lengths: NDArray[np.uint32] | None = None,
        target_lengths: NDArray[np.uint32] | None = None,
    ) -> None:
        """Add sentences written ``0-0 1-2`` (``1p2``, ``1?2``: possible); lengths are of the whole corpus."""

    def text(self, start: int = 0, end: int | None = None) -> str:
        """Lines ``0-0 1-2`` of these sentences."""

    def __len__(self) -> int: ...
    def __getitem__(self, number: int, /) -> list[tuple[int, int]]: ...
    def __eq__(self, other: object, /) -> bool: ...
    @property
    def links(self) -> int:
        """The number of links of all sentences."""

    @property
    def has_possible(self) -> bool: ...
    def columns(self) -> tuple[NDArray[np.int64], NDArray[np.uint16], NDArray[np.uint16]]:
        """Offsets (one more than sentences), source positions, target positions."""

    def transposed(self) -> Alignment:
        """With source and target exchanged."""

    def spread(self, kept: NDArray[np.bool_]) -> Alignment:
        """The sentences at the places where ``kept`` is true, sentences without links elsewhere."""

    def slice(self, start: int, end: int) -> Alignment:
        """The sentences from ``start`` to ``end``."""

@final
class EncodedText:
    """A tokenised text as numbers of words; number 0 is the empty word."""

    def __new__(cls, prefix: int = 0) -> EncodedText: ...
    def add_lines(self, lines: list[str]) -> None: ...
    def __len__(self) -> int: ...
    def lengths(self) -> NDArray[np.uint32]: ...
    def words(self) -> list[str]: ...
    def numbers_as_text(self, kept: NDArray[np.bool_], start: int, end: int) -> str: ...

@final
class LexicalCounts:
    """Relative frequencies of linked words; ``None`` stands for the empty word."""

    @staticmethod
    def count(source: EncodedText, target: EncodedText, alignment: Alignment, threads: int = 0) -> LexicalCounts: ...
    def __len__(self) -> int: ...
    @property
    def source_words(self) -> list[str]: ...
    @property
    def target_words(self) -> list[str]: ...
    def columns(
        self,
    ) -> tuple[
        NDArray[np.uint32],
        NDArray[np.uint32],
        NDArray[np.uint32],
        NDArray[np.float32],
        NDArray[np.float32],
    ]:
        """Source number, target number, links, w(e|f), w(f|e), sorted by the two numbers."""

    def lookup(self, source: str | None, target: str | None) -> tuple[float, float] | None:
        """w(e|f) and w(f|e)."""

    def row(self, source: str | None) -> list[tuple[str | None, int, float, float]]:
        """Target word, links, w(e|f), w(f|e) of every word linked to this one."""

    def weights(
        self, source: Sequence[str], target: Sequence[str], links: Sequence[tuple[int, int]]
    ) -> tuple[float, float]:
        """lex(e|f) and lex(f|e)."""

    def text(self, e2f: bool, start: int, end: int) -> str: ...

@final
class LexicalReader:
    """A lexical table being read from its two files."""

    def __new__(cls) -> LexicalReader: ...
    def add_lines(self, lines: list[str], e2f: bool, first: int) -> None: ...
    def finish(self) -> LexicalCounts: ...

def symmetrise(
    forward: Alignment, reverse: Alignment, heuristic: str = "grow-diag-final-and", threads: int = 0
) -> Alignment:
    """Combine the links of two directions.

    Parameters
    ----------
    forward
        Links from source to target.
    reverse
        Links of the other direction, also as (source, target).
    heuristic
        One of ``HEURISTICS`` (Koehn et al. 2005): ``grow-diag-final-and``, ``intersection``, ``union``, ...
    threads
        Number of threads; 0: one per core.

    Returns
    -------
    Alignment
        The combined links.

    Examples
    --------
    >>> from graphmt.align import Alignment, symmetrise
    >>> forward, reverse = Alignment.from_pairs([[(0, 0), (1, 1)]]), Alignment.from_pairs([[(0, 0)]])
    >>> symmetrise(forward, reverse, "intersection")[0]
    [(0, 0)]
    """

def count_links(gold: Alignment, found: Alignment) -> tuple[int, int, int, int, int]:
    """|A|, |S|, |P|, |A∩S|, |A∩P| (Och & Ney 2003)."""

#: Called with what is being done, how much is done, and how much there is (0: not known).
_Progress = Callable[[str, int, int], None]

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
    progress: _Progress | None = None,
) -> _LmTrained: ...
def lm_build(arpa: str, out: str, *, threads: int, progress: _Progress | None = None) -> _LmBuilt: ...

@final
class LanguageModel:
    def __new__(cls, path: str) -> LanguageModel: ...
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

# Maximum-entropy classifiers, and the reordering model of BTG

def fit_maxent(
    offsets: NDArray[np.uint64],
    features: NDArray[np.uint32],
    labels: NDArray[np.uint32],
    counts: NDArray[np.float32],
    *,
    number: int,
    classes: int,
    variance: float,
    tolerance: float,
    iterations: int,
    threads: int,
) -> tuple[NDArray[np.float64], float, int, bool]: ...

#: Source, target and alignment.
_Aligned = tuple[str | os.PathLike[str], str | os.PathLike[str], str | os.PathLike[str]]
#: First and last word of the source side, first and last of the target side.
_Ends = tuple[str, str, str, str]

def train_reordering(
    files: _Aligned,
    out: str | os.PathLike[str],
    *,
    max_length: int,
    blocks: str,
    max_examples: int,
    minimum: int,
    conjunctions: bool,
    held_out: int,
    variance: float,
    tolerance: float,
    iterations: int,
    threads: int,
    progress: _Progress | None = None,
) -> dict[str, Any]: ...
def list_reordering(files: _Aligned, max_length: int, blocks: str) -> list[tuple[list[str], list[str], bool]]: ...

@final
class ReorderingModel:
    def __new__(cls, path: str | os.PathLike[str]) -> ReorderingModel: ...
    @property
    def meta(self) -> str: ...
    @property
    def bytes(self) -> int: ...
    def verify(self) -> None: ...
    def log_odds(self, pairs: list[tuple[_Ends, _Ends]]) -> list[float]: ...
    def weights(self, word: str) -> list[float]: ...
    def evaluate(
        self, files: _Aligned, *, max_length: int, blocks: str, max_examples: int, threads: int
    ) -> dict[str, Any]: ...

# Rules and search.

#: The names of the built-in features, by place.
FEATURES: list[str]

#: Context nodes or None, target words, alignment, count, ln of the four scores.
_Rule = tuple[list[int] | None, list[str], list[tuple[int, int]], float, list[float]]
#: Words, joints, rules.
_SourceSide = tuple[list[str], list[int], list[_Rule]]

@final
class ExtractSettings:
    @staticmethod
    def subgraphs(
        *,
        bigram: bool,
        dependency: bool,
        max_source: int,
        max_target: int,
        max_span: int,
        unaligned_of: str,
        identity_of: str,
        context_scope: str,
        orientations: bool,
    ) -> ExtractSettings: ...
    @staticmethod
    def strings(*, max_length: int, max_symbols: int, max_holes: int, min_hole: int) -> ExtractSettings: ...
    @staticmethod
    def fragments(
        *,
        max_length: int,
        max_symbols: int,
        max_holes: int,
        min_hole: int,
        max_external: int,
        labels_of: str,
        structure: bool,
        max_gaps: int,
    ) -> ExtractSettings: ...
    @staticmethod
    def dependents(*, max_source: int, max_target: int, partial: bool, phrasal: bool) -> ExtractSettings: ...

#: Source, target, alignment and trees.
_Files = tuple[str | os.PathLike[str], str | os.PathLike[str], str | os.PathLike[str], str | os.PathLike[str] | None]

def train_rules(
    files: _Files,
    settings: ExtractSettings,
    out: str | os.PathLike[str],
    *,
    smoothing_of: str,
    memory: int,
    folder: str | os.PathLike[str],
    threads: int,
    progress: Callable[[int], None] | None = None,
) -> dict[str, Any]: ...
def list_rules(files: _Files, settings: ExtractSettings) -> list[str]: ...
def rules_from_moses(path: str | os.PathLike[str], out: str | os.PathLike[str]) -> int: ...
def filter_rules(table: str | os.PathLike[str], out: str | os.PathLike[str], sentences: list[list[str]]) -> int: ...

@final
class RuleTable:
    def __new__(cls, path: str | os.PathLike[str]) -> RuleTable: ...
    @property
    def meta(self) -> str: ...
    @property
    def grammar(self) -> str: ...
    @property
    def identity(self) -> str: ...
    @property
    def fragments(self) -> tuple[int, str, bool, int] | None: ...
    @property
    def max_span(self) -> int: ...
    @property
    def oriented(self) -> bool: ...
    def verify(self) -> None: ...
    def with_words(self, words: list[str]) -> list[_SourceSide]: ...
    def containing(self, word: str, limit: int) -> list[_SourceSide]: ...
    def to_moses(self, path: str | os.PathLike[str]) -> int: ...

@final
class Step:
    @property
    def positions(self) -> list[int]: ...
    @property
    def kind(self) -> str: ...
    @property
    def context(self) -> list[int] | None: ...
    @property
    def target(self) -> list[str]: ...
    @property
    def places(self) -> list[int]: ...
    @property
    def children(self) -> list[int]: ...
    @property
    def labels(self) -> list[str]: ...
    @property
    def alignment(self) -> list[tuple[int, int]]: ...
    @property
    def count(self) -> float: ...

@final
class OptionColumns:
    """The options of a sentence as columns; those of option k are ``xs[x_offsets[k]:x_offsets[k + 1]]``."""

    @property
    def position_offsets(self) -> NDArray[np.int32]: ...
    @property
    def positions(self) -> NDArray[np.int32]: ...
    @property
    def target_offsets(self) -> NDArray[np.int32]: ...
    @property
    def target(self) -> NDArray[np.int32]: ...
    @property
    def alignment_offsets(self) -> NDArray[np.int32]: ...
    @property
    def alignment_source(self) -> NDArray[np.int32]: ...
    @property
    def alignment_target(self) -> NDArray[np.int32]: ...
    @property
    def scores(self) -> NDArray[np.float32]: ...
    @property
    def copied(self) -> NDArray[np.bool_]: ...
    @property
    def context(self) -> NDArray[np.int32]: ...
    @property
    def hole_offsets(self) -> NDArray[np.int32]: ...
    @property
    def hole_first(self) -> NDArray[np.int32]: ...
    @property
    def hole_end(self) -> NDArray[np.int32]: ...

#: Words to look up, words to copy, heads, parts of speech; the last two may be empty.
_Sentence = (
    tuple[list[str], list[str], list[int], list[str]] | tuple[list[str], list[str], list[int], list[str], list[float]]
)

#: First word of a span, the one after its last, its translations: words and score, the best first.
_SpanTranslations = tuple[int, int, list[tuple[list[str], float]]]

#: Tokens, score, feature values by place, steps.
_Found = tuple[list[str], float, list[float], list[Step]]

@final
class Decoder:
    def __new__(
        cls,
        table: str | os.PathLike[str],
        lm: str | os.PathLike[str],
        weights: list[float],
        *,
        bigram: bool,
        dependency: bool,
        stack: int,
        pops: int | None,
        threshold: float,
        distortion: int | None,
        soft_context: bool,
        table_limit: int,
        segmenting: bool = True,
        selecting: bool = True,
    ) -> Decoder: ...
    @staticmethod
    def chart(
        table: str | os.PathLike[str],
        lm: str | os.PathLike[str],
        weights: list[float],
        *,
        max_span: int,
        pops: int,
        cell: int,
        threshold: float,
        table_limit: int,
        reordering: str | os.PathLike[str] | None = None,
    ) -> Decoder: ...
    def reweighted(self, weights: list[float]) -> Decoder: ...
    def annotated(self, models: list[Selector], weights: list[float]) -> Decoder: ...
    def translate(
        self,
        sentences: Sequence[_Sentence],
        *,
        n_best: int,
        distinct: bool,
        graph: bool,
        threads: int,
        annotate: Callable[[OptionColumns, list[str]], NDArray[np.float32]] | None = None,
    ) -> list[tuple[list[_Found], str | None]]: ...
    def n_best_columns(
        self,
        sentences: Sequence[_Sentence],
        *,
        n_best: int,
        distinct: bool,
        threads: int,
        annotate: Callable[[OptionColumns, list[str]], NDArray[np.float32]] | None = None,
    ) -> NBestColumns: ...
    def spans(
        self,
        sentences: Sequence[_Sentence],
        *,
        most: int,
        threads: int,
        annotate: Callable[[OptionColumns, list[str]], NDArray[np.float32]] | None = None,
    ) -> list[list[_SpanTranslations]]: ...
    def forced(
        self,
        sentences: Sequence[_Sentence],
        references: list[list[str]],
        *,
        most: int,
        threads: int,
        annotate: Callable[[OptionColumns, list[str]], NDArray[np.float32]] | None = None,
    ) -> list[tuple[_Found | None, list[_SpanTranslations]]]: ...
    @property
    def longest(self) -> int: ...
    def pieces(self, sentence: _Sentence) -> list[tuple[int, int]]: ...
    def target_words(self, numbers: list[int]) -> list[str]: ...

@final
class NBestColumns:
    """N-best lists; the hypotheses of sentence k are ``hypotheses[k]`` up to ``hypotheses[k + 1]``, and so on."""

    @property
    def hypotheses(self) -> NDArray[np.uint32]: ...
    @property
    def tokens(self) -> NDArray[np.uint32]: ...
    @property
    def numbers(self) -> NDArray[np.uint32]: ...
    @property
    def words(self) -> list[str]: ...
    @property
    def values(self) -> NDArray[np.float32]: ...

def bleu_statistics(
    hypotheses: list[list[str]], references: list[list[list[str]]], *, threads: int = 0
) -> NDArray[np.uint32]: ...
def bleu_score(sums: list[int], *, smooth: bool = True) -> float: ...
def shuffled_sums(rows: NDArray[np.float64], trials: int, seed: int, *, threads: int = 0) -> NDArray[np.float64]:
    """Sums by trial, run and column of rows (by run, sentence and column) that change places between runs."""

def ter_edits(
    hypotheses: list[list[str]], references: list[list[list[str]]], *, threads: int = 0
) -> NDArray[np.uint32]: ...

@final
class NBestLists:
    def __new__(cls, references: list[list[list[str]]], features: int, *, metric: str = "bleu") -> NBestLists: ...
    def add(
        self,
        hypotheses: NDArray[np.uint32],
        tokens: NDArray[np.uint32],
        numbers: NDArray[np.uint32],
        words: list[str],
        values: NDArray[np.float32],
        *,
        threads: int = 0,
    ) -> tuple[int, list[int]]: ...
    def sizes(self) -> list[int]: ...
    def stored(
        self, since: list[int]
    ) -> tuple[NDArray[np.uint32], NDArray[np.float32], NDArray[np.uint32], NDArray[np.uint64]]: ...
    def restore(
        self,
        counts: NDArray[np.uint32],
        values: NDArray[np.float32],
        statistics: NDArray[np.uint32],
        keys: NDArray[np.uint64],
    ) -> None: ...
    def bleu(self, weights: NDArray[np.float64], *, threads: int = 0) -> float: ...
    def quality(self, weights: NDArray[np.float64], *, threads: int = 0) -> float: ...
    def quality_of(self, sums: list[int]) -> float: ...
    def spread(self, *, threads: int = 0) -> NDArray[np.float64]: ...
    def line_search(self, directions: NDArray[np.float64], *, threads: int = 0) -> LineSearch: ...
    def mira(
        self,
        weights: NDArray[np.float64],
        free: list[bool],
        *,
        c: float,
        decay: float,
        epochs: int,
        seed: int,
        threads: int = 0,
    ) -> tuple[NDArray[np.float64], float, int]: ...
    def pairs(
        self, free: list[bool], *, draws: int, kept: int, difference: float, seed: int, threads: int = 0
    ) -> NDArray[np.float32]: ...

@final
class LineSearch:
    def steps(
        self, weights: NDArray[np.float64], wanted: list[int], *, narrowest: float = 0.0
    ) -> list[tuple[float, float, float]]: ...

# --- consensus

def symmetric_bleu(one: str, others: Sequence[str]) -> list[float]: ...

@final
class TranslationMemory:
    """Source strings with their translations; ``len`` counts different sources."""

    def __new__(cls, *, lowercase: bool = False) -> TranslationMemory: ...
    def add(self, sources: Sequence[str], targets: Sequence[str], weights: Sequence[float] | None = None) -> None:
        """Pairs, each of which counts once or as often as its weight says."""

    def finish(self, most: int | None = None) -> None:
        """To be called when all pairs are in; ``most``: translations that a source keeps, those that count most."""

    def __len__(self) -> int: ...
    @property
    def pairs(self) -> int: ...
    def entries(self, start: int, end: int) -> list[tuple[str, list[tuple[str, float]]]]:
        """Sources with their translations and probabilities."""

    def neighbours(
        self, sources: Sequence[str], threshold: float, *, threads: int = 0
    ) -> list[list[tuple[str, float, list[tuple[str, float]]]]]:
        """For each source its neighbours: their source, similarity, translations with probabilities."""

@final
class CandidateLists:
    """N-best lists as numbers; the candidates of sentence k are ``starts[k]`` up to ``starts[k + 1]``."""

    def __new__(cls, lists: Sequence[Sequence[str]], *, lowercase: bool = False) -> CandidateLists: ...
    def __len__(self) -> int: ...
    @property
    def starts(self) -> NDArray[np.uint32]: ...
    def columns(self) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.uint32], list[str]]:
        """Hypotheses, tokens, numbers and words as :class:`NBestLists` takes them."""

    def local_consensus(
        self, posterior: NDArray[np.float64], similarities: Sequence[str], normalised: str, *, threads: int = 0
    ) -> NDArray[np.float64]:
        """The sums of formula (11): a row for each candidate, a column for each similarity."""

    def expected_gain(self, posterior: NDArray[np.float64], gain: str, *, threads: int = 0) -> NDArray[np.float64]: ...

@final
class ConsensusGraph:
    """Sentences with their candidates, joined to similar ones."""

    def __new__(
        cls,
        sources: Sequence[str],
        lists: CandidateLists,
        memory: TranslationMemory | None,
        *,
        threshold: float,
        between: bool,
        similarities: Sequence[str],
        normalised: str,
        sharpness: float = 1.0,
        lowercase: bool = False,
        threads: int = 0,
    ) -> ConsensusGraph: ...
    def propagate(
        self,
        posterior: NDArray[np.float64],
        *,
        rounds: int,
        tolerance: float,
        each: bool = False,
        threads: int = 0,
    ) -> tuple[NDArray[np.float64], int, float]:
        """p by candidate and similarity, the rounds that were needed, the greatest change in the last."""

    def links(self) -> tuple[NDArray[np.uint32], NDArray[np.bool_], NDArray[np.uint32], NDArray[np.float64]]:
        """Where the links of each sentence begin; whether they go to the memory; nodes; weights."""

    def voices(
        self, values: NDArray[np.float64], sentence: int, candidate: int
    ) -> list[tuple[bool, int, str | None, str, float, float, list[float]]]:
        """In the memory or not, node, its source in the memory, label, weight of the edge, p, what it adds to p."""

@final
class SpanConsensus:
    """The graph of the spans of some sentences; ``len`` counts different spans."""

    def __new__(
        cls,
        decoder: Decoder,
        sentences: Sequence[_Sentence],
        memory: TranslationMemory | None,
        *,
        threshold: float,
        neighbours: int,
        shorter: int,
        between: bool,
        labels: int,
        whole: int,
        scale: float,
        normalised: str,
        sharpness: float,
        rounds: int,
        tolerance: float,
        floor: float,
        threads: int,
    ) -> SpanConsensus: ...
    def __len__(self) -> int: ...
    @property
    def edges(self) -> tuple[int, int]:
        """Edges to the memory, and between spans."""

    def judging(self, decoder: Decoder, weights: list[float]) -> Decoder:
        """A decoder with this consensus; the weights of its features are the last."""

    def judge(
        self, sentence: _Sentence, first: int, end: int, texts: Sequence[Sequence[str]]
    ) -> NDArray[np.float32] | None:
        """The features of translations of a span; None where the graph does not have the span."""

def add_forced(
    memory: TranslationMemory,
    decoder: Decoder,
    sentences: Sequence[_Sentence],
    references: Sequence[Sequence[str]],
    *,
    threads: int,
) -> int:
    """Adds pairs and the spans of their forced decoding; returns how often the target could be made."""

# --- lexical selection
@final
class Selector:
    """A model of lexical selection, for decoders to use."""

#: A candidate: its words, how often it was seen, association, evidence and probability.
_Candidate = tuple[list[str], int, float, float, float]
#: An edge between candidates, each as word and candidate, and its weight.
_Edge = tuple[tuple[int, int], tuple[int, int], float]
#: A translation graph: positions and importances of its words, their candidates, related words, edges.
_Graph = tuple[list[tuple[int, float]], list[list[_Candidate]], list[tuple[int, int]], list[_Edge]]

@final
class GmModel:
    """The statistics of collective lexical selection, opened."""

    def __new__(cls, path: str | os.PathLike[str], vectors: NDArray[np.float32] | None = None) -> GmModel: ...
    @property
    def meta(self) -> str: ...
    def verify(self) -> None: ...
    def neighbours(self) -> tuple[NDArray[np.uint64], NDArray[np.uint32], NDArray[np.uint32]]: ...
    def relatedness(self, measure_of: str, a: str, b: str) -> float | None: ...
    def related(self, a: tuple[str, str], b: tuple[str, str]) -> bool: ...
    def counts(self, word: str, translation: list[str]) -> tuple[int, int]: ...
    def idf(self, word: str) -> float | None: ...
    def content_words(self) -> list[str]: ...
    def graphs(
        self,
        decoder: Decoder,
        sentence: _Sentence,
        *,
        relatedness: str,
        prior: bool,
        keep: bool,
        reallocation: float,
        epsilon: float,
        rounds: int,
        edges: bool = True,
    ) -> list[_Graph]: ...
    def selector(
        self, *, relatedness: str, prior: bool, keep: bool, reallocation: float, epsilon: float, rounds: int
    ) -> Selector: ...

def train_gm(
    files: tuple[str | os.PathLike[str], str | os.PathLike[str], str | os.PathLike[str], str | os.PathLike[str]],
    out: str | os.PathLike[str],
    *,
    more_source: list[tuple[str | os.PathLike[str], str | os.PathLike[str]]],
    more_target: list[str | os.PathLike[str]],
    source_window: int,
    target_window: int,
    count: int,
    pmi: float,
    target_count: int,
    memory: int,
    folder: str | os.PathLike[str],
    threads: int,
    lemmatise: Callable[[str, list[str]], list[str]],
    progress: Callable[[int], object] | None = None,
) -> dict[str, int]: ...
def open_tsm(path: str | os.PathLike[str]) -> Selector: ...
def train_tsm(
    files: _Files,
    settings: ExtractSettings,
    table: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    topics: int,
    documents: list[int],
    source: NDArray[np.float32],
    target: NDArray[np.float32],
    source_words: NDArray[np.int16],
    target_words: NDArray[np.int16],
    memory: int,
    folder: str | os.PathLike[str],
    threads: int,
    progress: Callable[[int], object] | None = None,
) -> int: ...
def open_lrsm(path: str | os.PathLike[str]) -> Selector: ...
def train_lrsm(
    files: _Files,
    settings: ExtractSettings,
    table: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    occurrences: float,
    classes: int,
    features: float,
    variance: float,
    iterations: int,
    memory: int,
    folder: str | os.PathLike[str],
    threads: int,
    progress: Callable[[int], object] | None = None,
) -> dict[str, int]: ...
def translation_graph(
    words: list[tuple[float, list[tuple[int, list[int]]]]],
    pairs: list[tuple[int, int]],
    relatedness: list[list[float]],
    *,
    reallocation: float,
    epsilon: float,
    rounds: int,
    prior: bool = False,
    keep: bool = False,
) -> tuple[list[list[tuple[float, float, float]]], list[_Edge]]: ...
