"""Requests that would stop a server if it let them: what they are, and a client that sends many of them.

The client speaks to 127.0.0.1 alone. An attack depends on the seed and its number; each has a limit of time, after
which it counts as one that the server did not end.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import json
import random
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable

#: Time after which the server has not ended a request, in seconds: more than any limit of the server.
LIMIT = 90.0
#: Attacks at a time: those that wait for a limit of the server, and all others.
SLOW, FAST = 300, 16

#: Texts on which a careless pattern takes time quadratic in their length, or worse.
RUNS = (
    *(
        "%" + "0" * 9000 + "!",
        "{" * 9000,
        "{a, plural, one {" * 500,
        "<" * 9000,
        "<a " * 3000,
        "<!--" * 2000,
        "</" * 4000,
    ),
    *("http://" + "a." * 4000, "http://" + "(" * 9000, "a@" * 4000, "/" * 9000, "." * 9000, "a." * 4000, "&" * 9000),
    *("1." * 4000, "1 " * 4000, "\\" * 9000, '"' * 9000, "“" * 3000, "-" * 9000, "a-" * 4000, "'" * 9000, "%(" * 4000),
    *(
        "${" * 4000,
        "[" * 9000,
        "]" * 9000,
        "\u202e" * 3000,
        "\u0301" * 4000,
        "中" * 3000,
        " \t" * 4000 + "x",
        "\x0b" * 9000,
    ),
    *("\x00" * 9000, "a" * 100_000, "!" * 9000 + "a", ". a" * 3000, "https://[" * 1000, "x:" * 4000, "=" * 9000),
)
_PO = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\nPlural-Forms: nplurals=2; plural=n!=1;\\n"\n\n'
_XLIFF = '<xliff version="1.2"><file source-language="de" target-language="en" original="a" datatype="x"><body>'
_NESTED = "".join(f"{{n{k}, plural, one {{Er " for k in range(400))
#: Documents: a name, whose ending is the format, and the content.
DOCUMENTS: tuple[tuple[str, str], ...] = (
    *((f"a{ending}", run) for run in RUNS[:12] for ending in (".txt", ".html")),
    *(("a.po", f'{_PO}msgid "{json.dumps(run)[1:-1]}"\nmsgstr ""\n') for run in RUNS[:12]),
    *(("a.json", json.dumps({"a": run})) for run in RUNS[:12]),
    *(("a.xlf", f'{_XLIFF}<trans-unit id="1"><source>{"%" + "0" * 9000}!</source></trans-unit>') for _ in range(2)),
    ("a.po", _PO + 'msgid "' + _NESTED + '"\nmsgstr ""\n'),
    ("a.po", _PO + 'msgid "a"\nmsgstr ""\n\n' * 20_000),
    ("a.po", _PO + 'msgid ""\n' + '"Er schläft. "\n' * 20_000 + 'msgstr ""\n'),
    ("a.json", '{"a":' * 20_000 + '"b"' + "}" * 20_000),
    ("a.json", json.dumps({f"k{k}": "{n, plural, one {Er schläft.} other {#}}" for k in range(5000)})),
    ("a.html", "<div>" * 50_000 + "Er schläft." + "</div>" * 50_000),
    ("a.html", "<p>Er schläft.</p>\n" * 900),
    ("a.html", "<b>" * 3000 + "Er schläft." + "</i>" * 3000),
    ("a.html", "<script>" * 5000 + "Er"),
    ("a.html", '<a href="' * 5000),
    ("a.html", "<p translate=no>" * 5000),
    (
        "a.xlf",
        '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">'
        + "".join(f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in zip("abcdefghi", "bcdefghij", strict=True))
        + f"]>{_XLIFF}<trans-unit id='1'><source>&j;</source></trans-unit></body></file></xliff>",
    ),
    ("a.xlf", _XLIFF + "<group>" * 50_000),
    ("a.xlf", _XLIFF + "<trans-unit id='1'><source>" + "<g id='1'>" * 20_000 + "Er"),
    ("a.xml", '<resources><string name="a">' + "<b>" * 20_000),
    ("a.strings", '"a" = "' + "\\" * 100_001),
    ("a.strings", '"a" = "b' * 20_000),
    ("a.tsv", "de\ten\n" + "Er schläft.\t\n" * 900),
    ("a.csv", 'de,en\n"' + "a," * 100_000),
    ("a.exe", "MZ"),
    ("", "Er"),
    ("a" * 5000 + ".po", _PO),
)
#: Bodies that are not what they should be, with their type.
BODIES: tuple[tuple[str, bytes], ...] = (
    ("application/json", b"[" * 500_000),
    ("application/json", b'{"text":' * 50_000),
    ("application/json", b'{"text":' + b"[" * 900 + b"]" * 900 + b"}"),
    ("application/json", b'{"text":[' + b"0," * 300_000 + b"0]}"),
    ("application/json", b'{"text":[' + b'"",' * 300_000 + b'""]}'),
    ("application/json", b'{"q":[' + b'"a",' * 200_000 + b'"a"],"source":"de","target":"en"}'),
    ("application/json", b'{"text":"a","glossary":[' + b"{}," * 200_000 + b"{}]}"),
    ("application/json", b'{"text":"a","fixed":[' + b'{"first":-1},' * 60_000 + b"0]}"),
    ("application/json", b"{" + b",".join(b'"k%d":0' % k for k in range(60_000)) + b"}"),
    ("application/json", b'{"text":"a","n_best":' + b"9" * 100_000 + b"}"),
    ("application/json", b'{"text":"a","n_best":1e999,"x":NaN}'),
    ("application/json", b'{"text":"\\ud800 Er \\udfff","model":"\\ud800"}'),
    ("application/json", b'{"text":"\\u0000Er\\u0000"}'),
    ("application/json", '{"text":"Er schläft."}'.encode("utf-16")),
    ("application/json", b'{"text":"\xff\xfe\xc3"}'),
    ("application/json; charset=nonsense", b'{"text":"Er."}'),
    ("text/plain", b'{"text":"Er."}'),
    ("application/xml", b"<a/>"),
    ("", b"Er."),
    ("application/x-www-form-urlencoded", b"&" * 500_000),
    ("application/x-www-form-urlencoded", b"q=" + b"%" * 500_000),
    ("application/x-www-form-urlencoded", b"q=" + b"+" * 500_000 + b"&source=de&target=en"),
    ("multipart/form-data", b"--\r\n" * 100_000),
    ("multipart/form-data; boundary=b", b"--b\r\nContent-Disposition: form-data; name=q\r\n\r\n" * 5000),
    ("multipart/form-data; boundary=b", b"--b\r\n" + b"A: b\r\n" * 50_000),
    ("multipart/form-data; boundary=b", b"\r\n--" * 100_000),
    ("multipart/form-data; boundary=" + "b" * 60_000, b"--b\r\n\r\n"),
)
_PATHS = ("/translate", "/detect", "/translate_file", "/v1/translate", "/v1/explain", "/v1/rerank")
#: Words of the small models, for sentences that are long to translate.
_WORDS = ("er", "sie", "schläft", "das", "Buch", "nicht", "der", "Mann", "Frau", "in", "dem", "Haus", "und", ".")


@dataclasses.dataclass
class Client:
    """Where the attacks go to, and what their randomness is."""

    port: int
    random: random.Random
    #: Words of the longest sentences.
    words: int = 10_000
    #: Time between two bytes of those that drip, in seconds.
    pause: float = 0.5

    @contextlib.asynccontextmanager
    async def connected(self) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
        """A connection to the server."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            yield reader, writer
        finally:
            writer.transport.abort()

    async def ask(self, path: str, body: bytes, kind: str = "application/json", **headers: str) -> str:
        """The status of the answer to a request."""
        async with self.connected() as (reader, writer):
            writer.write(request(path, body, kind, **headers))
            return await answered(reader)

    async def ask_json(self, path: str, body: object, **headers: str) -> str:
        """The status of the answer to a request of JSON."""
        return await self.ask(path, json.dumps(body).encode(), **headers)

    def sentence(self, words: int) -> str:
        """A sentence of some words."""
        return " ".join(self.random.choices(_WORDS, k=words))


