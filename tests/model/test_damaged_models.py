"""Damaged files of a model are refused, or change nothing: of every system, and of lexical selection."""

from __future__ import annotations

import os
import random
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from graphmt import lm
from graphmt.corpus import read_trees
from graphmt.errors import GraphmtError, InputError, InternalError
from graphmt.lm import LmOptions
from graphmt.model import load
from graphmt.reorder import ReorderingModel
from graphmt.rules import ExtractOptions, RuleTable
from graphmt.selection import DwlOptions, GmOptions, LrsmOptions, OrderOptions, TsmOptions
from graphmt.storage.files import lines
from graphmt.systems import SYSTEMS
from graphmt.training import train
from sealing import body, sealed, without_digests

#: Sentence pairs to train on: the tables have some ten thousand bytes.
PAIRS = 12
ALL = "hpb+all"


@pytest.fixture(scope="module")
def tiny(demo, tmp_path_factory) -> dict[str, Path]:
    """Models of all systems, and one with all models of lexical selection, of a few sentences."""
    folder = tmp_path_factory.mktemp("tiny")
    trees = demo.source.read_text("utf-8").split("\n\n")[:PAIRS]
    (folder / "train.conllu").write_text("\n\n".join(trees) + "\n\n", "utf-8")
    for name, path in (("train.en", demo.target), ("train.align", demo.alignment)):
        (folder / name).write_text("".join(f"{line}\n" for line in list(lines(path))[:PAIRS]), "utf-8")
    lm.train([folder / "train.en"], folder / "lm.bin", LmOptions(order=3, discount_fallback=True))
    own = {
        "gm": GmOptions(lemmas=False, source_count=0, source_pmi=-20.0, dimensions=2, threads=1),
        "lrsm": LrsmOptions(occurrences=1, threads=1),
        "dwl": DwlOptions(occurrences=1, threads=1),
        "order": OrderOptions(occurrences=1, threads=1),
        "tsm": TsmOptions(topics=2, most_frequent=2, iterations=5, threads=1),
    }
    files = {"source": folder / "train.conllu", "target": folder / "train.en", "alignment": folder / "train.align"}
    made = {}
    for name in (*SYSTEMS, ALL):
        made[name] = folder / name
        selection = [*own] if name == ALL else []
        system = name.removesuffix("+all")
        limits = {} if system in ("hpb", "dgst") else {"max_source": 4}
        options = {"extract": ExtractOptions(threads=1, **limits), **(own if name == ALL else {})}
        train(system, **files, language_model=folder / "lm.bin", out=made[name], options=options, selection=selection)
    return made


def files_of(folder: Path) -> list[Path]:
    """All files but the weights, which are for people to change."""
    return sorted(path for path in folder.rglob("*") if path.is_file() and path.name != "weights.toml")


def binaries(folder: Path) -> list[Path]:
    return [path for path in files_of(folder) if path.suffix == ".bin"]


def translated(folder: Path, demo) -> list[tuple[tuple[str, ...], float]]:
    trees = list(read_trees(demo.source))[:2]
    return [(tuple(one.tokens), one.score) for best in load(folder).n_best(trees, 2, threads=1) for one in best]


