"""Lines with marks for items, which tokenisers, truecasers and detokenisers leave alone."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from graphmt.protect.items import MARKUP, Item, ProtectedLine

#: The mark of an item: a private-use character, which no unprotected text contains. A word follows markup as it does a
#: quote, so that a sentence still starts there; the digit makes any other item a word, which starts it.
MARK, AS_WORD = "\ue000", "\ue0000"


def mark_of(item: Item) -> str:
    """The mark of an item in a line of tokens."""
    return MARK if item.kind in MARKUP else AS_WORD


def marked(line: str, items: Sequence[Item]) -> str:
    """The line with a mark, set apart by spaces, for each item."""
    if not items:
        return line
    parts, done = [], 0
    for item in items:
        parts += [line[done : item.start], f" {MARK} "]
        done = item.end
    return "".join([*parts, line[done:]])


def protected_line(
    line: str,
    items: Sequence[Item],
    tokenised: str,
    cased: Callable[[str], str],
    typed: Collection[int] | None = None,
) -> ProtectedLine:
    """The line for the models, from its marked and tokenised form; ``cased`` changes the case of its words.

    Only the items with numbers in ``typed`` (None: all) become typed tokens; the others remain, as one token each.
    """
    if not items:
        return ProtectedLine(line, tuple(cased(tokenised).split()), (), ())
    order = iter(items)
    words = [mark_of(next(order)) if word == MARK else word for word in tokenised.split()]
    tokens = cased(" ".join(words)).split()
    places = [place for place, token in enumerate(tokens) if token.startswith(MARK)]
    for number, (place, item) in enumerate(zip(places, items, strict=True)):
        tokens[place] = item.token if typed is None or number in typed else "_".join(item.text.split())
    return ProtectedLine(line, tuple(tokens), tuple(items), tuple(places))


def marked_output(tokens: Sequence[str | Item]) -> str:
    """A translation with a mark for each of its items, as :func:`protected_line` sees it before casing."""
    return " ".join(one if isinstance(one, str) else mark_of(one) for one in tokens)
