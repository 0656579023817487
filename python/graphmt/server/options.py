"""Options of the server."""

from __future__ import annotations

import dataclasses

from graphmt.model.memory import THRESHOLD
from graphmt.options import MOST_THREADS, Options, option


@dataclasses.dataclass(frozen=True)
class ServeOptions(Options):
    """Limits and settings of the server.

    Examples
    --------
    >>> from graphmt.server import ServeOptions
    >>> ServeOptions(max_words=100)
    ServeOptions(max_words=100)
    """

    threads: int = option(0, "Threads of a process that translate; 0: one per core.", minimum=0, maximum=MOST_THREADS)
    workers: int = option(
        1,
        "Processes. Each has its own threads, queue and limits; the models' files are mapped once for all of them.",
        minimum=1,
        maximum=256,
    )
    max_body: int = option(1024, "Largest body of a request; more is answered with 413.", unit="kib", minimum=1)
    max_sentences: int = option(
        1000, "Most sentences of a request; more are answered with 422.", unit="sentences", minimum=1
    )
    max_words: int = option(
        200, "Longest sentence; longer ones are answered with 422.", unit="words", minimum=1, maximum=10000
    )
    max_n_best: int = option(100, "Most translations of a sentence that a request may ask for.", minimum=1)
    queue: int = option(
        2000,
        "Sentences that may wait in a process; a request that does not fit is answered with 503.",
        unit="sentences",
        minimum=1,
    )
    concurrency: int = option(
        256,
        "Requests of one client (its known key, or else its address) that a process works on at a time; more are "
        "answered with 429.",
        unit="requests",
        minimum=1,
    )
    timeout: float = option(
        60.0, "Longest time for a request; then it is answered with 504.", unit="seconds", minimum=0.001
    )
    grace: float = option(
        3.0,
        "Time for accepted requests when the server is asked to stop; then they are answered with 503.",
        unit="seconds",
        minimum=0,
        maximum=3600,
    )
    keys: str = option("", "File of API keys, one per line; # starts a comment. Empty: no key is needed.", unit="file")
    url: str = option(
        "",
        "Address at which clients reach the server, for links in its answers, e.g. https://example.org; empty: the "
        "address of the connection. Give it behind a proxy.",
        unit="url",
    )
    cors: tuple[str, ...] = option((), "Origins whose pages may call the server, e.g. https://example.org; * is any.")
    memory_threshold: float = option(
        THRESHOLD, "Least similarity of reported matches of --memory.", minimum=0, maximum=1
    )
    reload_interval: float = option(
        2.0,
        "Time between checks whether a model was replaced on disk; 0 never checks.",
        unit="seconds",
        minimum=0,
    )
    log_text: bool = option(False, "Write the texts of requests into the log; off for privacy.")
