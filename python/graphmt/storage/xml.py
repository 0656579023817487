"""XML as a stream of elements, with failures in sentences: the base of the readers of XML formats."""

from __future__ import annotations

import os
from typing import Any
from xml.parsers import expat

from graphmt.errors import InputError

#: What comes before the name of an attribute such as ``xml:lang``.
XML_NAMESPACE = "http://www.w3.org/XML/1998/namespace "


class XmlReader:
    """Calls :meth:`started`, :meth:`ended` and :meth:`text` for what is in a file; names come without their namespaces.

    Entities of the file's own are rejected, because a few of them can become gigabytes of text.

    Parameters
    ----------
    path
        The file that messages name.
    encoding
        That of the bytes, whatever the file declares; by default what it declares.
    may_have_doctype
        Accept a document type declaration, and reject only the entities in it (see :meth:`declared`).
    expands
        Expand accepted entities in content.
    deepest
        The maximum nesting depth; real files have about a dozen levels.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        encoding: str | None = None,
        may_have_doctype: bool = False,
        expands: bool = True,
        deepest: int = 100,
    ) -> None:
        self.path = path
        #: The names of the open elements, root first.
        self.above: list[str] = []
        self._deepest = deepest
        parser = expat.ParserCreate(encoding, namespace_separator=" ")
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self.text
        if may_have_doctype:
            parser.EntityDeclHandler = self._entity
        else:
            parser.StartDoctypeDeclHandler = self._doctype
        if not expands:
            # With this handler, the parser passes references on.
            parser.DefaultHandler = lambda _: None
        self._parser = parser

    def started(self, name: str, attributes: dict[str, str]) -> None:
        """A start tag; its name is the last of ``above``."""

    def ended(self, name: str) -> None:
        """An end tag; its name is the last of ``above``."""

    def text(self, text: str) -> None:
        """Text inside an element."""

    def declared(self, name: str, value: str | None) -> None:
        """An entity declaration, which is rejected by default; no value: a file or a parameter entity."""
        raise self.fail(f"an entity declaration ({name}), which can stand for any text.", "Remove the <!ENTITY …>.")

    def feed(self, block: bytes, *, last: bool = False) -> None:
        """Parse a block of the file."""
        try:
            self._parser.Parse(block, last)
        except expat.ExpatError as error:
            message = f"not XML, or damaged: {expat.ErrorString(error.code)}."
            raise InputError(message, file=self.path, line=error.lineno, hint="Export the file again.") from None
        except (LookupError, ValueError) as error:
            hint = "Export it again as UTF-8."
            raise InputError(f"its XML cannot be read: {error}.", file=self.path, hint=hint) from None

    @property
    def line(self) -> int:
        """The line of the current tag."""
        return self._parser.CurrentLineNumber

    @property
    def byte(self) -> int:
        """The offset of the current tag."""
        return self._parser.CurrentByteIndex

    def fail(self, message: str, hint: str | None = None) -> InputError:
        """The failure to raise at the current tag."""
        return InputError(message, file=self.path, line=self.line, hint=hint)

    def _start(self, full: str, attributes: dict[str, str]) -> None:
        self.above.append(full.rpartition(" ")[2])
        if len(self.above) > self._deepest:
            raise self.fail(f"elements are nested more than {self._deepest} deep.")
        self.started(self.above[-1], attributes)

    def _end(self, full: str) -> None:
        self.ended(self.above[-1])
        self.above.pop()

    def _doctype(self, *_: Any) -> None:
        raise self.fail("a document type declaration, which can define entities.", "Remove the <!DOCTYPE …>.")

    def _entity(self, name: str, is_parameter: bool, value: str | None, *_: Any) -> None:
        self.declared(name, None if is_parameter else value)
