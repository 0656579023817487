"""The Rust core. Long calls release the GIL; errors are those of ``graphmt.errors``.

Options cross whole: a call takes the options dataclass of its stage and reads the fields it needs. A ``progress``
function is called with the phase, the units done in it and their total, 0 where it is not known. What it raises ends
the call, and so does what the Python handler of a signal raises.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Protocol, final

import numpy as np
from numpy.typing import NDArray

from graphmt.align.options import AlignOptions
from graphmt.consensus.decode_options import ConsensusOptions
from graphmt.consensus.options import RerankOptions
from graphmt.corpus.cleaning import CleanOptions
from graphmt.evidence.lists import CandidatePlace, SentenceLists
from graphmt.evidence.options import EvidenceOptions
from graphmt.lm.options import LmOptions
from graphmt.maxent import ExampleColumns, FitOptions
from graphmt.model.options import SearchOptions
from graphmt.reorder.options import ReorderOptions
from graphmt.rules.options import ExtractOptions
from graphmt.selection.base import Corpus
from graphmt.selection.gm import GmWalk, MoreText
from graphmt.selection.options import DwlOptions, GmOptions, LrsmOptions, OrderOptions, TsmOptions
from graphmt.selection.tsm import CorpusTopics
from graphmt.systems.base import Links
from graphmt.tune.options import TuneOptions

__version__: str

_Path = str | os.PathLike[str]

#: Called with the phase, the units done in it and their total, 0 where it is not known.
_Progress = Callable[[str, int, int], object]

#: Called with the options of a sentence and its words; returns a row for each option, a column for each added feature.
_Annotate = Callable[[OptionColumns, list[str]], NDArray[np.float32]]

def exit_when_out_of_memory() -> None:
    """From now on, end the process with a sentence and exit code 1 when memory runs out."""

# --- ending work, and the process

class Cancelled(BaseException):
    """Ends work whose :class:`Cancellation` was cancelled."""

@final
class Cancellation:
    """A token for work that can be ended: as a context manager, it is installed for the calling thread.

    After :meth:`cancel`, the calls of that thread into the core, :func:`point` among them, raise :class:`Cancelled`.
    """

    def __new__(cls) -> Cancellation: ...
    def cancel(self) -> None:
        """End the work of all threads in which this token is installed; any thread may call this."""

    @property
    def is_cancelled(self) -> bool:
        """Whether it was cancelled."""

    def __enter__(self) -> Cancellation:
        """Install the token for this thread."""

    def __exit__(self, _kind: object, _value: object, _trace: object) -> None:
        """Remove it again."""

def point() -> None:
    """A place where work in Python may stop: raises :class:`Cancelled` if a token of this thread was cancelled."""

def end_after_signal(seconds: float, message: str) -> None:
    """From now on, end the process with exit code 1 this many seconds after the first SIGTERM or SIGINT.

    Whatever the process is doing; it writes the message to standard error. Call this after the handlers of both signals
    were set.
    """

def end_no_more() -> None:
    """Take back :func:`end_after_signal`: the process has ended its work in time and may go on."""

# --- compressed files

def compression_of_content(head: bytes) -> str | None:
    """The kind of compression of a file that starts so: ``gzip``, ``bzip2``, ``xz`` or ``zstd``."""

def compression_of_name(path: _Path) -> str | None:
    """The kind of compression of a file to be written under this name."""

def uncompressed_name(name: str) -> str:
    """A name without the end that says how the file is compressed."""

@final
class Unpacker:
    """The content of a stream of compressed bytes; errors name it by ``name``."""

    def __new__(cls, stream: BinaryIO, name: _Path) -> Unpacker: ...
    def read(self, size: int) -> bytes:
        """At most ``size`` bytes; none at the end."""

@final
class Packer:
    """Compresses bytes for a file of this name."""

    def __new__(cls, name: _Path) -> Packer: ...
    def pack(self, bytes: bytes) -> bytes:
        """The compressed bytes that can be written by now."""

    def finish(self) -> bytes:
        """The rest of the compressed bytes."""

# --- corpus: readers

def is_conllu(path: _Path) -> bool:
    """Whether a file is CoNLL-U, by name or content."""

def require_plain(path: _Path, head: bytes, *, trees: bool = False) -> None:
    """Reject a file that is not plain text, by its name or its first bytes; ``trees``: CoNLL-U is allowed too."""

def open_corpus(path: _Path, *, chunk: int = 4096, lenient: bool = False) -> ConlluReader | TextReader:
    """A reader of trees or of whole lines, by what the file holds."""

@final
class ConlluReader:
    """Chunks of trees. ``lenient`` keeps the place of a bad tree and notes its fault instead of raising."""

    def __new__(
        cls,
        path: _Path,
        *,
        multiword: str = "surface",
        chunk: int = 4096,
        lenient: bool = False,
    ) -> ConlluReader: ...
    @staticmethod
    def of_text(text: str, *, name: _Path, multiword: str = "surface", chunk: int = 4096) -> ConlluReader: ...
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
    def lines(self) -> NDArray[np.uint64]:
        """The line of the file on which each sentence begins."""

    def __len__(self) -> int: ...
    def faults(self) -> list[TreeFault]:
        """The sentences of a lenient reader that could not be read."""

    def tokens(self, *, lowercase: bool = False) -> list[str]:
        """The tokens of each sentence, with one space between."""

    def columns(self, sentence: int) -> TreeColumns:
        """The columns of a sentence."""

    def conllu(self, *, keep: NDArray[np.bool_] | None = None, verbatim: bool = False) -> str:
        """The sentences, or those to keep, as CoNLL-U; ``verbatim``: as the file has them."""

    def non_projective(self) -> int:
        """How many sentences have a tree that is not projective."""

    def projectivise(self) -> Projectivised:
        """Lift arcs until every tree is projective."""

@final
class TreeColumns:
    """A sentence's columns, an entry for each word, its comments and its multiword tokens."""

    @property
    def forms(self) -> tuple[str, ...]: ...
    @property
    def lemmas(self) -> tuple[str, ...]: ...
    @property
    def upos(self) -> tuple[str, ...]: ...
    @property
    def xpos(self) -> tuple[str, ...]: ...
    @property
    def feats(self) -> tuple[str, ...]: ...
    @property
    def deprels(self) -> tuple[str, ...]: ...
    @property
    def deps(self) -> tuple[str, ...]: ...
    @property
    def misc(self) -> tuple[str, ...]: ...
    @property
    def heads(self) -> tuple[int, ...]: ...
    @property
    def comments(self) -> tuple[str, ...]: ...
    @property
    def multiword(self) -> list[MultiwordToken]: ...

@final
class MultiwordToken:
    """A token that stands for the words ``first`` to ``last``, counted from 0."""

    @property
    def first(self) -> int: ...
    @property
    def last(self) -> int: ...
    @property
    def form(self) -> str: ...
    @property
    def feats(self) -> str: ...
    @property
    def misc(self) -> str: ...

@final
class TreeFault:
    """A sentence whose tree could not be read, and the error that says why."""

    @property
    def sentence(self) -> int: ...
    @property
    def error(self) -> Exception: ...

@final
class Projectivised:
    """The number of sentences that lifting changed, and of arcs it lifted."""

    @property
    def changed(self) -> int: ...
    @property
    def lifts(self) -> int: ...

@final
class TextReader:
    """Chunks of lines from text or CoNLL-U, with one space between tokens."""

    def __new__(
        cls,
        path: _Path,
        *,
        lowercase: bool = False,
        chunk: int = 4096,
    ) -> TextReader: ...
    def __iter__(self) -> TextReader: ...
    def __next__(self) -> list[str]: ...

# --- corpus: lines

def lowercase(text: str) -> str:
    """The text in lower case."""

def capitalise(line: str) -> str:
    """The line with its first letter in upper case."""

@final
class CasingCounts:
    """Counts how words are cased."""

    def __new__(cls) -> CasingCounts: ...
    def add(self, lines: Sequence[str]) -> None:
        """Count the words of tokenised lines."""

    def table(self) -> list[list[str]]:
        """The casings of each word, the most frequent first."""

