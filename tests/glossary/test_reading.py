"""Glossary files, and where their terms occur in sentences."""

from __future__ import annotations

from pathlib import Path

import pytest
from graphmt.corpus import TextOptions, TextSteps
from graphmt.errors import InputError
from graphmt.glossary import Glossary, Term, TermMatcher, read_glossary

RAW = TextSteps(TextOptions(tokenise=True, language="de", protect="auto"))
TOKENS = TextSteps()

TBX_2 = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE martif SYSTEM "TBXcoreStructV02.dtd">
<martif type="TBX" xml:lang="de"><martifHeader/><text><body>
<termEntry id="1"><descrip type="subjectField">IT</descrip>
 <langSet xml:lang="de-DE"><tig><term>Drucker</term></tig></langSet>
 <langSet xml:lang="en"><tig><term>printer</term><termNote type="partOfSpeech">noun</termNote></tig>
  <tig><term>printing  machine</term>
  <termNote type="administrativeStatus">deprecatedTerm-admn-sts</termNote></tig></langSet>
</termEntry></body></text></martif>
"""
TBX_3 = """<tbx xmlns="urn:iso:std:iso:30042:ed-2" xmlns:min="http://x" style="dct" xml:lang="en"><text><body>
<conceptEntry><langSec xml:lang="en"><termSec><term>printer</term></termSec></langSec>
<langSec xml:lang="de"><termSec><term>Drucker</term>
<min:administrativeStatus>supersededTerm-admn-sts</min:administrativeStatus>
</termSec></langSec><langSec xml:lang="fr"><termSec><term>imprimante</term></termSec></langSec></conceptEntry>
</body></text></tbx>
"""


def read(folder: Path, content: str, name: str = "terms.tsv", **options: tuple[str, str]) -> Glossary:
    (folder / name).write_text(content, "utf-8")
    return read_glossary(folder / name, **options)


def test_tsv(tmp_path: Path) -> None:
    content = (
        "Source\tTarget\tUse\nDrucker\tprinter\n\nneuer Drucker\tnew printer\tPreferred\t\nDrucker\tpress\tforbidden\n"
    )
    assert read(tmp_path, content).terms == (
        Term("Drucker", "printer", "required", 2),
        Term("neuer Drucker", "new printer", "preferred", 4),
        Term("Drucker", "press", "forbidden", 5),
    )


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        ("Drucker\tprinter\nMaus\n", 2, "no translation"),
        ("Drucker\tprinter\nMaus\t \n", 2, "the target of a term is empty"),
        ("\tmouse\n", 1, "the source of a term is empty"),
        ("Maus\tmouse\trequird\n", 1, "did you mean 'required'"),
        ("Maus\tmouse\trequired\tnoun\n", 1, "4 columns"),
    ],
)
def test_mistakes_name_file_and_line(tmp_path: Path, content: str, line: int, message: str) -> None:
    with pytest.raises(InputError, match=message) as failed:
        read(tmp_path, content)
    assert (failed.value.file, failed.value.line) == (str(tmp_path / "terms.tsv"), line)


@pytest.mark.parametrize(
    ("status", "usage"),
    [
        ("preferredTerm-admn-sts", "required"),
        ("admittedTerm-admn-sts", "preferred"),
        ("admittedTerm", "preferred"),
        ("deprecatedTerm-admn-sts", "forbidden"),
        ("supersededTerm-admn-sts", "forbidden"),
    ],
)
def test_the_status_of_a_tbx_term_is_its_use(tmp_path: Path, status: str, usage: str) -> None:
    content = TBX_2.replace("deprecatedTerm-admn-sts", status)
    assert [term.usage for term in read(tmp_path, content, "terms.tbx").terms] == ["required", usage]


def test_tbx(tmp_path: Path) -> None:
    first = read(tmp_path, TBX_2, "terms.tbx")
    assert first.terms == (
        Term("Drucker", "printer", "required", 5),
        Term("Drucker", "printing machine", "forbidden", 5),
    )
    assert read(tmp_path, TBX_3, "terms.tbx", languages=("en", "de")).terms == (
        Term("printer", "Drucker", "forbidden", 2),
    )
    with pytest.raises(InputError, match=r"not clear which languages.*de, en, fr"):
        read(tmp_path, TBX_3, "terms.tbx")
    with pytest.raises(InputError, match="no entry with terms in sv and de"):
        read(tmp_path, TBX_3, "terms.tbx", languages=("sv", "de"))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("<tbx><text>", "not XML, or damaged"),
        ("<html/>", "<tbx> or <martif> was expected"),
        ('<!DOCTYPE tbx [<!ENTITY a "b">]><tbx/>', "an entity declaration"),
        ("<tbx/>", "no entry with terms"),
    ],
)
def test_damaged_tbx(tmp_path: Path, content: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read(tmp_path, content, "terms.tbx")


@pytest.mark.parametrize(
    ("text", "steps", "expected"),
    [
        ("ein neuer Drucker hier", TOKENS, [(1, 3, "new printer")]),
        ("der Drucker , Drucker", TOKENS, [(1, 2, "printer"), (3, 4, "printer")]),
        # Terms with capitals match as written, but for the first letter of a sentence; others in any case.
        ("der drucker", TOKENS, []),
        ("drucker", TOKENS, [(0, 1, "printer")]),
        ("Er Druckt", TOKENS, [(1, 2, "prints")]),
        ("„Drucker!“", RAW, [(1, 2, "printer")]),
        # The number is part of the term.
        ("Office 365 und Office 364", RAW, [(0, 2, "Office ⟨number⟩ suite")]),
    ],
)
def test_matching(text: str, steps: TextSteps, expected: list[tuple[int, int, str]]) -> None:
    terms = [Term("Drucker", "printer"), Term("neuer Drucker", "new printer"), Term("druckt", "prints")]
    if steps is RAW:
        terms.append(Term("Office 365", "Office 365 suite"))
    matcher = TermMatcher(Glossary(tuple(terms)), steps, steps)
    found = matcher.find(steps.prepare(text))
    assert [(one.first, one.end, " ".join(one.target)) for one in found] == expected


def test_links_of_protected_items() -> None:
    matcher = TermMatcher(Glossary((Term("Office 365 für {x}", "for {x}: Office 365"),)), RAW, RAW)
    [found] = matcher.find(RAW.prepare("Office 365 für {x}"))
    assert found.target == ("for", "⟨variable⟩", ":", "Office", "⟨number⟩")
    assert {(1, 4), (3, 1), (0, 0), (2, 3)} <= set(found.alignment)
    assert not any((i in (1, 3)) != (j in (1, 4)) for i, j in found.alignment)


def test_terms_that_do_not_fit(tmp_path: Path) -> None:
    for content, steps, message in [
        ("Seite 5\tpage\n", RAW, "'5' is protected text"),
        ("Seite\tpage {n}\n", RAW, "'{n}' is protected text"),
        ("a " * 33 + "\tb\n", TOKENS, "the term has 33 tokens"),
        ("a\tb\na\tb\tforbidden\n", TOKENS, "forbidden here and required in line 1"),
    ]:
        glossary = read(tmp_path, content)
        with pytest.raises(InputError, match=message.replace("{", r"\{")) as failed:
            TermMatcher(glossary, steps, steps)
        assert failed.value.line == content.count("\n")