def damages(data: bytes, dice: random.Random) -> Iterator[bytes]:
    """Single bits, and stretches of zeros as an unfinished copy has them."""
    for _ in range(4):
        changed = bytearray(data)
        changed[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
        yield bytes(changed)
    for start, share in ((1, 0.7), (dice.randrange(len(data)), 1.0)):
        end = max(start + 1, int(len(data) * share))
        yield data[:start] + bytes(end - start) + data[end:]


@pytest.mark.parametrize("name", [*SYSTEMS, ALL])
def test_damage_is_refused_or_changes_nothing(demo, tiny, tmp_path, name) -> None:
    folder = tmp_path / "model"
    shutil.copytree(tiny[name], folder)
    expected = translated(folder, demo)
    dice = random.Random(name)
    for path in files_of(folder):
        whole = path.read_bytes()
        for damaged in damages(whole, dice):
            path.write_bytes(damaged)
            try:
                assert translated(folder, demo) == expected, path
            except GraphmtError as error:
                assert not isinstance(error, InternalError), error
                assert damaged != whole
            else:
                assert path.suffix != ".bin" or damaged == whole, path
        path.write_bytes(whole)
    assert translated(folder, demo) == expected


@pytest.mark.parametrize("name", [*SYSTEMS, ALL])
def test_content_that_cannot_be_ends_in_a_sentence(demo, tiny, tmp_path, name) -> None:
    """Random bytes under checksums that fit them: whatever comes of it, no panic and no endless loop."""
    folder = without_digests(shutil.copytree(tiny[name], tmp_path / "model"))
    dice = random.Random(name)
    opened = 0
    for path in binaries(folder):
        whole = path.read_bytes()
        assert sealed(whole) == whole, path
        content = body(whole)
        for _ in range(8 if path.name != "lm.bin" else 2):
            damaged = bytearray(whole)
            for _ in range(dice.choice([1, 20, 300])):
                damaged[dice.choice(content)] = dice.choice([0, 1, 255, dice.randrange(256)])
            path.write_bytes(sealed(damaged))
            try:
                translated(folder, demo)
                opened += 1
            except GraphmtError as error:
                assert "a defect in the core" not in str(error), error
        path.write_bytes(whole)
    assert opened


def test_inspecting_a_damaged_table_ends_in_a_sentence(tiny, tmp_path) -> None:
    dice = random.Random(5)
    for name, opener in (("rules.bin", RuleTable), ("reordering.bin", ReorderingModel)):
        whole = (tiny["btg"] / name).read_bytes()
        path = tmp_path / name
        for _ in range(15):
            damaged = bytearray(whole)
            for _ in range(dice.choice([1, 200])):
                damaged[dice.choice(body(whole))] = dice.randrange(256)
            path.write_bytes(sealed(damaged))
            try:
                opened = opener(path)
                assert opened.about
                if isinstance(opened, RuleTable):
                    opened.containing("der")
                    opened.to_moses(tmp_path / "table")
            except GraphmtError as error:
                assert "a defect in the core" not in str(error), error


def test_files_of_another_training_are_refused(tiny, tmp_path) -> None:
    """Files without checksums of their own: the manifest knows them."""
    for name in ("source/text.json", "gm-vectors.npy", "topics.npz"):
        folder = tmp_path / name.replace("/", "-")
        shutil.copytree(tiny[ALL], folder)
        path = folder / name
        path.write_bytes(path.read_bytes() + b" ")
        with pytest.raises(InputError, match="not the file that the model was trained with") as raised:
            load(folder)
        assert str(path) in str(raised.value)


def test_weights_may_be_changed(demo, tiny, tmp_path) -> None:
    shutil.copytree(tiny["pbmt"], tmp_path / "model")
    path = tmp_path / "model" / "weights.toml"
    path.write_text(path.read_text().replace("lm =", "# by hand\nlm ="))
    assert translated(tmp_path / "model", demo) == translated(tiny["pbmt"], demo)


def test_files_of_older_formats_are_refused_with_advice(tiny, tmp_path) -> None:
    shutil.copytree(tiny[ALL], tmp_path / "model")
    for path in binaries(tmp_path / "model"):
        whole = bytearray(path.read_bytes())
        whole[8] -= 1
        path.write_bytes(whole)
        with pytest.raises(InputError, match=r"format \d, older than the \d known here\. Create (it|the file) again"):
            load(tmp_path / "model")
        whole[8] += 1
        path.write_bytes(whole)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows refuses to change a mapped file")
@pytest.mark.parametrize("name", ["gm.bin", "lrsm.bin", "dwl.bin", "order.bin", "tsm.bin"])
def test_lexical_selection_changed_in_use(demo, tiny, tmp_path, name) -> None:
    """Cut short where it is mapped; other systems' files are in test_changed_models.py."""
    shutil.copytree(tiny[ALL], tmp_path / "model")
    model, other = load(tmp_path / "model"), load(tiny[ALL])
    trees = list(read_trees(demo.source))[:3]
    os.truncate(tmp_path / "model" / name, 0)
    for _ in range(2):
        with pytest.raises(InputError, match=rf"{name}: this .* was changed or cut short while it was in use"):
            model.translate(trees)
    assert other.translate(trees)