@final
class Truecaser:
    """Gives the first word of a line its most frequent casing."""

    def __new__(cls, table: Sequence[Sequence[str]]) -> Truecaser: ...
    def apply(self, line: str) -> str:
        """The line with its first word truecased."""

@final
class PairFilter:
    """Decides which pairs of a corpus to drop."""

    def __new__(cls, options: CleanOptions) -> PairFilter: ...
    def reasons(self, sources: Sequence[str], targets: Sequence[str], faulty: Sequence[int]) -> NDArray[np.uint8]:
        """The number of the reason to drop each pair, 0 to keep it; ``faulty`` pairs have bad trees, in order."""

@final
class Statistics:
    """Counts the words of a text."""

    def __new__(cls) -> Statistics: ...
    def add(self, lines: Sequence[str]) -> None:
        """Count the words of tokenised lines."""

    @property
    def lengths(self) -> NDArray[np.uint64]:
        """The number of sentences of each length."""

    @property
    def types(self) -> int:
        """The number of different words."""

    @property
    def singletons(self) -> int:
        """The number of words that occur once."""

    def words(self) -> tuple[list[str], list[int]]:
        """The words and their counts, in the same order."""

    def unknown(self, other: Statistics) -> UnknownWords:
        """The words of another text that this one does not have."""

@final
class UnknownWords:
    """How many unknown words a text has: all of them, and different ones."""

    @property
    def tokens(self) -> int: ...
    @property
    def types(self) -> int: ...

# --- protected text

@final
class ItemScanner:
    """Finds text that must not change: items of some groups, and matches of regular expressions of the user."""

    def __new__(cls, groups: Sequence[str], patterns: Sequence[str]) -> ItemScanner: ...
    def find(self, text: str) -> list[tuple[int, int, str]]:
        """The start, the end and the kind of each item, in order; they do not overlap."""

    def steps(self, text: str) -> int:
        """How many characters are looked at to find the items, each as often as it is; for tests."""

# --- graph

def graph_links(heads: Sequence[int], bigram: bool, dependency: bool) -> NDArray[np.int32]:
    """The links of a source graph as rows (smaller, larger), sorted."""

def check_tree(heads: Sequence[int]) -> int:
    """The root's position; an error says why the heads are no tree."""

def is_projective(heads: Sequence[int]) -> bool:
    """Whether a tree is projective."""

def projectivise(heads: Sequence[int]) -> list[int]:
    """The heads after lifting arcs until the tree is projective."""

def fragments(
    heads: Sequence[int], tags: Sequence[str], longest: int, max_external: int, labels_of: str = "all"
) -> list[Fragment]:
    """The dependency-graph fragments of a tree, of at most ``longest`` words."""

@final
class Fragment:
    """The words from ``first`` up to ``end``; ``head``: the word they depend on, ``open``: that others depend on."""

    @property
    def first(self) -> int: ...
    @property
    def end(self) -> int: ...
    @property
    def label(self) -> str: ...
    @property
    def head(self) -> int: ...
    @property
    def open(self) -> int: ...

# --- alignment

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
    def has_possible(self) -> bool:
        """Whether some links are marked as possible."""

    def columns(self) -> AlignmentColumns:
        """The links as columns."""

    def transposed(self) -> Alignment:
        """With source and target exchanged."""

    def spread(self, kept: NDArray[np.bool_]) -> Alignment:
        """The sentences at the places where ``kept`` is true, sentences without links elsewhere."""

    def slice(self, start: int, end: int) -> Alignment:
        """The sentences from ``start`` to ``end``."""

@final
class AlignmentColumns:
    """Links as columns; sentence ``s`` has the links ``offsets[s]:offsets[s + 1]``."""

    @property
    def offsets(self) -> NDArray[np.int64]: ...
    @property
    def source(self) -> NDArray[np.uint16]: ...
    @property
    def target(self) -> NDArray[np.uint16]: ...

@final
class EncodedText:
    """A tokenised text as numbers of words; number 0 is the empty word."""

    def __new__(cls, prefix: int = 0) -> EncodedText: ...
    def add_lines(self, lines: list[str]) -> None:
        """Add sentences."""

    def __len__(self) -> int: ...
    def lengths(self) -> NDArray[np.uint32]:
        """The number of words of each sentence."""

    def words(self) -> list[str]:
        """The words by number."""

    def numbers_as_text(self, kept: NDArray[np.bool_], start: int, end: int) -> str:
        """The numbers of the kept sentences from ``start`` to ``end``, a sentence a line."""

@final
class GibbsLinks:
    """The links of both directions by Gibbs sampling, the source position first."""

    @property
    def forward(self) -> Alignment: ...
    @property
    def reverse(self) -> Alignment: ...

def gibbs_align(
    source: EncodedText,
    target: EncodedText,
    kept: NDArray[np.bool_],
    options: AlignOptions,
    *,
    progress: _Progress | None = None,
) -> GibbsLinks:
    """Align the kept pairs in both directions; the others get no links."""

def gibbs_conditionals(
    given: EncodedText, choosing: EncodedText, links: NDArray[np.int32], stage: str
) -> list[list[float]]:
    """For each word of the choosing side, the distribution of its link given all others: the positions, then NULL.

    ``links`` has a position for each word, or -1; ``stage`` is ibm1, hmm or fertility.
    """

@final
class LexicalCounts:
    """Relative frequencies of linked words; ``None`` stands for the empty word."""

    @staticmethod
    def count(source: EncodedText, target: EncodedText, alignment: Alignment, threads: int = 0) -> LexicalCounts:
        """Count the links of a corpus."""

    def __len__(self) -> int: ...
    @property
    def source_words(self) -> list[str]: ...
    @property
    def target_words(self) -> list[str]: ...
    def columns(self) -> LexicalColumns:
        """The entries as columns, sorted by the numbers of the two words."""

    def lookup(self, source: str | None, target: str | None) -> LexicalWeights | None:
        """w(e|f) and w(f|e) of two words; None if they are never linked."""

    def row(self, source: str | None) -> list[LexicalEntry]:
        """The words linked to a source word."""

    def weights(self, source: Sequence[str], target: Sequence[str], links: Sequence[tuple[int, int]]) -> LexicalWeights:
        """lex(e|f) and lex(f|e) of a phrase pair."""

    def text(self, e2f: bool, start: int, end: int) -> str:
        """The lines of one of the two files for the source words from ``start`` to ``end``."""

@final
class LexicalColumns:
    """The entries of a lexical table: numbers of the words, links, w(e|f) and w(f|e)."""

    @property
    def source(self) -> NDArray[np.uint32]: ...
    @property
    def target(self) -> NDArray[np.uint32]: ...
    @property
    def links(self) -> NDArray[np.uint32]: ...
    @property
    def target_given_source(self) -> NDArray[np.float32]: ...
    @property
    def source_given_target(self) -> NDArray[np.float32]: ...

@final
class LexicalEntry:
    """A target word linked to a source word; None is the empty word."""

    @property
    def target(self) -> str | None: ...
    @property
    def links(self) -> int: ...
    @property
    def target_given_source(self) -> float: ...
    @property
    def source_given_target(self) -> float: ...

@final
class LexicalWeights:
    """The weights of words or phrases in both directions."""

    @property
    def target_given_source(self) -> float: ...
    @property
    def source_given_target(self) -> float: ...

@final
class LexicalReader:
    """A lexical table being read from its two files."""

    def __new__(cls) -> LexicalReader: ...
    def add_lines(self, lines: list[str], e2f: bool, first: int) -> None:
        """Add lines of one of the files, the first of which has the number ``first``."""

    def finish(self) -> LexicalCounts:
        """The table; the reader is empty afterwards."""

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

def count_links(gold: Alignment, found: Alignment) -> LinkCounts:
    """Compare links with gold ones (Och & Ney 2003)."""

@final
class LinkCounts:
    """Numbers of links: |A| found, |S| sure, |P| possible, |A∩S|, |A∩P|."""

    @property
    def found(self) -> int: ...
    @property
    def sure(self) -> int: ...
    @property
    def possible(self) -> int: ...
    @property
    def found_sure(self) -> int: ...
    @property
    def found_possible(self) -> int: ...

