"""Rules with holes beside Moses': the same rules, the same scores, and what extraction and scoring cost (hpb)."""

from __future__ import annotations

import argparse
import dataclasses
import json
import resource
import tempfile
import time
from pathlib import Path

from graphmt.rules import ExtractOptions, RuleTable
from peers import moses, moses_rules
from peers.folder import data_folder

#: Extraction and scoring of the same 29,000 pairs by Moses, in CPU seconds (results.md of its folder).
MOSES_CPU = 567
#: MiB for counted rules: some goes to disk.
MEMORY = 256


def extraction(files: dict[str, Path], out: Path) -> dict[str, object]:
    """One thread, from text to table; memory is the peak of this process."""
    began, before = time.perf_counter(), time.process_time()
    report, _ = moses_rules.full_table(files, out, ExtractOptions(threads=1, max_memory=MEMORY))
    cpu, wall = time.process_time() - before, time.perf_counter() - began
    opened = time.perf_counter()
    RuleTable(out)
    return {
        "pairs": report.pairs,
        "rules": report.rules,
        "kinds": report.kinds,
        "source_sides": report.source_sides,
        "cpu": round(cpu, 1),
        "wall": round(wall, 1),
        "cpu_moses": MOSES_CPU,
        "memory_option": MEMORY,
        "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10,
        "table_mib": out.stat().st_size >> 20,
        "open_ms": round(1000 * (time.perf_counter() - opened), 2),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=data_folder, required=True, help="folder that holds data/ and peers/")
    data = parser.parse_args().data
    figures: dict[str, object] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = moses.corpus(data, folder)
        figures["cost"] = extraction(files, folder / "rules.bin")
        print(f"extraction and scoring: {figures['cost']}")
        figures["table"] = dataclasses.asdict(moses_rules.table_difference(data, RuleTable(folder / "rules.bin")))
        print(f"rule table of 60 sentences: {figures['table']}")
        figures["extraction"] = dataclasses.asdict(moses_rules.extraction_difference(data, folder))
        print(f"rules of 300 sentence pairs: {figures['extraction']}")
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
