"""``python -m fuzz``: fuzz readers, or read files as they are."""

from __future__ import annotations

import argparse
import json
import logging
import os
import random
import sys
from pathlib import Path

from fuzz.readers import READERS
from fuzz.run import FOUND, PROGRESS, Run, check_files, minimise_found
from fuzz.worker import SECONDS


def main() -> int:
    """Parse the arguments and run; 1 if something failed."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("readers", nargs="*", metavar="READER", help=f"all of: {', '.join(READERS)}")
    parser.add_argument("--inputs", type=int, default=1000, help="inputs for each reader")
    parser.add_argument("--seed", type=int, help="of the run; by default another each time, 0 where CI is set")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="readers at a time")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="limit for an input")
    parser.add_argument("--found", type=Path, default=FOUND, help="where inputs that fail are kept")
    parser.add_argument("--resume", action="store_true", help="count on from the last run with this option")
    parser.add_argument("--regressions", action="store_true", help="read seeds and inputs that once failed, no others")
    parser.add_argument("--file", type=Path, action="append", help="read these files with the one reader, no others")
    parser.add_argument("--minimise", action="store_true", help="make what was found smaller, afterwards")
    given = parser.parse_args()
    if unknown := [name for name in given.readers if name not in READERS]:
        parser.error(f"there is no reader {unknown[0]!r}; there are {', '.join(READERS)}")
    # Warnings about damaged files would fill the terminal.
    logging.getLogger("graphmt").setLevel(logging.ERROR)
    readers = [READERS[name] for name in given.readers or READERS]
    if given.regressions or given.file:
        failed = 0
        for reader in readers:
            files = given.file or [*reader.seed_files(), *reader.regressions()]
            for path, outcome in check_files(reader, files, seconds=given.seconds):
                failed += 1
                print(f"{reader.name}: {path}: {outcome.kind}\n{outcome.detail}", flush=True)
        return int(bool(failed))
    seed = _seed(given.seed, given.found if given.resume else None)
    print(f"seed {seed}, {given.inputs:,} inputs a reader", flush=True)
    run = Run(
        readers,
        inputs=given.inputs,
        seed=seed,
        jobs=given.jobs,
        found=given.found,
        resume=given.resume,
        seconds=given.seconds,
    )
    whole = run()
    if given.minimise:
        minimise_found(readers, given.found)
    if not whole:
        print(f"Inputs that failed are in {given.found}.", flush=True)
    return int(not whole)


def _seed(given: int | None, found: Path | None) -> int:
    if given is not None:
        return given
    if os.environ.get("CI"):
        return 0
    if found is not None and (found / PROGRESS).exists():
        known: int = json.loads((found / PROGRESS).read_text("utf-8"))["seed"]
        return known
    return random.SystemRandom().randrange(1 << 31)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        print("stopped; with --resume the next run counts on from here", file=sys.stderr)
        sys.exit(130)
