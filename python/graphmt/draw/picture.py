"""Pictures: SVG in a notebook, text in a terminal, a file when saved."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import ParamSpec

from rich.console import Console
from rich.text import Text

from graphmt.draw import rule_tree_svg, rule_tree_text, svg, text
from graphmt.draw.rule_tree import RuleTree
from graphmt.draw.scene import Scene
from graphmt.errors import InputError
from graphmt.storage.files import AnyPath, writing

P = ParamSpec("P")


class Drawing(ABC):
    """The base of all pictures.

    Examples
    --------
    >>> from graphmt import Tree
    >>> picture = Tree(("Er", "schläft"), (1, -1)).picture()
    >>> print(picture.text)
    ┌► Er
    └─ schläft
    >>> path = picture.save("sleeps.svg")
    """

    @property
    @abstractmethod
    def svg(self) -> str:
        """The picture as SVG."""

    @property
    @abstractmethod
    def rich_text(self) -> Text:
        """The picture in characters, with colours."""

    @property
    def text(self) -> str:
        """The picture in characters."""
        return self.rich_text.plain

    def _repr_svg_(self) -> str:
        return self.svg

    def __str__(self) -> str:
        return self.text

    def save(self, path: AnyPath) -> Path:
        """Write the picture to a file; the extension decides: ``.svg``, or ``.txt`` for characters."""
        path = Path(path)
        made = {".svg": lambda: self.svg, ".txt": lambda: self.text + "\n"}.get(path.suffix.lower())
        if made is None:
            raise InputError(
                f"a picture cannot be saved as {path.suffix or 'a file without an extension'!r}.",
                file=path,
                hint="Use a name that ends in .svg or .txt.",
            )
        with writing(path) as stream:
            stream.write(made())
        return path

    def show(self, console: Console | None = None) -> None:
        """Print it in characters, with colours where the output is a terminal."""
        (console or Console(highlight=False)).print(self.rich_text, soft_wrap=True)


class Picture(Scene, Drawing):
    """A sentence's graph; takes what :class:`~graphmt.draw.scene.Scene` takes.

    Examples
    --------
    >>> from graphmt.draw import Picture
    >>> picture = Picture(["Er", "schläft"], [1, -1], target=["he", "sleeps"], alignment=[(0, 0), (1, 1)])
    >>> print(picture)
    ┌► Er       he
    └─ schläft  sleeps
    """

    @property
    def svg(self) -> str:
        """The picture as SVG."""
        return svg.render(self)

    @property
    def rich_text(self) -> Text:
        """The picture in characters, with colours."""
        return text.rich_text(self)


class TreePicture(RuleTree, Drawing):
    """A tree of rules over two sentences; takes what :class:`~graphmt.draw.rule_tree.RuleTree` takes.

    Examples
    --------
    >>> from graphmt.draw import RuleNode, TreePicture
    >>> tree = TreePicture(["er", "schläft"], ["he", "sleeps"], [RuleNode([1], [1], [1]), RuleNode([0], [0])])
    >>> print(tree)
    1┬─2── er        1 he     ──2─┬1
     └──── schläft   2 sleeps ────┘
    """

    @property
    def svg(self) -> str:
        """The picture as SVG."""
        return rule_tree_svg.render(self)

    @property
    def rich_text(self) -> Text:
        """The picture in characters, with colours."""
        return rule_tree_text.rich_text(self)


def _drawn(make: Callable[P, Picture], give: Callable[[Picture], str], name: str, doc: str) -> Callable[P, str]:
    """A function with the parameters of :class:`Picture`, so that they are declared and documented once."""

    def draw(*args: P.args, **kwargs: P.kwargs) -> str:
        return give(make(*args, **kwargs))

    shared = inspect.cleandoc(Scene.__doc__ or "").partition("Parameters\n")[2].partition("\n\nExamples")[0]
    summary, example = inspect.cleandoc(doc).split("\n\n")
    returned = "Returns\n-------\nstr\n    The picture."
    draw.__name__ = draw.__qualname__ = name
    draw.__doc__ = f"{summary}\n\nParameters\n{shared}\n\n{returned}\n\nExamples\n--------\n{example}\n"
    draw.__signature__ = inspect.signature(make).replace(return_annotation="str")  # type: ignore[attr-defined]
    return draw


#: The SVG of a [Picture][graphmt.draw.Picture] with the same parameters, as a string.
arcs_svg = _drawn(
    Picture,
    lambda picture: picture.svg,
    "arcs_svg",
    """Draw a :class:`Picture` with the same parameters as SVG.

    >>> from graphmt.draw import arcs_svg
    >>> arcs_svg(["Er", "schläft"], [1, -1]).startswith("<svg")
    True
    """,
)
#: A [Picture][graphmt.draw.Picture] with the same parameters in characters, as a string.
arcs_text = _drawn(
    Picture,
    lambda picture: picture.text,
    "arcs_text",
    """Draw a :class:`Picture` with the same parameters in characters.

    >>> from graphmt.draw import arcs_text
    >>> print(arcs_text(["Er", "schläft"], [1, -1]))
    ┌► Er
    └─ schläft
    """,
)