# --- language models

def lm_train(
    texts: Sequence[_Path],
    out: _Path,
    options: LmOptions,
    *,
    arpa: bool,
    temporary: _Path,
    progress: _Progress | None = None,
) -> LmReport:
    """Estimate a model from texts; ``temporary`` is the folder for temporary files."""

class _TextColumn(Protocol):
    """Texts in UTF-8: text k is ``data[offsets[k] : offsets[k + 1]]``."""

    @property
    def offsets(self) -> NDArray[np.int32]: ...
    @property
    def data(self) -> NDArray[np.uint8]: ...

class _NumberedLines(Protocol):
    """Lines with their numbers from 0, in ascending order."""

    @property
    def numbers(self) -> NDArray[np.int64]: ...
    @property
    def texts(self) -> _TextColumn: ...

def lm_words(lines: _NumberedLines) -> list[tuple[str, int]]:
    """Words with their first places; lines are numbered from 0, in ascending order."""

@final
class NgramCounter:
    """Counts the n-grams of lines; ``words`` has a word per line, in the order of their numbers."""

    def __new__(cls, words: str, options: LmOptions, bounds: bytes) -> NgramCounter: ...
    def add(self, lines: _NumberedLines) -> int:
        """Count lines; returns the bytes of all n-grams counted since they were last taken."""

    def take(self) -> list[Piece]:
        """The n-grams counted since they were last taken, sorted."""

    def suggest_bounds(self, parts: int) -> bytes:
        """Bounds of parts of equal size, from the n-grams counted so far."""

    @property
    def lines(self) -> int: ...
    @property
    def tokens(self) -> int: ...

@final
class AdjustedNgrams:
    """Adjusted counts of a part: of its words; statistics of the orders from two on; n-grams as order, part, bytes."""

    @property
    def words(self) -> bytes: ...
    @property
    def statistics(self) -> list[list[int]]: ...
    @property
    def counts(self) -> list[tuple[int, int, bytes]]: ...

def adjust_ngrams(pieces: Sequence[bytes], options: LmOptions, bounds: bytes) -> AdjustedNgrams:
    """Merge the counted n-grams of one part and adjust their counts."""

@final
class LmSummary:
    """What all parts determine: from the counts of words of all parts, and the sums of their statistics."""

    def __new__(
        cls, words: Sequence[bytes], vocabulary: int, statistics: Sequence[Sequence[int]], options: LmOptions
    ) -> LmSummary: ...
    @property
    def discounts(self) -> list[list[float]]: ...
    @property
    def probabilities(self) -> bytes:
        """The probabilities of words for interpolate_ngrams."""

@final
class NormalisedNgrams:
    """Normalised n-grams of an order, and their contexts, by parts."""

    @property
    def shares(self) -> list[Piece]: ...
    @property
    def weights(self) -> list[Piece]: ...

def normalise_ngrams(order: int, given: Sequence[bytes], discount: Sequence[float], bounds: bytes) -> NormalisedNgrams:
    """Normalise the n-grams of an order with some contexts."""

def interpolate_ngrams(
    words: bytes, shares: Sequence[Sequence[bytes]], weights: Sequence[Sequence[bytes]]
) -> list[list[bytes]]:
    """Probabilities and backoffs of the n-grams of a part, by order from two on."""

class _EstimatedText(Protocol):
    """A text as its words, its size, the backoffs of single words, and its longer n-grams: order and bytes."""

    @property
    def words(self) -> str: ...
    @property
    def lines(self) -> int: ...
    @property
    def tokens(self) -> int: ...
    @property
    def backoffs(self) -> Sequence[bytes]: ...
    @property
    def ngrams(self) -> Iterator[tuple[int, bytes]]: ...

def lm_from_parts(
    text: _EstimatedText,
    summary: LmSummary,
    out: _Path,
    *,
    arpa: bool,
    progress: _Progress | None = None,
) -> LmReport:
    """Write a model from the n-grams of its parts."""

def lm_build(arpa: _Path, out: _Path, *, threads: int, progress: _Progress | None = None) -> LmBuildReport:
    """Make a binary model from an ARPA file."""

@final
class LmReport:
    """Lines and words read; by order n-grams and discounts; orders with fixed discounts and why; bytes spilled."""

    @property
    def lines(self) -> int: ...
    @property
    def tokens(self) -> int: ...
    @property
    def counts(self) -> list[int]: ...
    @property
    def discounts(self) -> list[list[float]]: ...
    @property
    def fallback(self) -> dict[int, str]: ...
    @property
    def spilled(self) -> int: ...

@final
class LmBuildReport:
    """N-grams by order, those added as suffixes of others, and whether the file had ``<unk>``."""

    @property
    def counts(self) -> list[int]: ...
    @property
    def added(self) -> int: ...
    @property
    def has_unknown(self) -> bool: ...

@final
class LanguageModel:
    """A memory-mapped model; scores are log10."""

    def __new__(cls, path: _Path) -> LanguageModel: ...
    @property
    def order(self) -> int: ...
    @property
    def counts(self) -> list[int]:
        """The number of n-grams of each order."""

    @property
    def size(self) -> int:
        """Bytes of the file."""

    def verify(self) -> None:
        """Read the whole file and compare its checksums."""

    def word(self, id: int) -> str | None:
        """The word with a number."""

    def id(self, word: str) -> int | None:
        """The number of a word; None if it is unknown."""

    def score(self, sentence: str, bos: bool, eos: bool) -> float:
        """The score of a sentence."""

    def full_scores(self, sentence: str, bos: bool, eos: bool) -> list[WordScore]:
        """The score of each word."""

    def score_lines(self, lines: list[str], bos: bool, eos: bool, threads: int) -> LineScores:
        """The scores of many sentences."""

    def score_pieces(self, pieces: Sequence[Sequence[int | str]]) -> float:
        """The score of the last piece; a piece is made of words and of numbers of earlier pieces."""

    def phrase(self, words: str) -> float:
        """The score of words with nothing known before them."""

    def state_words(self, words: str, bos: bool) -> list[int]:
        """The words that a search has to remember after these, the latest first."""

    def measure(self, lines: list[str], rounds: int, ahead: bool) -> QueryTime:
        """Measure queries; ``ahead``: whole sentences, not word by word."""

    def to_arpa(self, path: _Path, temporary: _Path) -> None:
        """Write the model as an ARPA file."""

@final
class WordScore:
    """A word's score, the length of the n-gram that gave it, and whether the word is unknown."""

    @property
    def word(self) -> str: ...
    @property
    def log10(self) -> float: ...
    @property
    def length(self) -> int: ...
    @property
    def unknown(self) -> bool: ...

@final
class LineScores:
    """The scores of sentences, the part that unknown words have, words, and unknown words."""

    @property
    def log10(self) -> NDArray[np.float64]: ...
    @property
    def log10_unknown(self) -> NDArray[np.float64]: ...
    @property
    def tokens(self) -> NDArray[np.uint32]: ...
    @property
    def unknown(self) -> NDArray[np.uint32]: ...

@final
class QueryTime:
    """Seconds, queries, and the sum of their scores."""

    @property
    def seconds(self) -> float: ...
    @property
    def queries(self) -> int: ...
    @property
    def total(self) -> float: ...

# --- maximum entropy, and the reordering model of BTG

def fit_maxent(examples: ExampleColumns, options: FitOptions) -> MaxentFit:
    """Estimate a maximum-entropy classifier."""

@final
class MaxentFit:
    """Weights, the value that was minimised, the iterations made, and whether the search converged."""

    @property
    def weights(self) -> NDArray[np.float64]: ...
    @property
    def value(self) -> float: ...
    @property
    def iterations(self) -> int: ...
    @property
    def converged(self) -> bool: ...

