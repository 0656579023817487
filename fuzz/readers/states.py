"""What runs of graphmt keep for later runs: re-rankers, consensus, records of steps, states of tuning."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from graphmt.align.step import Outputs, _is_done
from graphmt.consensus import ConsensusDecoder, rerank
from graphmt.consensus.reranker import Reranker
from graphmt.errors import InputError
from graphmt.model import Model
from graphmt.storage.files import digest
from graphmt.storage.resume import Steps
from graphmt.storage.sealed import DIGEST, sealed, unsealed
from graphmt.tune import NBest, TuneOptions, TuneResult, optimise
from graphmt.tune.state import RECORD, RESULT, State

from fuzz import tokens
from fuzz.containers import Gzip, Sealed, Zip
from fuzz.mutate import TEXT, Mutation
from fuzz.readers.base import Read, Reader, plain, seed
from fuzz.readers.models import model_folder, short_sentence

#: A task of tuning that is done at once: what was asked for, its references, and its options.
REQUEST = {"tune": {"tuner": "mira", "seed": 1}, "data": "demo"}
REFERENCES = [[["the", "house"]], [["a", "small", "dog"]]]
TUNING = TuneOptions(epochs=2, threads=1)
#: The hypotheses of its first iteration.
LISTS = "lists-001.npz"


class TwoLists:
    """Two lists of hypotheses, the same for all weights."""

    features: Mapping[str, float] = {"lm": 0.5, "word_penalty": -1.0}

    def decode(self, weights: Mapping[str, float]) -> NBest:
        """The lists."""
        first = [(["the", "house"], {"lm": -1.0, "word_penalty": 2.0}), (["the"], {"lm": -2.0, "word_penalty": 1.0})]
        second = [(["small", "dog"], {"lm": -1.5, "word_penalty": 2.0})]
        return NBest.from_lists([first, second], list(self.features))


class StateOnly(TwoLists):
    """Refuses to decode: for tuning that ends with its state, or would start again because it was refused."""

    def decode(self, weights: Mapping[str, float]) -> NBest:
        """Not needed for what is in the state."""
        raise _refused()


def tuned(folder: Path, iterations: int = 2) -> TuneResult:
    """Tune with a state in a folder, going on from what is there."""
    return optimise(TwoLists(), REFERENCES, TUNING.replace(iterations=iterations), state=State(folder, REQUEST))


def _tuning(file: str) -> Callable[[Path], Read]:
    def prepare(folder: Path) -> Read:
        reading_only = TUNING.replace(iterations=1)
        record = unsealed(json.loads(seed("tune-state").read_text("utf-8")))

        def read(path: Path) -> None:
            state = folder / "state"
            shutil.rmtree(state, ignore_errors=True)
            state.mkdir()
            shutil.copyfile(path if file == LISTS else seed("tune-lists"), state / LISTS)
            if file == LISTS:
                (state / RECORD).write_text(json.dumps(sealed({**record, "lists": [digest(path)]})), "utf-8")
            else:
                shutil.copyfile(path, state / RECORD)
            if path.stat().st_size % 8 == 0:
                tuned(state)
            else:
                # A further iteration takes three times as long as reading the state.
                optimise(StateOnly(), REFERENCES, reading_only, state=State(state, REQUEST))

        return read

    return prepare


def _result(path: Path) -> None:
    """What a tuning that was stopped at its very end has found."""
    path.replace(path.parent / RESULT)
    if State(path.parent, REQUEST).result(own=True) is None:
        raise _refused()


def _refused() -> InputError:
    """Where a record that is refused means that work starts again."""
    return InputError("the work starts again: its record was refused.")


def _reranker(path: Path) -> None:
    opened = Reranker.load(path, threads=1)
    values = dict.fromkeys(opened.features, -1.0)
    rerank(["ein Haus"], [[("a house", values), ("the house", values)]], None, [("ein Haus", "a house")], opened)


def _consensus(file: str) -> Callable[[Path], Read]:
    def prepare(folder: Path) -> Read:
        model, tree = Model(model_folder(folder, "btg")), short_sentence()
        place = folder / "consensus"
        place.mkdir()
        shutil.copyfile(seed("consensus"), place / "consensus.json")
        shutil.copyfile(seed("span-memory"), place / "spans.tsv.gz")
        content = unsealed(json.loads(seed("consensus").read_text("utf-8")))

        def read(path: Path) -> None:
            shutil.copyfile(path, place / file)
            if file == "spans.tsv.gz":
                fitting = {**content, "spans": digest(path)}
                (place / "consensus.json").write_text(json.dumps(sealed(fitting)), "utf-8")
            ConsensusDecoder.load(model, place, threads=1).translate([tree])

        return read

    return prepare


def _align_record(folder: Path) -> Read:
    (folder / "in").write_text("0-0\n", "utf-8")

    def read(path: Path) -> None:
        if not _is_done(Outputs(path.with_suffix("")), {"pairs": 4, "lexical": None}):
            raise _refused()

    return read


def _step(path: Path) -> None:
    def work() -> dict[str, Any]:
        raise _refused()

    Steps(path.parent).run(path.stem, {"options": {"order": 3}}, [], work)


READERS = (
    Reader("reranker", "in.json", plain(_reranker), Mutation(TEXT, tokens.RERANKER)),
    Reader("consensus", "in.json", _consensus("consensus.json"), Sealed(sealed, DIGEST)),
    Reader("span-memory", "in.tsv.gz", _consensus("spans.tsv.gz"), Gzip(tokens.SPANS)),
    Reader("align-record", "in.json", _align_record, Mutation(TEXT, tokens.JSON)),
    Reader("steps-record", "in.json", plain(_step), Sealed(sealed, DIGEST)),
    Reader("tune-state", "in.json", _tuning(RECORD), Sealed(sealed, DIGEST)),
    Reader("tune-result", "in.json", plain(_result), Sealed(sealed, DIGEST)),
    Reader("tune-lists", "in.npz", _tuning(LISTS), Zip()),
)
