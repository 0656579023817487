"""Commands that write, on a small corpus, and what runs them under faults."""

from __future__ import annotations

import dataclasses
import importlib.util
import shutil
import tempfile
from collections.abc import Collection
from pathlib import Path
from typing import Any

import pytest
from forked import Done, ForkServer
from graphmt import lm
from graphmt.demo import DemoOptions
from graphmt.demo.corpus import write
from graphmt.lm import LmOptions
from graphmt.rules import ExtractOptions
from graphmt.training import SidesOptions, TrainOptions, train

#: Exit codes that the help of the command documents; 70 is a defect.
DOCUMENTED = {0, 1, 2, 3, 130, 143}


@dataclasses.dataclass(frozen=True)
class Command:
    """A command as a user types it, in a folder with the files of :func:`prepare`."""

    name: str
    arguments: str
    #: What it writes; a folder stands for all that is in it.
    outputs: tuple[str, ...]
    #: Files among them that hold the time a run took.
    timed: tuple[str, ...] = ()

    def split(self) -> list[str]:
        """The arguments, one by one."""
        return ["--quiet", *self.arguments.split()]

    def made(self, folder: Path) -> dict[str, bytes]:
        """Its outputs in a folder, by path; not what a run keeps for being resumed."""
        found: dict[str, bytes] = {}
        for name in self.outputs:
            path = folder / name
            files = [path] if path.is_file() else sorted(path.rglob("*"))
            for one in files:
                relative = str(one.relative_to(folder))
                if one.is_file() and relative not in self.timed and not is_work(one.relative_to(folder)):
                    found[relative] = one.read_bytes()
        return found


def _has_udpipe() -> bool:
    try:
        return importlib.util.find_spec("ufal.udpipe") is not None
    except ModuleNotFoundError:
        return False


_PAIR = "--source corpus/train.de --target corpus/train.en"
_DEV = "--source corpus/dev.de --target corpus/dev.en"

#: Every verb that works for long and writes.
COMMANDS = {
    command.name: command
    for command in (
        Command(
            "align",
            f"align {_PAIR} --out links --lexical lex --model ibm1 --threads 1",
            ("links", "links.json", "lex.f2e.gz", "lex.e2f.gz"),
        ),
        Command("lm", "lm train corpus/train.en --order 3 --out made.lm --threads 1", ("made.lm",)),
        Command(
            "train",
            f"train made {_PAIR} --system btg --alignment corpus/train.align --order 2 --threads 1",
            ("made",),
        ),
        Command(
            "tune",
            f"tune pbmt {_DEV} --iterations 3 --n-best 20 --threads 1",
            ("pbmt",),
            timed=("pbmt/weights.tuning.jsonl",),
        ),
        Command(
            "rerank",
            "rerank dev.nbest --source corpus/dev.de --memory corpus/train.de --memory-target corpus/train.en "
            "--dev dev.nbest corpus/dev.de --dev-target corpus/dev.en --save reranker.json --out best --n-best "
            "--explain told.jsonl --threads 1",
            ("reranker.json", "best", "told.jsonl"),
        ),
        Command(
            "consensus",
            f"consensus btg {_PAIR} --dev corpus/dev.de corpus/dev.en --out consensus --labels 3 --threads 1",
            ("consensus",),
        ),
        Command(
            "experiment",
            "experiment segmentation --data corpora --out tables --corpus demo-de-en --arm gbmt --tuner untuned "
            "--aligner ibm1 --order 2 --trials 10 --threads 1",
            ("tables/segmentation.json", "tables/segmentation.md", "tables/demo-de-en/segmentation.html"),
        ),
        *(
            [
                Command(
                    "parser",
                    "parser train corpora/demo-de-en/dev.de.conllu --out made.udpipe --tokeniser-epochs 0 "
                    "--tagger-iterations 1 --parser-iterations 1 --hidden-layer 10",
                    ("made.udpipe",),
                )
            ]
            if _has_udpipe()
            else []
        ),
    )
}

#: Those that take more than a second even on the least of data.
SLOW = ("parser", "rerank", "consensus", "experiment")


def params(*more: object, names: Collection[str] = COMMANDS) -> list[Any]:
    """Commands as parameters of a test, slow ones marked as long."""
    marks = {name: [pytest.mark.long] if name in SLOW else [] for name in names}
    return [pytest.param(COMMANDS[name], *more, marks=marks[name]) for name in names if name in COMMANDS]


