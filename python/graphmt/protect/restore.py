"""Translations with the source's own items, each exactly once."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Collection, Iterable, Sequence

from graphmt.protect.arrange import PLACED, arrange
from graphmt.protect.items import Item, ProtectedLine
from graphmt.protect.recogniser import Recogniser
from graphmt.protect.spacing import rendered

#: Attempts to remove what looks like an item but is not one of the source; then the source text is kept.
_ATTEMPTS = 10
#: Characters that only items may contain.
_PRIVATE = re.compile("[\ue000-\uf8ff\ufdd0-\ufdef\U000f0000-\U0010ffff]")


@dataclasses.dataclass(frozen=True)
class Restored:
    """A translation with its items restored.

    ``repairs`` says what had to be changed for it; empty for most translations.

    Examples
    --------
    >>> from graphmt.corpus import TextOptions, TextSteps
    >>> steps = TextSteps(TextOptions(tokenise=True, protect="auto"))
    >>> steps.restore(["Seite"], [(0, 0)], steps.prepare("Page 5"))
    Restored(text='Seite 5', tokens=('Seite', '5'), repairs=('inserted 5',))
    """

    text: str
    tokens: tuple[str, ...]
    repairs: tuple[str, ...] = ()


def changes_words(repairs: Iterable[str]) -> bool:
    """Whether a repair did more than place tags, so that another translation may be better."""
    return any(not repair.startswith(PLACED) for repair in repairs)


def restore(
    tokens: Sequence[str],
    links: Iterable[tuple[int, int]],
    source: ProtectedLine,
    recogniser: Recogniser | None,
    *,
    capitalise: Callable[[str], str] = str,
    detokenise: Callable[[str], str] = str,
) -> Restored:
    """Restore the items of the source in a translation.

    The result contains exactly the items of the source: whatever else the recogniser finds in it is removed, and in the
    last resort the source text is kept.

    Parameters
    ----------
    tokens
        The translation, with typed tokens.
    links
        Its word alignment: (source position, target position).
    source
        The source line.
    recogniser
        The one that found its items; None: the result is not searched for other items.
    capitalise
        Changes the case of the tokenised translation.
    detokenise
        Turns tokens into text.

    Returns
    -------
    Restored
        The translation.

    Examples
    --------
    >>> from graphmt.corpus import TextOptions, TextSteps
    >>> from graphmt.protect import Recogniser, restore
    >>> source = TextSteps(TextOptions(tokenise=True, protect="auto")).prepare("Delete {name}?")
    >>> source.tokens
    ('Delete', '⟨variable⟩', '?')
    >>> restore(["⟨variable⟩", "löschen", "?"], [(0, 1), (1, 0), (2, 2)], source, Recogniser()).text
    '{name} löschen ?'
    """
    made, repairs = arrange(tokens, links, source)
    kept = [one for one in made if not isinstance(one, str) or not _PRIVATE.search(one)]
    if len(kept) < len(made):
        repairs.append("removed private-use characters")
    made = kept
    apart: set[int] = set()
    for _ in range(_ATTEMPTS):
        text, spans = rendered(made, source, capitalise, detokenise, apart)
        found = [] if recogniser is None else recogniser.find(text)
        items = [one for one in made if isinstance(one, Item)]
        crowded, foreign = _conflicts(found, spans, items, apart) if recogniser is not None else (set(), [])
        if not crowded and not foreign:
            return Restored(text, tuple(one if isinstance(one, str) else one.text for one in made), tuple(repairs))
        removed = _tokens_in(made, text, spans, foreign)
        if crowded <= apart and not removed:
            break
        apart |= crowded
        repairs += [f"removed {made[place]}" for place in sorted(removed)]
        made = [one for place, one in enumerate(made) if place not in removed]
    return Restored(source.line, tuple(source.line.split()), (*repairs, "kept the source text"))


def _conflicts(
    found: Sequence[Item], spans: Sequence[tuple[int, int]], items: Sequence[Item], apart: Collection[int]
) -> tuple[set[int], list[tuple[int, int]]]:
    """Items that are not recognised next to their neighbours, and spans of text that look like other items."""
    seen = {(item.start, item.end) for item in found}
    # A pattern of the user may match only in the context of the source.
    crowded = {
        number
        for number, span in enumerate(spans)
        if span not in seen and not (items[number].kind == "pattern" and number in apart)
    }
    foreign, number = [], 0
    own = set(spans)
    for start, end in sorted(seen - own):
        while number < len(spans) and spans[number][1] <= start:
            number += 1
        overlapped = []
        for other in range(number, len(spans)):
            if spans[other][0] >= end:
                break
            overlapped.append(other)
        inside = len(overlapped) == 1 and spans[overlapped[0]][0] <= start and end <= spans[overlapped[0]][1]
        if not overlapped or (not inside and crowded.union(overlapped) <= set(apart)):
            foreign.append((start, end))
        elif not inside:
            crowded.update(overlapped)
    return crowded, foreign


def _tokens_in(
    made: Sequence[str | Item], text: str, spans: Sequence[tuple[int, int]], foreign: Sequence[tuple[int, int]]
) -> set[int]:
    """The words that make up some spans of the text; found by counting characters that are not spaces."""
    if not foreign:
        return set()
    lengths = [len("".join((one if isinstance(one, str) else one.text).split())) for one in made]
    if sum(lengths) != len("".join(text.split())):
        # The detokeniser changed characters: nothing can be located.
        return set()
    inside = [False] * len(text)
    for start, end in foreign:
        inside[start:end] = [True] * (end - start)
    dense = [flag for flag, character in zip(inside, text, strict=True) if not character.isspace()]
    removed, at = set(), 0
    for place, length in enumerate(lengths):
        if isinstance(made[place], str) and any(dense[at : at + length]):
            removed.add(place)
        at += length
    return removed
