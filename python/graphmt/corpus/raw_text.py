"""Whether text is raw or tokenised already, by what is attached to its words."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Sequence
from itertools import islice

from graphmt.corpus.text import is_conllu, plain_lines
from graphmt.protect import Recogniser
from graphmt.storage.files import AnyPath

#: Lines of each file that are examined.
SAMPLE = 2000

#: Punctuation at the end of a word, as in text that is not tokenised. An abbreviation or an ellipsis is no sign.
_ATTACHED = re.compile(r"\w[,!?;:»”)](?=\s|$)|[^\W\d_]{3}\.$|[\u3040-\u9fff][。，！？；：、]")
#: Punctuation as a token.
_SEPARATE = re.compile(r"(?:^|\s)[,.!?;:»”)。，！？；：、](?=\s|$)")
#: Quotes and brackets before a word, and as tokens. A straight quote opens as often as it closes.
_OPENING_ATTACHED = re.compile(r"(?:^|\s)[\"„“«(\[]\w")
_OPENING_SEPARATE = re.compile(r"(?:^|\s)[\"„“«(\[](?=\s|$)")
#: What only tokenisers write.
_ESCAPED = re.compile(r"(?:^|\s)(?:&quot;|@-@)(?=\s|$)|(?:^|\s)&apos;")
_ENTITY = re.compile(r"&#?\w+;")
#: Punctuation before which raw French text has a space.
_SPACED = re.compile(r"(?:^|\s)[!?;:«»](?=\s|$)")
#: Characters without spaces, more of them than the words of segmented text have.
_UNSEGMENTED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]{10,}")
#: Text between which and words tokenisers put spaces. (Numbers are no sign, nor are paths.)
_MARKUP = Recogniser(("variables", "tags"))


@dataclasses.dataclass(frozen=True)
class TextKind:
    """What the lines of a text look like.

    Examples
    --------
    >>> from graphmt.corpus import kind_of_text
    >>> kind_of_text(["Open “{name}”, then save it again."])
    TextKind('raw text', attached=2, separate=0)
    >>> kind_of_text(["open it , then save it ."]).name
    'tokenised text'
    """

    #: ``trees``, ``raw text``, ``tokenised text``, or ``text without punctuation``.
    name: str
    #: Punctuation marks and placeholders attached to words.
    attached: int = 0
    #: Punctuation marks that are tokens.
    separate: int = 0

    def __repr__(self) -> str:
        return f"TextKind({self.name!r}, attached={self.attached}, separate={self.separate})"

    @property
    def is_raw(self) -> bool:
        """Whether this is raw text."""
        return self.name == "raw text"

    def __str__(self) -> str:
        if not self.attached and not self.separate:
            return self.name
        return f"{self.name} ({self.attached:,} marks are attached to words, {self.separate:,} are tokens)"


#: Characters of a text that are looked at.
_READ = 2000


def is_tokenised(texts: Iterable[str]) -> bool:
    """Whether punctuation is separated from words more often than not; text without punctuation counts as tokenised."""
    attached = separate = 0
    for text in texts:
        # The beginning shows it, and a search in a huge text would hold up all other threads.
        begin = text[:_READ]
        attached += len(_ATTACHED.findall(begin))
        separate += len(_SEPARATE.findall(begin))
    return attached <= separate


def kind_of_text(lines: Iterable[str]) -> TextKind:
    """What lines of plain text look like.

    Raw text has punctuation, quotes, brackets, placeholders and tags attached to words, or runs of Chinese or Japanese
    characters that are longer than words. In tokenised text they are tokens of their own.

    Parameters
    ----------
    lines
        The lines.

    Returns
    -------
    TextKind
        The kind with its evidence; raw if more is attached to words than is not, apart from the marks that French sets
        apart by spaces.

    Examples
    --------
    >>> from graphmt.corpus import kind_of_text
    >>> kind_of_text(["Er schläft.", "Wo ist er?"]).is_raw
    True
    """
    attached = separate = spaced = 0
    for line in lines:
        separate += len(_ESCAPED.findall(line))
        plain = _ENTITY.sub(" ", line)
        attached += sum(len(sign.findall(plain)) for sign in (_ATTACHED, _OPENING_ATTACHED, _UNSEGMENTED))
        separate += sum(len(sign.findall(plain)) for sign in (_SEPARATE, _OPENING_SEPARATE))
        spaced += len(_SPACED.findall(plain))
        for item in _MARKUP.find(plain):
            # A neighbour that is no space; the ends of the line count as spaces.
            attached += not f" {plain}"[item.start].isspace() or not f"{plain} "[item.end].isspace()
    if not attached and not separate:
        return TextKind("text without punctuation")
    raw = attached > separate - spaced and 2 * attached > separate
    return TextKind("raw text" if raw else "tokenised text", attached, separate)


def kind_of_files(paths: Sequence[AnyPath]) -> TextKind:
    """What one side of a corpus looks like, by the first lines of its files.

    Parameters
    ----------
    paths
        Text or CoNLL-U files.

    Returns
    -------
    TextKind
        The kind; trees if all files have them.

    Examples
    --------
    >>> from graphmt.corpus import kind_of_files
    >>> kind_of_files(["corpus/train.de.conllu"]).name, kind_of_files(["corpus/train.en"]).name
    ('trees', 'tokenised text')
    """
    texts = [path for path in paths if not is_conllu(path)]
    if not texts:
        return TextKind("trees")
    return kind_of_text(line for path in texts for line in islice(plain_lines(path), SAMPLE))
