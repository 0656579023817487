"""Protected items: their kinds, and the tokens that stand for them in the models."""

from __future__ import annotations

import dataclasses

#: The kinds of items in each group that can be chosen.
GROUPS: dict[str, tuple[str, ...]] = {
    "variables": ("variable",),
    "tags": ("open", "close", "tag", "entity"),
    "addresses": ("url", "email", "path"),
    "numbers": ("number",),
}
#: Kinds that are always protected: patterns of the user, and characters and tokens with a meaning inside graphmt.
ALWAYS = ("pattern", "symbol")
#: Kinds of markup: they have no meaning of their own in a sentence.
MARKUP = ("open", "close", "tag")

#: The token of each kind, as the models see it.
TOKENS = {kind: f"⟨{kind}⟩" for kinds in (*GROUPS.values(), ALWAYS) for kind in kinds}
#: The kind of each token.
KIND_OF = {token: kind for kind, token in TOKENS.items()}


@dataclasses.dataclass(frozen=True, slots=True)
class Item:
    """A protected piece of a line.

    Examples
    --------
    >>> from graphmt.protect import Recogniser
    >>> Recogniser().find("Open {file} now")
    [Item('{file}', 'variable')]
    """

    text: str
    #: One of the kinds in :data:`GROUPS`, ``pattern`` or ``symbol``.
    kind: str
    start: int
    end: int
    #: The characters next to it; empty at the ends of the line and next to another item.
    before: str = ""
    after: str = ""
    #: The number of the matching tag, of kind ``open`` or ``close``; else -1.
    partner: int = -1

    def __repr__(self) -> str:
        return f"Item({self.text!r}, {self.kind!r})"

    @property
    def token(self) -> str:
        """The token that stands for it in the models."""
        return TOKENS[self.kind]


@dataclasses.dataclass(frozen=True, slots=True)
class ProtectedLine:
    """A line prepared for the models: its tokens, and the items that some of them stand for.

    Examples
    --------
    >>> from graphmt.corpus import TextOptions, TextSteps
    >>> TextSteps(TextOptions(tokenise=True, protect="auto")).prepare("Page 5.")
    ProtectedLine('Page ⟨number⟩ .', [Item('5', 'number')])
    """

    #: The line as given.
    line: str
    tokens: tuple[str, ...]
    items: tuple[Item, ...]
    #: The position in ``tokens`` of each item.
    places: tuple[int, ...]

    def __repr__(self) -> str:
        return f"ProtectedLine({' '.join(self.tokens)!r}, {list(self.items)!r})"

    @property
    def text(self) -> str:
        """The tokens separated by spaces."""
        return " ".join(self.tokens)
