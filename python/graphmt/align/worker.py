"""One direction of one text, in a separate process: ``worker.py REQUEST.json``.

Writes, for every word of the choosing side, the position of the word of the given side it is linked to,
or -1, as 32-bit numbers. Prints its progress in thousandths to standard output. Imports little, for small texts.
"""

from __future__ import annotations

import array
import json
import sys
from pathlib import Path
from typing import Any

from graphmt.processes import follow_parent_of_program


def main(request: dict[str, Any]) -> None:
    """Train the stages one after the other and write the choices of the last."""
    stages = request["stages"]
    total = sum(stage["iterations"] for stage in stages)
    done = 0
    model: Any = None
    for stage in stages:
        last = stage is stages[-1]
        model = _start(stage, model, request, last)
        for _ in range(stage["iterations"]):
            model.train()
            done += 1
            print(999 * done // total, flush=True)
        model.end_training()
    choices = _choices(model, by_search=stages[-1]["model"] == "ibm2")
    with Path(request["out"]).open("wb") as stream:
        choices.tofile(stream)
    print(1000, flush=True)


def _start(stage: dict[str, Any], before: Any, request: dict[str, Any], last: bool) -> Any:
    from thot import alignment as thot

    classes = {
        "ibm1": thot.Ibm1AlignmentModel,
        "ibm2": thot.Ibm2AlignmentModel,
        "hmm": thot.HmmAlignmentModel,
        "ibm3": thot.Ibm3AlignmentModel,
        "ibm4": thot.Ibm4AlignmentModel,
        "fast-align": thot.FastAlignModel,
        "thot-eflomal": thot.EflomalAlignmentModel,
    }
    make: Any = classes[stage["model"]]
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


def _choices(model: Any, *, by_search: bool) -> array.array[int]:
    pairs = range(model.num_sentence_pairs)
    # thot counts from 1 and has 0 for NULL.
    choices = array.array("i")
    if by_search:
        for start in range(0, len(pairs), 1000):
            for links in _searched(model, pairs[start : start + 1000]):
                choices.extend(link - 1 for link in links)
    else:
        for number in pairs:
            choices.extend(link - 1 for link in model.get_training_alignment(number)[1].to_list())
    return choices


def _searched(model: Any, numbers: range) -> list[list[int]]:
    pairs = [model.get_sentence_pair(n) for n in numbers]
    found = model.get_best_alignments([pair[0] for pair in pairs], [pair[1] for pair in pairs])
    return [matrix.to_list() for _, matrix in found]


if __name__ == "__main__":
    follow_parent_of_program(is_busy=True)
    main(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))
