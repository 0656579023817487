"""What can be told from the first lists, sources and pairs of a memory: case, tokenisation, the meaning of scores."""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Iterable, Sequence

from graphmt.consensus.options import RerankOptions
from graphmt.consensus.scores import detected_score
from graphmt.corpus.raw_text import is_tokenised
from graphmt.nbest import NBestList
from graphmt.nbest.pieces import join_pieces

log = logging.getLogger(__name__)


@dataclasses.dataclass(frozen=True)
class Sample:
    """The first lists, their sources and the first pairs of a memory; any may be missing."""

    lists: Sequence[NBestList] = ()
    sources: Sequence[str] = ()
    pairs: Sequence[tuple[str, str]] = ()

    def first(self, number: int) -> Sample:
        """Only the first of each."""
        return Sample(self.lists[:number], self.sources[:number], self.pairs[:number])

    @property
    def candidates(self) -> list[str]:
        """The texts of the lists."""
        return [text for one in self.lists for text in one.texts]


def detected(options: RerankOptions, sample: Sample) -> RerankOptions:
    """Options with whatever they leave open: case, tokenisation, and the meaning of scores."""
    options = detected_score(sample.lists, options)
    candidates = sample.candidates
    given, known = [source for source, _ in sample.pairs], [target for _, target in sample.pairs]
    if options.lowercase is None:
        options = options.replace(
            lowercase=_differ_in_case(candidates, known) or _differ_in_case(sample.sources, given)
        )
        if options.lowercase:
            log.info("The lists and the memory differ in case: comparing in lower case.")
    if options.tokenise is None:
        sides = {
            "candidates": candidates,
            "source": sample.sources,
            "memory's source": given,
            "memory's target": known,
        }
        raw = [name for name, texts in sides.items() if not is_tokenised(texts)]
        options = options.replace(tokenise=bool(raw))
        if raw:
            log.info(f"Not tokenised: {', '.join(raw)}. All texts are tokenised for comparison.")
    for name, texts in (("source", sample.sources), ("memory", [*given, *known])):
        if mark := next((mark for text in texts if (mark := join_pieces(text)[1])), None):
            log.info(f"Subword pieces ({mark}) of the {name} are joined.")
    return options


def has_capitals(texts: Iterable[str]) -> bool:
    """Whether a letter of the texts is upper case."""
    return any(text != text.lower() for text in texts)


def _differ_in_case(texts: Sequence[str], others: Sequence[str]) -> bool:
    """Whether one of two samples has no capitals and the other has; they can only be compared without case."""
    return bool(texts) and bool(others) and has_capitals(texts) != has_capitals(others)
