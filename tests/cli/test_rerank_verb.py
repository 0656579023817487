"""The verb ``graphmt rerank``."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import programs
import pytest
import small_lists
from graphmt.cli import app, process

MEMORY, DEV, TEST = (small_lists.sentences(number, seed) for number, seed in ((150, 1), (40, 2), (40, 3)))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    small_lists.write(tmp_path, "train", MEMORY)
    small_lists.write(tmp_path, "dev", DEV, small_lists.lists(DEV, 4))
    small_lists.write(tmp_path, "test", TEST, small_lists.lists(TEST, 5))
    rows = "".join(f"{source}\t{target}\n" for source, target in MEMORY)
    (tmp_path / "memory.tsv").write_text(rows, "utf-8")
    return tmp_path


def graphmt(folder: Path, *arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
    command = [programs.graphmt(), *arguments]
    return subprocess.run(command, cwd=folder, input=given, capture_output=True, text=True, check=False)


TUNED = ("--dev", "dev.nbest", "dev.de", "--dev-target", "dev.en")


def test_tuned_saved_explained_and_drawn(folder: Path) -> None:
    memory = ("--memory", "train.de", "--memory-target", "train.en")
    more = ("--save", "r.json", "--out", "out.txt", "--explain", "why.txt", "--report", "why.html")
    done = graphmt(folder, "rerank", "test.nbest", "--source", "test.de", *memory, *TUNED, *more, "--features", "gc,lc")
    assert done.returncode == 0 and done.stdout == "", done.stderr
    assert (folder / "out.txt").read_text("utf-8") == (folder / "test.en").read_text("utf-8")
    assert "40 sentences, 40 of them with neighbours" in done.stderr
    why = (folder / "why.txt").read_text("utf-8")
    assert "memory, similarity" in why and f"1. {TEST[0][0]}" in why
    page = (folder / "why.html").read_text("utf-8")
    assert page.count("<svg") > 3 and "Candidate 2 of its list" in page
    again = graphmt(
        folder, "rerank", "-", "--source", "test.de", "--memory", "memory.tsv", "--weights", "r.json", "--n-best",
        given=(folder / "test.nbest").read_text("utf-8"),
    )  # fmt: skip
    assert again.returncode == 0, again.stderr
    rows = [line.split(" ||| ") for line in again.stdout.splitlines()]
    assert len(rows) == 120 and [row[1] for row in rows[::3]] == [target for _, target in TEST]
    assert "gc1= " in rows[0][2] and "length= " in rows[0][2]
    scores = [float(row[3]) for row in rows]
    assert all(scores[k] >= scores[k + 1] for k in range(0, 120, 3))


def test_json_lines_in_json_lines_out(folder: Path) -> None:
    given = [
        {"sentence": 0, "text": text, "score": values["score"]} for text, values in small_lists.lists(TEST[:1], 5)[0]
    ]
    (folder / "one.de").write_text(TEST[0][0] + "\n", "utf-8")
    lists = "".join(json.dumps(row) + "\n" for row in given)
    arguments = ("rerank", "-", "-s", "one.de", "-m", "memory.tsv", "--n-best")
    done = graphmt(folder, *arguments, given=lists)
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["rank"] for row in rows] == [0, 1, 2] and rows[0]["text"] == TEST[0][1]


GIVEN = ("--source", "test.de", "--memory", "memory.tsv")


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ((), 2, "needs the source sentences"),
        (("--source", "test.de", "--dev", "dev.nbest", "dev.de"), 2, "the reference (--dev-target)"),
        (("--source", "test.de", "--weights", "r.json", *TUNED), 2, "--weights and --dev exclude"),
        (("--source", "dev.en", "--memory", "test.nbest"), 1, "source and target, separated by one tab"),
        (("--source", "test.de", "--memory", "memory.tsv", "--score", "LogProb"), 2, "no column 'LogProb'"),
        ((*GIVEN, "--threshold", "0.1"), 2, "threshold must be at least 0.19"),
        ((*GIVEN, "--sharpness", "nan"), 2, "sharpness must be a finite number"),
        (("--source", "test.de", "--save", "r.json"), 2, "--save writes the tuned re-ranker"),
        (
            ("--source", "test.de", "--memory-target", "train.en"),
            2,
            "--memory-target, --languages, --columns and --header apply to",
        ),
        (
            ("--source", "test.de", "--memory", "memory.tsv", "--memory-target", "train.en"),
            1,
            "this file contains pairs",
        ),
        (("--source", "-", "--memory", "-"), 2, "standard input (-) is given for several files"),
        (("--method", "mbr-bleu", "--report", "why.html"), 2, "uses no neighbours"),
        ((*GIVEN, "--features", "lc", "--explain", "why.txt"), 2, "uses no neighbours"),
        ((*GIVEN, "--explain", "./out.txt"), 2, "two outputs have the same name"),
        ((*GIVEN, *TUNED, "--report", "test.de/why.html"), 1, "test.de/why.html: a part of this path is not a folder"),
        (("--memory", "memory.tsv", *TUNED, "--source", "none.de"), 1, "none.de: no such file"),
        ((*GIVEN, *TUNED, "--save", "."), 1, "this is a folder"),
        (
            (*GIVEN, "--dev", "other.nbest", "dev.de", *TUNED[3:]),
            1,
            "other.nbest: lists with the columns score, f; those",
        ),
    ],
)
def test_mistakes_are_told_and_leave_nothing(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: tuple[str, ...],
    code: int,
    said: str,
) -> None:
    other = (folder / "dev.nbest").read_text("utf-8").replace("length=", "f=")
    (folder / "other.nbest").write_text(other, "utf-8")
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "argv", ["graphmt", "rerank", "test.nbest", "--out", "out.txt", *arguments])
    with pytest.raises(SystemExit) as ended:
        process.run(app, in_a_program=True)
    told = capsys.readouterr().err
    assert ended.value.code == code and said in told and "Traceback" not in told, told
    assert not (folder / "out.txt").exists() and "dev BLEU" not in told


def test_mbr_needs_neither_source_nor_memory(folder: Path) -> None:
    done = graphmt(folder, "rerank", "test.nbest", "--method", "mbr-chrf", "--scale", "0")
    assert done.returncode == 0, done.stderr
    assert done.stdout == (folder / "test.en").read_text("utf-8")


def test_its_own_lists_are_re_ranked_anew(folder: Path) -> None:
    first = graphmt(folder, "rerank", "test.nbest", *GIVEN, "--n-best", "--out", "again.nbest")
    assert first.returncode == 0, first.stderr
    again = graphmt(folder, "rerank", "again.nbest", *GIVEN, "--n-best")
    assert again.returncode == 0 and "the columns gc1, gc2" in again.stderr, again.stderr
    assert all(line.count("gc1= ") == 1 for line in again.stdout.splitlines())
    dev = ("rerank", "dev.nbest", "--source", "dev.de", "--memory", "memory.tsv", "--n-best", "--out", "again.dev")
    assert graphmt(folder, *dev).returncode == 0
    tuned = graphmt(folder, "rerank", "again.nbest", *GIVEN, "--dev", "again.dev", *TUNED[2:])
    assert tuned.returncode == 0 and tuned.stdout == (folder / "test.en").read_text("utf-8"), tuned.stderr


def test_weights_with_other_options_are_refused(folder: Path) -> None:
    tuned = graphmt(folder, "rerank", "test.nbest", *GIVEN, *TUNED, "--features", "gc", "--save", "r.json")
    assert tuned.returncode == 0, tuned.stderr
    again = ("rerank", "test.nbest", *GIVEN, "--weights", "r.json")
    assert graphmt(folder, *again, "--threads", "1", "--features", "gc").stdout == tuned.stdout
    refused = graphmt(folder, *again, "--features", "gc+lc", "--lowercase")
    assert refused.returncode == 2 and "r.json: the re-ranker was tuned with another --features, --lowercase" in (
        refused.stderr
    )


def test_pipes_in_and_links_out(folder: Path) -> None:
    """More than what a reader takes at once, through pipes; the output is a link, and stays one."""
    (folder / "link.txt").symlink_to("real.txt")
    rows = (folder / "memory.tsv").read_text("utf-8") * 20
    (folder / "memory.tsv").write_text(rows, "utf-8")
    plain = graphmt(folder, "rerank", "test.nbest", *GIVEN)
    command = f"{programs.installed()} rerank <(cat test.nbest) -s test.de -m <(gzip -c memory.tsv) -o link.txt"
    done = subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (folder / "link.txt").is_symlink() and (folder / "real.txt").read_text("utf-8") == plain.stdout


def test_columns_of_a_memory_and_no_memory(folder: Path) -> None:
    rows = "".join(f"{number}\t{source}\t{target}\n" for number, (source, target) in enumerate(MEMORY))
    (folder / "wide.tsv").write_text(rows, "utf-8")
    named = ("--source", "test.de", "--memory", "wide.tsv", "--columns", "2,3")
    assert (
        graphmt(folder, "rerank", "test.nbest", *named).stdout == graphmt(folder, "rerank", "test.nbest", *GIVEN).stdout
    )
    alone = graphmt(folder, "rerank", "test.nbest", "--source", "test.de")
    assert alone.returncode == 0 and "No --memory given" in alone.stderr


def test_formats_in_and_out(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("a\t-1\nb\t-2\n", "utf-8")
    (tmp_path / "generate.out").write_text("S-0\tx\nH-0\t-1\ta\nH-0\t-2\tb\n", "utf-8")
    (tmp_path / "list.json").write_text('[["a", -1], ["b", -2]]', "utf-8")
    method = ("--method", "none", "--n-best", "--out-format", "tsv")
    rows = "id\ttext\tscore\n0\ta\t-1\n0\tb\t-2\n"
    for given in (["plain", "--list-size", "2"], ["generate.out"], ["list.json", "--format", "json"]):
        done = graphmt(tmp_path, "rerank", *given, *method)
        assert (done.returncode, done.stdout) == (0, rows), done.stderr
    for given, said in (
        (["plain"], "plain:1: no known format of n-best lists: 'a\\t-1'. The nearest is plain"),
        (["plain", "--format", "mosse"], "unknown format of n-best lists 'mosse' (did you mean 'moses'?)"),
        (["plain", "--list-size", "2", "--out-format", "tsv"], "--out-format applies to --n-best"),
    ):
        done = graphmt(tmp_path, "rerank", *given, "--method", "none")
        assert done.returncode != 0 and said in done.stderr and "Traceback" not in done.stderr
