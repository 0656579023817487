"""The corpora of an experiment: folders with train, dev and test."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path

from graphmt.errors import InputError
from graphmt.options import nearest
from graphmt.storage.files import AnyPath, digest

LEARNT = ("train", "dev")
#: The name of a corpus' test set; there may be more.
TEST = "test"
PARTS = (*LEARNT, TEST)
#: Every other sentence of dev, so that both halves are representative.
HALVES = ("dev-odd", "dev-even")
#: Dev, each half translated with weights tuned on the other half, so that scores are held out.
HELD_OUT = "held-out"


@dataclasses.dataclass(frozen=True)
class CorpusFiles:
    """A corpus by its folder ``NAME-SOURCE-TARGET``, which holds ``train.SOURCE.conllu.gz``, ``train.TARGET.gz`` …."""

    name: str
    source_language: str
    target_language: str
    #: By part.
    source: dict[str, Path]
    target: dict[str, Path]

    @property
    def languages(self) -> str:
        """As papers write them: ``de-en``."""
        return f"{self.source_language}-{self.target_language}"

    def digests(self) -> dict[str, str]:
        """SHA-256 by file name."""
        files = [side[part] for part in self.source for side in (self.source, self.target)]
        return {path.name: digest(path) for path in files}


def find_corpus(data: AnyPath, name: str, tests: Sequence[str] = (TEST,)) -> CorpusFiles:
    """Find a corpus with these test sets in the data folder (or in its subfolder ``data``)."""
    root = Path(data)
    if not root.is_dir():
        raise InputError("no such folder.", file=root, hint="--data must be the folder of the corpora.")
    if not (root / name).is_dir() and (root / "data" / name).is_dir():
        root = root / "data"
    folder = root / name
    if not folder.is_dir():
        known = [path.name for path in root.iterdir() if path.is_dir() and path.name.count("-") >= 2]
        raise InputError(f"unknown corpus {name!r}{nearest(name, known) if known else ''}.", file=root)
    pieces = name.split("-")
    if len(pieces) < 3:
        raise InputError(
            "a corpus' name must end in its two languages, as in news-de-en.",
            file=folder,
            hint="Rename the folder.",
        )
    f, e = pieces[-2:]
    parts = (*LEARNT, *tests)
    return CorpusFiles(
        name,
        f,
        e,
        {part: _file(folder, f"{part}.{f}.conllu") for part in parts},
        {part: _file(folder, f"{part}.{e}") for part in parts},
    )


def _file(folder: Path, name: str) -> Path:
    for path in (folder / f"{name}.gz", folder / name):
        if path.is_file():
            return path
    raise InputError(f"this corpus has neither {name} nor {name}.gz.", file=folder)
