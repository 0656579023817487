"""XLIFF files as pairs."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from graphmt.corpus import read_pairs
from graphmt.errors import InputError

OLD = """<?xml version="1.0" encoding="UTF-8"?>
<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">
<file source-language="de-DE" target-language="en" original="x" datatype="plaintext"><body><group>
<trans-unit id="1"><source>ein <g id="1">kleines</g>
  Haus<ph id="2">%s</ph></source><seg-source>x</seg-source>
<target state="final">a <g id="1">small</g> house</target>
<alt-trans><source>alt</source><target>old</target></alt-trans></trans-unit>
<trans-unit id="2"><source>nein</source></trans-unit>
<trans-unit id="3"><source>neu</source><target state="needs-translation">neu</target></trans-unit>
<trans-unit id="4"><source>ja</source><target><mrk mtype="seg">yes</mrk></target></trans-unit>
</group></body></file></xliff>
"""
NEW = """<xliff version="2.1" srcLang="de" trgLang="en" xmlns="urn:oasis:names:tc:xliff:document:2.0"
 xmlns:mtc="urn:oasis:names:tc:xliff:matches:2.0"><file id="f"><unit id="1">
<mtc:matches><mtc:match ref="#m"><source>alt</source><target>old</target></mtc:match></mtc:matches>
<originalData><data id="d">&lt;b&gt;</data></originalData>
<segment state="translated"><source>ein <pc id="1">kleines</pc> Haus<ph id="2"/></source>
<target>a <pc id="1">small</pc> house</target></segment>
<ignorable><source> </source><target> </target></ignorable>
<segment><source>ja</source><target>yes</target></segment>
<segment state="initial"><source>neu</source><target>neu</target></segment></unit></file></xliff>
"""
PAIRS = [("ein kleines Haus", "a small house"), ("ja", "yes")]


def saved(folder: Path, text: str) -> Path:
    path = folder / "m.xlf"
    path.write_text(text, "utf-8")
    return path


@pytest.mark.parametrize("text", [OLD, NEW], ids=["1.2", "2.1"])
def test_pairs_of_both_versions(tmp_path: Path, text: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", logger="graphmt")
    path = saved(tmp_path, text)
    assert list(read_pairs(path)) == PAIRS
    assert "2 translated units; skipped: " in caplog.text
    assert list(read_pairs(path, languages=("de", "en-GB"))) == PAIRS
    assert list(read_pairs(path, languages=("en", "de"))) == [(target, source) for source, target in PAIRS]
    packed = tmp_path / "m.sdlxliff.gz"
    packed.write_bytes(gzip.compress(text.encode()))
    assert list(read_pairs(packed)) == PAIRS
    with pytest.raises(InputError, match=r"m\.xlf:\d: its languages are de.* and en, not fr and en"):
        list(read_pairs(path, languages=("fr", "en")))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('<!DOCTYPE xliff [<!ENTITY a "b">]>' + NEW, "m.xlf:1: a document type declaration"),
        ("<tmx/>", "m.xlf:1: the first element is <tmx>, <xliff> was expected."),
        (NEW[:500], "m.xlf:7: not XML, or damaged:"),
        ('<?xml version="1.0" encoding="none"?>' + NEW, "m.xlf"),
        ("<xliff>" + "<g>" * 200, "elements are nested more than 100 deep"),
        ("<xliff>" + "x" * (5 << 20), "4 MiB without the end of a unit"),
    ],
)
def test_malformed_files_are_refused(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InputError) as refused:
        list(read_pairs(saved(tmp_path, text)))
    assert said in str(refused.value)


def test_one_side_was_expected(tmp_path: Path) -> None:
    path = saved(tmp_path, NEW)
    with pytest.raises(InputError, match="this file contains pairs"):
        list(read_pairs(path, path))