def request(path: str, body: bytes, kind: str, **headers: str) -> bytes:
    """A request with a body."""
    rows = [
        f"POST {path} HTTP/1.1",
        "Host: 127.0.0.1",
        *(f"{name.replace('_', '-')}: {v}" for name, v in headers.items()),
    ]
    if kind:
        rows.append(f"Content-Type: {kind}")
    return "\r\n".join([*rows, f"Content-Length: {len(body)}", "", ""]).encode() + body


async def answered(reader: asyncio.StreamReader) -> str:
    """The status of an answer, which is read to its end; ``closed`` if there is none."""
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        length = next((row[15:] for row in head.split("\r\n") if row.startswith("content-length:")), "0")
        await reader.readexactly(int(length))
    except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, ConnectionError, ValueError):
        return "closed"
    return head.split(" ")[1]


async def slow_body(client: Client) -> str:
    """A body of one byte now and then."""
    head = request(client.random.choice(_PATHS), b"", "application/json")
    return await dripped(client, head.replace(b"Content-Length: 0", b"Content-Length: 1000"))


async def dripped_head(client: Client) -> str:
    """A head of one byte now and then."""
    return await dripped(client, b"POST /translate HTTP/1.1\r\nHost: a\r\nX-Long: ")


async def dripped(client: Client, first: bytes) -> str:
    """What the server says to a client that begins so, and goes on byte by byte."""
    async with client.connected() as (reader, writer):
        writer.write(first)
        answer = asyncio.ensure_future(answered(reader))
        try:
            while not answer.done():
                writer.write(b"x")
                await asyncio.wait([answer], timeout=client.pause)
        finally:
            answer.cancel()
        return answer.result()


