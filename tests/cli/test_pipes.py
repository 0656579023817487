"""``graphmt translate`` in a pipe: every line is answered before the next one is written."""

from __future__ import annotations

import gzip
import io
import os
import subprocess
from pathlib import Path

import programs
import pytest
from graphmt.cli.pipes import ArrivingLines
from small_models import Trained


def test_each_line_is_answered_before_the_next(demo: Trained) -> None:
    lines = demo.texts()[:3]
    expected = [best.text for best in demo.load("pbmt").translate(lines)]
    command = [programs.graphmt(), "translate", str(demo.models["pbmt"])]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8") as started:
        assert started.stdin is not None
        assert started.stdout is not None
        for line, translation in zip(lines, expected, strict=True):
            started.stdin.write(f"{line}\n")
            started.stdin.flush()
            # The next line is written only after this answer.
            assert started.stdout.readline() == f"{translation}\n"
        started.stdin.close()
        assert started.wait() == 0


@pytest.mark.parametrize("zipped", [False, True])
@pytest.mark.parametrize("trees", [False, True])
def test_other_formats_in_a_pipe(demo: Trained, zipped: bool, trees: bool) -> None:
    data = demo.test.read_bytes() if trees else "".join(f"{line}\n" for line in demo.texts()).encode()
    given = gzip.compress(data) if zipped else data
    done = subprocess.run([programs.graphmt(), "translate", str(demo.models["pbmt"])], input=given, capture_output=True)
    sentences = demo.trees() if trees else demo.texts()
    expected = "".join(f"{best.text}\n" for best in demo.load("pbmt").translate(sentences))
    assert (done.returncode, done.stderr, done.stdout.decode()) == (0, b"", expected)


def test_damaged_input_is_named_as_standard_input(demo: Trained) -> None:
    for given, message in (
        (b"1\ta\t_\t_\t_\t_\t9\troot\t_\t_\n\n", "standard input:1"),
        (b"gut\n\xff\n", "standard input:2: not UTF-8"),
        (b"<?xml version='1.0'?><a/>\n", "standard input"),
    ):
        done = subprocess.run(
            [programs.graphmt(), "translate", str(demo.models["pbmt"])], input=given, capture_output=True
        )
        assert done.returncode != 0
        assert message in done.stderr.decode()


def test_markup_in_a_pipe_is_text_if_it_is_said_to_be(demo: Trained) -> None:
    given = b"menu.open=gut\nmenu.save=gut\nmenu.quit=gut\n"
    command = [programs.graphmt(), "translate", str(demo.models["pbmt"])]
    refused = subprocess.run(command, input=given, capture_output=True)
    assert refused.returncode != 0 and b"standard input: this is a file of Java properties" in refused.stderr
    done = subprocess.run([*command, "--format", "text"], input=given, capture_output=True)
    assert (done.returncode, done.stderr, done.stdout.count(b"\n")) == (0, b"", 3)


def chunks_of(blocks: list[bytes], size: int) -> list[list[str]]:
    class Blocks(io.RawIOBase):
        def readable(self) -> bool:
            return True

        def readinto(self, buffer) -> int:  # type: ignore[no-untyped-def]
            block = blocks.pop(0) if blocks else b""
            buffer[: len(block)] = block
            return len(block)

    return list(ArrivingLines(io.BufferedReader(Blocks())).chunks(size))


def test_chunks_are_what_has_arrived() -> None:
    assert chunks_of([b"a\n", b"b\nc\nd", b"d\r\n", b"\n", b"e"], 9) == [["a"], ["b", "c"], ["dd"], [""], ["e"]]
    assert chunks_of([b"a\nb\nc\n"], 2) == [["a", "b"], ["c"]]
    assert chunks_of([], 2) == []
    assert chunks_of([b"\n\n"], 9) == [["", ""]]


def test_a_file_as_standard_input_is_read_as_a_file(demo: Trained, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("".join(f"{line}\n" for line in demo.texts()), "utf-8")
    with (tmp_path / "text").open("rb") as stream:
        done = subprocess.run(
            [programs.graphmt(), "translate", str(demo.models["pbmt"])],
            stdin=stream,
            capture_output=True,
            env=os.environ,
        )
    expected = "".join(f"{best.text}\n" for best in demo.load("pbmt").translate(demo.texts()))
    assert done.stdout.decode() == expected
