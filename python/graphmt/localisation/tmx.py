"""TMX: units without the target language get it."""

from __future__ import annotations

from collections.abc import Sequence

from graphmt.corpus.languages import base_language
from graphmt.errors import InputError
from graphmt.localisation.document import Document, Edit, Unit, decoded
from graphmt.localisation.inline import InlineText
from graphmt.localisation.xml import Element, parsed, space_before


def read(data: bytes, name: str, languages: tuple[str, str]) -> Document:
    """The units that have the source language but not the target language."""
    text, encoding, mark = decoded(data, name)
    root = parsed(text, name, leaves=frozenset(["seg"]))
    if root.name != "tmx":
        raise InputError(f"the first element is <{root.name}>, <tmx> was expected.", file=name)
    units, others = [], 0
    seen: set[str] = set()
    for unit in root.walk():
        if unit.name != "tu":
            continue
        versions = {_language(version): version for version in unit.children if version.name == "tuv"}
        seen.update(versions)
        source = versions.get(base_language(languages[0]))
        segment = source.child("seg") if source is not None else None
        target = versions.get(base_language(languages[1]))
        if segment is None or target is not None or not text[segment.inner : segment.inner_end].strip():
            others += 1
        else:
            units.append(_unit(source or unit, segment, text, languages[1]))
    if not units and base_language(languages[0]) not in seen:
        raise InputError(
            f"no unit has text in {languages[0]}; its languages are {', '.join(sorted(seen)) or 'none'}.",
            file=name,
            hint="The languages are those of the model.",
        )
    return Document(name, text, encoding, tuple(units), others, mark)


def _unit(version: Element, segment: Element, text: str, language: str) -> Unit:
    inline = InlineText(text[segment.inner : segment.inner_end])

    def fill(translations: Sequence[str]) -> list[Edit]:
        written = f'<tuv xml:lang="{language}" creationid="MT!"><seg>{inline.restored(translations[0])}</seg></tuv>'
        return [Edit(version.end, version.end, f"{space_before(text, version.start)}{written}")]

    return Unit((inline.text,), fill, version.line)


def _language(version: Element) -> str:
    return base_language(version.attributes.get("xml:lang") or version.attributes.get("lang") or "")
