"""A load generator for HTTP: clients with connections of their own that send requests one after the other.

It is run as a program, so that its work is not the server's. It reads JSON from standard input: ``port``, ``path``,
``bodies`` (texts of JSON, sent in turn), ``clients``, and ``seconds`` or ``requests``. It prints JSON: latencies in
milliseconds of the answers with status 200, the number of each status, broken connections and the time that it took.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import sys
import time
from typing import Any


async def client(asked: dict[str, Any], bodies: Any, until: float, left: Any, found: dict[str, Any]) -> None:
    reader = writer = None
    while time.perf_counter() < until and (number := next(left, None)) is not None:
        body = bodies[number % len(bodies)]
        began = time.perf_counter()
        try:
            if writer is None:
                reader, writer = await asyncio.open_connection("127.0.0.1", asked["port"])
            writer.write(body)
            status, headers = await head(reader)
            await reader.readexactly(int(headers.get("content-length", 0)))
        except (OSError, asyncio.IncompleteReadError, ValueError):
            found["broken"] += 1
            if writer is not None:
                writer.close()
            reader = writer = None
            continue
        found["statuses"][status] = found["statuses"].get(status, 0) + 1
        if status == "200":
            found["latencies"].append(1000 * (time.perf_counter() - began))
        elif "retry-after" not in headers:
            found["without_retry_after"] += 1
        if headers.get("connection", "").lower() == "close":
            writer.close()
            reader = writer = None
    if writer is not None:
        writer.close()


async def head(reader: asyncio.StreamReader) -> tuple[str, dict[str, str]]:
    raw = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    headers = dict(row.lower().split(": ", 1) for row in raw[1:] if ": " in row)
    return raw[0].split(" ")[1], headers


async def main() -> None:
    asked = json.load(sys.stdin)
    bodies = []
    for text in asked["bodies"]:
        content = text.encode()
        first = f"POST {asked['path']} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        bodies.append(f"{first}Content-Length: {len(content)}\r\n\r\n".encode() + content)
    found: dict[str, Any] = {"latencies": [], "statuses": {}, "broken": 0, "without_retry_after": 0}
    left = iter(range(asked["requests"])) if "requests" in asked else itertools.count()
    began = time.perf_counter()
    until = began + asked.get("seconds", 1e9)
    await asyncio.gather(*(client(asked, bodies, until, left, found) for _ in range(asked["clients"])))
    found["seconds"] = time.perf_counter() - began
    print(json.dumps(found))


if __name__ == "__main__":
    asyncio.run(main())
