"""XLIFF 1.2 and 2.x (also ``.sdlxliff`` and the like), as a stream of pairs."""

from __future__ import annotations

import logging
import os
from collections import Counter
from collections.abc import Iterator

from graphmt.corpus.languages import StatedLanguages
from graphmt.errors import InputError
from graphmt.storage.compression import plain_name
from graphmt.storage.files import AnyPath, reading
from graphmt.storage.xml import XmlReader

log = logging.getLogger(__name__)

_ENDINGS = (".xlf", ".xliff", ".sdlxliff", ".mqxliff", ".mxliff", ".txlf")
#: Bytes parsed at a time, and the maximum size of a unit.
_BLOCK, _LONGEST = 1 << 16, 1 << 22
#: Elements whose source and target are a pair: a unit of 1.2, a segment of 2.x.
_UNITS = ("trans-unit", "segment")
#: Elements inside a text that contain formatting codes (1.2).
_CODES = ("bpt", "ept", "it", "ph", "ut")
#: States of targets that are not translations yet: of 1.2, and of a segment of 2.x.
_UNTRANSLATED = ("new", "needs-translation", "initial")


def is_xliff(path: AnyPath) -> bool:
    """Whether the name is that of an XLIFF file, also with ``.gz``."""
    return plain_name(path).lower().endswith(_ENDINGS)


def read_xliff(path: AnyPath, languages: tuple[str, str] | None = None) -> Iterator[tuple[str, str]]:
    """Pairs (source, target); any white space becomes one space, and formatting codes are dropped.

    Suggestions (``alt-trans``, ``match``) are ignored, and units without a translation are skipped and counted.
    ``languages`` are those of source and target; a file for the other direction is turned round. Files with a document
    type declaration are rejected, because it can define entities.
    """
    units = _Units(path, languages)
    with reading(path) as stream:
        while block := stream.read(_BLOCK):
            units.feed(block)
            yield from units.taken()
        units.feed(b"", last=True)
        yield from units.taken()
    if units.skipped:
        counts = ", ".join(f"{count} {name}" for name, count in sorted(units.skipped.items()))
        log.info(f"{os.fspath(path)}: {units.pairs:,} translated units; skipped: {counts}.")


def xliff_languages(path: AnyPath) -> StatedLanguages:
    """The languages that the first file inside names."""
    units = _Units(path, None)
    with reading(path) as stream:
        while (block := stream.read(_BLOCK)) and units.stated == StatedLanguages():
            units.feed(block)
            units.taken()
    return units.stated


class _Units(XmlReader):
    """The units of a file, and the one that is being read."""

    def __init__(self, path: AnyPath, languages: tuple[str, str] | None) -> None:
        super().__init__(path)
        self.languages = languages
        #: The languages that the last file inside names.
        self.stated = StatedLanguages()
        self.pairs = 0
        self.skipped: Counter[str] = Counter()
        self._made: list[tuple[str, str]] = []
        #: The text of the open unit, by side.
        self._texts: dict[str, list[str]] = {}
        #: The side that is being read, and its depth.
        self._side: tuple[str, int] | None = None
        #: How many open elements have formatting codes.
        self._codes = 0
        self._state = ""
        self._reversed = False
        self._since = 0

    def feed(self, block: bytes, *, last: bool = False) -> None:
        """Parse a block of the file."""
        self._since += len(block)
        if self._since > _LONGEST:
            raise InputError(
                f"{_LONGEST >> 20} MiB without the end of a unit.",
                file=self.path,
                hint="Check that this is an XLIFF file, or export it again.",
            )
        super().feed(block, last=last)

    def taken(self) -> list[tuple[str, str]]:
        """The pairs since the last call."""
        made, self._made = self._made, []
        return made

    def started(self, name: str, attributes: dict[str, str]) -> None:
        """Note languages, units and their sides."""
        parent = self.above[-2] if len(self.above) > 1 else None
        if parent is None and name != "xliff":
            raise self.fail(f"the first element is <{name}>, <xliff> was expected.")
        if self._side is not None:
            self._codes += name in _CODES
            if name == "cp":
                self.text(" ")
        elif name == "xliff" and parent is None:
            self._declare(attributes.get("srcLang", ""), attributes.get("trgLang", ""))
        elif name == "file" and "source-language" in attributes:
            self._declare(attributes["source-language"], attributes.get("target-language", ""))
        elif name in _UNITS:
            self._texts, self._state = {}, attributes.get("state", "")
        elif name in ("source", "target") and parent in _UNITS:
            self._side = (name, len(self.above))
            self._texts.setdefault(name, [])
            if name == "target":
                self._state = attributes.get("state", self._state)

    def text(self, text: str) -> None:
        """Add text to the side that is being read."""
        if self._side is not None and not self._codes:
            self._texts[self._side[0]].append(text)

    def ended(self, name: str) -> None:
        """Finish a side or a unit."""
        if self._side is not None:
            if len(self.above) == self._side[1]:
                self._side = None
            else:
                self._codes -= name in _CODES
        elif name in _UNITS:
            self._finish()

    def _finish(self) -> None:
        source, target = (" ".join("".join(self._texts.get(side, ())).split()) for side in ("source", "target"))
        self._texts, self._since = {}, 0
        if not source or not target or self._state in _UNTRANSLATED:
            self.skipped["untranslated" if source else "empty"] += 1
            return
        self.pairs += 1
        self._made.append((target, source) if self._reversed else (source, target))

    def _declare(self, source: str, target: str) -> None:
        """Compare the languages of the file with those that were asked for."""
        self.stated = StatedLanguages.of(source, target)
        self._reversed = self.stated.are_reversed(self.languages, self.path, self.line)
        # The other files inside go the same way as the first.
        self.languages = self.languages or self.stated.both
