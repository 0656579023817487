"""Filled files have the structure that their standards require: XLIFF 1.2 and 2.0, and gettext's own check.

The schemas of XLIFF (xliff-core-1.2-transitional.xsd, xliff-core-2.0.xsd and xml.xsd, from OASIS) are not part of the
project. A folder that has them is named by GRAPHMT_XLIFF_SCHEMAS.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest
from graphmt.localisation import translate_document
from graphmt.model import Model
from test_document_formats import XLIFF_1, XLIFF_2

V1, V2 = "{urn:oasis:names:tc:xliff:document:1.2}", "{urn:oasis:names:tc:xliff:document:2.0}"
#: XLIFF 1.2, section 2.3: values of ``state`` and some of ``state-qualifier``.
STATES_1 = {
    *("final", "needs-adaptation", "needs-l10n", "needs-review-adaptation", "needs-review-l10n"),
    *("needs-review-translation", "needs-translation", "new", "signed-off", "translated"),
}
QUALIFIERS_1 = {"exact-match", "fuzzy-match", "leveraged-mt", "mt-suggestion", "tm-suggestion", "leveraged-tm"}
#: The order of elements in a unit: those of the same number in any order.
ORDER_1 = {"source": 0, "seg-source": 1, "target": 2, "note": 3, "alt-trans": 3, "context-group": 3, "prop-group": 3}
#: XLIFF 2.0, section 4.3.1.
STATES_2 = {"initial", "translated", "reviewed", "final"}


def inline_ids(element: ElementTree.Element | None) -> list[tuple[str, str | None]]:
    assert element is not None
    return sorted((one.tag, one.get("id")) for one in element.iter() if one is not element)


def test_xliff_1_2(ui_model: Model, tmp_path: Path) -> None:
    (tmp_path / "todo.xlf").write_text(XLIFF_1, "utf-8")
    translate_document(ui_model, tmp_path / "todo.xlf", tmp_path / "done.xlf", threads=1)
    root = ElementTree.parse(tmp_path / "done.xlf").getroot()
    assert (root.tag, root.get("version")) == (f"{V1}xliff", "1.2")
    units = list(root.iter(f"{V1}trans-unit"))
    assert len(units) == 7
    for unit in units:
        names = [child.tag.removeprefix(V1) for child in unit]
        assert [ORDER_1[name] for name in names] == sorted(ORDER_1[name] for name in names)
        assert names.count("source") == 1
        assert names.count("target") <= 1
        if unit.get("translate") == "no":
            continue
        target = unit.find(f"{V1}target")
        assert target is not None
        assert target.get("state") in STATES_1
        assert target.get("state-qualifier", "mt-suggestion") in QUALIFIERS_1
        assert {name for name in target.attrib if not name.startswith("{")} <= {"state", "state-qualifier"}
        if target.get("state") != "final":
            assert inline_ids(target) == inline_ids(unit.find(f"{V1}source"))


def test_xliff_2_0(ui_model: Model, tmp_path: Path) -> None:
    (tmp_path / "todo.xlf").write_text(XLIFF_2, "utf-8")
    translate_document(ui_model, tmp_path / "todo.xlf", tmp_path / "done.xlf", threads=1)
    root = ElementTree.parse(tmp_path / "done.xlf").getroot()
    # Required as soon as there are targets.
    assert root.get("trgLang") == "de"
    segments = list(root.iter(f"{V2}segment"))
    assert len(segments) == 4
    for segment in segments:
        names = [child.tag.removeprefix(V2) for child in segment]
        assert names in (["source"], ["source", "target"])
        assert segment.get("state", "initial") in STATES_2
        if (detail := segment.get("subState")) is not None:
            # A prefix and a value, and only beside a state.
            prefix, colon, value = detail.partition(":")
            assert prefix not in ("", "xlf")
            assert colon
            assert value
            assert "state" in segment.attrib
        if "target" in names:
            assert inline_ids(segment.find(f"{V2}target")) == inline_ids(segment.find(f"{V2}source"))


@pytest.mark.skipif("GRAPHMT_XLIFF_SCHEMAS" not in os.environ, reason="GRAPHMT_XLIFF_SCHEMAS names no folder")
@pytest.mark.parametrize(
    ("todo", "schema"), [(XLIFF_1, "xliff-core-1.2-transitional.xsd"), (XLIFF_2, "xliff-core-2.0.xsd")]
)
def test_xliff_schemas(todo: str, schema: str, ui_model: Model, tmp_path: Path) -> None:
    etree = pytest.importorskip("lxml.etree")
    folder = Path(os.environ["GRAPHMT_XLIFF_SCHEMAS"])

    class Local(etree.Resolver):  # type: ignore[misc, name-defined]
        def resolve(self, url: str, public: str | None, context: object) -> object:
            return self.resolve_filename(str(folder / Path(url).name), context)

    parser = etree.XMLParser(no_network=True)
    parser.resolvers.add(Local())
    rules = etree.XMLSchema(etree.parse(str(folder / schema), parser))
    (tmp_path / "todo.xlf").write_text(todo, "utf-8")
    translate_document(ui_model, tmp_path / "todo.xlf", tmp_path / "done.xlf", threads=1)
    for file in ("todo.xlf", "done.xlf"):
        assert rules.validate(etree.parse(tmp_path / file)), (file, rules.error_log)


@pytest.mark.skipif(shutil.which("msgfmt") is None, reason="needs msgfmt (GNU gettext)")
def test_msgfmt_accepts_filled_catalogues(ui_model: Model, tmp_path: Path) -> None:
    header = (
        'msgid ""\nmsgstr ""\n"Project-Id-Version: a\\n"\n"PO-Revision-Date: 2026-01-01 00:00+0000\\n"\n'
        '"Last-Translator: a <a@example.org>\\n"\n"Language-Team: de\\n"\n"Language: de\\n"\n"MIME-Version: 1.0\\n"\n'
        '"Content-Type: text/plain; charset=UTF-8\\n"\n"Content-Transfer-Encoding: 8bit\\n"\n'
        '"Plural-Forms: nplurals=2; plural=(n != 1);\\n"\n'
    )
    units = (
        '\n#, c-format\nmsgid "Could not open %s.\\n"\nmsgstr ""\n'
        '\n#, python-format\nmsgctxt "menu"\nmsgid "Delete %(file)s?"\nmsgstr ""\n'
        '\n#, c-format\nmsgid "%d file was deleted."\nmsgid_plural "%d files were deleted."\n'
        'msgstr[0] ""\nmsgstr[1] ""\n'
        '\n#, c-format\nmsgid "Page %1$d of %2$d"\nmsgstr ""\n'
    )
    (tmp_path / "todo.po").write_text(header + units, "utf-8")
    assert translate_document(ui_model, tmp_path / "todo.po", tmp_path / "done.po", threads=1).filled == 4
    command = [
        "msgfmt",
        "--check",
        "--use-fuzzy",
        "--output-file",
        str(tmp_path / "done.mo"),
        str(tmp_path / "done.po"),
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
