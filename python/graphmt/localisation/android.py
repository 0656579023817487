"""Android's string resources: strings, items of arrays, and plurals with the forms of the target language."""

from __future__ import annotations

import re
from collections.abc import Sequence

from graphmt.errors import InputError
from graphmt.localisation.document import Document, Edit, Unit, decoded
from graphmt.localisation.inline import InlineText
from graphmt.localisation.xml import Element, parsed, with_attribute

_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|(.))", re.DOTALL)
_LETTERS = {"n": "\n", "t": "\t"}
#: Plural categories by language (CLDR), where they are not one and other.
CATEGORIES = {
    **dict.fromkeys(("zh", "ja", "ko", "th", "vi", "id", "ms", "my", "lo"), ("other",)),
    **dict.fromkeys(("ru", "uk", "be", "pl", "cs", "sk", "lt"), ("one", "few", "many", "other")),
    **dict.fromkeys(("hr", "sr", "bs", "ro"), ("one", "few", "other")),
    **dict.fromkeys(("fr", "es", "it", "pt", "ca"), ("one", "many", "other")),
    "sl": ("one", "two", "few", "other"),
    "he": ("one", "two", "other"),
    "lv": ("zero", "one", "other"),
    "ga": ("one", "two", "few", "many", "other"),
    "ar": ("zero", "one", "two", "few", "many", "other"),
    "cy": ("zero", "one", "two", "few", "many", "other"),
}


def is_resources(data: bytes) -> bool:
    """Whether an XML file is one of Android's string resources."""
    return re.search(rb"<resources[\s>]", data[:4096]) is not None


def read(data: bytes, name: str, languages: tuple[str, str]) -> Document:
    """The strings of a resource file; all are translated, except references and untranslatable ones."""
    text, encoding, mark = decoded(data, name)
    root = parsed(text, name, leaves=frozenset(("string", "item")))
    if root.name != "resources":
        raise InputError(f"the first element is <{root.name}>, <resources> was expected.", file=name)
    units, others = [], 0
    for element in root.walk():
        is_item = element.name == "item" and element.parent is not None and element.parent.name == "string-array"
        if element.name == "plurals" and not _is_fixed(element):
            units += _plurals(element, text, CATEGORIES.get(languages[1], ("one", "other")))
        elif element.name == "string" or is_item:
            content = text[element.inner : element.inner_end].strip()
            if _is_fixed(element) or not content or content.startswith(("@", "?")):
                others += 1
            else:
                units.append(_unit(element, text))
    return Document(name, text, encoding, tuple(units), others, mark)


def _is_fixed(element: Element) -> bool:
    return element.inherited("translatable") == "false"


def _unit(element: Element, text: str) -> Unit:
    inline, plain = _content(element, text)
    return Unit(
        (plain,),
        lambda given: [Edit(element.inner, element.inner_end, _escaped(inline.restored(given[0])))],
        element.line,
    )


def _plurals(element: Element, text: str, categories: Sequence[str]) -> list[Unit]:
    """A unit for all forms of a plural: forms that the target language does not have are dropped."""
    items = {item.attributes.get("quantity", ""): item for item in element.children if item.name == "item"}
    if "other" not in items:
        return []
    contents = {quantity: _content(item, text) for quantity, item in items.items()}

    def fill(translations: Sequence[str]) -> list[Edit]:
        made = {
            quantity: _escaped(inline.restored(given))
            for (quantity, (inline, _)), given in zip(contents.items(), translations, strict=True)
        }
        edits = [Edit(item.inner, item.inner_end, made[quantity]) for quantity, item in items.items()]
        last = items["other"]
        opening = text[last.start : last.inner]
        before = re.search(r"\s*\Z", text[max(0, last.start - 200) : last.start])
        missing = [quantity for quantity in categories if quantity not in items]
        added = "".join(
            f"{with_attribute(opening, 'quantity', quantity)}{made['other']}</item>{before[0] if before else ''}"
            for quantity in missing
        )
        return [*edits, *([Edit(last.start, last.start, added)] if added else [])]

    return [Unit(tuple(plain for _, plain in contents.values()), fill, element.line)]


def _content(element: Element, text: str) -> tuple[InlineText, str]:
    inline = InlineText(text[element.inner : element.inner_end])
    return inline, _ESCAPE.sub(_character, inline.text)


def _character(escape: re.Match[str]) -> str:
    return chr(int(escape[1], 16)) if escape[1] else _LETTERS.get(escape[2], escape[2])


def _escaped(content: str) -> str:
    """Quotes and line ends as Android reads them; not inside tags."""
    parts = re.split(r"(<[^>]*>)", content)
    for place in range(0, len(parts), 2):
        parts[place] = re.sub(r"[\\'\"]", r"\\\g<0>", parts[place]).replace("\n", "\\n").replace("\t", "\\t")
    return "".join(parts)
