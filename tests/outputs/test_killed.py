"""Processes that are killed before each change of the file system, and what the next one makes of it."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from amounts import LONG
from graphmt.corpus.cleaning import clean
from graphmt.errors import InputError
from graphmt.model import Model
from graphmt.storage.files import lines, writing
from graphmt.storage.folders import restore_folder, writing_folder
from graphmt.tune import tune_model
from tiny_training import TUNE, Tiny, content, graphmt, names

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="kills forked processes")

#: Ends the process before the change with this number.
KILL = """
import os, sys
left = {number}
def hook(event, arguments):
    global left
    if event in {events}:
        left -= 1
        if left == 0:
            os._exit(9)
sys.addaudithook(hook)
"""
ALL = ("os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.link", "ctypes.dlsym")
RENAMES = ("os.rename", "os.rmdir", "ctypes.dlsym")


def killed_everywhere(
    run: Callable[[str], int],
    check: Callable[[int], None],
    events: tuple[str, ...] = ALL,
    *,
    first: int = 1,
    step: int = 1,
) -> int:
    """Kill a run at every point, each time from the start, and check; returns how many points there were."""
    for number in range(first, 1000, step):
        code = run(KILL.format(number=number, events=events))
        if code != 9:
            assert code == 0
            return (number - first) // step
        check(number)
    raise AssertionError("no end")


WRITE_FOLDER = """
import sys
from pathlib import Path
from graphmt.storage import folders
{fallback}
with folders.writing_folder("{path}", "marker", owned=lambda name: name in ("marker", "x"), overwrite=True) as draft:
    for name in ("marker", "x"):
        (draft / name).write_text("new")
sys.exit(0)
"""


@pytest.mark.parametrize("fallback", ["", "folders.exchange = lambda one, other: False"])
def test_a_folder_is_the_old_one_or_the_new_one(tmp_path: Path, fallback: str) -> None:
    path = tmp_path / "here" / "model"
    states = set()

    def run(kill: str) -> int:
        shutil.rmtree(path.parent, ignore_errors=True)
        path.mkdir(parents=True)
        for name in ("marker", "x", "mine"):
            (path / name).write_text("old")
        return graphmt(first=kill + WRITE_FOLDER.format(path=path, fallback=fallback)).returncode

    def check(number: int) -> None:
        if fallback:
            restore_folder(path)
        found = content(path)
        assert found.pop("mine") == b"old"
        assert found in ({"marker": b"old", "x": b"old"}, {"marker": b"new", "x": b"new"}), number
        states.add(found["x"])
        # The next writer clears up.
        with writing_folder(path, "marker", owned=lambda name: name != "mine", overwrite=True) as draft:
            (draft / "marker").write_text("next")
        assert content(path.parent) == {"model/marker": b"next", "model/mine": b"old"}

    assert killed_everywhere(run, check) > 5
    assert states == {b"old", b"new"}
    assert names(path.parent) == ["model"]


CLEAN = """
import sys
from graphmt.corpus.cleaning import clean
clean("{here}/in.s", "{here}/in.t", out_source="{here}/s", out_target="{here}/other/t.gz")
sys.exit(0)
"""


def test_the_sides_of_a_corpus_are_both_old_or_both_new(tmp_path: Path) -> None:
    """Cleaned again, with the pair that is too long dropped; the second side goes to a folder of its own."""
    here = tmp_path / "here"
    old, new = (["a b", "c d " * 99], ["x y", "z"]), (["a b"], ["x y"])
    seen = set()

    def run(kill: str) -> int:
        shutil.rmtree(here, ignore_errors=True)
        (here / "other").mkdir(parents=True)
        for path, text in zip((here / "s", here / "other" / "t.gz"), old, strict=True):
            with writing(path) as out:
                out.writelines(line + "\n" for line in text)
        for name, text in zip(("in.s", "in.t"), old, strict=True):
            (here / name).write_text("".join(line + "\n" for line in text))
        return graphmt(first=kill + CLEAN.format(here=here)).returncode

    def check(number: int) -> None:
        # As another program would find them: one may be missing, but they do not mix.
        plain = [path for path in (here / "s", here / "other" / "t.gz") if path.exists()]
        assert len(plain) < 2 or _read(*plain) in (old, new), number
        # Whoever reads the one that is missing with graphmt gets it.
        found = _read(here / "s", here / "other" / "t.gz")
        assert found in (old, new), number
        seen.add(len(found[0]))
        clean(here / "in.s", here / "in.t", out_source=here / "s", out_target=here / "other" / "t.gz")
        assert _read(here / "s", here / "other" / "t.gz") == new
        assert names(here) == ["in.s", "in.t", "other", "s"] and names(here / "other") == ["t.gz"]

    assert killed_everywhere(run, check) > 8
    assert seen == {1, 2}


def _read(*paths: Path) -> tuple[list[str], ...]:
    return tuple(list(lines(path)) for path in paths)


def test_a_file_that_a_killed_process_left_is_removed(tmp_path: Path) -> None:
    code = f"""
import os, signal
from graphmt.storage.files import writing
with writing("{tmp_path}/a") as out:
    out.write("half")
    out.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""
    assert graphmt(first=code).returncode == -9
    assert len(names(tmp_path)) == 1
    # A writer that lives keeps its draft.
    with writing(tmp_path / "a") as out:
        assert len(names(tmp_path)) == 1
        with writing(tmp_path / "a") as other:
            assert len(names(tmp_path)) == 2
            other.write("other\n")
        out.write("whole\n")
    assert content(tmp_path) == {"a": b"whole\n"}


