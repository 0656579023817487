"""The output of ``fairseq-generate`` and ``fairseq-interactive``.

Lines of a sentence begin with its number: ``S-0`` source, ``T-0`` reference, then for each candidate ``H-0 score text``
(tokens), ``D-0 score text`` (detokenised), ``P-0`` scores of the tokens and ``A-0`` alignment. Scores are logarithms
to base 2. That of H and D is the sum of P, divided by the length to the power of ``--lenpen`` (default 1) unless
``--unnormalized`` was given. Sentences come in the order of batches, by length.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from graphmt.errors import InputError
from graphmt.nbest.record import Candidate, Lines, NBestList
from graphmt.nbest.scores import LOG_PROBABILITY, SCORE, ScoreMeaning
from graphmt.nbest.texts import one_line, shown

NAME = "fairseq"
SHAPE = "H-0<tab>score<tab>translation, with optional S-, T-, D-, P- and A- lines"

_LINE = re.compile(r"([A-Z])-(\d{1,18})(?:\t(.*))?", re.DOTALL)
#: What the program reports between and after the sentences.
_REPORT = re.compile(r"Generate |Translated |Total time|Namespace\(|NOTE:|\| |Type the input sentence|/\S+\.py:\d+:")
_LOG = re.compile(r"\d{4}-\d\d-\d\d[ T]|\[?(?:INFO|WARNING)\b")
#: The most candidates held until their turn.
MOST_HELD = 2_000_000


@dataclasses.dataclass
class _Hypothesis:
    """The lines of one candidate."""

    at: int
    score: float
    text: str
    detokenised: str | None = None
    tokens: str | None = None
    alignment: str | None = None


@dataclasses.dataclass
class _Sentence:
    number: int
    source: str | None = None
    hypotheses: list[_Hypothesis] = dataclasses.field(default_factory=list)


def recognises(line: str) -> bool:
    """Whether a line begins with the letter and number of a sentence."""
    found = _LINE.fullmatch(line)
    return found is not None and found[1] in "STHDPW"


def is_report(line: str) -> bool:
    """Whether a line is a message of the program."""
    return (_LOG.match(line) or _REPORT.match(line)) is not None


def candidates(lines: Lines, name: str, _: int | None) -> Iterator[Candidate]:
    """The candidates of a file in the order of their sentences; early ones are held until their turn."""
    held: dict[int, _Sentence] = {}
    size = following = 0
    for sentence in _sentences(lines, name):
        if sentence.number in held or sentence.number < following:
            raise InputError(f"a second list of sentence {sentence.number}.", file=name, line=sentence.hypotheses[0].at)
        held[sentence.number] = sentence
        size += len(sentence.hypotheses)
        while following in held:
            ready = held.pop(following)
            size -= len(ready.hypotheses)
            following += 1
            yield from _made(ready, name)
        if size > MOST_HELD:
            raise InputError(
                f"more than {MOST_HELD:,} candidates before those of sentence {following}.",
                file=name,
                hint="Sort the lines by sentence first: sort -s -t- -k2,2n",
            )
    for number in sorted(held):
        yield from _made(held.pop(number), name)


def without(origin: Any, columns: Collection[str]) -> Any:
    """The lines of a candidate; they have no named columns."""
    return origin


def written(given: NBestList, place: int, rank: int, score: float, added: Mapping[str, float]) -> str:
    """The lines of a candidate with a new score; there is no room for features."""
    number = given.number
    one = _Hypothesis(**given.origins[place]) if given.origins else None
    text = one.text if one else one_line(given.texts[place])
    rows = [f"S-{number}\t{given.source}"] if rank == 0 and given.source is not None else []
    rows.append(f"H-{number}\t{score:.6g}\t{text}")
    if one is None or one.detokenised is not None:
        rows.append(f"D-{number}\t{score:.6g}\t{one.detokenised if one else text}")
    if one and one.tokens is not None:
        rows.append(f"P-{number}\t{one.tokens}")
    if one and one.alignment is not None:
        rows.append(f"A-{number}\t{one.alignment}")
    return "\n".join(rows)


def _sentences(lines: Lines, name: str) -> Iterator[_Sentence]:
    current: _Sentence | None = None
    for at, line in lines:
        if not line.strip():
            continue
        found = _LINE.fullmatch(line)
        if found is None:
            if is_report(line):
                continue
            raise _refused(line, name, at)
        letter, number, rest = found[1], int(found[2]), found[3] or ""
        if current is not None and current.number != number:
            yield from [current] if current.hypotheses else []
            current = None
        if current is None:
            current = _Sentence(number)
        try:
            _take(current, letter, rest, at)
        except ValueError:
            raise _refused(line, name, at) from None
    if current is not None and current.hypotheses:
        yield current


def _take(sentence: _Sentence, letter: str, rest: str, at: int) -> None:
    """Add a line to its sentence."""
    own = sentence.hypotheses
    if letter == "S":
        sentence.source = rest
    elif letter == "H":
        score, _, text = rest.partition("\t")
        own.append(_Hypothesis(at, float(score), text))
    elif letter == "D":
        score, _, text = rest.partition("\t")
        if own and own[-1].detokenised is None:
            own[-1].detokenised = text
        else:
            # Files that were filtered have D lines alone.
            own.append(_Hypothesis(at, float(score), text, detokenised=text))
    elif letter in "PA":
        if not own:
            raise ValueError
        setattr(own[-1], "tokens" if letter == "P" else "alignment", rest)


def _made(sentence: _Sentence, name: str) -> Iterator[Candidate]:
    for one in sentence.hypotheses:
        values = {SCORE: one.score}
        meanings = {SCORE: ScoreMeaning.NORMALISED}
        words = None
        if one.tokens is not None:
            try:
                words = tuple(float(value) * math.log(2) for value in one.tokens.split())
            except ValueError:
                raise _refused(f"P-{sentence.number}\t{one.tokens}", name, one.at) from None
            values[LOG_PROBABILITY] = total = sum(words)
            if math.isclose(one.score * math.log(2), total, rel_tol=1e-3):
                # With --unnormalized, a sum to base 2.
                meanings[SCORE] = ScoreMeaning.UNKNOWN
            meanings[LOG_PROBABILITY] = ScoreMeaning.SUM
        text = one.text if one.detokenised is None else one.detokenised
        # The score is to base 2; the end of the sentence is a token as well.
        length = (len(one.text.split()) + 1) * math.log(2) if one.text is not one.detokenised else None
        yield Candidate(
            sentence.number,
            text,
            values,
            dataclasses.asdict(one),
            one.at,
            meanings,
            sentence.source,
            words,
            one.alignment,
            length,
        )


def _refused(line: str, name: str, at: int) -> InputError:
    return InputError(f"not a line of fairseq-generate: {shown(line)}.", file=name, line=at, hint=f"Expected: {SHAPE}.")
