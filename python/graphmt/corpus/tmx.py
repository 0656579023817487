"""Translation memories in TMX (Translation Memory eXchange 1.1 to 1.4), as a stream of pairs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

from graphmt.corpus.languages import Languages, base_language, language_code
from graphmt.errors import InputError
from graphmt.storage.compression import plain_name
from graphmt.storage.files import AnyPath, reading

_XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
#: Bytes parsed at a time, and the maximum size of a unit.
_BLOCK, _LONGEST = 1 << 16, 1 << 22
#: Maximum nesting depth; real memories have about a dozen levels.
_DEEPEST = 100
#: Maximum number of languages listed in an error.
_MOST_LANGUAGES = 50
#: Elements inside a segment that contain formatting codes, not text.
_CODES = ("bpt", "ept", "it", "ph", "ut")


def is_tmx(path: AnyPath) -> bool:
    """Whether the name is that of a TMX file, also with ``.gz``."""
    return plain_name(path).lower().endswith(".tmx")


def read_tmx(path: AnyPath, languages: tuple[str, str] | None = None) -> Iterator[tuple[str, str]]:
    """Pairs (source, target); any white space becomes one space, and formatting codes are dropped.

    ``languages`` are those of source and target: ``de`` also matches ``de-DE``. By default the source is the header's
    language, and units must have one other. Units without both are skipped, but at least one must have them.
    """
    with reading(path) as stream:
        yield from _units(stream, path, languages)


def tmx_languages(path: AnyPath) -> Languages:
    """Source and target language as the header and the first unit tell them; rejected if they do not."""
    with reading(path) as stream:
        source = ""
        for event, found in _elements(_Bounded(stream, path), path):
            if event == "end" and _plain(found) == "header":
                source = found.get("srclang", "")
            elif event == "end" and _plain(found) == "tu":
                return _inferred_languages(_texts(found), found.get("srclang", source), path)
    raise InputError("this translation memory has no units.", file=path)


class _Bounded:
    """A stream that limits the size of a unit, to bound memory and time."""

    def __init__(self, stream: Any, path: AnyPath) -> None:
        self.stream, self.path, self.since = stream, path, 0

    def read(self, _: int) -> bytes:
        """A block larger than the parser requests, because it rescans an unfinished tag for every block."""
        block: bytes = self.stream.read(_BLOCK)
        self.since += len(block)
        if self.since > _LONGEST:
            raise InputError(
                f"{_LONGEST >> 20} MiB without the end of a translation unit.",
                file=self.path,
                hint="Check that this is a translation memory, or export it again.",
            )
        return block


def _elements(stream: Any, path: AnyPath) -> Iterator[tuple[str, ElementTree.Element]]:
    try:
        yield from ElementTree.iterparse(stream, events=("start", "end"))
    except ElementTree.ParseError as error:
        raise InputError(
            f"not XML, or damaged: {error.msg if hasattr(error, 'msg') else error}.",
            file=path,
            line=error.position[0],
            hint="Export the translation memory again.",
        ) from None
    except (LookupError, ValueError) as error:
        # Unknown encodings, or multi-byte encodings other than UTF.
        raise InputError(f"its XML cannot be read: {error}.", file=path, hint="Export it again as UTF-8.") from None


def _units(given: Any, path: AnyPath, languages: tuple[str, str] | None) -> Iterator[tuple[str, str]]:
    wanted = languages
    source_language = ""
    stream = _Bounded(given, path)
    #: The open elements, root first.
    above: list[ElementTree.Element] = []
    seen: dict[str, None] = {}
    found_any = False
    for event, found in _elements(stream, path):
        if event == "start":
            if not above and _plain(found) != "tmx":
                raise InputError(f"the first element is <{_plain(found)}>, <tmx> was expected.", file=path)
            above.append(found)
            if len(above) > _DEEPEST:
                raise InputError(f"elements are nested more than {_DEEPEST} deep.", file=path)
            continue
        above.pop()
        if _plain(found) == "header":
            source_language = found.get("srclang", "")
        elif _plain(found) == "tu":
            texts = _texts(found)
            if len(seen) < _MOST_LANGUAGES:
                seen.update(dict.fromkeys(texts))
            if wanted is None:
                wanted = _inferred_languages(texts, found.get("srclang", source_language), path)
            sides = [_of(texts, language) for language in wanted]
            if sides[0] and sides[1]:
                found_any = True
                yield sides[0], sides[1]
            # Elements that were read are released, so that files of any size can be read.
            stream.since = 0
            for parent in above[-1:]:
                parent.clear()
    if wanted is not None and not found_any:
        raise InputError(
            f"no unit has text in both {' and '.join(wanted)}; its languages are {', '.join(seen) or 'none'}.",
            file=path,
            hint="Choose two of them with --languages.",
        )


def _plain(found: ElementTree.Element) -> str:
    return found.tag.rpartition("}")[2]


def _texts(unit: ElementTree.Element) -> dict[str, str]:
    texts: dict[str, str] = {}
    for version in unit:
        if _plain(version) == "tuv":
            language = language_code(version.get(_XML_LANG) or version.get("lang") or "")
            segment = next((child for child in version if _plain(child) == "seg"), None)
            if segment is not None:
                texts.setdefault(language, " ".join("".join(_written(segment)).split()))
    return texts


def _written(segment: ElementTree.Element) -> Iterator[str]:
    yield segment.text or ""
    for child in segment:
        if _plain(child) not in _CODES:
            yield from _written(child)
        yield child.tail or ""


def _of(texts: dict[str, str], language: str) -> str:
    exact = texts.get(language_code(language))
    if exact is not None:
        return exact
    return next((text for own, text in texts.items() if base_language(own) == base_language(language)), "")


def _inferred_languages(texts: dict[str, str], source: str, path: AnyPath) -> tuple[str, str]:
    others = [language for language in texts if base_language(language) != base_language(source)]
    if len(others) != 1 or len(texts) != 2:
        raise InputError(
            f"a unit with the languages {', '.join(texts) or 'none'}, and a header that names {source or 'none'!r} as "
            "the source: source and target cannot be determined.",
            file=path,
            hint="Give the languages of source and target: --languages de en (in Python: languages=('de', 'en')).",
        )
    return source, others[0]
