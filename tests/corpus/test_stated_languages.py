"""The languages of files of pairs: stated by the files, compared with those asked for, contradictions rejected."""

from __future__ import annotations

from pathlib import Path

import pytest
from graphmt.consensus.memory import read_memory_pairs
from graphmt.consensus.request import MemoryFiles
from graphmt.corpus import read_pairs
from graphmt.corpus.languages import StatedLanguages, base_language
from graphmt.corpus.stated import corpus_languages, settled_languages, stated_languages
from graphmt.errors import InputError, OptionError
from graphmt.training import TrainOptions
from graphmt.training.languages import with_languages


def po(*fields: str) -> str:
    header = "".join(f'"{field}\\n"\n' for field in fields)
    return f'msgid ""\nmsgstr ""\n{header}\nmsgid "one"\nmsgstr "two"\n'


def xliff(attributes: str) -> str:
    unit = "<trans-unit><source>one</source><target>two</target></trans-unit>"
    return f'<xliff version="1.2"><file {attributes}><body>{unit}</body></file></xliff>'


def tmx(header: str, first: str, second: str) -> str:
    unit = f'<tuv xml:lang="{first}"><seg>one</seg></tuv><tuv xml:lang="{second}"><seg>two</seg></tuv>'
    return f'<tmx version="1.4"><header srclang="{header}"/><body><tu>{unit}</tu></body></tmx>'


#: A file, its content, and the languages that it states.
FILES = {
    "arabic": ("a.po", po("Language: ar"), ("en", "ar")),
    "thai, with other fields": (
        "a.po",
        po("Language-Team: German <de@example.org>", "Language: th_TH"),
        ("en", "th_TH"),
    ),
    "a variant": ("a.po", po("Language: sr@latin"), ("en", "sr@latin")),
    "Poedit": ("a.po", po("X-Source-Language: fr", "Language: it"), ("fr", "it")),
    "not English": ("a.po", po("Language: en_GB"), (None, "en_GB")),
    "empty": ("a.po", po("Language: "), (None, None)),
    "no code": ("a.po", po("Language: German"), (None, None)),
    "no header": ("a.po", po(), (None, None)),
    "XLIFF": ("a.xlf", xliff('source-language="fr" target-language="pt-BR"'), ("fr", "pt-BR")),
    "one side of XLIFF": ("a.xlf", xliff('source-language="fr"'), ("fr", None)),
    "TMX": ("a.tmx", tmx("it", "fr", "it"), ("it", "fr")),
    "table": ("a.tsv", "id\tfr\tit\n1\ttwo\tone\n", ("fr", "it")),
    "table of sentences": ("a.tsv", "one\ttwo\n", (None, None)),
    "CSV": ("a.csv", "it,fr\none,two\n", ("it", "fr")),
}


def saved(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, "utf-8")
    return path


@pytest.mark.parametrize("case", FILES)
def test_what_files_state(tmp_path: Path, case: str) -> None:
    name, text, expected = FILES[case]
    assert stated_languages(saved(tmp_path, name, text)) == StatedLanguages(*expected)


#: A file, the languages asked for, and the pair that is read; none: rejected.
ASKED = [
    ("arabic", ("en", "ar"), ("one", "two")),
    ("arabic", ("en-GB", "ara"), ("one", "two")),
    ("arabic", ("ar", "en"), ("two", "one")),
    ("arabic", ("en", "fr"), None),
    ("arabic", ("de", "en"), None),
    ("Poedit", ("it", "fr"), ("two", "one")),
    ("Poedit", ("en", "it"), None),
    ("no header", ("fr", "it"), ("one", "two")),
    ("XLIFF", ("pt", "fr"), ("two", "one")),
    ("XLIFF", ("pt", "it"), None),
    ("table", ("it", "fr"), ("one", "two")),
    ("CSV", ("fr", "it"), ("two", "one")),
    ("CSV", ("fr", "de"), None),
]


@pytest.mark.parametrize(("case", "languages", "expected"), ASKED)
def test_languages_that_are_asked_for(
    tmp_path: Path, case: str, languages: tuple[str, str], expected: tuple[str, str] | None
) -> None:
    name, text, _ = FILES[case]
    path = saved(tmp_path, name, text)
    if expected is not None:
        assert list(read_pairs(path, languages=languages)) == [expected]
    else:
        with pytest.raises(InputError, match=rf"{name}.* not {languages[0]} and {languages[1]}[.;] .*--languages"):
            list(read_pairs(path, languages=languages))


