"""Parallel text in its three forms."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from graphmt.corpus import read_pairs, statistics
from graphmt.errors import InputError, OptionError
from graphmt.reprs import counted
from random_trees import conllu


def file(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_two_files(tmp_path: Path) -> None:
    source = file(tmp_path / "s.conllu", conllu("1 a 0") + conllu("1 b 0"))
    target = file(tmp_path / "t", "x\ny\n")
    assert list(read_pairs(source, target)) == [("a", "x"), ("b", "y")]


@pytest.mark.parametrize(("left", "right"), [(2, 3), (3, 2), (0, 1), (4096, 4097), (4097, 9000), (9000, 1)])
def test_files_of_different_length_are_told_with_their_counts(tmp_path: Path, left: int, right: int) -> None:
    source, target = file(tmp_path / "s", "a\n" * left), file(tmp_path / "t", "x\n" * right)
    short, long = (source, target) if left < right else (target, source)
    few, many = sorted((left, right))
    told = f"{short} ends after {counted(few, 'sentence')}, {long} has {many:,}: number {few + 1:,} of {long}"
    with pytest.raises(InputError, match=re.escape(told)):
        list(read_pairs(source, target))


def test_tab_separated(tmp_path: Path) -> None:
    table = file(tmp_path / "p.tsv", "a b\tx\nc\ty z\n")
    assert list(read_pairs(table)) == [("a b", "x"), ("c", "y z")]
    wide = file(tmp_path / "w.tsv", "1\ta\tx\tnote\n2\tb\ty\n")
    assert list(read_pairs(wide, columns=(2, 3))) == [("a", "x"), ("b", "y")]
    with pytest.raises(InputError, match=r"w.tsv:1: 4 columns; .*--columns"):
        list(read_pairs(wide))
    with pytest.raises(InputError, match=r"w.tsv:2: 3 columns, but column 4 was requested"):
        list(read_pairs(wide, columns=(4, 2)))
    with pytest.raises(InputError, match=r"o.tsv:1: 1 column; .*second file"):
        list(read_pairs(file(tmp_path / "o.tsv", "only one side\n")))
    with pytest.raises(OptionError, match="counted from 1"):
        list(read_pairs(wide, columns=(0, 1)))
    with pytest.raises(OptionError, match="two files were given"):
        list(read_pairs(wide, table, columns=(1, 2)))
    side = file(tmp_path / "s.de", "a\nb\n")
    for pair in ((table, side), (side, table), (file(tmp_path / "P.TSV", "a\tx\n"), side)):
        with pytest.raises(InputError, match=r"(?i)p\.tsv: this file contains pairs; one side was expected"):
            list(read_pairs(*pair))


def test_a_catalogue(tmp_path: Path) -> None:
    catalogue = file(tmp_path / "m.po", 'msgid "Open\\n"\n"a file"\nmsgstr "Datei öffnen"\n')
    assert list(read_pairs(catalogue)) == [("Open a file", "Datei öffnen")]


def test_columns_by_name(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text("id\tEN\t de \n1\thouse\tHaus\n2\tbook\tBuch\n")
    assert list(read_pairs(path, columns=("de", "en"))) == [("Haus", "house"), ("Buch", "book")]
    # The same columns by number; the header is recognised.
    assert list(read_pairs(path, columns=(3, 2))) == [("Haus", "house"), ("Buch", "book")]
    with pytest.raises(InputError, match=r"a.tsv:1: the header has no column 'fr'"):
        list(read_pairs(path, columns=("de", "fr")))
    with pytest.raises(OptionError, match="are names, but there is no header"):
        list(read_pairs(path, columns=("de", "en"), header=False))
    empty = tmp_path / "empty.tsv"
    empty.touch()
    with pytest.raises(InputError, match=r"empty.tsv:1: the header has no column 'de'"):
        list(read_pairs(empty, columns=("de", "en")))


def test_columns_that_a_header_names(tmp_path: Path) -> None:
    path = file(tmp_path / "a.tsv", "id\ten_US\tde\tnote\n1\thouse\tHaus\t\n2\tbook\tBuch\t\n")
    assert list(read_pairs(path, languages=("de", "en"))) == [("Haus", "house"), ("Buch", "book")]
    with pytest.raises(InputError, match=r"a.tsv:1: 4 columns"):
        list(read_pairs(path, languages=("de", "en"), header=False))
    # The order of the columns is that of the languages, not of the file.
    turned = file(tmp_path / "b.tsv", "en\tde\nhouse\tHaus\n")
    assert list(read_pairs(turned, languages=("de", "en"))) == [("Haus", "house")]
    usual = file(tmp_path / "c.tsv", "key\tTarget\tSource\na\tHaus\thouse\n")
    assert list(read_pairs(usual)) == [("house", "Haus")]


def test_csv(tmp_path: Path) -> None:
    text = '''source,target,note\nOpen,Öffnen,\n"Save, then ""close""","Speichern,\ndann schließen",x\n\nEnd,Ende,\n'''
    expected = [("Open", "Öffnen"), ('Save, then "close"', "Speichern, dann schließen"), ("End", "Ende")]
    assert list(read_pairs(file(tmp_path / "a.csv", text))) == expected
    assert list(read_pairs(file(tmp_path / "b.csv", "Haus;house\nBuch;book\n"))) == [
        ("Haus", "house"),
        ("Buch", "book"),
    ]
    with pytest.raises(InputError, match=r"c.csv:3: not CSV, or damaged"):
        list(read_pairs(file(tmp_path / "c.csv", 'a,b\nc,d\n"e,f\ng,h\n')))
    with pytest.raises(InputError, match=r"d.csv:2: 1 column; source and target, separated by a comma"):
        list(read_pairs(file(tmp_path / "d.csv", "a,b\nc\n")))
    assert [side.types for side in statistics(tmp_path / "a.csv").sides] == [5, 5]


def test_three_languages(tmp_path: Path) -> None:
    path = tmp_path / "a.tmx"
    units = (("Haus", "house", "maison"), ("Buch", "book", "livre"))
    versions = (
        "".join(
            f'<tuv xml:lang="{code}"><seg>{text}</seg></tuv>'
            for code, text in zip(("de", "en", "fr"), unit, strict=True)
        )
        for unit in units
    )
    body = "".join(f"<tu>{one}</tu>" for one in versions)
    path.write_text(f'<tmx version="1.4"><header srclang="de"/><body>{body}</body></tmx>')
    assert list(read_pairs(path, languages=("fr", "en"))) == [("maison", "house"), ("livre", "book")]
    assert [side.types for side in statistics(path, languages=("de", "fr")).sides] == [2, 2]
    with pytest.raises(InputError, match=r"the languages de, en, fr, .*--languages de en"):
        statistics(path)
