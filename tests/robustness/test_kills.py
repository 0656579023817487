"""``kill -9`` at random moments: outputs are whole or absent, and the same command then ends as an undisturbed one.

A few kills in the ordinary test run; ``make test-kills`` (or GRAPHMT_KILLS=100) makes many more.
"""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path

import pytest
from forked import ForkServer

from robustness.commands import Calm, Command, copied, litter, params, short_params

KILLS = int(os.environ.get("GRAPHMT_KILLS", "1"))
SEED = 0 if os.environ.get("CI") else random.SystemRandom().randrange(1 << 20)


@pytest.mark.parametrize(
    "command",
    [*params(), *short_params()],
    ids=lambda one: one.name,
)
def test_killed_at_any_moment(command: Command, prepared: Path, server: ForkServer, calm: Calm, tmp_path: Path) -> None:
    before = command.made(prepared)
    expected, seconds = calm(command)
    chance = random.Random(f"{command.name} {SEED}")
    for number in range(KILLS):
        moment = chance.uniform(0.0, seconds)
        folder = copied(prepared, tmp_path / f"kill-{number}")
        killed = server.run(command.split(), folder, kill_after=moment)
        where = f"seed {SEED}, kill {number} after {moment:.3f} s of {seconds:.3f}: exit code {killed.code}"
        if command.made(folder) != expected:
            _check(command, folder, before, expected, where)
            again = server.run(command.split(), folder)
            assert again.code == 0, f"{where}\n{again.stderr}"
            made = command.made(folder)
            assert made.keys() == expected.keys(), where
            assert [name for name in made if made[name] != expected[name]] == [], where
            assert litter(folder) == [], where
        shutil.rmtree(folder)


def _check(command: Command, folder: Path, before: dict[str, bytes], expected: dict[str, bytes], where: str) -> None:
    """Every output is as it was, as it will be, or absent."""
    for name, content in command.made(folder).items():
        assert content in (before.get(name), expected.get(name)), f"{name} is neither old nor new: {where}"