async def idle(client: Client) -> str:
    """A connection without a byte."""
    async with client.connected() as (reader, _):
        with contextlib.suppress(ConnectionError):
            await reader.read()
        return "closed"


async def unread(client: Client) -> str:
    """Answers that are not read."""
    async with client.connected() as (_, writer):
        writer.transport.pause_reading()  # type: ignore[attr-defined]
        for _ in range(10):
            writer.write(b"GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n")
        await asyncio.sleep(client.pause)
        return "left"


async def body(client: Client) -> str:
    """A body that is not what it should be."""
    kind, content = client.random.choice(BODIES)
    return await client.ask(client.random.choice(_PATHS), content, kind)


async def run(client: Client) -> str:
    """A text that a careless pattern takes long for."""
    text = client.random.choice(RUNS)
    path = client.random.choice(_PATHS[:2] + _PATHS[3:5])
    libre = {"q": text, "source": client.random.choice(["de", "auto"]), "target": "en", "format": "html"}
    return await client.ask_json(path, libre if path == "/translate" else {"q" if path == "/detect" else "text": text})


async def document(client: Client) -> str:
    """A file that takes long to read, to translate or to fill in."""
    name, content = client.random.choice(DOCUMENTS)
    parts = "".join(
        f'--b\r\nContent-Disposition: form-data; name="{field}"\r\n\r\n{value}\r\n'
        for field, value in (("source", "de"), ("target", "en"))
    )
    file = f'--b\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n{content}\r\n--b--\r\n'
    return await client.ask("/translate_file", (parts + file).encode(), "multipart/form-data; boundary=b")


async def long_sentence(client: Client) -> str:
    """Sentences whose translation does not end in time."""
    text = client.sentence(client.words)
    return await client.ask_json("/v1/translate", {"text": [text] * client.random.randint(1, 5), "tokenised": True})


