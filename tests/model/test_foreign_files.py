"""A model folder knows its files: those of another training are refused, and those that graphmt puts there are not."""

from __future__ import annotations

import dataclasses
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from graphmt import lm
from graphmt.errors import InputError
from graphmt.lm import LmOptions
from graphmt.model import Manifest, Model, load
from graphmt.rules import ExtractOptions, RuleTable, filtered, from_moses, pruned, split
from graphmt.selection import DwlOptions, GmOptions, LrsmOptions, OrderOptions, TsmOptions
from graphmt.storage.files import lines
from graphmt.storage.sealed import sealed, unsealed
from graphmt.training import TrainOptions, train
from small_models import Trained

SELECTION = ["gm", "lrsm", "dwl", "order", "tsm"]


@dataclasses.dataclass(frozen=True)
class Two:
    """Models of two trainings on different parts of a corpus, by system: two folders with the same names of files."""

    own: dict[str, Path]
    other: dict[str, Path]


@pytest.fixture(scope="module")
def two(demo: Trained, tmp_path_factory: pytest.TempPathFactory) -> Two:
    folder = tmp_path_factory.mktemp("two")
    return Two(_models(demo, folder / "own", slice(0, 10)), _models(demo, folder / "other", slice(3, 14)))


def _models(demo: Trained, folder: Path, pairs: slice) -> dict[str, Path]:
    folder.mkdir()
    trees = demo.source.read_text("utf-8").split("\n\n")[pairs]
    files = {"source": folder / "train.conllu", "target": folder / "train.en", "alignment": folder / "train.align"}
    files["source"].write_text("\n\n".join(trees) + "\n\n", "utf-8")
    for role, path in (("target", demo.target), ("alignment", demo.alignment)):
        files[role].write_text("".join(f"{line}\n" for line in list(lines(path))[pairs]), "utf-8")
    plain = TrainOptions(lm=LmOptions(order=2, discount_fallback=True), extract=ExtractOptions(threads=1))
    selecting = dataclasses.replace(
        plain,
        gm=GmOptions(lemmas=False, source_count=0, source_pmi=-20.0, dimensions=2, threads=1),
        lrsm=LrsmOptions(occurrences=1, threads=1),
        dwl=DwlOptions(occurrences=1, threads=1),
        order=OrderOptions(occurrences=1, threads=1),
        tsm=TsmOptions(topics=2, most_frequent=2, iterations=5, threads=1),
    )
    made = {}
    for name, selection, options in (("hpb", SELECTION, selecting), ("btg", [], plain)):
        made[name] = folder / name
        train(name, **files, out=made[name], options=options, selection=selection)
    return made


@pytest.fixture
def folder(two: Two, tmp_path: Path) -> Path:
    return shutil.copytree(two.own["hpb"], tmp_path / "model")


HPB = ["rules.bin", "lm.bin", "gm.bin", "gm-vectors.npy", "lrsm.bin", "dwl.bin", "order.bin", "tsm.bin", "topics.npz"]
CASES = [*(("hpb", name) for name in HPB), ("btg", "reordering.bin"), ("hpb", "target/text.json")]


@pytest.mark.parametrize(("system", "name"), CASES)
def test_a_file_of_another_model_is_refused(two: Two, tmp_path: Path, system: str, name: str) -> None:
    folder = shutil.copytree(two.own[system], tmp_path / "model")
    shutil.copyfile(two.other[system] / name, folder / name)
    # The vectors of gm may not even fit.
    said = "not the file that the model was trained with|gm.bin and gm-vectors.npy may come from different trainings"
    with pytest.raises(InputError, match=said) as raised:
        load(folder)
    assert name in str(raised.value)
    shutil.copyfile(two.own[system] / name, folder / name)
    load(folder)


def test_every_file_but_the_weights_is_known(two: Two) -> None:
    for folder in two.own.values():
        names = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
        assert set(Manifest.load(folder).files) == names - {"manifest.json", "weights.toml"}
        assert set(Model(folder).files) <= names


def test_an_optional_file_of_another_model_is_refused(demo: Trained, two: Two, tmp_path: Path) -> None:
    """Vectors that this model was trained without would be used because they are there."""
    folder = shutil.copytree(two.own["hpb"], tmp_path / "model")
    content = unsealed(json.loads((folder / "manifest.json").read_text("utf-8")))
    vectors = {"gm-vectors.npy": content["files"].pop("gm-vectors.npy")}
    assert vectors
    (folder / "manifest.json").write_text(json.dumps(sealed(content)), "utf-8")
    with pytest.raises(InputError, match=r"gm-vectors\.npy: this file was not there when the model was trained"):
        load(folder)
    (folder / "gm-vectors.npy").unlink()
    load(folder)


