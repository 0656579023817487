"""The eflomal package in a separate process: ``eflomal_worker.py REQUEST.json``."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from graphmt.processes import follow_parent_of_program


def main(request: dict[str, Any]) -> None:
    """Align the two files of word numbers; the package writes links of both directions as source-target."""
    from eflomal import Aligner

    aligner = Aligner(n_samplers=request["samplers"], rel_iterations=request["length"])
    with (
        Path(request["source"]).open(encoding="utf-8") as source,
        Path(request["target"]).open(encoding="utf-8") as target,
    ):
        aligner.align(
            source,
            target,
            links_filename_fwd=request["forward"],
            links_filename_rev=request["reverse"],
        )
    # The package does not check its program's exit code.
    if not (Path(request["forward"]).exists() and Path(request["reverse"]).exists()):
        sys.exit("the eflomal program wrote no links")
    print(1000, flush=True)


if __name__ == "__main__":
    # The package runs an external program, which is in the same process group.
    follow_parent_of_program(is_busy=False)
    main(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))