@final
class CorpusFiles:
    """The files of an aligned corpus, one sentence a line; ``trees`` is the source side as CoNLL-U."""

    def __new__(cls, source: _Path, target: _Path, alignment: _Path, trees: _Path | None = None) -> CorpusFiles: ...
    @property
    def source(self) -> Path: ...
    @property
    def target(self) -> Path: ...
    @property
    def alignment(self) -> Path: ...
    @property
    def trees(self) -> Path | None: ...

def checksum(data: bytes) -> int:
    """The checksum that our binary files carry."""

def train_reordering(
    files: CorpusFiles, out: _Path, options: ReorderOptions, *, progress: _Progress | None = None
) -> ReorderReport:
    """Train a reordering model on the blocks of a corpus."""

def list_reordering(files: CorpusFiles, options: ReorderOptions) -> list[ReorderExample]:
    """The examples of a corpus, pair by pair."""

@final
class ReorderScores:
    """Examples, those that are straight, the mean of ln p(order), and the share with the right order."""

    @property
    def examples(self) -> int: ...
    @property
    def straight(self) -> int: ...
    @property
    def log_likelihood(self) -> float: ...
    @property
    def accuracy(self) -> float: ...

@final
class ReorderReport:
    """What training read and found; ``too_long`` pairs are left out."""

    @property
    def pairs(self) -> int: ...
    @property
    def too_long(self) -> int: ...
    @property
    def examples(self) -> int: ...
    @property
    def features(self) -> int: ...
    @property
    def iterations(self) -> int: ...
    @property
    def converged(self) -> bool: ...
    @property
    def training(self) -> ReorderScores: ...
    @property
    def held_out(self) -> ReorderScores: ...

@final
class BlockEnds:
    """The words at the ends of a block."""

    def __new__(cls, *, source_first: str, source_last: str, target_first: str, target_last: str) -> BlockEnds: ...
    @property
    def source_first(self) -> str: ...
    @property
    def source_last(self) -> str: ...
    @property
    def target_first(self) -> str: ...
    @property
    def target_last(self) -> str: ...

@final
class ReorderExample:
    """Two adjacent blocks, and whether they keep their order."""

    @property
    def left(self) -> BlockEnds: ...
    @property
    def right(self) -> BlockEnds: ...
    @property
    def straight(self) -> bool: ...

@final
class ReorderingModel:
    """A reordering model, opened."""

    def __new__(cls, path: _Path) -> ReorderingModel: ...
    @property
    def meta(self) -> str:
        """What the model was trained on, as JSON."""

    @property
    def bytes(self) -> int:
        """The size of the file."""

    def verify(self) -> None:
        """Read the whole file and compare its checksums."""

    def log_odds(self, pairs: list[tuple[BlockEnds, BlockEnds]]) -> list[float]:
        """ln p(straight) - ln p(inverted) for pairs of left and right blocks."""

    def weights(self, word: str) -> list[float]:
        """The weights of a word at each of the eight ends of two blocks."""

    def evaluate(self, files: CorpusFiles, options: ReorderOptions) -> ReorderScores:
        """The scores of the model on another corpus."""

# --- rules

@final
class ExtractSettings:
    """Which rules to extract, for a system and its options."""

    @staticmethod
    def subgraphs(options: ExtractOptions, links: Links, *, context: bool) -> ExtractSettings:
        """Connected subgraphs of a graph with these links; ``context``: with contextual rules."""

    @staticmethod
    def strings(options: ExtractOptions) -> ExtractSettings:
        """Hierarchical phrases."""

    @staticmethod
    def fragments(options: ExtractOptions) -> ExtractSettings:
        """Hierarchical phrases of dependency-graph fragments."""

    @staticmethod
    def dependents(options: ExtractOptions) -> ExtractSettings:
        """Heads with their dependents."""

def train_rules(
    files: CorpusFiles,
    settings: ExtractSettings,
    out: _Path,
    options: ExtractOptions,
    *,
    folder: _Path,
    progress: _Progress | None = None,
) -> ExtractReport:
    """Extract and score rules; ``folder`` is for temporary files."""

def list_rules(files: CorpusFiles, settings: ExtractSettings) -> list[str]:
    """Every rule occurrence of a corpus, a line each."""

def rules_from_moses(path: _Path, out: _Path) -> int:
    """Make a rule table from one of Moses; returns the number of rules."""

@final
class PrunedRules:
    """The number of rules kept and dropped."""

    @property
    def kept(self) -> int: ...
    @property
    def dropped(self) -> int: ...

def prune_rules(table: _Path, out: _Path, *, min_count: float, significance: float | None) -> PrunedRules:
    """Write the rules of a table that are frequent and significant enough."""

def split_rules(table: _Path, out: _Path, part_bytes: int) -> int:
    """Write the same table in parts that end after so many bytes of rules; returns the number of parts."""

def filter_rules(table: _Path, out: _Path, sentences: list[list[str]]) -> int:
    """Write the part of a table that sentences can use; returns the number of rules."""

@final
class ExtractReport:
    """Pairs read, those that are too long, source sides, and distinct rules by kind."""

    @property
    def pairs(self) -> int: ...
    @property
    def too_long(self) -> int: ...
    @property
    def source_sides(self) -> int: ...
    @property
    def kinds(self) -> dict[str, int]: ...

@final
class RuleTable:
    """A rule table, opened."""

    def __new__(cls, path: _Path) -> RuleTable: ...
    @property
    def meta(self) -> str:
        """How the table was made, as JSON."""

    @property
    def parts(self) -> int:
        """The number of files."""

    @property
    def grammar(self) -> str: ...
    @property
    def identity(self) -> str:
        """Whether source sides are told apart by ``links`` or by ``gaps``."""

    @property
    def fragments(self) -> FragmentShape | None:
        """The shape of fragments; None for tables of other grammars."""

    @property
    def max_span(self) -> int: ...
    @property
    def oriented(self) -> bool:
        """Whether the table has scores of orientations."""

    def verify(self) -> None:
        """Read the whole file and compare its checksums."""

    def vocabulary(self) -> Vocabulary:
        """All words of the table's source and target sides."""

    def with_words(self, words: list[str]) -> list[SourceSide]:
        """The source sides that consist of these words."""

    def containing(self, word: str, limit: int) -> list[SourceSide]:
        """The first source sides that have a word among others."""

    def to_moses(self, path: _Path) -> int:
        """Write a table for Moses; returns the number of lines."""

@final
class Vocabulary:
    """The words of a rule table, in the order of their numbers."""

    @property
    def source(self) -> list[str]: ...
    @property
    def target(self) -> list[str]: ...

@final
class FragmentShape:
    """The options of extraction that dependency-graph fragments depend on."""

    @property
    def max_external(self) -> int: ...
    @property
    def labels(self) -> str: ...
    @property
    def structure(self) -> bool: ...
    @property
    def max_gaps(self) -> int: ...
    @property
    def any_span(self) -> bool: ...

@final
class SourceSide:
    """A source side with its rules; ``joints`` says how each word is joined to the earlier ones."""

    @property
    def words(self) -> list[str]: ...
    @property
    def joints(self) -> list[int]: ...
    @property
    def rules(self) -> list[Rule]: ...

@final
class Rule:
    """Positions of the context or None, target words, links of words, count, and ln of the four scores."""

    @property
    def context(self) -> list[int] | None: ...
    @property
    def target(self) -> list[str]: ...
    @property
    def alignment(self) -> list[tuple[int, int]]: ...
    @property
    def count(self) -> float: ...
    @property
    def scores(self) -> list[float]: ...

# --- rules in chunks and parts, for engines that distribute the work

class _PairColumns(Protocol):
    """Sentence pairs as columns, ascending by number; ``trees`` is None where not needed."""

    @property
    def numbers(self) -> NDArray[np.int64]: ...
    @property
    def source(self) -> _TextColumn: ...
    @property
    def target(self) -> _TextColumn: ...
    @property
    def alignment(self) -> _TextColumn: ...
    @property
    def trees(self) -> _TextColumn | None: ...

@final
class FirstPlaces:
    """Symbols with their first places, as columns; places sort in the order of the symbols' numbers."""

    @property
    def is_target(self) -> list[bool]: ...
    @property
    def symbols(self) -> list[str]: ...
    @property
    def places(self) -> list[int]: ...

