"""Training on a tiny corpus, as calls and as commands."""

from __future__ import annotations

import dataclasses
import subprocess
from pathlib import Path
from typing import Any

from graphmt import lm
from graphmt.lm import LmOptions
from graphmt.model import Model
from graphmt.training import TrainOptions, train
from graphmt.tune import TuneOptions
from programs import fork_server

GERMAN = ("der", "die", "hund", "katze", "sieht", "mag", "roten", "alten", "ball", "baum", "heute", "nie")
ENGLISH = ("the", "the", "dog", "cat", "sees", "likes", "red", "old", "ball", "tree", "today", "never")
TUNE = TuneOptions(tuner="mira", n_best=20, iterations=6, threads=1)


@dataclasses.dataclass(frozen=True)
class Tiny:
    """The files of the corpus."""

    folder: Path

    @property
    def files(self) -> dict[str, Path]:
        """The arguments of training that name files."""
        of = {"source": "train.de", "target": "train.en", "alignment": "train.align", "language_model": "lm.bin"}
        return {name: self.folder / file for name, file in of.items()}

    @property
    def dev(self) -> tuple[Path, Path]:
        return self.folder / "dev.de", self.folder / "dev.en"

    def train(self, out: Path, **changes: Any) -> Model:
        options = TrainOptions(tune=TUNE) if "dev" in changes else TrainOptions()
        return train("pbmt", **{**self.files, "out": out, "options": options, **changes})

    def command(self, out: Path | str, *more: object) -> list[str]:
        named = {"lm" if name == "language_model" else name: path for name, path in self.files.items()}
        flags = [part for name, path in named.items() for part in (f"--{name}", str(path))]
        return ["train", str(out), "--system", "pbmt", *flags, "--threads", "1", *map(str, more)]


def graphmt(*arguments: object, first: str = "", out: str = "") -> subprocess.CompletedProcess[str]:
    """A command in a forked process, after some code has run in it; its standard output may be a file."""
    server = fork_server()
    streams = {"stdout": out or str(server.folder / "out"), "stderr": str(server.folder / "err")}
    done = server.run(list(map(str, arguments)), Path.cwd(), first=first, **streams)
    return subprocess.CompletedProcess(list(map(str, arguments)), done.code, done.stdout, done.stderr)


def one_sentence(done: subprocess.CompletedProcess[str], *parts: str) -> None:
    """A command failed as it should: exit code 1 and a sentence, no trace of a stack."""
    assert done.returncode == 1, (done.returncode, done.stderr)
    assert "Traceback" not in done.stderr and "Exception ignored" not in done.stderr, done.stderr
    assert done.stderr.splitlines()[-1].startswith("graphmt: "), done.stderr
    for part in parts:
        assert part in done.stderr.splitlines()[-1], done.stderr


def content(folder: Path) -> dict[str, bytes]:
    """Every file in a folder, hidden ones included."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def write_tiny(folder: Path) -> Tiny:
    for name, number, shift in (("train", 120, 0), ("dev", 24, 3)):
        rows: dict[str, list[str]] = {"de": [], "en": [], "align": []}
        for k in range(number):
            words = [(k * 7 + shift + step * (k % 5 + 1)) % len(GERMAN) for step in range(4 + k % 4)]
            # Every third sentence has its last two words in the other order on the target side.
            other = words[:-2] + words[:-3:-1] if k % 3 == 0 else words
            rows["de"].append(" ".join(GERMAN[word] for word in words))
            rows["en"].append(" ".join(ENGLISH[word] for word in other))
            rows["align"].append(" ".join(f"{i}-{other.index(word)}" for i, word in enumerate(words)))
        for side, lines in rows.items():
            (folder / f"{name}.{side}").write_text("".join(line + "\n" for line in lines), "utf-8")
    lm.train([folder / "train.en"], folder / "lm.bin", LmOptions(order=3, threads=1))
    return Tiny(folder)
