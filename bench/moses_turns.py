"""graphmt and Moses in turns: extraction, both searches by pop limit, language model estimation.

Multi30k German to English with Moses' alignment, language model and weights, and for the searches one table in both
formats, limited to the test set. CPU seconds (user and system) of one thread: a whole process less the process with one
sentence, so that start and loading do not count; ``whole`` is the ratio of the whole processes. Searches are timed as
commands that write translations, and run once more for their scores. Rounds alternate between the programs. Mean
best scores say at which limits the searches find the same; the ratio that counts is the one at equal mean score.

Needs a build of Moses (``moses``, ``moses2``, ``extract``, ``score`` and ``consolidate`` in one folder) and of KenLM
(``lmplz`` and ``build_binary``); without them, nothing is measured.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from peers import moses_programs as programs
from peers.folder import data_folder
from peers.processes import Usage, run

SYSTEMS = ("pbmt", "hpb")
WHAT = ("extraction", "lm", *SYSTEMS, "lengths")
#: Files of the training pairs: train.SIDE.
SIDES = ("de", "en", "align")
POPS = (200, 500, 1000)
#: Long sentences: test sentences joined and cut to so many words, so many of each length, and Moses' pops for them.
WORDS, LONG, LONG_POPS = (40, 80, 160), 10, {"pbmt": 500, "hpb": 200}
#: Moses' search algorithms for charts.
CHART_SEARCHES = {"hpb, cube pruning": 3, "hpb, incremental search": 5}
#: The settings that Moses is run with, by system; moses2 is a later program of Moses, for phrases.
SEARCHES = {"pbmt": ("pbmt", "pbmt, moses2"), "hpb": tuple(CHART_SEARCHES)}
#: The memory of language model estimation, as lmplz and as we call it.
MIB = {"1G": 1024, "100M": 100}
#: Work on everything, and on one sentence.
Pair = tuple[Callable[[], Usage], Callable[[], Usage]]


def prepare(folder: Path, given: str) -> None:
    """The job of a process: texts, tables in both formats, models."""
    from graphmt.align import LexicalTable, read_alignment
    from graphmt.corpus import tokenised
    from graphmt.rules import RuleTable, extract_rules, filtered
    from graphmt.storage.files import lines
    from graphmt.systems import SYSTEMS as KNOWN
    from peers import moses
    from peers.moses_hiero import WEIGHTS_HIERO

    data = Path(given)
    files = moses.corpus(data, folder)
    lexical = LexicalTable.count(lines(files["source"]), lines(files["target"]), read_alignment(files["alignment"]))
    lexical.save(folder / "lex", compress=False)
    escapes = str.maketrans(moses.ESCAPES)
    test = [line.translate(escapes) for line in tokenised(moses.text(data) / "test.de.conllu.gz", lowercase=True)]
    for name, sentences in (("test", test), ("test.one", test[:1])):
        (folder / name).write_text("".join(f"{line}\n" for line in sentences), encoding="utf-8")
    words = " ".join(test).split()
    for length in WORDS:
        long = [" ".join(words[k * length : (k + 1) * length]) for k in range(LONG)]
        for name, sentences in ((f"long.{length}", long), (f"long.{length}.one", long[:1])):
            (folder / name).write_text("".join(f"{line}\n" for line in sentences), encoding="utf-8")
    arpa = moses.read(moses.peer(data) / "lm.arpa.gz")
    (folder / "lm.arpa").write_text("".join(f"{line}\n" for line in arpa), encoding="utf-8")
    weights = {"pbmt": moses.WEIGHTS_PBNOLR, "hpb": WEIGHTS_HIERO}
    for name in SYSTEMS:
        whole, limited, table = folder / f"{name}.whole", folder / f"{name}.limited", folder / f"{name}.table"
        extract_rules(KNOWN[name], **files, out=whole)
        filtered(whole, test, limited)
        RuleTable(limited).to_moses(table)
        moses.model_folder(data, folder / name, name, str(table), weights[name])


def scores(folder: Path, name: str, text: str) -> None:
    """The job of a process: the best scores at the default limits."""
    from graphmt.model import Model

    sentences = (folder / text).read_text(encoding="utf-8").splitlines()
    print(json.dumps([one.score for one in Model(folder / name).translate(sentences, threads=1)]))


def extract(folder: Path, end: str) -> None:
    """The job of a process: phrases extracted and scored."""
    from graphmt.rules import ExtractOptions, extract_rules
    from graphmt.systems import SYSTEMS as KNOWN

    source, target, alignment = (folder / f"train.{side}{end}" for side in SIDES)
    extract_rules(KNOWN["pbmt"], source, target, alignment, folder / "job.bin", options=ExtractOptions(threads=1))


def language_model(folder: Path, end: str, memory: str) -> None:
    """The job of a process: a language model as ARPA."""
    from graphmt import lm

    options = lm.LmOptions(max_memory=MIB[memory], threads=1)
    lm.train([folder / f"train.en{end}"], folder / "job.arpa", options)


def constant(name: str) -> float:
    """What Moses' totals have more than ours, whatever the translation."""
    from peers.moses_hiero import CONSTANT

    return CONSTANT if name == "hpb" else 0.0


