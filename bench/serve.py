"""The server under load, on loopback: requests a second, latencies, memory, throughput beside ``graphmt translate``.

Multi30k German to English: gbmt-ctx (with trees in CoNLL-U) and hpb (with tokens), default options, weights that are
not tuned, Moses' word alignment. The load generator (peers/load.py) is a process of its own with keep-alive
connections, and one sentence a request.

Throughput is compared in turns (A B A B): ``graphmt translate --threads 2`` on the same sentences, less its time for
one sentence, which is that of starting and opening; and the server with ``--threads 2``: single sentences of 1, 8 and
64 clients, and documents of 50 sentences of 8 clients. Ratios are those of the best rounds, by wall time (in which the
load generator shares the cores) and by CPU time of the server and the command, which depends less on what else the
machine does. The CPU time of the load generator is reported apart.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from peers.folder import data_folder

CLIENTS = (1, 8, 64)
DOCUMENT = 50
#: What is compared with the command: the kind of the requests and the number of clients.
WAYS = {
    **{f"single_{clients}": ("single", clients) for clients in CLIENTS},
    "documents": ("documents", 8),
}
LOAD = Path(__file__).parent / "peers" / "load.py"


def trained(data: Path, folder: Path, system: str) -> Path:
    """A model of a system, trained once."""
    from graphmt.training import train

    out = folder / system
    if not (out / "manifest.json").exists():
        text = data / "data" / "multi30k-de-en"
        aligned = data / "peers" / "moses-multi30k-de-en" / "aligned.gdfa.gz"
        train(
            system,
            source=text / "train.de.conllu.gz",
            target=text / "train.en.gz",
            alignment=aligned if aligned.exists() else None,
            out=out,
        )
    return out


@contextlib.contextmanager
def started(model: Path, log: Path, *flags: str) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """A server with a model that is ready, and its port; it is killed at the end."""
    with log.open("wb") as stream:
        command = [sys.executable, "-m", "graphmt", "serve", str(model), "--port", "0", *flags]
        process = subprocess.Popen(command, stderr=stream)
        try:
            while True:
                if found := re.search(r":(\d+)/ \(Ctrl-C", log.read_text()):
                    with contextlib.suppress(OSError):
                        fetched(int(found[1]), "/ready")
                        break
                if process.poll() is not None:
                    raise SystemExit("the server did not start")
                time.sleep(0.05)
            yield process, int(found[1])
        finally:
            process.kill()


@contextlib.contextmanager
def served(model: Path, *more: str) -> Iterator[int]:
    """The port of a server with a model, which ends as it should."""
    with contextlib.ExitStack() as stack:
        log = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "log"
        process, port = stack.enter_context(started(model, log, "--threads", "2", *more))
        yield port
        process.send_signal(signal.SIGTERM)
        if process.wait(120):
            raise SystemExit(f"the server ended with {process.returncode}")


def fetched(port: int, path: str) -> str:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=60) as answer:
        return answer.read().decode()


def metric(port: int, name: str) -> float:
    return float(re.search(rf"^{name} (\S+)", fetched(port, "/metrics"), re.MULTILINE)[1])


def load(port: int, bodies: list[str], **how: Any) -> dict[str, Any]:
    """What the load generator measured, and its own CPU time."""
    asked = json.dumps({"port": port, "path": "/v1/translate", "bodies": bodies, **how})
    before = cpu_of_children()
    done = subprocess.run([sys.executable, str(LOAD)], input=asked, capture_output=True, text=True, check=True)
    return {**json.loads(done.stdout), "cpu": cpu_of_children() - before}


def cpu_of_children() -> float:
    """CPU time of the child processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def percentile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else float("nan")


def translate_seconds(model: Path, text: str) -> tuple[float, float]:
    """The wall time and the CPU time of ``graphmt translate --threads 2``."""
    began, before = time.perf_counter(), cpu_of_children()
    command = [sys.executable, "-m", "graphmt", "--quiet", "translate", str(model), "--threads", "2"]
    subprocess.run(command, input=text, stdout=subprocess.DEVNULL, check=True, text=True)
    return time.perf_counter() - began, cpu_of_children() - before


