"""``--search-graph``: the ending of the name decides the format, and files are written whole or not at all."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from graphmt.cli import app
from graphmt.errors import InputError, OptionError
from typer.testing import CliRunner

SMALL = ("--pop-limit", 3, "--stack-size", 3, "--threads", 1)


@pytest.fixture(scope="module")
def text(demo, tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("text") / "a.de"
    path.write_text("".join(line + "\n" for line in [*demo.texts()[:3], "", demo.texts()[3]]), "utf-8")
    return path


def translate(*arguments: object) -> Any:
    return CliRunner().invoke(app, ["--quiet", "translate", *map(str, (*arguments, *SMALL))])


def refused(*arguments: object) -> Exception:
    found = translate(*arguments).exception
    assert isinstance(found, InputError | OptionError)
    return found


def unpacked(path: Path) -> str:
    return gzip.decompress(path.read_bytes()).decode() if path.suffix == ".gz" else path.read_text("utf-8")


@pytest.mark.parametrize("packed", ["", ".gz"])
def test_the_ending_decides(demo, text, tmp_path, packed) -> None:
    model = demo.load("pbmt", pop_limit=3, stack_size=3)
    graphs = [model.search_graph(line) for line in text.read_text("utf-8").splitlines()]
    for name in ("a.osg", "a.slf", "a.cdec", "a.graphs"):
        assert translate(demo.models["pbmt"], text, "--search-graph", tmp_path / f"{name}{packed}").exit_code == 0
    assert unpacked(tmp_path / f"a.osg{packed}") == "".join(one.osg(k) for k, one in enumerate(graphs))
    rows = [json.loads(line) for line in unpacked(tmp_path / f"a.graphs{packed}").splitlines()]
    assert rows == [
        {"sentence": k, **json.loads(line)} for k, one in enumerate(graphs) for line in one.json_lines.splitlines()
    ]
    for folder, end, written in (
        ("a.slf", ".slf", [one.slf(k) for k, one in enumerate(graphs)]),
        ("a.cdec", ".json", [one.cdec() for one in graphs]),
    ):
        files = {path.name: unpacked(path) for path in (tmp_path / f"{folder}{packed}").iterdir()}
        assert files == {f"{k}{end}{packed}": content for k, content in enumerate(written)}


def test_chunks_do_not_matter(demo, text, tmp_path, monkeypatch) -> None:
    for size in (1, 100):
        monkeypatch.setattr("graphmt.cli.inputs.CHUNK", size)
        assert translate(demo.models["hpb"], text, "--search-graph", tmp_path / f"{size}.cdec").exit_code == 0
    first, second = ({path.name: path.read_bytes() for path in (tmp_path / f"{n}.cdec").iterdir()} for n in (1, 100))
    assert first == second and len(first) == 5


@pytest.mark.parametrize("name", ["a.osg", "a.osg.gz", "a.slf"])
def test_forests_are_no_lattices(demo, text, tmp_path, name) -> None:
    with pytest.raises(OptionError, match=r"are lattices, but a chart makes hypergraphs.*\.cdec"):
        raise refused(demo.models["hpb"], text, "--search-graph", tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_a_folder_is_replaced_only_if_it_holds_graphs(demo, text, tmp_path) -> None:
    folder = tmp_path / "a.slf"
    folder.mkdir()
    (folder / "mine").write_text("")
    with pytest.raises(InputError, match=r"exists already and has no 0\.slf"):
        raise refused(demo.models["pbmt"], text, "--search-graph", folder)
    for name in ("0.slf", "9.slf"):
        (folder / name).write_text("old")
    assert translate(demo.models["pbmt"], text, "--search-graph", folder).exit_code == 0
    assert sorted(path.name for path in folder.iterdir()) == [*(f"{k}.slf" for k in range(5)), "mine"]
    assert (folder / "0.slf").read_text().startswith("VERSION=1.0")


def test_nothing_is_left_of_a_failed_run(demo, tmp_path) -> None:
    (tmp_path / "bad.de").write_bytes(b"er\n" * 300 + b"\xff\n")
    for name in ("a.osg", "a.slf", "a.cdec", "a.jsonl"):
        refused(demo.models["pbmt"], tmp_path / "bad.de", "--search-graph", tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == ["bad.de"]
