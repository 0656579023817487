"""One direction of one text, in a separate process: ``worker.py REQUEST.json``.

The request asks for a model to be trained (``stages``), and either saved (``save``) or used to align the text that it
was trained on (``out``); or for a saved model to align a text (``model``, ``out``).

Links are written as 32-bit numbers: for every word of the choosing side, the position of the word of the given side it
is linked to, or -1. Progress is printed to standard output in thousandths. Imports little, for small texts.
"""

from __future__ import annotations

import array
import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from graphmt.processes import follow_parent_of_program

#: Pairs that thot aligns in one call.
BLOCK = 1000

#: Ends of the names of files with the training text and its links.
_TEXTS = ("src", "trg", "srctrgc", "aligns")


def main(request: dict[str, Any]) -> None:
    """Do what the request asks for."""
    if "model" in request:
        _write(request, searched_text(request))
        return
    stages = request["stages"]
    total = sum(stage["iterations"] for stage in stages)
    done = 0
    model: Any = None
    for stage in stages:
        last = stage is stages[-1] and "out" in request
        model = _start(stage, model, request, last)
        for _ in range(stage["iterations"]):
            model.train()
            done += 1
            print(999 * done // total, flush=True)
        model.end_training()
    if "save" in request:
        save(model, request["save"])
        print(1000, flush=True)
    else:
        _write(request, _choices(model, by_search=stages[-1]["model"] == "ibm2"))


def _write(request: dict[str, Any], choices: array.array[int]) -> None:
    with Path(request["out"]).open("wb") as stream:
        choices.tofile(stream)
    print(1000, flush=True)


def _start(stage: dict[str, Any], before: Any, request: dict[str, Any], last: bool) -> Any:
    make = _class(stage["model"])
    model = make(before) if before is not None else make()
    settings = dict(stage["settings"])
    if "iterations" in settings:
        model.set_iterations(*settings.pop("iterations"))
    for name, value in settings.items():
        setattr(model, name, value)
    if before is None:
        model.read_sentence_pairs(request["given"], request["choosing"])
    # sil-thot 3.5.3 crashes in get_training_alignment of IBM model 2; searching gives the same links.
    model.emit_training_alignments = last and stage["model"] != "ibm2"
    model.start_training()
    return model


def _class(name: str) -> Any:
    from thot import alignment as thot

    return {
        "ibm1": thot.Ibm1AlignmentModel,
        "ibm2": thot.Ibm2AlignmentModel,
        "hmm": thot.HmmAlignmentModel,
        "ibm3": thot.Ibm3AlignmentModel,
        "ibm4": thot.Ibm4AlignmentModel,
        "fast-align": thot.FastAlignModel,
        "thot-eflomal": thot.EflomalAlignmentModel,
    }[name]


def save(model: Any, prefix: str) -> None:
    """Write a trained model as files that begin with a prefix, without the text it was trained on."""
    if not model.print(prefix):
        sys.exit(f"the model cannot be written to {prefix}")
    for end in _TEXTS:
        # thot does not open a model without these files, but they may be empty.
        Path(f"{prefix}.{end}").write_bytes(b"")


def opened(name: str, prefix: str) -> Any:
    """A saved model."""
    model = _class(name)()
    # thot says what it does on standard error.
    if not model.load(prefix):
        sys.exit(f"the model {prefix} cannot be read")
    return model


def searched(model: Any, given: list[str], choosing: list[str]) -> array.array[int]:
    """The choices of a model for lines of words, none of them empty."""
    choices = array.array("i")
    for start in range(0, len(given), BLOCK):
        sides = ([line.split() for line in side[start : start + BLOCK]] for side in (given, choosing))
        _extend(choices, model.get_best_alignments(*sides))
    return choices


def searched_text(request: dict[str, Any]) -> array.array[int]:
    """The choices of a saved model for two files."""
    model = opened(request["name"], request["model"])
    given, choosing = (Path(request[side]).read_text("ascii").splitlines() for side in ("given", "choosing"))
    choices = array.array("i")
    for start in range(0, len(given), BLOCK):
        choices += searched(model, given[start : start + BLOCK], choosing[start : start + BLOCK])
        print(999 * start // len(given), flush=True)
    return choices


def _choices(model: Any, *, by_search: bool) -> array.array[int]:
    pairs = range(model.num_sentence_pairs)
    choices = array.array("i")
    if by_search:
        for start in range(0, len(pairs), BLOCK):
            block = [model.get_sentence_pair(number) for number in pairs[start : start + BLOCK]]
            _extend(choices, model.get_best_alignments([pair[0] for pair in block], [pair[1] for pair in block]))
    else:
        _extend(choices, map(model.get_training_alignment, pairs))
    return choices


def _extend(choices: array.array[int], found: Iterable[tuple[float, Any]]) -> None:
    # thot counts from 1 and has 0 for NULL.
    for _, matrix in found:
        choices.extend(link - 1 for link in matrix.to_list())


if __name__ == "__main__":
    follow_parent_of_program(is_busy=True)
    main(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))