JOBS = {job.__name__: job for job in (prepare, scores, extract, language_model)}

#: NumPy's threads sleep while they have nothing to do, as in every command of graphmt.
ENVIRONMENT = {**os.environ, "OPENBLAS_THREAD_TIMEOUT": "4"}


class Turns:
    """Measurements of both programs."""

    def __init__(self, data: Path, folder: Path, moses: Path, kenlm: Path, rounds: int) -> None:
        self.data, self.folder, self.moses, self.kenlm, self.rounds = data, folder, moses, kenlm, rounds
        self.peer = data / "peers" / "moses-multi30k-de-en"
        self.weights = {"pbmt": self.peer / "weights-pbnolr.txt", "hpb": self.peer / "weights-hiero.txt"}

    def ours(self, job: str, *words: str, out: Path | None = None) -> Usage:
        command = [sys.executable, __file__, "--data", self.data, "--job", self.folder, job, *words]
        return run(command, out=out, environment=ENVIRONMENT)

    def settle(self) -> None:
        """What Moses reads: settings, a binary language model, and texts of one line."""
        for side in SIDES:
            first = (self.folder / f"train.{side}").open(encoding="utf-8").readline()
            (self.folder / f"train.{side}.one").write_text(first, encoding="utf-8")
        binary = self.folder / "lm.binary"
        run([self.kenlm / "build_binary", "probing", self.folder / "lm.arpa", binary])
        phrases = programs.phrase_settings(self.folder / "pbmt.table", binary, self.weights["pbmt"])
        for settings in SEARCHES["pbmt"]:
            (self.folder / f"{settings}.ini").write_text(phrases, encoding="utf-8")
        for settings, algorithm in CHART_SEARCHES.items():
            table, glue = self.folder / "hpb.table", self.peer / "glue-grammar"
            chart = programs.chart_settings(table, glue, binary, self.weights["hpb"], algorithm=algorithm)
            (self.folder / f"{settings}.ini").write_text(chart, encoding="utf-8")

    def search(self, name: str, settings: str, pops: int) -> dict[str, Any]:
        """A search of Moses at a pop limit beside ours at its default."""
        figures = self.translated(name, settings, pops, "test")
        found, lists = self.folder / "ours.json", self.folder / "scores"
        self.ours("scores", name, "test", out=found)
        self.theirs(settings, pops, "test", lists)
        mean = statistics.fmean(json.loads(found.read_text()))
        theirs_mean = statistics.fmean(programs.best_scores(lists, self.weights[name])) - constant(name)
        return {**figures, "score": round(mean, 4), "moses_score": round(theirs_mean, 4)}

    def long_sentences(self, name: str, settings: str, length: int) -> dict[str, Any]:
        """CPU milliseconds for a sentence of so many words."""
        figures = self.translated(name, settings, LONG_POPS[name], f"long.{length}")
        spent = {key: 1000 * statistics.median(figures[key]) / (LONG - 1) for key in ("cpu", "moses_cpu")}
        return {"ms": round(spent["cpu"]), "moses_ms": round(spent["moses_cpu"]), "ratio": figures["ratio"]}

    def translated(self, name: str, settings: str, pops: int, text: str) -> dict[str, Any]:
        """The commands that translate a text."""

        def ours(text: str) -> Usage:
            command = [sys.executable, "-m", "graphmt", "-q", "translate", self.folder / name, "--threads", "1"]
            return run(command, given=self.folder / text, environment=ENVIRONMENT)

        return self.compared(
            (lambda: ours(text), lambda: ours(f"{text}.one")),
            (lambda: self.theirs(settings, pops, text), lambda: self.theirs(settings, pops, f"{text}.one")),
        )

    def theirs(self, settings: str, pops: int, text: str, scores: Path | None = None) -> Usage:
        """A search of Moses."""
        program = self.moses / ("moses2" if settings.endswith("moses2") else "moses")
        ini = self.folder / f"{settings}.ini"
        return programs.decode(program, ini, self.folder / text, pops=pops, scores=scores)

    def extraction(self) -> dict[str, Any]:
        """Phrases extracted and scored."""

        def theirs(end: str) -> Usage:
            names = [self.folder / f"train.{side}{end}" for side in SIDES]
            files = programs.Extraction(*names, self.folder / "lex.f2e", self.folder / "lex.e2f")
            return programs.phrase_table(self.moses, files, self.folder)

        return self.compared(
            (lambda: self.ours("extract", ""), lambda: self.ours("extract", ".one")),
            (lambda: theirs(""), lambda: theirs(".one")),
        )

    def language_model(self, memory: str) -> dict[str, Any]:
        """A language model estimated within so much memory, as ARPA."""

        def theirs(end: str) -> Usage:
            options = ["-o", "5", "--discount_fallback", "-S", memory, "-T", self.folder]
            given, out = self.folder / f"train.en{end}", self.folder / "theirs.arpa"
            return run([self.kenlm / "lmplz", *options], given=given, out=out)

        return self.compared(
            (lambda: self.ours("language_model", "", memory), lambda: self.ours("language_model", ".one", memory)),
            (lambda: theirs(""), lambda: theirs(".one")),
        )

    def compared(self, ours: Pair, theirs: Pair) -> dict[str, Any]:
        """The whole less one sentence, of both programs in turns."""
        used = [[work() for work in (*ours, *theirs)] for _ in range(self.rounds)]
        cpu = [(whole.cpu - one.cpu, their_whole.cpu - their_one.cpu) for whole, one, their_whole, their_one in used]
        return {
            "cpu": [round(mine, 2) for mine, _ in cpu],
            "moses_cpu": [round(other, 2) for _, other in cpu],
            "ratio": round(statistics.median(other / mine for mine, other in cpu), 2),
            "whole": round(statistics.median(theirs.cpu / ours.cpu for ours, _, theirs, _ in used), 2),
            "peak_mib": max(row[0].peak for row in used) >> 20,
            "moses_peak_mib": max(row[2].peak for row in used) >> 20,
        }