async def long_list(client: Client) -> str:
    """The most translations of many sentences."""
    text = [client.sentence(40) for _ in range(200)]
    asked = {"text": text, "tokenised": True, "n_best": 100, "confidence": True, "derivations": ["json", "svg"]}
    return await client.ask_json("/v1/translate", asked)


async def long_explanation(client: Client) -> str:
    """The explanation of a long sentence."""
    text = client.sentence(client.random.choice([200, client.words]))
    return await client.ask_json("/v1/explain", {"text": text, "tokenised": True, "n_best": 100, "alternatives": 100})


async def long_rerank(client: Client) -> str:
    """Long lists and a large memory."""
    lists = [
        {"source": client.sentence(20), "candidates": [{"text": client.sentence(20), "score": -1} for _ in range(50)]}
        for _ in range(50)
    ]
    memory = [{"source": client.sentence(15), "target": client.sentence(15)} for _ in range(2000)]
    return await client.ask_json("/v1/rerank", {"lists": lists, "memory": memory})


async def made_up_key(client: Client) -> str:
    """A key that nobody has."""
    key = f"key-{client.random.getrandbits(60):x}"
    headers = client.random.choice([{"X_API_Key": key}, {"Authorization": f"Bearer {key}"}])
    return await client.ask_json("/v1/translate", {"text": "Er schläft.", "api_key": key}, **headers)


async def gone(client: Client) -> str:
    """A request whose client does not wait for the answer."""
    text = json.dumps({"text": [client.sentence(client.words)] * 20, "tokenised": True}).encode()
    async with client.connected() as (_, writer):
        writer.write(request("/v1/translate", text, "application/json"))
        await asyncio.sleep(client.random.choice([0, 0.2]) and client.pause)
        return "left"


async def garbage(client: Client) -> str:
    """Bytes that are no request, a huge head, or many requests at a time."""
    content = client.random.choice(
        [
            client.random.randbytes(3000),
            b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 200_000,
            b"GET /" + b"a" * 500_000 + b" HTTP/1.1\r\n\r\n",
            b"GET /health HTTP/1.1\r\nHost: a\r\n\r\n" * 5000,
            b"POST /translate HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + b"1\r\nx\r\n" * 200_000,
            b"POST /translate HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n",
            b"POST /translate HTTP/1.1\r\nContent-Length: -1\r\nContent-Length: 5\r\n\r\n",
        ]
    )
    async with client.connected() as (reader, writer):
        writer.write(content)
        with contextlib.suppress(OSError):
            writer.write_eof()
        return await answered(reader)


Attack = Callable[[Client], Awaitable[str]]
#: Those that wait for a limit of the server, and all others.
WAITING: tuple[Attack, ...] = (slow_body, dripped_head, idle)
OTHERS: tuple[Attack, ...] = (
    *(body, body, run, run, document, document, made_up_key, made_up_key, gone, gone, garbage, garbage, unread),
    *(long_sentence, long_list, long_explanation, long_rerank),
)


async def attack(port: int, number: int, *, seed: int = 0, waiting: float = 0.1, **how: float) -> Counter[str]:
    """Attack a server on this machine so many times; what became of the attacks, by their names and outcomes."""
    outcomes: Counter[str] = Counter()
    slow, fast = asyncio.Semaphore(SLOW), asyncio.Semaphore(FAST)

    async def one(place: int) -> None:
        chosen = random.Random(f"{seed} {place}")
        is_slow = chosen.random() < waiting
        kind = chosen.choice(WAITING if is_slow else OTHERS)
        async with slow if is_slow else fast:
            client = Client(port, chosen, **how)  # type: ignore[arg-type]
            try:
                outcome = await asyncio.wait_for(kind(client), LIMIT)
            except asyncio.TimeoutError:
                outcome = "hung"
            except OSError:
                outcome = "closed"
            outcomes[f"{kind.__name__} {outcome}"] += 1

    await asyncio.gather(*(one(place) for place in range(number)))
    return outcomes