def test_tuning_ends_the_same_wherever_it_was_killed(tiny: Tiny, model: Path, tmp_path: Path) -> None:
    untuned = content(model)
    whole = tmp_path / "whole"
    shutil.copytree(model, whole)
    options = ["--tuner", TUNE.tuner, "--n-best", TUNE.n_best, "--iterations", 2, "--threads", 1]
    flags = ["--source", tiny.dev[0], "--target", tiny.dev[1], *options]
    assert graphmt("tune", whole, *flags).returncode == 0
    expected = content(whole)
    del expected["weights.tuning.jsonl"]  # It has times.
    assert expected["weights.toml"] != untuned["weights.toml"] == expected["weights.start.toml"]
    copy = tmp_path / "copy"

    def run(kill: str) -> int:
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(model, copy)
        return graphmt("tune", copy, *flags, first=kill).returncode

    def check(number: int) -> None:
        if (copy / "weights.toml.tuning").exists():
            again = graphmt("tune", copy, *flags)
            assert again.returncode == 0, again.stderr
        found = content(copy)
        assert len(found.pop("weights.tuning.jsonl").splitlines()) == 2
        assert found == expected, number

    # Each file that is written is one of these events, then those that are removed; the first ones are those of the
    # iterations, which other tests are about.
    assert killed_everywhere(run, check, ("os.remove",), first=5, step=1 if LONG else 4) >= 2


def test_training_ends_the_same_wherever_it_was_killed(tiny: Tiny, model: Path, tmp_path: Path) -> None:
    """A model is replaced and tuned: the same command always ends with the model of an uninterrupted run, and then
    refuses to do it again unasked."""
    (model / "mine").write_text("mine")
    tune_model(model, *tiny.dev, TUNE)
    (tmp_path / "toml").write_text('[tune]\ntuner = "mira"\nn-best = 20\niterations = 2\n')
    more = ["--dev", *tiny.dev, "--config", tmp_path / "toml", "--overwrite"]
    here = tmp_path / "here"
    expected: dict[str, bytes] = {}

    def run(kill: str) -> int:
        shutil.rmtree(here, ignore_errors=True)
        shutil.copytree(model, here / "model")
        return graphmt(*tiny.command(here / "model", *more), first=kill).returncode

    assert run("") == 0
    expected = _comparable(here)
    assert expected["model/mine"] == b"mine"

    def check(number: int) -> None:
        Model(here / "model")
        assert (here / "model" / "mine").read_text() == "mine"
        # Without --overwrite it goes on with what it has replaced already, and replaces nothing that it has not.
        before = content(here / "model")
        again = graphmt(*tiny.command(here / "model", *more[:-1]))
        if again.returncode:
            assert "exists already" in again.stderr, again.stderr
            assert content(here / "model") == before
            finished = _comparable(here) == expected
            if not finished:
                again = graphmt(*tiny.command(here / "model", *more))
                assert again.returncode == 0, again.stderr
        assert _comparable(here) == expected, number

    # From the record that names the new folder on.
    assert killed_everywhere(run, check, RENAMES, first=15, step=1 if LONG else 5) >= 2


def _comparable(folder: Path) -> dict[str, bytes]:
    """What must be the same after every run: all but times."""
    return {name: text for name, text in content(folder).items() if not name.endswith(".jsonl")}


def test_a_finished_run_is_not_done_again(tiny: Tiny, tmp_path: Path) -> None:
    tiny.train(tmp_path / "model", dev=tiny.dev)
    before = content(tmp_path)
    with pytest.raises(InputError, match="exists already"):
        tiny.train(tmp_path / "model", dev=tiny.dev)
    assert content(tmp_path) == before


def test_killed_before_the_first_record_was_whole(tiny: Tiny, tmp_path: Path) -> None:
    """The folder then holds a draft of the record and nothing else."""
    work = tmp_path / "model.training"
    work.mkdir()
    (work / ".training.json.123456-0.part").write_text("{")
    tiny.train(tmp_path / "model")
    assert names(tmp_path) == ["model"]
    work.mkdir()
    (work / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match=r"has no training\.json"):
        tiny.train(tmp_path / "model", overwrite=True)


def test_a_mistake_in_the_development_set_costs_no_training(
    tiny: Tiny, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "short").write_text("a\n")
    with pytest.raises(InputError, match="1 lines"):
        tiny.train(tmp_path / "model", dev=(tiny.dev[0], tmp_path / "short"))
    assert names(tmp_path) == ["model", "model.training", "short"]
    assert names(tmp_path / "model.training") == ["training.json"]
    monkeypatch.setattr("graphmt.training.steps.Run.make", lambda *_: pytest.fail("trained again"))
    tiny.train(tmp_path / "model", dev=tiny.dev)
    assert names(tmp_path) == ["model", "short"] and (tmp_path / "model" / "weights.start.toml").exists()


def test_weights_that_were_tuned_meanwhile_are_not_tuned_again(tiny: Tiny, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="1 lines"):
        (tmp_path / "short").write_text("a\n")
        tiny.train(tmp_path / "model", dev=(tiny.dev[0], tmp_path / "short"))
    tune_model(tmp_path / "model", *tiny.dev, TUNE)
    tuned = content(tmp_path / "model")
    with pytest.raises(InputError, match="exists already"):
        tiny.train(tmp_path / "model", dev=tiny.dev)
    assert content(tmp_path / "model") == tuned
