"""Messages as sentences: lines, white space and the branches of ICU arguments around the text to translate."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from graphmt import _core
from graphmt.protect import Item, Recogniser

_LINE_END = re.compile(r"[\n\r\t\v\f]")
_LETTER = re.compile(r"[^\W\d_]")
_BRANCHES = re.compile(r"\{\s*[\w.-]+\s*,\s*(plural|select|selectordinal)\s*,")
#: The offset of a plural, and what a branch is for: two patterns, because in one either could match the digits.
_OFFSET = re.compile(r"\s*offset:[0-9]+")
_LABEL = re.compile(r"\s*(?:=[0-9]+|[\w-]+)\s*(?=\{)")
#: The number sign of a plural's branch, as a variable.
_SIGN = "{#}"
#: How deeply ICU arguments may be nested to be translated; deeper ones stay as they are.
_DEEPEST = 4


class Message:
    """A text split into sentences to translate, and put together again.

    Parameters
    ----------
    text
        A text of any number of lines.
    recogniser
        Finds its protected items; a line does not end inside one.
    depth
        How many ICU arguments the text is inside of.

    Examples
    --------
    >>> from graphmt.localisation import Message
    >>> from graphmt.protect import Recogniser
    >>> message = Message("Open file\\n\\n{n, plural, one {One file} other {# files}} open\\n", Recogniser())
    >>> message.sentences
    ['Open file', '{n, plural, one {One file} other {# files}} open', 'One file', '{#} files']
    >>> message.joined(lambda sentence: sentence.replace("file", "page"))
    'Open page\\n\\n{n, plural, one {One page} other {# pages}} open\\n'
    """

    def __init__(self, text: str, recogniser: Recogniser, depth: int = 0) -> None:
        self._recogniser = recogniser
        #: White space and sentences by turns; with each sentence the ICU arguments in it.
        self._parts: list[str | tuple[str, list[tuple[str, list[str | Message]]]]] = []
        items = recogniser.find(text)
        for line in _lines(text, items):
            _core.point()
            bare = line.strip()
            if not _LETTER.search(_without_items(bare, recogniser)) and not _BRANCHES.search(bare):
                self._parts.append(line)
                continue
            start = line.index(bare)
            arguments = [
                (item.text, branches)
                for item in (recogniser.find(bare) if depth < _DEEPEST else [])
                if item.kind == "variable" and (branches := _branches(item.text, recogniser, depth))
            ]
            self._parts += [line[:start], (bare, arguments), line[start + len(bare) :]]

    @property
    def sentences(self) -> list[str]:
        """The sentences to translate, with those of the branches after each."""
        found = []
        for part in self._parts:
            if not isinstance(part, str):
                if _LETTER.search(_without_items(part[0], self._recogniser)):
                    found.append(part[0])
                for _, branches in part[1]:
                    found += [one for branch in branches if isinstance(branch, Message) for one in branch.sentences]
        return found

    def joined(self, translated: Callable[[str], str]) -> str:
        """The text with every sentence translated."""
        made = []
        for part in self._parts:
            if isinstance(part, str):
                made.append(part)
                continue
            sentence, arguments = part
            text = translated(sentence) if _LETTER.search(_without_items(sentence, self._recogniser)) else sentence
            made.append(self._with_branches(text, arguments, translated) if arguments else text)
        return "".join(made)

    def _with_branches(
        self,
        text: str,
        arguments: Sequence[tuple[str, list[str | Message]]],
        translated: Callable[[str], str],
    ) -> str:
        """A translated sentence, its ICU arguments with translated branches."""
        new = {
            argument: "".join(
                branch if isinstance(branch, str) else branch.joined(translated).replace(_SIGN, "#")
                for branch in branches
            )
            for argument, branches in dict(arguments).items()
        }
        parts, done = [], 0
        for item in self._recogniser.find(text):
            parts += [text[done : item.start], new.get(item.text, item.text)]
            done = item.end
        return "".join([*parts, text[done:]])


def _lines(text: str, items: Sequence[Item]) -> list[str]:
    """The lines of a text, with their ends; tabs count as such, but not inside an item."""
    lines, start, passed = [], 0, 0
    for found in _LINE_END.finditer(text):
        while passed < len(items) and items[passed].end <= found.start():
            passed += 1
        if passed == len(items) or found.start() < items[passed].start:
            lines.append(text[start : found.end()])
            start = found.end()
    return [*lines, text[start:]]


def _without_items(line: str, recogniser: Recogniser) -> str:
    parts, done = [], 0
    for item in recogniser.find(line):
        parts.append(line[done : item.start])
        done = item.end
    return "".join([*parts, line[done:]])


def _branches(argument: str, recogniser: Recogniser, depth: int) -> list[str | Message]:
    """The parts of an ICU plural or select argument, its branches as messages; empty for any other."""
    head = _BRANCHES.match(argument)
    if head is None:
        return []
    parts: list[str | Message] = [head[0]]
    at = head.end()
    if offset := _OFFSET.match(argument, at):
        parts.append(offset[0])
        at = offset.end()
    while label := _LABEL.match(argument, at):
        end = _closing(argument, label.end())
        if not end:
            return []
        branch = argument[label.end() + 1 : end]
        if head[1] != "select":
            branch = branch.replace("#", _SIGN)
        parts += [label[0], "{", Message(branch, recogniser, depth + 1), "}"]
        at = end + 1
    return [*parts, argument[at:]] if argument[at:].strip() == "}" else []


def _closing(text: str, brace: int) -> int:
    """The brace that closes another; 0 if there is none."""
    depth = 0
    for at in range(brace, len(text)):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if depth == 0:
            return at
    return 0