@final
class SymbolFinder:
    """Finds the first places of the symbols of chunks."""

    def __new__(cls, settings: ExtractSettings) -> SymbolFinder: ...
    def add(self, pairs: _PairColumns) -> int:
        """Read a chunk; returns the number of symbols found since they were last taken."""

    def take(self) -> FirstPlaces:
        """The symbols found since they were last taken; one may have several places, the first of which counts."""

@final
class RuleVocabulary:
    """The numbered symbols of both sides; the texts have a word per line, in the order of their numbers."""

    def __new__(cls, settings: ExtractSettings, source: str, target: str) -> RuleVocabulary: ...

@final
class Piece:
    """Bytes of a part, which workers pass on."""

    @property
    def part(self) -> int: ...
    @property
    def data(self) -> bytes: ...

@final
class RuleCounter:
    """Counts the rules and the linked words of chunks; ``bounds`` divide the rules into parts."""

    def __new__(cls, settings: ExtractSettings, words: RuleVocabulary, bounds: Sequence[bytes]) -> RuleCounter: ...
    def add(self, pairs: _PairColumns) -> int:
        """Count a chunk; returns the bytes of all rules counted since they were last taken."""

    def take(self) -> list[Piece]:
        """The rules counted since they were last taken: the sorted runs of each part, one after the other."""

    def suggest_bounds(self, parts: int) -> list[bytes]:
        """Bounds of parts of equal size, from the rules counted since they were last taken, which this takes."""

    def links(self) -> bytes:
        """The linked words counted so far, as a sorted run."""

    @property
    def pairs(self) -> int: ...
    @property
    def too_long(self) -> int: ...

def divide_runs(runs: Sequence[bytes], bounds: Sequence[bytes]) -> list[Piece]:
    """Merge sorted runs, and divide the result at bounds."""

@final
class Edge:
    """The counts of the rules with one source side and context at the border of a part."""

    @property
    def prefix(self) -> bytes: ...
    @property
    def total(self) -> int: ...
    @property
    def rules(self) -> list[int]: ...

@final
class MergedRules:
    """A merged part: sorted runs, counts of target sides by their part, statistics for smoothing, edges."""

    @property
    def runs(self) -> list[bytes]: ...
    @property
    def targets(self) -> list[Piece]: ...
    @property
    def statistics(self) -> list[int]: ...
    @property
    def edges(self) -> list[Edge]: ...

def merge_rules(settings: ExtractSettings, runs: Sequence[bytes], target_parts: int) -> MergedRules:
    """Merge the runs of one part; target sides are counted for so many parts."""

def add_up_targets(counts: Sequence[bytes]) -> list[bytes]:
    """Add up the counts of target sides over all runs; each run is returned with the sums of its target sides."""

@final
class RuleLexicon:
    """The lexical table for scoring, from runs of linked words."""

    def __new__(cls, words: RuleVocabulary, links: Sequence[bytes]) -> RuleLexicon: ...

class _SharedCounts(Protocol):
    """What a part gets from the others: totals of its target sides, statistics, and edges over all parts."""

    @property
    def smoothing(self) -> str: ...
    @property
    def min_count(self) -> float: ...
    @property
    def statistics(self) -> list[int]: ...
    @property
    def targets(self) -> list[bytes]: ...
    @property
    def edges(self) -> list[tuple[bytes, int, list[int]]]: ...

@final
class ScoredRules:
    """Scored rules in pieces for a table writer, and the number of rules of each kind."""

    @property
    def pieces(self) -> list[bytes]: ...
    @property
    def kinds(self) -> list[int]: ...

def score_rules(
    settings: ExtractSettings, lexicon: RuleLexicon, runs: Sequence[bytes], shared: _SharedCounts
) -> ScoredRules:
    """Score the rules of a part."""

@final
class RuleTableWriter:
    """Writes a rule table from scored rules in the order of their parts."""

    def __new__(cls, settings: ExtractSettings, words: RuleVocabulary, out: _Path) -> RuleTableWriter: ...
    def add(self, piece: bytes) -> None:
        """Add the next piece."""

    def finish(self, pairs: int, kinds: Sequence[int]) -> int:
        """Complete the table of so many pairs and rules of each kind; returns the number of source sides."""

    @property
    def kinds(self) -> list[str]: ...

# --- search

#: The names of the built-in features, in the order of the weights.
FEATURES: list[str]

@final
class Sentence:
    """A source sentence as decoders take it: ``words`` are looked up, words of ``surface`` copied where unknown."""

    def __new__(
        cls,
        words: Sequence[str],
        surface: Sequence[str] | None = None,
        heads: Sequence[int] | None = None,
        tags: Sequence[str] | None = None,
        topics: Sequence[float] | None = None,
        record: Any = None,
        terms: Sequence[Any] | None = None,
    ) -> Sentence: ...
    def __len__(self) -> int: ...
    @property
    def words(self) -> list[str]: ...
    @property
    def surface(self) -> list[str]: ...
    @property
    def heads(self) -> list[int]:
        """Positions from 0, -1 for the root; empty without a tree."""

    @property
    def tags(self) -> list[str]:
        """Parts of speech; empty without a tree."""

    @property
    def record(self) -> Any:
        """The object given as ``record``."""

    @property
    def topics(self) -> list[float]:
        """The topics of the sentence's document; empty where no model asks."""

    def with_topics(self, topics: Sequence[float]) -> Sentence:
        """The same sentence in a document with these topics."""

@final
class Step:
    """One rule of a derivation."""

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
    @property
    def features(self) -> list[float]: ...

@final
class Hypothesis:
    """A translation with its score, its feature values in the order of the weights, and its derivation."""

    @property
    def tokens(self) -> list[str]: ...
    @property
    def score(self) -> float: ...
    @property
    def features(self) -> list[float]: ...
    @property
    def steps(self) -> list[Step]: ...

@final
class SpanTranslation:
    """A translation of a span."""

    @property
    def words(self) -> list[str]: ...
    @property
    def score(self) -> float: ...

@final
class SpanTranslations:
    """The translations of the words from ``first`` up to ``end``, the best first."""

    @property
    def first(self) -> int: ...
    @property
    def end(self) -> int: ...
    @property
    def translations(self) -> list[SpanTranslation]: ...

@final
class ForcedDecoding:
    """The best derivation of the reference, if there is one, and the spans found on the way."""

    @property
    def hypothesis(self) -> Hypothesis | None: ...
    @property
    def spans(self) -> list[SpanTranslations]: ...

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

@final
class Decoder:
    """A decoder: from left to right, or with a chart of spans."""

    def __new__(
        cls, table: _Path, lm: _Path, weights: Sequence[float], options: SearchOptions, links: Links
    ) -> Decoder: ...
    @staticmethod
    def chart(
        table: _Path,
        lm: _Path,
        weights: Sequence[float],
        options: SearchOptions,
        *,
        reordering: _Path | None = None,
    ) -> Decoder:
        """A decoder with a chart of spans."""

    def reweighted(self, weights: Sequence[float]) -> Decoder:
        """The same decoder with other weights."""

    def with_pop_limit(self, pop_limit: int) -> Decoder:
        """The same decoder with another pop limit, unless its search is exhaustive."""

    def annotated(self, models: Sequence[Selector], weights: Sequence[float]) -> Decoder:
        """The same decoder with models of lexical selection, whose features come first among the added ones."""

    def translate(
        self,
        sentences: Sequence[Sentence],
        *,
        n_best: int,
        distinct: bool,
        threads: int,
        annotate: _Annotate | None = None,
    ) -> list[list[Hypothesis]]:
        """The n best translations of each sentence, the best first."""

    def search_graphs(
        self, sentences: Sequence[Sentence], *, threads: int, annotate: _Annotate | None = None
    ) -> list[str]:
        """The search graph of each sentence, an arc or hyperedge a line as JSON."""

    def n_best_columns(
        self,
        sentences: Sequence[Sentence],
        columns: Sequence[int],
        *,
        n_best: int,
        distinct: bool,
        threads: int,
        annotate: _Annotate | None = None,
    ) -> NBestColumns:
        """The n best of each sentence: words, and the values of the features in ``columns``, for tuning."""

    def spans(
        self, sentences: Sequence[Sentence], *, most: int, threads: int, annotate: _Annotate | None = None
    ) -> list[list[SpanTranslations]]:
        """For each sentence the translations of every span, at most ``most`` each."""

    def forced(
        self,
        sentences: Sequence[Sentence],
        references: Sequence[Sequence[str]],
        *,
        most: int,
        threads: int,
        annotate: _Annotate | None = None,
    ) -> list[ForcedDecoding]:
        """How the reference of each sentence can be derived."""

    @property
    def longest(self) -> int:
        """The most words of a sentence that is translated in one piece."""

    def pieces(self, sentence: Sentence) -> list[tuple[int, int]]:
        """The spans that a sentence is cut into: first word, and the one after the last."""

    def target_words(self, numbers: Sequence[int]) -> list[str]:
        """The words of numbers in ``OptionColumns.target``."""

