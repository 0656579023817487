"""Files of search graphs: the ending of the name decides the format."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from graphmt.errors import OptionError
from graphmt.searchgraph.graph import SearchGraph
from graphmt.storage.compression import plain_name
from graphmt.storage.files import AnyPath, name_of, text_stream, writing
from graphmt.storage.folders import require_folder, writing_folder

#: Each ending with its format; further names are JSON lines. ``.gz`` or the like after it compresses.
ENDINGS = {".osg": "Moses' search graphs", ".slf": "HTK's lattices", ".cdec": "cdec's hypergraphs"}

#: The formats with a file for each sentence, in a folder: the ending of these files, and what they contain.
_FILES: dict[str, tuple[str, Callable[[SearchGraph, int], str]]] = {
    ".slf": (".slf", lambda graph, number: graph.slf(number)),
    ".cdec": (".json", lambda graph, _: graph.cdec()),
}

Write = Callable[[int, SearchGraph], None]


def ending(path: AnyPath) -> str:
    """The ending that decides the format, without that of compression; empty for JSON lines."""
    found = Path(plain_name(path)).suffix
    return found if found in ENDINGS else ""


def is_folder_name(path: AnyPath) -> bool:
    """Whether graphs are written to a folder of this name."""
    return ending(path) in _FILES


def require_format(path: AnyPath, *, has_chart: bool) -> None:
    """Reject a format that cannot hold the graphs of a system, and a folder that is another's, before any work."""
    if has_chart and ending(path) in (".osg", ".slf"):
        raise OptionError(
            f"{name_of(path)}: {ENDINGS[ending(path)]} are lattices, but a chart makes hypergraphs.",
            hint="Use a name that ends in .cdec, or in .jsonl for JSON lines.",
        )
    if is_folder_name(path):
        require_folder(path, _name(path, 0), overwrite=True)


@contextlib.contextmanager
def writing_graphs(path: AnyPath) -> Iterator[Write]:
    """Write the graphs of sentences, one after the other, whole or not at all."""
    if is_folder_name(path):
        with _writing_files(Path(path)) as write:
            yield write
        return
    with writing(path) as stream:
        lines = _osg if ending(path) == ".osg" else _json_lines
        yield lambda number, graph: stream.writelines(lines(number, graph))


def _osg(number: int, graph: SearchGraph) -> Iterator[str]:
    yield graph.osg(number)


def _json_lines(number: int, graph: SearchGraph) -> Iterator[str]:
    return (f'{{"sentence": {number}, {edge[1:]}\n' for edge in graph.json_lines.splitlines())


@contextlib.contextmanager
def _writing_files(path: Path) -> Iterator[Write]:
    """A folder with a file for each sentence; of an earlier folder, such files alone are replaced."""
    end = _name(path, 0)[1:]
    owned = re.compile(rf"\d+{re.escape(end)}")
    with writing_folder(
        path, _name(path, 0), owned=lambda name: owned.fullmatch(name) is not None, overwrite=True
    ) as draft:

        def write(number: int, graph: SearchGraph) -> None:
            name = draft / _name(path, number)
            with text_stream(name, name) as stream:
                stream.write(_FILES[ending(path)][1](graph, number))

        yield write


def _name(path: AnyPath, number: int) -> str:
    compressed = os.fspath(path)[len(plain_name(path)) :]
    return f"{number}{_FILES[ending(path)][0]}{compressed}"
