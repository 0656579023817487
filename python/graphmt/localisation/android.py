"""Android's string resources: strings, items of arrays, and plurals with the forms of the target language."""

from __future__ import annotations

from collections.abc import Sequence

from graphmt.corpus.languages import base_language
from graphmt.errors import InputError
from graphmt.localisation.android_text import AndroidText, is_reference
from graphmt.localisation.document import Document, Edit, Unit, decoded
from graphmt.localisation.fragments import BLANK
from graphmt.localisation.inline import InlineText
from graphmt.localisation.xml import Element, parsed, space_before, with_attribute

#: The elements around what must not be translated.
_CODES = frozenset(("xliff:g",))
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


def read(data: bytes, name: str, languages: tuple[str, str]) -> Document:
    """The strings of a resource file; all are translated, except references and untranslatable ones."""
    text, encoding, mark = decoded(data, name)
    root = parsed(text, name, leaves=frozenset(("string", "item")), may_have_entities=True)
    if root.name != "resources":
        raise InputError(f"the first element is <{root.name}>, <resources> was expected.", file=name)
    units, others = [], 0
    for element in root.walk():
        is_item = element.name == "item" and element.parent is not None and element.parent.name == "string-array"
        if element.name == "string" or is_item:
            unit = None if _is_fixed(element, text) else _unit(element, text)
        elif element.name == "plurals":
            unit = _plurals(element, text, CATEGORIES.get(base_language(languages[1]), ("one", "other")))
        else:
            continue
        units += [unit] if unit is not None else []
        others += unit is None
    return Document(name, text, encoding, tuple(units), others, mark)


class _Content:
    """The content of a string, without the white space around it."""

    def __init__(self, element: Element, text: str) -> None:
        raw = text[element.inner : element.inner_end]
        self._start = element.inner + len(raw) - len(raw.lstrip(BLANK))
        self._end = self._start + len(raw.strip(BLANK))
        self._raw = text[self._start : self._end]
        self._inline = InlineText(self._raw, codes=_CODES, escapes=AndroidText())
        self.source = self._inline.text

    def raw(self, translation: str) -> str:
        """A translation in the file's terms; what is not changed stays as it is."""
        return self._raw if translation == self.source else self._inline.restored(translation)

    def edit(self, translation: str) -> Edit:
        """The edit that fills in a translation."""
        return Edit(self._start, self._end, self.raw(translation))


def _is_fixed(element: Element, text: str) -> bool:
    """Whether a string is not translated: it is marked so, empty, or a reference."""
    content = text[element.inner : element.inner_end].strip(BLANK)
    return element.inherited("translatable") == "false" or not content or is_reference(content)


def _unit(element: Element, text: str) -> Unit:
    content = _Content(element, text)
    return Unit((content.source,), lambda given: [content.edit(given[0])], element.line)


def _plurals(element: Element, text: str, categories: Sequence[str]) -> Unit | None:
    """A unit for all forms of a plural; forms that only the target language has are those of ``other``."""
    items = {item.attributes.get("quantity", ""): item for item in element.children if item.name == "item"}
    contents = {quantity: _Content(item, text) for quantity, item in items.items() if not _is_fixed(item, text)}
    if "other" not in contents:
        return None

    def fill(translations: Sequence[str]) -> list[Edit]:
        given = dict(zip(contents, translations, strict=True))
        last = items["other"]
        opening, closing = text[last.start : last.inner], text[last.inner_end : last.end]
        added = "".join(
            f"{with_attribute(opening, 'quantity', quantity)}{contents['other'].raw(given['other'])}{closing}"
            f"{space_before(text, last.start)}"
            for quantity in categories
            if quantity not in items
        )
        edits = [contents[quantity].edit(translation) for quantity, translation in given.items()]
        return [*edits, Edit(last.start, last.start, added)]

    return Unit(tuple(content.source for content in contents.values()), fill, element.line)
