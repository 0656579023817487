"""Clusters some of whose executors have another file system than the driver: they do not see the work folder."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from graphmt import spark
from graphmt.cli.verbs import app
from graphmt.errors import MissingPackageError
from graphmt.spark.session import require_spark
from small_models import Trained
from test_cluster import OPENED

#: Starts Java; as an executor with one of these numbers, it has an empty file system in the place of a folder.
JAVA = """#!/bin/sh
case "$*" in
{cases})
    exec unshare -m sh -c 'mount -t tmpfs none "{hidden}" && exec "{java}" "$@"' sh "$@" ;;
esac
exec "{java}" "$@"
"""

#: Runs commands one after the other and writes how they ended; ``count`` counts a DataFrame with a work folder. The
#: first word is what is left out of the checks.
COMMANDS = (
    OPENED
    + """
import contextlib
import json
from graphmt.cli.verbs import app
from graphmt.errors import GraphmtError
from graphmt.spark import shared_folders

prove, announced = shared_folders.SharedFolder.prove, shared_folders.SharedFolder.announced
ended = []
for without, *words in json.loads(sys.argv[1]):
    if without:
        shared_folders.SharedFolder.prove = lambda self, again=False: None
    if without == "all":
        shared_folders.SharedFolder.announced = lambda self: contextlib.nullcontext()
    try:
        if words[0] == "count":
            rows = session.createDataFrame([(f"w{number}",) for number in range(300)], "text string").repartition(8)
            spark.statistics(rows, work=words[1])
        else:
            app([*words, "--engine", "spark"], standalone_mode=False)
        ended.append("")
    except GraphmtError as error:
        ended.append(str(error))
    shared_folders.SharedFolder.prove, shared_folders.SharedFolder.announced = prove, announced
Path(sys.argv[2]).write_text(json.dumps(ended))
session.stop()
"""
)


class Cluster:
    """A cluster of two executors of this machine, that sees only a part of its folders."""

    def __init__(self, folder: Path, hidden: Path, executors: str) -> None:
        self.folder = folder
        java = Path(os.environ["JAVA_HOME"], "bin", "java") if "JAVA_HOME" in os.environ else shutil.which("java")
        cases = "|".join(f'*CoarseGrainedExecutorBackend*"--executor-id {one} "*' for one in executors)
        program = folder / "java-home" / "bin" / "java"
        program.parent.mkdir(parents=True)
        program.write_text(JAVA.format(cases=cases, hidden=hidden, java=java), "utf-8")
        program.chmod(0o755)
        (folder / "tmp ä").mkdir()
        self.environment = {**os.environ, "JAVA_HOME": str(folder / "java-home"), "TMPDIR": str(folder / "tmp ä")}

    def run(self, commands: list[list[str]]) -> list[str]:
        """The errors of commands; empty for those that succeeded."""
        out = self.folder / "ended.json"
        arguments = [sys.executable, "-c", COMMANDS, json.dumps(commands), str(out)]
        done = subprocess.run(arguments, env=self.environment, capture_output=True, text=True, check=False, timeout=900)
        assert done.returncode == 0, done.stderr[-3000:]
        ended: list[str] = json.loads(out.read_text())
        return ended


@pytest.fixture(autouse=True)
def needs_mounts() -> None:
    try:
        require_spark()
    except MissingPackageError as error:
        pytest.skip(str(error))
    if sys.platform != "linux":
        pytest.skip("hides folders with mounts of Linux")
    mount = ["unshare", "-m", "sh", "-c", "mount -t tmpfs none /mnt"]
    if shutil.which("unshare") is None or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("this user may not mount file systems")


def commands(model: Path, text: Path, out: Path) -> dict[str, list[str]]:
    return {
        "translate": ["translate", str(model), str(text), "--out", str(out / "translate")],
        "tokenise": ["corpus", "tokenise", str(text), str(out / "tokenise"), "--language", "de"],
        "lm": ["lm", "train", str(text), "--out", str(out / "lm"), "--order", "2", "--discount-fallback"],
        "stats": ["corpus", "stats", str(text)],
    }


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_a_folder_that_only_some_executors_see_is_refused(session: Any, demo: Trained, tmp_path: Path) -> None:
    shared, text = tmp_path / "my wörk", tmp_path / "text"
    shared.mkdir()
    lines = [line for line in demo.texts() if line.strip()][:30]
    text.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    given = commands(demo.models["pbmt"], text, shared)
    count = ["count", str(shared / "counts")]
    asked = [["", *given["translate"]], ["", *given["tokenise"]], ["", *count], ["tasks", *count], ["all", *count]]
    # A folder that all see is not refused, and models and folders may have any names.
    model, seen = tmp_path / "mein Modell ä", tmp_path / "seen ö"
    shutil.copytree(demo.models["pbmt"], model)
    asked += [["", "translate", str(model), str(text), "--out", str(seen / "out")]]
    *found, last = Cluster(tmp_path, shared, "13579").run(asked)
    assert not last
    assert [path.name for path in seen.iterdir()] == ["out"]
    assert all(str(shared) in error for error in found), found
    sees = "does not see this folder as the driver does. Intermediate results must be on a file system that"
    # Said before any stage.
    assert all(sees in error for error in found[:3]), found
    # Without that, tasks say so, which Spark may repeat elsewhere; rows that were written elsewhere are noticed anyway.
    lost = "301 rows were written, but"
    assert sees in found[3] or lost in found[3], found
    assert lost in found[4], found
    assert {path.name for path in shared.iterdir()} == {"translate.working", "tokenise.working", "counts"}
    # What a cluster left is not used by a run on one machine.
    for name in ("translate", "tokenise"):
        app([*given[name], "--engine", "spark", "--master", "local[2]"], standalone_mode=False)
        assert len((shared / name).read_text("utf-8").splitlines()) == 30
    assert (shared / "translate").read_bytes() == (seen / "out").read_bytes()
    rows = session.createDataFrame([(f"w{number}",) for number in range(300)], "text string")
    assert spark.statistics(rows, work=shared / "counts").sides[0].types == 300


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_where_nothing_is_shared_every_command_says_so(demo: Trained, tmp_path: Path) -> None:
    shared, text = tmp_path / "shared", tmp_path / "text"
    shared.mkdir()
    text.write_text("a b c\nd e\n" * 20, "utf-8")
    given = commands(demo.models["pbmt"], text, shared)
    cluster = Cluster(tmp_path, shared, "0123456789")
    cluster.environment["TMPDIR"] = str(shared)
    found = cluster.run([["", *words] for words in given.values()])
    for name, error in zip(given, found, strict=True):
        assert "does not see this folder as the driver does" in error, (name, error)
        assert "Py4J" not in error