# --- evaluation and tuning

def bleu_statistics(
    hypotheses: list[list[str]], references: list[list[list[str]]], *, threads: int = 0
) -> NDArray[np.uint32]:
    """The BLEU statistics of each hypothesis, a row each."""

def bleu_score(sums: list[int], *, smooth: bool = True) -> float:
    """Corpus BLEU, 0 to 100, of summed statistics."""

def shuffled_sums(rows: NDArray[np.float64], trials: int, seed: int, *, threads: int = 0) -> NDArray[np.float64]:
    """Sums by trial, run and column of rows (by run, sentence and column) that change places between runs."""

def ter_edits(
    hypotheses: list[list[str]], references: list[list[list[str]]], *, threads: int = 0
) -> NDArray[np.uint32]:
    """The fewest edits of TER that turn each hypothesis into one of its references."""

class _NBestLists(Protocol):
    """N-best lists as columns: :class:`NBestColumns`, or ``graphmt.tune.NBest``."""

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

@final
class NBestLists:
    """The n-best lists of a development set, accumulated over iterations."""

    def __new__(cls, references: list[list[list[str]]], features: int, *, metric: str = "bleu") -> NBestLists: ...
    def add(self, lists: _NBestLists, *, threads: int = 0) -> AddedHypotheses:
        """Add the hypotheses that are new."""

    def sizes(self) -> list[int]:
        """The number of hypotheses of each sentence."""

    def stored(self, since: list[int]) -> StoredHypotheses:
        """The hypotheses of each sentence from the given place on, for storing."""

    def restore(self, stored: StoredHypotheses) -> None:
        """Add hypotheses that :meth:`stored` gave."""

    def bleu(self, weights: NDArray[np.float64], *, threads: int = 0) -> float:
        """Corpus BLEU of the hypotheses that the weights choose."""

    def quality(self, weights: NDArray[np.float64], *, threads: int = 0) -> float:
        """BLEU, or TER with its sign turned, of the hypotheses that the weights choose."""

    def quality_of(self, sums: list[int]) -> float:
        """The same of statistics that :meth:`add` summed."""

    def spread(self, *, threads: int = 0) -> NDArray[np.float64]:
        """How much each feature differs among the hypotheses of a sentence."""

    def line_search(self, directions: NDArray[np.float64], *, threads: int = 0) -> LineSearch:
        """Exact line searches along directions, a row each."""

    def mira(self, weights: NDArray[np.float64], free: list[bool], options: TuneOptions, *, seed: int) -> MiraResult:
        """Batch MIRA from these weights; ``free`` says which may change."""

    def pairs(self, free: list[bool], options: TuneOptions, *, seed: int) -> NDArray[np.float32]:
        """Differences of sampled pairs, better less worse, a row each."""

@final
class AddedHypotheses:
    """The number of new hypotheses, and the summed statistics of the first of each sentence."""

    @property
    def new(self) -> int: ...
    @property
    def first(self) -> list[int]: ...

@final
class StoredHypotheses:
    """How many hypotheses each sentence has, and for each hypothesis values, statistics and a key."""

    def __new__(
        cls,
        *,
        counts: NDArray[np.uint32],
        values: NDArray[np.float32],
        statistics: NDArray[np.uint32],
        keys: NDArray[np.uint64],
    ) -> StoredHypotheses: ...
    @property
    def counts(self) -> NDArray[np.uint32]: ...
    @property
    def values(self) -> NDArray[np.float32]: ...
    @property
    def statistics(self) -> NDArray[np.uint32]: ...
    @property
    def keys(self) -> NDArray[np.uint64]: ...

@final
class MiraResult:
    """Weights, their BLEU on the lists, and the epoch they come from."""

    @property
    def weights(self) -> NDArray[np.float64]: ...
    @property
    def bleu(self) -> float: ...
    @property
    def epoch(self) -> int: ...

@final
class LineStep:
    """The best step along a direction, the quality there, and the quality at the start."""

    def __eq__(self, other: object, /) -> bool: ...
    @property
    def step(self) -> float: ...
    @property
    def quality(self) -> float: ...
    @property
    def start_quality(self) -> float: ...

@final
class LineSearch:
    """Line searches on n-best lists, which are sorted along each direction once."""

    def steps(self, weights: NDArray[np.float64], wanted: list[int], *, narrowest: float = 0.0) -> list[LineStep]:
        """From these weights on, the best step along each wanted direction."""

# --- memory n-gram posteriors

#: The columns of :meth:`EvidenceRows.features`.
EVIDENCE_FEATURES: list[str]

#: The further columns of sentences with vectors.
VECTOR_FEATURES: list[str]

@final
class MemoryBuilder:
    """Collects the pairs of a translation memory."""

    def __new__(cls, *, lowercase: bool = False) -> MemoryBuilder: ...
    def __len__(self) -> int: ...
    def add(self, sources: Sequence[str], targets: Sequence[str]) -> None:
        """Add pairs of tokenised lines."""

    def finish(self, *, threads: int = 0) -> MemoryIndex:
        """The index of the pairs. The builder takes no more afterwards."""

@final
class MemoryIndex:
    """A translation memory that finds the pairs with an n-gram on either side."""

    def __len__(self) -> int: ...
    def pairs_with(self, words: str, most: int) -> NDArray[np.uint32]:
        """At most so many pairs whose source has an n-gram of up to 6 words, evenly spaced over its occurrences."""

    def source_frequency(self, words: str) -> int:
        """The number of pairs whose source has an n-gram of up to 6 words."""

    def target_frequency(self, words: str) -> int:
        """The number of pairs whose target has an n-gram of up to 4 words."""

    def pair(self, number: int) -> MemoryPair:
        """The two sides of a pair."""

    def rows(
        self,
        inputs: EvidenceInputs,
        options: EvidenceOptions,
        *,
        threads: int = 0,
        progress: _Progress | None = None,
    ) -> EvidenceRows:
        """A row for each distinct n-gram of orders 1 to 4 in the candidates of each sentence."""

@final
class MemoryPair:
    """The two sides of a memory pair, tokens separated by one space."""

    @property
    def source(self) -> str: ...
    @property
    def target(self) -> str: ...

@final
class EvidenceInputs:
    """Sentences with their candidates."""

    def __new__(cls, lists: SentenceLists, *, lowercase: bool = False) -> EvidenceInputs: ...
    def __len__(self) -> int: ...

@final
class EvidenceRows:
    """Rows of features, in a table for each n-gram order."""

    def __len__(self) -> int:
        """The number of sentences."""

    def features(self, order: int) -> NDArray[np.float32]:
        """The features of the n-grams of an order, a row for each."""

    def labels(self, order: int) -> NDArray[np.uint8]:
        """1 for n-grams that a reference has, else 0; empty without references."""

    def starts(self, order: int) -> NDArray[np.uint64]:
        """Where the rows of each sentence begin, and where the last ends."""

    def ngrams(self, order: int) -> list[str]:
        """The n-gram of each row."""

    def sums(self, probabilities: NgramProbabilities) -> NDArray[np.float32]:
        """For each candidate the sums of the probabilities of its distinct n-grams, a column for each order."""