def test_opening_reads_no_table_as_a_whole(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python reads the headers of tables, whatever their size."""
    from graphmt.storage import files

    read: list[str] = []
    whole = files.digest

    def noted(path: files.AnyPath) -> str:
        read.append(Path(path).name)
        return whole(path)

    monkeypatch.setattr(files, "digest", noted)
    load(folder)
    assert read and not any(name.endswith(".bin") for name in read)


def _table(folder: Path, tmp_path: Path) -> Path:
    return shutil.copy(folder / "rules.bin", tmp_path / "table.bin")


def _filtered(folder: Path, tmp_path: Path) -> None:
    filtered(_table(folder, tmp_path), ["er schläft ."], folder / "rules.bin")


def _pruned(folder: Path, tmp_path: Path) -> None:
    pruned(_table(folder, tmp_path), folder / "rules.bin", min_count=0.9)


def _split(folder: Path, tmp_path: Path) -> None:
    assert split(_table(folder, tmp_path), folder / "rules.bin", part_size=500) > 1


def _imported(folder: Path, tmp_path: Path) -> None:
    RuleTable(folder / "rules.bin").to_moses(tmp_path / "rules.gz")
    from_moses(tmp_path / "rules.gz", folder / "rules.bin")


def _language_model(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("he is sleeping .\n" * 3, "utf-8")
    lm.train(tmp_path / "text", folder / "lm.bin", LmOptions(order=2, discount_fallback=True))


def _language_model_of_arpa(folder: Path, tmp_path: Path) -> None:
    lm.load(folder / "lm.bin").to_arpa(tmp_path / "lm.arpa")
    lm.build(tmp_path / "lm.arpa", folder / "lm.bin")


@pytest.mark.parametrize("put", [_filtered, _pruned, _split, _imported, _language_model, _language_model_of_arpa])
def test_what_graphmt_puts_there_is_accepted(
    two: Two, folder: Path, tmp_path: Path, put: Callable[[Path, Path], None]
) -> None:
    before = Manifest.load(folder)
    put(folder, tmp_path)
    load(folder)
    after = Manifest.load(folder)
    assert after.build == before.build
    assert put is _language_model_of_arpa or after.files != before.files
    changed = {name for name in after.files if before.files.get(name) != after.files[name]}
    assert set(after.replaced) == changed
    # Known from now on.
    for name in changed & {"rules.bin", "lm.bin"}:
        shutil.copyfile(two.other["hpb"] / name, folder / name)
        with pytest.raises(InputError, match=rf"{name}: this is not the file that the model was trained with"):
            load(folder)


def test_a_split_table_may_be_joined_again(folder: Path, tmp_path: Path) -> None:
    before = Manifest.load(folder)
    _split(folder, tmp_path)
    split(folder / "rules.bin", tmp_path / "whole.bin", part_size=1 << 40)
    for part in folder.glob("rules.bin.*"):
        part.unlink()
    split(tmp_path / "whole.bin", folder / "rules.bin", part_size=1 << 40)
    assert Manifest.load(folder).files == before.files
    load(folder)


def test_rules_of_a_model_whose_table_was_replaced(demo: Trained, tmp_path: Path) -> None:
    plain = shutil.copytree(demo.models["pbmt"], tmp_path / "plain")
    files = {"source": demo.source, "target": demo.target, "alignment": demo.alignment, "language_model": demo.lm}
    shutil.copyfile(demo.models["gbmt"] / "rules.bin", plain / "rules.bin")
    with pytest.raises(InputError, match=r"rules\.bin: this is not the file that the model was trained with"):
        train("pbmt", **files, out=tmp_path / "taken", rules_of=plain)
    filtered(demo.models["pbmt"] / "rules.bin", ["er schläft ."], plain / "rules.bin")
    with pytest.raises(InputError, match="its rules are not those that were extracted"):
        train("pbmt", **files, out=tmp_path / "taken", rules_of=plain)


def test_a_model_of_the_format_before_opens(two: Two, folder: Path) -> None:
    """It knows nothing of its binary files."""
    path = folder / "manifest.json"
    content = unsealed(json.loads(path.read_text("utf-8")))
    files = {name: one for name, one in content["files"].items() if not name.endswith(".bin")}
    del content["replaced"]
    path.write_text(json.dumps(sealed({**content, "format": 2, "files": files})), "utf-8")
    shutil.copyfile(two.other["hpb"] / "rules.bin", folder / "rules.bin")
    assert Model(folder).manifest.build == ""
    filtered(two.other["hpb"] / "rules.bin", ["er schläft ."], folder / "rules.bin")
    assert set(Manifest.load(folder).files) == set(files)


@pytest.mark.parametrize("name", ["/etc/hostname", "../../outside", ""])
def test_a_manifest_names_no_files_elsewhere(folder: Path, name: str) -> None:
    path = folder / "manifest.json"
    content = unsealed(json.loads(path.read_text("utf-8")))
    path.write_text(json.dumps(sealed({**content, "files": {name: "0" * 64}})), "utf-8")
    with pytest.raises(InputError):
        load(folder)


def test_a_table_swapped_while_the_model_is_opened(two: Two, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The manifest is that of one model, the table that of another."""
    make = Model._make_decoder

    def swapping(model: Model) -> object:
        shutil.copyfile(two.other["hpb"] / "rules.bin", folder / "new")
        (folder / "new").replace(folder / "rules.bin")
        return make(model)

    monkeypatch.setattr(Model, "_make_decoder", swapping)
    with pytest.raises(InputError, match=r"rules\.bin: this is not the file"):
        load(folder)
