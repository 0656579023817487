"""Counters and histograms in Prometheus' text format."""

from __future__ import annotations

import bisect
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import ClassVar

_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)

Labels = tuple[tuple[str, str], ...]


class Metrics:
    """What a process has done so far.

    Examples
    --------
    >>> from graphmt.server.metrics import Metrics
    >>> metrics = Metrics()
    >>> metrics.count("graphmt_sentences_total", 3, model="hpb")
    >>> metrics.text().splitlines()[-1]
    'graphmt_sentences_total{model="hpb"} 3'
    """

    #: Names with their types and meanings.
    ABOUT: ClassVar[dict[str, tuple[str, str]]] = {
        "graphmt_requests_total": ("counter", "Answered requests by route and status."),
        "graphmt_request_seconds": ("histogram", "Time from a request's head to the end of its answer, by route."),
        "graphmt_sentences_total": ("counter", "Translated sentences by model."),
        "graphmt_words_total": ("counter", "Their source words by model."),
        "graphmt_waiting_sentences": ("gauge", "Sentences in the queue."),
        "graphmt_running_sentences": ("gauge", "Sentences that are being translated."),
        "graphmt_requests_in_progress": ("gauge", "Requests that are being answered."),
        "graphmt_model_reloads_total": ("counter", "Models that were replaced on disk and taken up."),
        "process_resident_memory_bytes": ("gauge", "Memory of the process, with its part of mapped files."),
        "process_cpu_seconds_total": ("counter", "User and system time of the process."),
    }

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._values: dict[str, dict[Labels, float]] = defaultdict(lambda: defaultdict(float))
        self._histograms: dict[Labels, list[int]] = defaultdict(lambda: [0] * (len(_BUCKETS) + 1))
        self._sums: dict[Labels, float] = defaultdict(float)
        self._gauges: dict[str, Callable[[], float]] = {
            "process_resident_memory_bytes": resident,
            "process_cpu_seconds_total": time.process_time,
        }

    def count(self, name: str, value: float = 1, **labels: str) -> None:
        """Add to a counter."""
        with self._lock:
            self._values[name][tuple(sorted(labels.items()))] += value

    def count_sentences(self, model: str, sentences: int, words: int) -> None:
        """Count translated sentences and their words."""
        key = (("model", model),)
        with self._lock:
            self._values["graphmt_sentences_total"][key] += sentences
            self._values["graphmt_words_total"][key] += words

    def count_request(self, route: str, status: str, seconds: float) -> None:
        """Count an answered request and its time."""
        by_route = (("route", route),)
        with self._lock:
            self._values["graphmt_requests_total"][("route", route), ("status", status)] += 1
            self._histograms[by_route][bisect.bisect_left(_BUCKETS, seconds)] += 1
            self._sums[by_route] += seconds

    def gauge(self, name: str, read: Callable[[], float]) -> None:
        """Have a value read whenever the metrics are."""
        self._gauges[name] = read

    def text(self) -> str:
        """All values."""
        with self._lock:
            return "".join(f"{row}\n" for row in self._rows())

    def _rows(self) -> Iterator[str]:
        for name, (kind, about) in self.ABOUT.items():
            rows = list(self._samples(name, kind))
            if rows:
                yield f"# HELP {name} {about}"
                yield f"# TYPE {name} {kind}"
                yield from rows

    def _samples(self, name: str, kind: str) -> Iterator[str]:
        if kind == "histogram":
            for labels, counts in self._histograms.items():
                total = 0
                for edge, number in zip((*map(str, _BUCKETS), "+Inf"), counts, strict=True):
                    total += number
                    yield f"{name}_bucket{_written((*labels, ('le', edge)))} {total}"
                yield f"{name}_sum{_written(labels)} {self._sums[labels]:.6f}"
                yield f"{name}_count{_written(labels)} {total}"
        elif name in self._gauges:
            yield f"{name} {self._gauges[name]():.15g}"
        else:
            for labels, value in self._values[name].items() if name in self._values else ():
                yield f"{name}{_written(labels)} {value:.15g}"


def resident() -> float:
    """Resident memory of the process in bytes; the most so far where the current value is not known."""
    try:
        with open("/proc/self/statm", encoding="ascii") as stream:  # noqa: PTH123
            import resource

            return int(stream.read().split()[1]) * float(resource.getpagesize())
    except (OSError, ImportError):
        pass
    try:
        import resource
    except ImportError:
        return 0.0
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return float(most if sys.platform == "darwin" else most * 1024)


def _written(labels: Labels) -> str:
    def escaped(value: str) -> str:
        return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")

    return "{" + ",".join(f'{name}="{escaped(value)}"' for name, value in labels) + "}" if labels else ""