@final
class NgramProbabilities:
    """For each row the probability that a reference has its n-gram."""

    def of_order(self, order: int) -> NDArray[np.float32]:
        """Those of the rows of an order."""

@final
class NgramPredictor:
    """A classifier for each n-gram order."""

    @staticmethod
    def fit(rows: EvidenceRows, options: EvidenceOptions, *, threads: int = 0) -> NgramPredictor:
        """Fit to rows with labels."""

    @staticmethod
    def open(path: _Path) -> NgramPredictor:
        """Read a file that :meth:`save` wrote."""

    def save(self, path: _Path) -> None:
        """Write a file."""

    def probabilities(self, rows: EvidenceRows, *, threads: int = 0) -> NgramProbabilities:
        """The probabilities of rows."""

def cross_fit_ngrams(rows: EvidenceRows, options: EvidenceOptions, *, threads: int = 0) -> NgramProbabilities:
    """The probabilities of labelled rows by classifiers fitted to the sentences of the other folds."""

def explain_candidate(
    memory: MemoryIndex,
    inputs: EvidenceInputs,
    options: EvidenceOptions,
    predictor: NgramPredictor,
    place: CandidatePlace,
) -> list[NgramSupport]:
    """The distinct n-grams of a candidate, by length and then from left to right."""

@final
class NgramSupport:
    """An n-gram of a candidate, its probability, and the memory pairs that support it."""

    @property
    def words(self) -> str: ...
    @property
    def position(self) -> int:
        """Where it begins in the candidate."""

    @property
    def probability(self) -> float: ...
    @property
    def source(self) -> SourceSupport | None:
        """The source n-gram whose pairs have it most often; None if no examined pair has both."""

    @property
    def neighbours(self) -> list[SupportingNeighbour]:
        """The neighbours of the input that have it, the most similar first."""

    @property
    def by_vectors(self) -> list[SupportingNeighbour]:
        """The neighbours by vectors that have it, the most similar first."""

@final
class SourceSupport:
    """A source n-gram and the memory pairs that have it together with a target n-gram."""

    @property
    def words(self) -> str: ...
    @property
    def position(self) -> int:
        """Where it begins in the input."""

    @property
    def examined(self) -> int:
        """The pairs with the source n-gram that were examined."""

    @property
    def pairs(self) -> list[int]:
        """Those of them with the target n-gram."""

@final
class SupportingNeighbour:
    """A memory pair and the similarity of its source to the input, at most 1."""

    @property
    def pair(self) -> int: ...
    @property
    def similarity(self) -> float: ...

@final
class DenseClassifier:
    """A classifier of two classes over dense features, as the n-gram orders have."""

    @staticmethod
    def fit(
        values: NDArray[np.float32], labels: NDArray[np.uint8], options: EvidenceOptions, *, threads: int = 0
    ) -> DenseClassifier:
        """Fit to rows of features with labels 0 or 1."""

    def probabilities(self, values: NDArray[np.float32], *, threads: int = 0) -> NDArray[np.float32]:
        """The probability of label 1 for each row."""

    @property
    def weights(self) -> NDArray[np.float64] | None:
        """The weights of the standardised features and then the bias; None for boosted trees."""

# --- consensus

def symmetric_bleu(one: str, others: Sequence[str]) -> list[float]:
    """Formula (10) of a text and each of others; 1 where they are equal."""

@final
class TranslationMemory:
    """Source strings with their translations; ``len`` counts different sources."""

    def __new__(cls, *, lowercase: bool = False) -> TranslationMemory: ...
    def add(self, sources: Sequence[str], targets: Sequence[str], weights: Sequence[float] | None = None) -> None:
        """Add pairs, each of which counts once or as often as its weight says."""

    def finish(self, most: int | None = None) -> None:
        """To be called when all pairs are in; ``most``: translations that a source keeps, those that count most."""

    def __len__(self) -> int: ...
    @property
    def pairs(self) -> int:
        """The number of pairs added."""

    def entries(self, start: int, end: int) -> list[MemoryEntry]:
        """Sources with their translations."""

    def neighbours(self, sources: Sequence[str], threshold: float, *, threads: int = 0) -> list[list[MemoryNeighbour]]:
        """The neighbours of each source."""

@final
class MemoryTranslation:
    """A translation with its probability."""

    def __eq__(self, other: object, /) -> bool: ...
    @property
    def text(self) -> str: ...
    @property
    def probability(self) -> float: ...

@final
class MemoryEntry:
    """A source with its translations."""

    def __eq__(self, other: object, /) -> bool: ...
    @property
    def source(self) -> str: ...
    @property
    def translations(self) -> list[MemoryTranslation]: ...

@final
class MemoryNeighbour:
    """A similar source with its similarity and its translations."""

    def __eq__(self, other: object, /) -> bool: ...
    @property
    def source(self) -> str: ...
    @property
    def similarity(self) -> float: ...
    @property
    def translations(self) -> list[MemoryTranslation]: ...

@final
class CandidateLists:
    """N-best lists as numbers; the candidates of sentence k are ``starts[k]`` up to ``starts[k + 1]``."""

    def __new__(cls, lists: Sequence[Sequence[str]], *, lowercase: bool = False) -> CandidateLists: ...
    def __len__(self) -> int: ...
    @property
    def starts(self) -> NDArray[np.uint32]: ...
    def columns(self) -> CandidateColumns:
        """The columns that :class:`NBestColumns` has, without values."""

    def local_consensus(
        self, posterior: NDArray[np.float64], similarities: Sequence[str], options: RerankOptions
    ) -> NDArray[np.float64]:
        """The sums of formula (11): a row for each candidate, a column for each similarity."""

    def expected_gain(self, posterior: NDArray[np.float64], gain: str, *, threads: int = 0) -> NDArray[np.float64]:
        """The expected gain of each candidate, for minimum Bayes risk."""

@final
class CandidateColumns:
    """The columns of n-best lists as :class:`NBestColumns` has them, without values."""

    @property
    def hypotheses(self) -> NDArray[np.uint32]: ...
    @property
    def tokens(self) -> NDArray[np.uint32]: ...
    @property
    def numbers(self) -> NDArray[np.uint32]: ...
    @property
    def words(self) -> list[str]: ...

@final
class ConsensusGraph:
    """Sentences with their candidates, joined to similar ones."""

    def __new__(
        cls,
        sources: Sequence[str],
        lists: CandidateLists,
        memory: TranslationMemory | None,
        similarities: Sequence[str],
        options: RerankOptions,
    ) -> ConsensusGraph: ...
    def propagate(self, posterior: NDArray[np.float64], options: RerankOptions) -> Propagated:
        """Propagate from these posteriors on."""

    def links(self) -> GraphLinks:
        """The links of all sentences."""

    def support(self, values: NDArray[np.float64], sentence: int, candidate: int) -> list[LabelSupport]:
        """The labels of neighbours that support a candidate, given the values of propagation."""

@final
class Propagated:
    """p by candidate (rows) and similarity (columns), the rounds made, and the greatest change in the last."""

    @property
    def values(self) -> NDArray[np.float64]: ...
    @property
    def rounds(self) -> int: ...
    @property
    def change(self) -> float: ...

@final
class GraphLinks:
    """The links of sentence k are ``starts[k]`` up to ``starts[k + 1]``.

    Input sentences that have the same source and the same list are one link, with their number and the first of them.
    """

    @property
    def starts(self) -> NDArray[np.uint32]: ...
    @property
    def in_memory(self) -> NDArray[np.bool_]: ...
    @property
    def nodes(self) -> NDArray[np.uint32]: ...
    @property
    def counts(self) -> NDArray[np.uint32]: ...
    @property
    def weights(self) -> NDArray[np.float64]: ...