def measured(model: Path, sentences: list[str], kind: str, given: argparse.Namespace) -> dict[str, Any]:
    """The figures of one system; ``sentences`` are CoNLL-U or lines of tokens, as ``kind`` says."""
    if kind == "conllu":
        singles = [json.dumps({"conllu": one}) for one in sentences]
        parts = [sentences[k : k + DOCUMENT] for k in range(0, len(sentences), DOCUMENT)]
        documents = [json.dumps({"conllu": "".join(part)}) for part in parts]
    else:
        singles = [json.dumps({"text": [one.strip()], "tokenised": True}) for one in sentences]
        parts = [sentences[k : k + DOCUMENT] for k in range(0, len(sentences), DOCUMENT)]
        documents = [json.dumps({"text": [one.strip() for one in part], "tokenised": True}) for part in parts]
    ways = ("command", *WAYS)
    figures: dict[str, Any] = {"clients": {}, **{name: [] for name in ways}, "cpu": {name: [] for name in ways}}
    alone: list[tuple[float, float]] = []
    all_of_them: list[tuple[float, float]] = []
    figures["generator_cpu_ms"] = {name: [] for name in WAYS}
    number = len(sentences)
    # A B A B: what else runs on the machine changes over time.
    for _ in range(given.rounds):
        alone.append(translate_seconds(model, sentences[0]))
        all_of_them.append(translate_seconds(model, "".join(sentences)))
        with served(model) as port:
            load(port, singles, clients=8, requests=16)
            for name, (of, clients) in WAYS.items():
                bodies = singles if of == "single" else documents
                before = metric(port, "process_cpu_seconds_total")
                done = load(port, bodies, clients=clients, requests=len(bodies))
                figures["cpu"][name].append(number / (metric(port, "process_cpu_seconds_total") - before))
                figures["generator_cpu_ms"][name].append(1000 * done["cpu"] / number)
                if done["broken"] or set(done["statuses"]) != {"200"}:
                    raise SystemExit(f"requests failed: {done['statuses']}, {done['broken']} broken")
                figures[name].append(number / done["seconds"])
    # The shortest times of both, not the least difference: a slow start would make the rest look fast.
    for k, of in enumerate((figures, figures["cpu"])):
        of["command"].append((number - 1) / (min(one[k] for one in all_of_them) - min(one[k] for one in alone)))
    for key, of in (("ratio", figures), ("cpu_ratio", figures["cpu"])):
        figures[key] = {name: max(of[name]) / max(of["command"]) for name in WAYS}
    with served(model) as port:
        load(port, singles, clients=8, requests=16)
        for clients in CLIENTS:
            done = load(port, singles, clients=clients, seconds=given.seconds)
            figures["clients"][clients] = {
                "requests_per_second": len(done["latencies"]) / done["seconds"],
                "p50_ms": percentile(done["latencies"], 0.50),
                "p99_ms": percentile(done["latencies"], 0.99),
                "statuses": done["statuses"],
                "broken": done["broken"],
            }
        if given.minutes:
            figures["memory_mib"] = sustained(port, singles, given.minutes)
    with served(model, "--queue", "4") as port:
        done = load(port, singles, clients=64, seconds=min(given.seconds, 10))
        alive = json.loads(fetched(port, "/health")) == {"status": "ok"}
        figures["overload"] = {
            "statuses": done["statuses"],
            "broken": done["broken"],
            "refused_without_retry_after": done["without_retry_after"],
            "alive_afterwards": alive,
        }
    return figures


def sustained(port: int, bodies: list[str], minutes: float) -> dict[str, float]:
    """Resident memory under the load of eight clients: in the first fifth of the time, and in the last."""
    seen = []
    until = time.perf_counter() + 60 * minutes
    while (left := until - time.perf_counter()) > 0:
        load(port, bodies, clients=8, seconds=min(left, 5))
        seen.append(metric(port, "process_resident_memory_bytes") / 2**20)
    part = max(1, len(seen) // 5)
    return {"minutes": minutes, "first": max(seen[:part]), "last": max(seen[-part:]), "most": max(seen)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=data_folder, required=True, help="folder that holds data/")
    parser.add_argument("--models", type=Path, help="folder in which trained models are kept")
    parser.add_argument("--systems", default="gbmt-ctx,hpb")
    parser.add_argument("--sentences", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=10, help="for each number of clients")
    parser.add_argument("--minutes", type=float, default=0, help="of sustained load, to see whether memory grows")
    given = parser.parse_args()
    figures: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as temporary:
        from graphmt.corpus import read_trees

        folder = given.models or Path(temporary)
        folder.mkdir(exist_ok=True)
        trees = list(read_trees(given.data / "data" / "multi30k-de-en" / "test.de.conllu.gz"))[: given.sentences]
        for system in given.systems.split(","):
            model = trained(given.data, folder, system)
            needs_trees = system not in ("hpb", "pbmt", "btg")
            texts = [tree.conllu() if needs_trees else f"{tree.text}\n" for tree in trees]
            made = measured(model, texts, "conllu" if needs_trees else "text", given)
            figures[system] = made
            each = 1000 / max(made["cpu"]["command"])
            print(
                f"{system}: graphmt translate --threads 2: {max(made['command']):.0f} sentences/s, "
                f"{each:.2f} ms of CPU time each"
            )
            for name, (of, clients) in WAYS.items():
                about = f"{'one by one' if of == 'single' else f'documents of {DOCUMENT}'}, clients: {clients}"
                ratios = f"{made['ratio'][name]:.2f} of that, {made['cpu_ratio'][name]:.2f} by CPU time"
                each = f"{1000 / max(made['cpu'][name]):.2f} ms each"
                theirs = f"{min(made['generator_cpu_ms'][name]):.2f} ms for the clients"
                print(f"  served, {about}: {max(made[name]):.0f} sentences/s: {ratios} ({each}, {theirs})")
            for clients, row in made["clients"].items():
                print(
                    f"  {clients:3} clients: {row['requests_per_second']:.0f} requests/s, "
                    f"p50 {row['p50_ms']:.0f} ms, p99 {row['p99_ms']:.0f} ms"
                )
            print(f"  overload: {made['overload']}")
            if "memory_mib" in made:
                print(f"  memory: {made['memory_mib']}")
    print(json.dumps({"bench": "serve", "sentences": given.sentences, "load": os.getloadavg()[0], "systems": figures}))


if __name__ == "__main__":
    main()
