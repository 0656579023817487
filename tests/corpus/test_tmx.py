"""TMX translation memories."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from graphmt.corpus import read_pairs
from graphmt.corpus.tmx import read_tmx
from graphmt.errors import InputError

TWO = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE tmx SYSTEM "tmx14.dtd">
<tmx version="1.4"><header srclang="de-DE" segtype="sentence" datatype="plaintext"/><body>
<tu><tuv xml:lang="en-GB"><seg>A <bpt i="1">&lt;b&gt;</bpt><hi>small</hi><ept i="1">&lt;/b&gt;</ept> house</seg></tuv>
<tuv xml:lang="de-DE"><seg>ein
  kleines Haus<ph>%s</ph></seg></tuv></tu>
<tu><tuv xml:lang="de-DE"><seg>nur deutsch</seg></tuv></tu>
<tu><tuv xml:lang="de-DE"><seg>ja</seg></tuv><tuv xml:lang="en-GB"><seg>yes</seg></tuv></tu>
</body></tmx>
"""
PAIRS = [("ein kleines Haus", "A small house"), ("ja", "yes")]


def saved(folder: Path, text: str) -> Path:
    path = folder / "m.tmx"
    path.write_text(text, "utf-8")
    return path


def test_pairs_without_formatting_codes(tmp_path: Path) -> None:
    path = saved(tmp_path, TWO)
    assert list(read_pairs(path)) == PAIRS
    assert list(read_pairs(path, languages=("de", "EN"))) == PAIRS
    assert list(read_tmx(path, ("en-GB", "de"))) == [(target, source) for source, target in PAIRS]
    with pytest.raises(
        InputError, match=r"m\.tmx: no unit has text in both fra and de; its languages are en-gb, de-de"
    ):
        list(read_tmx(path, ("fra", "de")))
    (tmp_path / "m.tmx.gz").write_bytes(gzip.compress(TWO.encode("utf-8")))
    assert list(read_pairs(tmp_path / "m.tmx.gz")) == PAIRS


def test_the_older_attribute_and_other_encodings(tmp_path: Path) -> None:
    text = TWO.replace("xml:lang", "lang").replace("UTF-8", "utf-16").replace("Haus", "Häuschen")
    (tmp_path / "m.tmx").write_bytes(text.encode("utf-16"))
    assert next(read_tmx(tmp_path / "m.tmx")) == ("ein kleines Häuschen", "A small house")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<tmx><header srclang='de'/><body><tu>", r"m.tmx:1: not XML, or damaged"),
        ("<html/>", r"the first element is <html>, <tmx> was expected"),
        ('<?xml version="1.0" encoding="nonsense"?><tmx/>', r"m.tmx: its XML cannot be read: unknown encoding"),
        ('<?xml version="1.0" encoding="gb18030"?><tmx/>', r"m.tmx: its XML cannot be read: multi-byte"),
        (TWO.replace('srclang="de-DE"', 'srclang="*all*"'), r"source and target cannot be determined"),
    ],
)
def test_what_cannot_be_read_is_refused(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        list(read_pairs(saved(tmp_path, text)))


def test_damaged_gzip_is_told(tmp_path: Path) -> None:
    whole = bytearray(gzip.compress(TWO.encode("utf-8")))
    whole[12:20] = b"\xff" * 8
    (tmp_path / "m.tmx.gz").write_bytes(whole)
    with pytest.raises(InputError, match="damaged gzip data"):
        list(read_pairs(tmp_path / "m.tmx.gz"))


def test_units_are_let_go(tmp_path: Path) -> None:
    """A large file passes through: what was read does not stay below the root."""
    unit = '<tu><tuv xml:lang="de-DE"><seg>a{}</seg></tuv><tuv xml:lang="en"><seg>b</seg></tuv></tu>\n'
    body = "".join(unit.format(k) for k in range(6_000))
    path = saved(tmp_path, f'<tmx version="1.4"><header srclang="de-DE"/><body>{body}</body></tmx>')
    import tracemalloc

    tracemalloc.start()
    count = sum(1 for _ in read_tmx(path))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 6_000 and peak < 2_000_000, peak