#: Options, a file, and the languages of the model; text: the error.
SETTLED = [
    ({}, "arabic", ("en", "ar")),
    ({}, "thai, with other fields", ("en", "th")),
    ({}, "TMX", ("it", "fr")),
    ({}, "table", ("fr", "it")),
    ({}, "table of sentences", ("de", "en")),
    ({"source_language": "ar"}, "arabic", ("ar", "en")),
    ({"target_language": "ar"}, "arabic", ("en", "ar")),
    ({"target_language": "fr"}, "arabic", "a.po: its languages are en and ar, and fr is neither"),
    ({"target_language": "fr"}, "table of sentences", ("de", "fr")),
    ({"source_language": "fr", "target_language": "it"}, "no header", ("fr", "it")),
    ({}, "no header", "a.po: its header does not name its language"),
    ({}, "not English", "a.po: its header does not name"),
]


@pytest.mark.parametrize(("sides", "case", "expected"), SETTLED)
def test_languages_of_a_model(
    tmp_path: Path, sides: dict[str, str], case: str, expected: tuple[str, str] | str
) -> None:
    name, text, _ = FILES[case]
    paths, stages = [saved(tmp_path, name, text)], TrainOptions.of({"sides": sides})
    if isinstance(expected, str):
        with pytest.raises(InputError, match=expected):
            with_languages(stages, paths, None)
    else:
        made = with_languages(stages, paths, None)[0].sides
        assert (made.source_language, made.target_language) == expected


def test_names_of_two_sides(tmp_path: Path) -> None:
    assert corpus_languages(["corpus/train.fr.conllu.gz"], [tmp_path / "train.pt_br"]) == ("fr", "pt")
    assert corpus_languages(["train.src"], ["train.de"]) is None
    assert corpus_languages(["a.de"], ["b.de"]) is None
    assert settled_languages(None, None, ("fr", "it"), ("de", "en"), "a.tmx") == ("fr", "it")
    # A file for the other direction is turned round.
    assert settled_languages(None, "fr", ("fr", "it"), ("de", "en"), "a.tmx") == ("it", "fr")


@pytest.mark.parametrize(
    ("written", "base"), [("de_AT", "de"), ("sr@latin", "sr"), ("de_DE.UTF-8", "de"), ("iw", "he"), ("no", "nb")]
)
def test_codes(written: str, base: str) -> None:
    assert base_language(written) == base


def test_files_inside_xliff_go_one_way(tmp_path: Path) -> None:
    forth = xliff('source-language="fr" target-language="it"')
    back = xliff('source-language="it" target-language="fr"')
    both = forth.replace("</xliff>", back.removeprefix('<xliff version="1.2">'))
    assert list(read_pairs(saved(tmp_path, "a.xlf", both))) == [("one", "two"), ("two", "one")]


def test_files_of_one_memory_go_one_way(tmp_path: Path) -> None:
    forth = saved(tmp_path, "a.xlf", xliff('source-language="fr" target-language="it"'))
    back = saved(tmp_path, "b.tmx", tmx("it", "fr", "it"))
    assert list(read_memory_pairs([forth, back])) == [("one", "two"), ("one", "two")]
    assert list(read_memory_pairs([back, forth])) == [("two", "one"), ("two", "one")]
    other = saved(tmp_path, "c.po", po("Language: de"))
    with pytest.raises(InputError, match=r"c\.po: its language is de, not fr and it"):
        list(read_memory_pairs([forth, other]))


#: The languages of a memory (those asked for, or those of its files), options given beside them, and the result.
MEMORIES = [
    (None, {}, {"source_language": "en", "target_language": "ar"}),
    (None, {"source_language": "fr"}, {"source_language": "fr", "target_language": "ar"}),
    (("ar", "en"), {}, {"source_language": "ar", "target_language": "en"}),
    (("ar", "en"), {"source_language": "ar"}, {"source_language": "ar", "target_language": "en"}),
    (("ar", "en"), {"target_language": "fr"}, "--languages ar en contradicts --target-language fr"),
]


@pytest.mark.parametrize(("languages", "options", "expected"), MEMORIES)
def test_languages_of_a_memory(
    tmp_path: Path, languages: tuple[str, str] | None, options: dict[str, str], expected: dict[str, str] | str
) -> None:
    files = MemoryFiles([saved(tmp_path, "a.po", po("Language: ar"))], languages=languages)
    if isinstance(expected, str):
        with pytest.raises(OptionError, match=expected):
            files.language_options(options)
    else:
        assert {**files.language_options(options), **options} == expected
