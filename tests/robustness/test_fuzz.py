"""The fuzzing harness of ``fuzz/``: it notices every kind of failure, and a short run of all readers finds none."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("resource", reason="the harness forks and limits memory, which needs Unix")

from graphmt._core import checksum
from graphmt.errors import InputError, InternalError
from hypothesis import given
from hypothesis import strategies as st

from fuzz.containers import LanguageModelFile, Sections
from fuzz.minimise import minimised
from fuzz.mutate import BINARY, TEXT, Mutation
from fuzz.outcome import make_input
from fuzz.readers import READERS, Reader
from fuzz.readers.base import SEEDS, plain
from fuzz.run import Run, isolated

ROOT = Path(__file__).parent.parent.parent
#: Inputs of the short run, the same ones each time where a change is decided on.
INPUTS = int(os.environ.get("GRAPHMT_FUZZ_INPUTS", "20"))


def fuzz(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "fuzz", *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, text=True, capture_output=True)


def test_a_short_run_of_every_reader_finds_nothing(tmp_path: Path) -> None:
    done = fuzz("--inputs", INPUTS, "--found", tmp_path)
    texts = "\n".join(
        f"== {path.relative_to(tmp_path)}\n{path.read_text()}" for path in sorted(tmp_path.glob("*/*.txt"))
    )
    assert done.returncode == 0, done.stdout + done.stderr + texts


def test_seeds_are_accepted_and_old_failures_stay_mended() -> None:
    done = fuzz("--regressions")
    assert done.returncode == 0, done.stdout + done.stderr


def test_seeds_are_small_and_belong_to_a_reader() -> None:
    assert {path.name for path in SEEDS.iterdir()} == set(READERS)
    assert sum(path.stat().st_size for path in SEEDS.rglob("*") if path.is_file()) < 200_000


def _checksum(data: bytes) -> int:
    """Four lanes over the words of the data, joined at the end: `rust/src/store/hashing.rs` once more."""
    mask, one, two = (1 << 64) - 1, 0x9E37_79B9_7F4A_7C15, 0xD6E8_FEB8_6659_FD93

    def mixed(state: int, value: int, factor: int, left: int) -> int:
        state = (state ^ value) * factor & mask
        return (state << left | state >> 64 - left) & mask

    lanes = [one, two, 0xA076_1D64_78BD_642F, len(data)]
    for at in range(0, len(data), 8):
        lane = at // 8 % 4
        lanes[lane] = mixed(lanes[lane], int.from_bytes(data[at : at + 8], "little"), one, 29)
    total = 0
    for lane in lanes:
        total = mixed(total, lane, two, 31)
    return total


@given(st.binary(max_size=200))
def test_the_checksum_is_the_documented_one(data: bytes) -> None:
    assert checksum(data) == _checksum(data)


def test_containers_are_put_together_as_the_core_writes_them() -> None:
    """Otherwise checksums would refuse every damaged file, and nothing behind them would be tested."""
    names = [name for name, reader in READERS.items() if isinstance(reader.damage, Sections)]
    assert len(names) == 15
    for name in names:
        seeds = READERS[name].seeds()
        assert seeds
        for whole in seeds:
            assert Sections().join(whole, Sections().split(whole)) == whole
    (whole,) = READERS["lm"].seeds()
    assert LanguageModelFile().join(*LanguageModelFile().split(whole)) == whole


@pytest.mark.parametrize("mutators", [BINARY, TEXT], ids=["binary", "text"])
def test_every_mutator_changes_something(mutators) -> None:
    seed = b"\\data\\\nngram 1=12\n-1.5\tthe house\t-0.25\n"
    for mutator in mutators:
        made = set()
        for number in range(30):
            data = bytearray(seed)
            mutator(random.Random(number), data)
            made.add(bytes(data))
        assert len(made - {seed}) > 3, mutator.__name__
    mutation = Mutation(mutators, (b"token",))
    assert mutation(random.Random(1), seed) == mutation(random.Random(1), seed)
    assert any(b"token" in mutation(random.Random(number), seed) for number in range(50))


def _reads(path: Path) -> None:
    """A reader with every defect there is, each behind a byte."""
    data = path.read_bytes()
    if b"\x01" in data:
        raise ValueError("a stray exception")
    if b"\x02" in data:
        raise InternalError("a defect in the core.")
    if b"\x03" in data:
        os.kill(os.getpid(), 9)
    if b"\x04" in data:
        while True:
            time.sleep(0.05)
    if b"\x05" in data:
        bytearray(400 << 20)
    if b"\x06" in data:
        raise InputError("not my format.", file=path)


def _append(chance: random.Random, data: bytearray) -> None:
    data.append(chance.choice(b"\x01\x02\x03\x05\x06x"))


STAND_IN = Reader("text", "in.txt", plain(_reads), Mutation([_append]))


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"x", "ok"),
        (b"\x06", "refused"),
        (b"\x01", "exception"),
        (b"\x02", "internal"),
        (b"\x03", "crash"),
        (b"\x04", "hang"),
        (b"\x05", "memory"),
    ],
)
def test_every_kind_of_failure_is_noticed(data: bytes, kind: str) -> None:
    assert isolated(STAND_IN, data, seconds=0.1 if kind == "hang" else 30).kind == kind


def test_a_run_goes_on_after_every_failure_and_counts_each_input_once(tmp_path: Path) -> None:
    run = Run([STAND_IN], inputs=20, seed=3, jobs=1, found=tmp_path, resume=True)
    assert not run()
    made = [make_input(STAND_IN, STAND_IN.seeds(), 3, number) for number in range(20)]
    bad = [data for data in made if set(data) & set(b"\x01\x02\x03\x05")]
    counts = run.progress["text"]
    assert (counts.next, counts.failed) == (20, len(bad))
    assert counts.ok + counts.refused + counts.failed == 20
    kept = [path for path in (tmp_path / "text").iterdir() if path.suffix != ".txt"]
    assert {path.name.split("-")[0] for path in kept} == {"exception", "internal", "crash", "memory"}
    assert all(path.read_bytes() in bad for path in kept)
    again = Run([STAND_IN], inputs=20, seed=3, jobs=1, found=tmp_path, resume=True)
    assert again.progress["text"].next == 20 and not again()


def test_the_minimiser_keeps_what_makes_it_fail() -> None:
    assert minimised(b"some words with a \x03 inside", lambda data: b"\x03" in data) == b"\x03"
