"""Text with inline elements of XML, as text with numbered tags, which the recogniser protects."""

from __future__ import annotations

import html
import re

_PIECE = re.compile(
    r"""<!\[CDATA\[(?P<cdata>.*?)\]\]>|<!--.*?-->|<\?.*?\?>|<(?P<end>/)?(?P<name>[^\s/>]+)"""
    r"""(?P<attributes>(?:[^"'>]|"[^"]*"|'[^']*')*?)(?P<empty>/)?>""",
    re.DOTALL,
)
_ATTRIBUTE = re.compile(r"""(?<![\w:.-])([\w:.-]+)\s*=\s*("[^"]*"|'[^']*')""")
#: Elements whose content is a formatting code, not text (XLIFF 1.2 and TMX).
_CODES = ("bpt", "ept", "it", "ph", "ut")
#: Empty elements, or codes, that open and close: the second of each pair, and the attribute that names the first.
_OPENERS = {"bpt": ("rid", "i", "id"), "bx": ("rid", "id"), "sc": ("id",), "sm": ("id",)}
_CLOSERS = {"ept": ("rid", "i", "id"), "ex": ("rid", "id"), "ec": ("startRef",), "em": ("startRef",)}
_PAIRS = {"ept": "bpt", "ex": "bx", "ec": "sc", "em": "sm"}
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


class InlineText:
    """The content of an element: its text with a numbered tag for each inline tag, and back again."""

    def __init__(self, raw: str) -> None:
        parts: list[str | tuple[str, str, str]] = []
        done = depth = 0
        code_start, code_name, code_attributes = 0, "", ""
        for found in _PIECE.finditer(raw):
            name = (found["name"] or "").rpartition(":")[2]
            if depth:
                # Inside a code, only its own end matters.
                if name == code_name:
                    depth += -1 if found["end"] else (0 if found["empty"] else 1)
                if depth == 0:
                    parts.append((raw[code_start : found.end()], code_name, code_attributes))
                    done = found.end()
                continue
            parts.append(html.unescape(raw[done : found.start()]) if "&" in raw else raw[done : found.start()])
            done = found.end()
            if found["cdata"] is not None:
                parts.append(found["cdata"])
            elif name in _CODES and not found["end"] and not found["empty"]:
                depth, code_start, code_name, code_attributes = 1, found.start(), name, found["attributes"]
            elif name:
                kind = f"/{name}" if found["end"] else f"{name}/" if found["empty"] else name
                parts.append((found[0], kind, found["attributes"]))
        parts.append(html.unescape(raw[done:]))
        self._parts = parts
        written = "".join(part for part in parts if isinstance(part, str))
        #: A tag name that the text does not contain.
        self._name = "x"
        while re.search(rf"<\s*/?\s*{self._name}[0-9]", written):
            self._name += "x"
        self._tags: dict[str, str] = {}
        self.text = "".join(part if isinstance(part, str) else self._tag(*part) for part in parts)

    def _tag(self, raw: str, kind: str, attributes: str) -> str:
        name = kind.strip("/")
        number = len(self._tags)
        opened: dict[tuple[str, str], str] = self.__dict__.setdefault("_opened", {})
        stack: list[str] = self.__dict__.setdefault("_stack", [])
        if name in _OPENERS:
            tag = f"{self._name}{number}"
            opened[name, _reference(attributes, _OPENERS[name])] = tag
            written = f"<{tag}>"
        elif name in _CLOSERS and (pair := (_PAIRS[name], _reference(attributes, _CLOSERS[name]))) in opened:
            written = f"</{opened.pop(pair)}>"
        elif kind.startswith("/"):
            written = f"</{stack.pop()}>" if stack else f"<{self._name}{number}/>"
        elif kind.endswith("/") or name in _CODES or name in _CLOSERS:
            written = f"<{self._name}{number}/>"
        else:
            stack.append(f"{self._name}{number}")
            written = f"<{self._name}{number}>"
        self._tags[written] = raw
        return written

    def restored(self, text: str) -> str:
        """The XML of a translated text."""
        made, done = [], 0
        for found in re.finditer(rf"</?{self._name}[0-9]+/?>", text):
            made += [_escaped(text[done : found.start()]), self._tags.get(found[0], "")]
            done = found.end()
        return "".join([*made, _escaped(text[done:])])


def _reference(attributes: str, names: tuple[str, ...]) -> str:
    given = {name: value[1:-1] for name, value in _ATTRIBUTE.findall(attributes)}
    return next((given[name] for name in names if name in given), "")


def _escaped(text: str) -> str:
    return html.escape(_CONTROL.sub("", text), quote=False)