#: Verbs that write and end at once: nothing is kept for resuming them.
SHORT = {
    command.name: command
    for command in (
        Command("head", "corpus head corpus/train.de corpus/train.en -n 5 -o h.de -o h.en", ("h.de", "h.en")),
        Command("sample", "corpus sample corpus/train.de corpus/train.en -n 5 -o s.de -o s.en", ("s.de", "s.en")),
        Command("split", "corpus split corpus/train.de corpus/train.en --dev 5 --test 5 -o sets", ("sets",)),
        Command("convert", "corpus convert todo.po made.en made.de", ("made.en", "made.de")),
        Command("translate-file", "translate raw todo.po -o done.po --threads 1", ("done.po",)),
        Command("graphs", "translate pbmt corpus/dev.de --search-graph a.slf -o a.out --threads 1", ("a.slf", "a.out")),
        Command("glossary", "translate pbmt corpus/dev.de --glossary terms.tsv -o dev.out --threads 1", ("dev.out",)),
    )
}


def short_params() -> list[Any]:
    """Those verbs as parameters of a long test."""
    return [pytest.param(one, marks=pytest.mark.long) for one in SHORT.values()]


def prepare(folder: Path) -> Path:
    """The files that the commands read: a corpus, two models, n-best lists."""
    corpus = write(folder / "corpora" / "demo-de-en", DemoOptions(train=150, dev=6, test=6))
    made = folder / "corpus"
    made.mkdir()
    for part, pairs in corpus.parts.items():
        (made / f"{part}.de").write_text("".join(pair.source.text + "\n" for pair in pairs), "utf-8")
        (made / f"{part}.en").write_text("".join(" ".join(pair.target) + "\n" for pair in pairs), "utf-8")
        rows = (" ".join(f"{i}-{j}" for i, j in sorted(pair.alignment)) for pair in pairs)
        (made / f"{part}.align").write_text("".join(row + "\n" for row in rows), "utf-8")
    lowered = folder / "lowered"
    lowered.write_text((made / "train.en").read_text("utf-8").lower(), "utf-8")
    lm.train([lowered], folder / "lm.bin", LmOptions(order=2, threads=1))
    options = TrainOptions(extract=ExtractOptions(max_source=3, max_target=3, threads=1))
    files = {"source": made / "train.de", "target": made / "train.en", "alignment": made / "train.align"}
    for name in ("pbmt", "btg"):
        model = train(name, **files, language_model=folder / "lm.bin", out=folder / name, options=options)
    train("pbmt", **files, language_model=folder / "lm.bin", out=folder / "raw", options=_raw(options))
    messages = [("der Hund schläft .", ""), ("die Katze schläft .", ""), ("das Haus", "the house"), ("{n} und %s", "")]
    entries = "".join(f'\nmsgid "{source}"\nmsgstr "{target}"\n' for source, target in messages)
    (folder / "todo.po").write_text(
        f'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n{entries}', "utf-8"
    )
    (folder / "terms.tsv").write_text("Hund\thound\nHaus\tbuilding\tpreferred\n", "utf-8")
    sources = (made / "dev.de").read_text("utf-8").splitlines()
    lists = model.n_best(sources, 5, distinct=True, threads=1)
    rows = [one.as_moses(number) + "\n" for number, best in enumerate(lists) for one in best]
    (folder / "dev.nbest").write_text("".join(rows), "utf-8")
    return folder


def _raw(options: TrainOptions) -> TrainOptions:
    """For a model of raw text, which localisation files need."""
    return dataclasses.replace(options, sides=SidesOptions(tokenise=True, case="lower"))


def require_a_sentence(done: Done) -> None:
    """What every failure must look like to a user: a documented code and a sentence."""
    assert done.code in DOCUMENTED, f"exit code {done.code}\n{done.stderr}"
    assert "Traceback" not in done.stderr and "Exception ignored" not in done.stderr, done.stderr
    if done.code:
        assert done.stderr.startswith("graphmt: "), done.stderr


class Calm:
    """The outputs of undisturbed runs, each made once."""

    def __init__(self, prepared: Path, server: ForkServer, folder: Path) -> None:
        self._prepared, self._server, self._folder = prepared, server, folder
        self._known: dict[str, tuple[dict[str, bytes], float]] = {}

    def __call__(self, command: Command) -> tuple[dict[str, bytes], float]:
        """Outputs by path, and the seconds that they took."""
        if command.name not in self._known:
            folder = copied(self._prepared, Path(tempfile.mkdtemp(dir=self._folder)) / command.name)
            before = command.made(folder)
            done = self._server.run(command.split(), folder)
            assert done.code == 0, done.stderr
            made = command.made(folder)
            assert made and made != before and litter(folder) == []
            self._known[command.name] = made, done.seconds
        return self._known[command.name]


def copied(folder: Path, to: Path) -> Path:
    """The prepared files in a folder of their own."""
    return Path(shutil.copytree(folder, to))


def is_work(path: Path) -> bool:
    """Whether a path is a draft, or lies in a folder that a run keeps until its output is whole."""
    return any(part.startswith(".") or part.endswith((".training", ".tuning")) for part in path.parts)


def litter(folder: Path) -> list[str]:
    """Drafts and work folders in a folder."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if is_work(path.relative_to(folder)))
