"""Extreme inputs, as ``bench/extremes.py`` measures them, on small models: each gives a translation or a sentence."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from graphmt.corpus import Tree
from graphmt.errors import GraphmtError, InternalError
from graphmt.model import Model
from graphmt.systems import SYSTEMS

from fuzz.readers.models import model_folder

BENCH = Path(__file__).parents[2] / "bench" / "extremes.py"

INPUTS = {
    "empty": [],
    "one word": ["das"],
    "300 words": ["der", "unbekannt", "."] * 100,
    "a long word": ["ä" * 50_000],
    "right to left": ["שלום", "\u202eabc\u202c", "مرحبا"],
    "NUL and separators": ["a\0b", "c\u2028d", "\u0085", "\ufeff"],
}


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_system_gives_a_translation_or_a_sentence(name: str, tmp_path: Path) -> None:
    model = Model(model_folder(tmp_path, name))
    for what, words in INPUTS.items():
        # No tree is empty, but a line of text is.
        chain = tuple(range(-1, len(words) - 1))
        sentence = Tree(tuple(words), chain, upos=("NOUN",) * len(words)) if words else ""
        try:
            made = model.translate([sentence], threads=1)[0]
        except InternalError:
            raise
        except GraphmtError as error:
            assert str(error), what
        else:
            assert "\n" not in made.text and bool(made.tokens) == bool(words), what
            made.text.encode("utf-8")


@pytest.mark.long
def test_the_measurement_runs(tmp_path: Path) -> None:
    command = [sys.executable, str(BENCH), "--longest", "10", "--pairs", "30", "--plot", str(tmp_path / "plot.svg")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1].startswith('{"bench": "extremes"')
    assert "died" not in done.stdout and "InternalError" not in done.stdout
    assert (tmp_path / "plot.svg").read_text("utf-8").startswith("<svg")