@final
class LabelSupport:
    """A neighbour's label: the edge's weight, the label's p, and what it adds to the candidate's p by similarity.

    ``count`` is the number of input sentences with this source and this list; the node is the first of them.
    """

    @property
    def in_memory(self) -> bool: ...
    @property
    def node(self) -> int: ...
    @property
    def count(self) -> int: ...
    @property
    def source(self) -> str | None: ...
    @property
    def label(self) -> str: ...
    @property
    def weight(self) -> float: ...
    @property
    def p(self) -> float: ...
    @property
    def added(self) -> list[float]: ...

@final
class SpanConsensus:
    """The graph of the spans of some sentences; ``len`` counts different spans."""

    def __new__(
        cls,
        decoder: Decoder,
        sentences: Sequence[Sentence],
        memory: TranslationMemory | None,
        options: ConsensusOptions,
    ) -> SpanConsensus: ...
    def __len__(self) -> int: ...
    @property
    def edges(self) -> EdgeCounts:
        """The number of edges."""

    def evidence_inputs(
        self, references: Sequence[Sequence[str]] | None = None, *, lowercase: bool = False
    ) -> EvidenceInputs:
        """The sentences with their best translations and those of their spans as candidates."""

    def with_evidence(self, rows: EvidenceRows, probabilities: NgramProbabilities) -> SpanConsensus:
        """The same with the probabilities of n-grams, given for the rows of :meth:`evidence_inputs`."""

    def applied_to(self, decoder: Decoder, weights: Sequence[float]) -> Decoder:
        """A decoder with this consensus; the weights of its features are the last."""

    def scores(
        self, sentence: Sentence, first: int, end: int, texts: Sequence[Sequence[str]]
    ) -> NDArray[np.float32] | None:
        """The features of translations of a span, a row each; None where the graph does not have the span."""

@final
class EdgeCounts:
    """The edges of spans to the memory, and between spans."""

    @property
    def to_memory(self) -> int: ...
    @property
    def between(self) -> int: ...

def add_forced(
    memory: TranslationMemory,
    decoder: Decoder,
    sentences: Sequence[Sentence],
    references: Sequence[Sequence[str]],
    *,
    threads: int,
) -> int:
    """Add pairs and the spans of their forced decoding; returns how often the target could be derived."""

# --- lexical selection

@final
class Selector:
    """A model of lexical selection, for decoders to use."""

@final
class GmModel:
    """The statistics of collective lexical selection, opened."""

    def __new__(cls, path: _Path, vectors: NDArray[np.float32] | None = None) -> GmModel: ...
    @property
    def meta(self) -> str:
        """What the statistics were counted on, as JSON."""

    def verify(self) -> None:
        """Read the whole file and compare its checksums."""

    def neighbours(self) -> NeighbourColumns:
        """The counted neighbours of the target words."""

    def relatedness(self, measure_of: str, a: str, b: str) -> float | None:
        """RS(t, t') of two target words; None if one of them is no content word."""

    def related(self, a: tuple[str, str], b: tuple[str, str]) -> bool:
        """Whether two source words, each given with its part of speech, are related."""

    def counts(self, word: str, translation: list[str]) -> TranslationCount:
        """How often a source word has a translation."""

    def idf(self, word: str) -> float | None:
        """The inverse document frequency of a source word."""

    def content_words(self) -> list[str]:
        """The target words taken for content words."""

    def graphs(
        self, decoder: Decoder, sentence: Sentence, walk: GmWalk, *, edges: bool = True
    ) -> list[TranslationGraph]:
        """The translation graphs of a sentence; ``edges``: with their edges, most of the work for large ones."""

    def selector(self, walk: GmWalk) -> Selector:
        """The model as decoders use it."""

@final
class NeighbourColumns:
    """The neighbours of word k are ``words[offsets[k]:offsets[k + 1]]``, with how often they were seen."""

    @property
    def offsets(self) -> NDArray[np.uint64]: ...
    @property
    def words(self) -> NDArray[np.uint32]: ...
    @property
    def counts(self) -> NDArray[np.uint32]: ...

@final
class TranslationCount:
    """How often a source word has a translation, of how many occurrences."""

    @property
    def count(self) -> int: ...
    @property
    def total(self) -> int: ...

def train_gm(
    files: CorpusFiles,
    more: MoreText,
    out: _Path,
    options: GmOptions,
    *,
    folder: _Path,
    lemmatise: Callable[[str, list[str]], list[str]],
    progress: _Progress | None = None,
) -> GmReport:
    """Count what gm needs; ``lemmatise`` is called with ``source`` or ``target`` and words."""

@final
class GmReport:
    """What training counted."""

    @property
    def pairs(self) -> int: ...
    @property
    def source_words(self) -> int: ...
    @property
    def source_related(self) -> int: ...
    @property
    def target_words(self) -> int: ...
    @property
    def target_content(self) -> int: ...
    @property
    def target_pairs(self) -> int: ...
    @property
    def translations(self) -> int: ...

@final
class TranslationGraph:
    """The words of a graph, the pairs of words that are related, and the edges between candidates."""

    @property
    def words(self) -> list[GraphWord]: ...
    @property
    def related(self) -> list[tuple[int, int]]: ...
    @property
    def edges(self) -> list[GraphEdge]: ...

@final
class GraphWord:
    """A source word of a graph with its position, its importance and its candidates."""

    @property
    def position(self) -> int: ...
    @property
    def importance(self) -> float: ...
    @property
    def candidates(self) -> list[GraphCandidate]: ...

@final
class GraphCandidate:
    """A translation of a word: how often it was seen, association, evidence and probability."""

    @property
    def words(self) -> list[str]: ...
    @property
    def count(self) -> int: ...
    @property
    def association(self) -> float: ...
    @property
    def evidence(self) -> float: ...
    @property
    def probability(self) -> float: ...

@final
class GraphEdge:
    """An edge between two candidates, each given as (word of the graph, candidate of the word)."""

    @property
    def first(self) -> tuple[int, int]: ...
    @property
    def second(self) -> tuple[int, int]: ...
    @property
    def weight(self) -> float: ...

class _GivenCandidate(Protocol):
    """How often a candidate was seen, and its content words as rows of the relatedness."""

    @property
    def count(self) -> int: ...
    @property
    def content(self) -> Sequence[int]: ...

class _GivenWord(Protocol):
    """A word of a graph: its importance and its candidates."""

    @property
    def importance(self) -> float: ...
    @property
    def candidates(self) -> Sequence[_GivenCandidate]: ...

def translation_graph(
    words: Sequence[_GivenWord],
    pairs: Sequence[tuple[int, int]],
    relatedness: Sequence[Sequence[float]],
    walk: GmWalk,
) -> TranslationGraph:
    """The graph of words that are given, with the relatedness of content words as a matrix."""

def open_tsm(path: _Path) -> Selector:
    """Open a model of topic similarity."""

def train_tsm(
    corpus: Corpus,
    out: _Path,
    options: TsmOptions,
    topics: CorpusTopics,
    *,
    folder: _Path,
    progress: _Progress | None = None,
) -> int:
    """Give every rule the topics of the documents it occurs in; returns the number of rules."""

def open_lrsm(path: _Path) -> Selector:
    """Open a model of rule selection."""

def train_lrsm(
    corpus: Corpus, out: _Path, options: LrsmOptions, *, folder: _Path, progress: _Progress | None = None
) -> ClassifierReport:
    """Estimate a classifier for each ambiguous source side."""

def open_dwl(path: _Path) -> Selector:
    """Open a discriminative word lexicon."""

def train_dwl(
    corpus: Corpus, out: _Path, options: DwlOptions, *, folder: _Path, progress: _Progress | None = None
) -> ClassifierReport:
    """Estimate a classifier for each ambiguous source word."""

def open_order(path: _Path) -> Selector:
    """Open a model of word order by dependencies."""

def train_order(
    corpus: Corpus, out: _Path, options: OrderOptions, *, folder: _Path, progress: _Progress | None = None
) -> ClassifierReport:
    """Estimate classifiers of the order of linked words."""

@final
class ClassifierReport:
    """Pairs read, classifiers made, and their weights."""

    @property
    def pairs(self) -> int: ...
    @property
    def classifiers(self) -> int: ...
    @property
    def weights(self) -> int: ...
