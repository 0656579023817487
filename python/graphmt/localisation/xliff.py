"""XLIFF 1.2 and 2.x: untranslated units are filled and marked as machine translations."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from graphmt.corpus.languages import StatedLanguages
from graphmt.errors import InputError
from graphmt.localisation.document import Document, Edit, Unit, decoded
from graphmt.localisation.inline import InlineText
from graphmt.localisation.xml import Element, parsed, space_before, with_attribute

_LEAVES = frozenset(("source", "target", "seg-source"))
#: States of targets that are not translations yet (1.2).
_UNTRANSLATED = ("new", "needs-translation")
_NAME = re.compile(r"<([^\s/>]+)")


def read(data: bytes, name: str) -> Document:
    """The untranslated units (1.2) or segments (2.x) of a file."""
    text, encoding, mark = decoded(data, name)
    root = parsed(text, name, leaves=_LEAVES)
    version = root.attributes.get("version", "")
    if root.name != "xliff" or version.split(".")[0] not in ("1", "2"):
        seen = f"<{root.name}> with version {version or 'none'!r}"
        raise InputError(f"the first element is {seen}; <xliff> of version 1.x or 2.x was expected.", file=name)
    units, others = [], 0
    stated = [StatedLanguages.of(root.attributes.get("srcLang"), root.attributes.get("trgLang"))]
    is_unit = "trans-unit" if version.startswith("1") else "segment"
    for element in root.walk():
        if element.name == is_unit:
            unit = (_unit_1 if version.startswith("1") else _unit_2)(element, text)
            units += [unit] if unit is not None else []
            others += unit is None
        elif element.name == "file":
            own = element.attributes
            stated.append(StatedLanguages.of(own.get("source-language"), own.get("target-language")))
    return Document(name, text, encoding, tuple(units), others, mark, stated=tuple(stated))


def _unit_1(element: Element, text: str) -> Unit | None:
    source, target = element.child("seg-source") or element.child("source"), element.child("target")
    skipped = element.inherited("translate") == "no" or element.attributes.get("approved") == "yes"
    if source is None or skipped or not _has_text(source, text):
        return None
    if target is not None and _has_text(target, text) and target.attributes.get("state") not in _UNTRANSLATED:
        return None

    def marked(tag: str) -> str:
        return with_attribute(
            with_attribute(tag, "state-qualifier", "mt-suggestion"), "state", "needs-review-translation"
        )

    return _unit(element, source, target, text, marked)


def _unit_2(element: Element, text: str) -> Unit | None:
    source, target = element.child("source"), element.child("target")
    if source is None or element.inherited("translate") == "no" or not _has_text(source, text):
        return None
    if target is not None and _has_text(target, text):
        return None
    made = _unit(element, source, target, text, lambda tag: tag)
    opening = text[element.start : element.inner]
    changed = with_attribute(with_attribute(opening, "subState", "graphmt:machine"), "state", "translated")
    return Unit(
        made.sources,
        lambda given: [Edit(element.start, element.inner, changed), *made.fill(given)],
        made.line,
    )


def _has_text(element: Element, text: str) -> bool:
    return bool(text[element.inner : element.inner_end].strip())


def _unit(element: Element, source: Element, target: Element | None, text: str, marked: Callable[[str], str]) -> Unit:
    inline = InlineText(text[source.inner : source.inner_end])
    own = _NAME.match(text, (element.child("source") or source).start)
    prefix = own[1].rpartition(":")[0] if own else ""
    tag = f"{prefix}:target" if prefix else "target"

    def fill(translations: Sequence[str]) -> list[Edit]:
        content = inline.restored(translations[0])
        if target is None:
            written = f"{space_before(text, source.start)}{marked(f'<{tag}>')}{content}</{tag}>"
            return [Edit(source.end, source.end, written)]
        opening = text[target.start : target.inner]
        if opening.endswith("/>"):
            return [Edit(target.start, target.inner, f"{marked(opening[:-2].rstrip() + '>')}{content}</{tag}>")]
        return [
            Edit(target.start, target.inner, marked(opening)),
            Edit(target.inner, target.inner_end, content),
        ]

    return Unit((inline.text,), fill, source.line)
