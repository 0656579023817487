"""The server under attack, on loopback: slow, huge, malformed, endless and abandoned requests (``fuzz/attacks.py``).

A server with hpb (Multi30k German to English, weights that are not tuned), one with a limit of 2 seconds for a request
and of 10,000 words for a sentence, so that there are translations that do not end in time. Without --data, the model is
that of the demo's corpus. It is checked, and the exit code is 1 otherwise, that

* every request ends, and none with status 500;
* ``/health`` is answered all the while: from the request to the answer, the process uses at most 200 ms of CPU time,
  threads that translate included. The wall time, which depends on what else the machine does, is only reported;
* nothing is left afterwards: no sentence waits or is worked on, no request is in progress, and resident memory has not
  grown by more than a tenth and 64 MiB since the first fifth of the attacks;
* SIGTERM ends the server within 5 seconds, with the exit code 0, while more such requests are worked on.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
import time
from http.client import HTTPConnection, HTTPException
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from peers.folder import data_folder
from serve import metric, percentile, started, trained

from fuzz.attacks import FAST, Client, attack, long_sentence

#: The most CPU time of the process during a request for /health, in milliseconds.
MOST_CPU = 200
#: The most seconds from SIGTERM to the end.
MOST_STOP = 5.0
LIMITS = ("--timeout", "2", "--max-words", "10000", "--threads", "2")


def demo_model(folder: Path) -> Path:
    """A model of the demo's corpus."""
    from graphmt.demo import DemoOptions
    from graphmt.demo.corpus import write
    from graphmt.training import train

    write(folder / "corpus", DemoOptions(train=500, dev=0, test=1))
    train(
        "hpb", source=folder / "corpus" / "train.de.conllu", target=folder / "corpus" / "train.en", out=folder / "demo"
    )
    return folder / "demo"


def cpu_seconds(process: int) -> float:
    """The CPU time of a process so far, with all its threads."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def watch(process: int, port: int, end: Connection) -> None:
    """Asks for /health again and again until the other end speaks: milliseconds of CPU time and of wall time."""
    seen: list[tuple[float, float]] = []
    while not end.poll(0.2):
        cpu, began = cpu_seconds(process), time.perf_counter()
        client = HTTPConnection("127.0.0.1", port, timeout=60)
        try:
            client.request("GET", "/health")
            status: int | str = client.getresponse().status
        except (OSError, HTTPException) as error:
            status = type(error).__name__
        client.close()
        seen.append((1000 * (cpu_seconds(process) - cpu), 1000 * (time.perf_counter() - began)))
        if status != 200:
            end.send(f"/health was answered with {status}")
            return
    end.send(seen)


def attacked(process: int, port: int, number: int, seed: int) -> tuple[dict[str, int], list[tuple[float, float]]]:
    """What became of the attacks, and how /health was answered meanwhile."""
    # By a process of its own: the attackers are often too busy to read an answer when it comes.
    spawn = multiprocessing.get_context("spawn")
    mine, theirs = spawn.Pipe()
    watcher = spawn.Process(target=watch, args=(process, port, theirs), daemon=True)
    watcher.start()
    outcomes = asyncio.run(attack(port, number, seed=seed))
    mine.send("enough")
    seen = mine.recv()
    watcher.join()
    if isinstance(seen, str):
        raise SystemExit(seen)
    return dict(sorted(outcomes.items())), seen


def idle_seconds(port: int) -> float:
    """Waits until nothing is left to do; the time that this took."""
    began = time.perf_counter()
    names = ("graphmt_waiting_sentences", "graphmt_running_sentences", "graphmt_requests_in_progress")
    while [metric(port, name) for name in names] != [0, 0, 1] and time.perf_counter() - began < 60:
        time.sleep(0.05)
    return time.perf_counter() - began


async def stopped(process: subprocess.Popen[bytes], port: int, seed: int) -> float:
    """The time from SIGTERM to the end, in seconds, with requests that do not end by themselves."""
    import random

    asked = [asyncio.create_task(long_sentence(Client(port, random.Random(seed + k)))) for k in range(FAST)]
    while not await asyncio.to_thread(metric, port, "graphmt_running_sentences"):
        await asyncio.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    began = time.perf_counter()
    while process.poll() is None and time.perf_counter() - began < 120:
        await asyncio.sleep(0.02)
    seconds = time.perf_counter() - began
    await asyncio.gather(*asked, return_exceptions=True)
    return seconds


def failures(found: dict[str, Any]) -> list[str]:
    """What was not as it has to be."""
    outcomes = found["outcomes"]
    checks = {
        "a request did not end": not any(name.endswith(" hung") for name in outcomes),
        "an unexpected error": not any(name.endswith(" 500") for name in outcomes),
        "CPU time of /health": found["health_cpu_ms"]["most"] <= MOST_CPU,
        "work was left": found["idle_seconds"] < 30,
        "memory grew": found["memory_mib"]["end"] <= 1.1 * found["memory_mib"]["first"] + 64,
        "SIGTERM took too long": found["stop_seconds"] <= MOST_STOP,
        "the exit code": found["exit_code"] == 0,
    }
    return [name for name, is_right in checks.items() if not is_right]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=data_folder, help="folder that holds data/; none: the demo's corpus")
    parser.add_argument("--models", type=Path, help="folder in which trained models are kept")
    parser.add_argument("--attacks", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    found: dict[str, Any] = {"bench": "serve_attacks", "attacks": given.attacks, "seed": given.seed}
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.models or Path(temporary)
        folder.mkdir(exist_ok=True)
        model = trained(given.data, folder, "hpb") if given.data else demo_model(Path(temporary))
        log = Path(temporary) / "log"
        with started(model, log, *LIMITS) as (process, port):
            began = time.perf_counter()
            first = given.attacks // 5
            outcomes, seen = attacked(process.pid, port, first, given.seed)
            idle_seconds(port)
            memory = {"first": metric(port, "process_resident_memory_bytes") / 2**20}
            more, also_seen = attacked(process.pid, port, given.attacks - first, given.seed + 1)
            found["outcomes"] = {name: outcomes.get(name, 0) + more.get(name, 0) for name in sorted({*outcomes, *more})}
            found["seconds"] = time.perf_counter() - began
            for name, values in zip(
                ("health_cpu_ms", "health_wall_ms"), zip(*seen, *also_seen, strict=True), strict=True
            ):
                shares = {"p50": 0.5, "p99": 0.99, "most": 1.0}
                found[name] = {share: percentile(list(values), at) for share, at in shares.items()}
            found["idle_seconds"] = idle_seconds(port)
            found["memory_mib"] = {**memory, "end": metric(port, "process_resident_memory_bytes") / 2**20}
            found["cpu_seconds"] = cpu_seconds(process.pid)
            found["stop_seconds"] = asyncio.run(stopped(process, port, given.seed))
            found["exit_code"] = process.poll()
            found["errors"] = [line for line in log.read_text("utf-8").splitlines() if '"level": "error"' in line]
    found["failed"] = failures(found)
    for name, number in found["outcomes"].items():
        print(f"{number:7} {name}")
    for name in (
        "health_cpu_ms",
        "health_wall_ms",
        "idle_seconds",
        "memory_mib",
        "stop_seconds",
        "exit_code",
        "failed",
    ):
        print(f"{name}: {found[name]}")
    print(*found.pop("errors"), sep="\n")
    print(json.dumps({**found, "load": os.getloadavg()[0]}))
    sys.exit(bool(found["failed"]))


if __name__ == "__main__":
    main()
