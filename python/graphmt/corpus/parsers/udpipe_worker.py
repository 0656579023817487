"""Trains a part of a UDPipe model in a process of its own: ``udpipe_worker.py REQUEST``.

UDPipe holds the GIL while it trains, so that the parent could be neither interrupted nor show progress. It reports its
progress to standard error. Imports little, for small treebanks.
"""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from typing import Any

from graphmt.processes import follow_parent_of_program

#: The method of training, the only one of UDPipe 1.
_METHOD = "morphodita_parsito"


def main(request: dict[str, Any]) -> None:
    """Train on the files of the request and write the model."""
    package: Any = importlib.import_module("ufal.udpipe")
    error = package.ProcessingError()
    treebank, dev = (_sentences(package, files) for files in (request["treebank"], request["dev"]))
    parts = (request[name] for name in ("tokeniser", "tagger", "parser"))
    model = package.Trainer.train(_METHOD, treebank, dev, *parts, error)
    if error.occurred():
        sys.exit(error.message)
    Path(request["out"]).write_bytes(model)


def _sentences(package: Any, files: list[str]) -> Any:
    found = package.Sentences()
    error = package.ProcessingError()
    for file in files:
        reader = package.InputFormat.newConlluInputFormat()
        reader.setText(Path(file).read_text("utf-8"))
        sentence = package.Sentence()
        while reader.nextSentence(sentence, error):
            found.append(sentence)
            sentence = package.Sentence()
        if error.occurred():
            sys.exit(f"{file}: {error.message}")
    return found


if __name__ == "__main__":
    follow_parent_of_program(is_busy=True)
    main(json.loads(Path(sys.argv[1]).read_text("utf-8")))