def found(program: str) -> Path | None:
    """The folder of a program that is installed."""
    path = shutil.which(program)
    return Path(path).parent if path else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=data_folder, required=True, help="folder that holds data/ and peers/")
    parser.add_argument("--moses", type=Path, default=found("moses"), help="folder of Moses' programs")
    parser.add_argument("--kenlm", type=Path, default=found("lmplz"), help="folder of KenLM's programs")
    parser.add_argument("--work", type=Path, help="folder of what is prepared, to be used again")
    parser.add_argument("--what", nargs="+", choices=WHAT, default=WHAT)
    parser.add_argument("--pops", type=int, nargs="+", default=POPS, help="Moses' pop limits")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--job", nargs="+", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.job:
        folder, job, *words = given.job
        JOBS[job](Path(folder), *words)
        return
    if given.moses is None or given.kenlm is None:
        print(json.dumps({"bench": "moses_turns", "skipped": "Moses and KenLM are not installed (--moses, --kenlm)"}))
        return
    figures: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as scratch:
        folder = given.work or Path(scratch)
        turns = Turns(given.data, folder, given.moses, given.kenlm, given.rounds)
        if not (folder / "hpb").exists():
            folder.mkdir(parents=True, exist_ok=True)
            # A process of its own: peak memory counts that of the process by which a program is started.
            turns.ours("prepare", str(given.data))
        turns.settle()
        works: dict[str, Callable[[], dict[str, Any]]] = {}
        if "extraction" in given.what:
            works["phrase extraction and scoring"] = turns.extraction
        if "lm" in given.what:
            works |= {f"language model, {size}": partial(turns.language_model, size) for size in MIB}
        for system in SYSTEMS:
            for settings in SEARCHES[system] if system in given.what else ():
                for pops in given.pops:
                    works[f"{settings}, Moses' pops {pops}"] = partial(turns.search, system, settings, pops)
            for settings in SEARCHES[system] if "lengths" in given.what else ():
                for length in WORDS:
                    works[f"{settings}, {length} words"] = partial(turns.long_sentences, system, settings, length)
        for name, work in works.items():
            figures[name] = work()
            print(f"{name}: {figures[name]}", flush=True)
    print(json.dumps({"bench": "moses_turns", "rounds": given.rounds, **figures}))


if __name__ == "__main__":
    main()
