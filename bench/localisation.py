"""Strings with placeholders, tags, addresses and numbers: how many stay intact, BLEU, and segments a second.

The data has no UI strings, so this makes some: sentences of Tatoeba (German to English) are detokenised, and names and
numbers that occur once on both sides become placeholders, tags, links and addresses, some of them in forms that
training never saw. Three models: with protection, without, and with Moses' way, where the tokeniser leaves protected
patterns whole and the models see them as words. Weights are not tuned.

Two judges say whether a segment is intact: our recogniser, which finds the items of both sides, and, without it, the
counts of the strings that were put in.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

from graphmt.corpus import Tokeniser, read_trees
from graphmt.model import Model
from graphmt.protect import Recogniser
from graphmt.training import train
from peers.folder import data_folder
from sacrebleu.metrics import BLEU
from sacremoses import MosesTokenizer

Pairs = list[tuple[str, str]]

#: Names in Tatoeba that are the same in both languages.
NAMES = re.compile(r"\b(?:Tom|Boston|Mary|Ken|John|Bob|Jim|Bill|[0-9]+(?:[.:][0-9]+)?)\b")
SEEN = [
    "%s",
    "{name}",
    "%1$s",
    "${user}",
    "<b>{}</b>",
    "<i>{}</i>",
    "https://example.org/{}",
    "{}@example.org",
    "{}",
    "{}",
]
UNSEEN = [
    "%(name)s",
    "{{ user }}",
    "%-5d",
    "$item",
    '<a href="https://x.org/?q={}">{}</a>',
    "www.{}.com",
    "<u>{}</u>",
    "{}",
]
#: The strings of a form that must not change, where they are not the whole: tags around a name.
FIXED = {
    "<b>{}</b>": ("<b>", "</b>"),
    "<i>{}</i>": ("<i>", "</i>"),
    "<u>{}</u>": ("<u>", "</u>"),
    '<a href="https://x.org/?q={}">{}</a>': ('<a href="https://x.org/?q={}">', "</a>"),
}
#: Moses' basic protected patterns, and forms of placeholders.
PATTERNS = [
    *(r"<[^<>]+>", r"[\w\-\_\.]+\@(?:[\w\-\_]+\.)+[a-zA-Z]{2,}", r"(?:https?|ftp):\/\/[^\s]+[\w\/]", r"www\.[^\s]+\w"),
    *(r"%\([a-z]+\)s", r"%[-0-9$.]*[a-z]", r"\{\{ ?\w+ ?\}\}", r"\$?\{\w+\}", r"\$\w+"),
]


def sentences(data: Path, part: str) -> Iterator[tuple[str, str]]:
    """Raw text: the detokenised sides."""
    german, english = Tokeniser("de"), Tokeniser("en")
    with gzip.open(data / f"{part}.en.gz", "rt", encoding="utf-8") as stream:
        for tree, line in zip(read_trees(data / f"{part}.de.conllu.gz"), stream, strict=False):
            yield german.detokenise(tree.text), english.detokenise(line.strip())


def with_items(pairs: Iterator[tuple[str, str]], forms: list[str], seed: int) -> tuple[Pairs, list[list[str]]]:
    """Pairs in which a name or number that both sides have once is an item, and the strings that must not change."""
    chance, made, fixed = random.Random(seed), [], []
    for source, target in pairs:
        fixed.append([])
        found = [name for name in NAMES.findall(source) if source.count(name) == target.count(name) == 1]
        for name in dict.fromkeys(found):
            form = chance.choice(forms)
            item = form.replace("{}", name)
            # A name alone is text.
            if form != "{}" or name[0].isdigit():
                fixed[-1] += [part.replace("{}", name) for part in FIXED.get(form, (form,))]
            source, target = source.replace(name, item), target.replace(name, item)
        made.append((source, target))
    return made, fixed


def written(pairs: Pairs, folder: Path, change: Callable[[str, str], str] = lambda line, _: line) -> dict[str, Path]:
    files = {"source": folder / "train.de", "target": folder / "train.en"}
    folder.mkdir()
    for side, (role, path) in enumerate(files.items()):
        language = "de" if role == "source" else "en"
        path.write_text("".join(f"{change(pair[side], language)}\n" for pair in pairs), "utf-8")
    return files


def moses_tokens(line: str, language: str) -> str:
    return str(MosesTokenizer(language).tokenize(line, return_str=True, escape=False, protected_patterns=PATTERNS))


def kept_strings(test: Pairs, fixed: list[list[str]], output: list[str]) -> tuple[int, int]:
    """Segments in which each of these strings occurs as often as in the source, and all that have any."""
    kept = [
        all(text.count(part) == source.count(part) for part in parts)
        for (source, _), parts, text in zip(test, fixed, output, strict=True)
        if parts
    ]
    return sum(kept), len(kept)


def scored(name: str, test: Pairs, fixed: list[list[str]], output: list[str], seconds: float) -> dict[str, object]:
    recogniser = Recogniser()
    kept = total = 0
    for (source, _), text in zip(test, output, strict=True):
        wanted = Counter(item.text for item in recogniser.find(source))
        total += bool(wanted)
        kept += bool(wanted) and Counter(item.text for item in recogniser.find(text)) == wanted
    bleu = BLEU().corpus_score(output, [[target for _, target in test]]).score
    whole, of = kept_strings(test, fixed, output)
    figures = {
        "segments_with_items": total,
        "intact": round(100 * kept / max(1, total), 2),
        "segments_with_strings": of,
        "intact_strings": round(100 * whole / max(1, of), 2),
        "bleu": round(float(bleu), 2),
        "segments_per_second": round(len(test) / seconds, 1),
    }
    speed = figures["segments_per_second"]
    intact = f"{figures['intact']:6.2f} %, by strings {figures['intact_strings']:6.2f} %"
    print(f"{name:12} intact {intact}  BLEU {figures['bleu']:5.2f}  {speed} a second", flush=True)
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=data_folder, required=True, help="folder that holds data/")
    parser.add_argument("--pairs", type=int, default=20000, help="training pairs, taken evenly from the corpus")
    parser.add_argument("--segments", type=int, default=1500)
    parser.add_argument("--system", default="pbmt")
    given = parser.parse_args()
    data = given.data / "data" / "tatoeba-de-en"
    every = max(1, 160_000 // given.pairs)
    pairs, _ = with_items(islice(sentences(data, "train"), 0, every * given.pairs, every), SEEN, 1)
    test, fixed = with_items(islice(sentences(data, "test"), given.segments), [*SEEN, *UNSEEN], 2)
    sources = [source for source, _ in test]
    sides = {"source_language": "de", "target_language": "en", "case": "true"}
    figures: dict[str, object] = {"pairs": len(pairs), "test": len(test), "system": given.system}
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        raw = written(pairs, folder / "raw")
        for name, protect in (("protected", "auto"), ("unprotected", "none")):
            options = {"sides": {**sides, "tokenise": True, "protect": protect}}
            model = train(given.system, **raw, out=folder / name, options=options)
            start = time.perf_counter()
            made = model.translate(sources)
            own = scored(name, test, fixed, [one.text for one in made], time.perf_counter() - start)
            figures[name] = {**own, "repaired": sum(one.repaired for one in made)} if protect == "auto" else own
        files = written(pairs, folder / "tokens", moses_tokens)
        model: Model = train(
            given.system, **files, out=folder / "moses", options={"sides": {**sides, "tokenise": False}}
        )
        start = time.perf_counter()
        join = Tokeniser("en").detokenise
        output = [join(one.text) for one in model.translate([moses_tokens(line, "de") for line in sources])]
        figures["moses_way"] = scored("Moses' way", test, fixed, output, time.perf_counter() - start)
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
