"""Fingerprints of what every command makes: two versions that print the same give the same results.

Trains each system with several of its options, tunes, translates with derivations, search graphs, glossaries and
consensus, and re-ranks lists, all with commands. Prints a SHA-256 for each file. ``--compare FILE`` takes the JSON line
of another run and fails where a fingerprint differs. ``make test`` does the same on a small corpus.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from graphmt.corpus import read_trees
from graphmt.storage.files import lines
from peers.folder import data_folder

#: Runs a command of graphmt in a folder.
Run = Callable[[list[str], Path], None]

FILES = "--source train.de.conllu --target train.en --alignment train.align"
#: Models by name: options of their training.
MODELS = {
    "pbmt": "--system pbmt",
    "pbmt-reordering": "--system pbmt --reordering --smoothing kneser-ney",
    "tbmt": "--system tbmt",
    "gbmt": "--system gbmt --unaligned neighbours",
    "gbmt-ctx": "--system gbmt-ctx",
    "gbmt-links": "--system gbmt --with dwl --config links.toml",
    "hpb": "--system hpb",
    "hpb-selection": "--system hpb --with gm,lrsm,dwl,order,tsm",
    "btg": "--system btg",
    "dgst": "--system dgst",
    "dgst-any": "--system dgst --any-span --no-structure --max-external 3 --labels ends",
    "dep2str": "--system dep2str",
}
#: More ways to translate with these models.
TRANSLATIONS = {
    "pbmt": [
        "--search stack --pop-limit 50",
        "--distortion-limit 2 --table-limit 5",
        "--glossary terms.tsv",
        "--drop-unknown",
    ],
    "gbmt-ctx": ["--rule-kinds basic+selecting", "--contexts features"],
    "hpb": ["--max-span 6", "--glossary terms.tsv"],
    "hpb-selection": ["--gm-relatedness lm", "--document-length 3"],
    "btg": ["--max-span 6"],
    "dgst-any": ["--contexts features"],
}
#: Tuning runs: model, then options.
TUNING = [
    ("pbmt", "--tuner mert"),
    ("pbmt", "--tuner mira"),
    ("pbmt", "--tuner pro"),
    ("gbmt-ctx", "--tuner mira"),
    ("hpb-selection", "--tuner mira"),
    ("btg", "--tuner mira"),
    ("hpb", "--tuner mert --metric ter"),
]
#: Features of consensus decoding, and its search.
CONSENSUS = ["features=gc+lc", "features=gc-memory+gc-spans+lc+memory", "search=cells"]
#: Re-ranking with a memory and a development set.
TUNED = ["memory", "lm", "lexicon", "memory+lm+lexicon", "gc", "lc", "gc+lc", "none"]
#: Re-ranking without a development set.
UNTUNED = ["--method struct-lp -m train.tsv", "--method mbr-bleu", "--method mbr-chrf", "-m train.tsv"]


class Step(NamedTuple):
    """A command, and the files that it makes."""

    command: str
    outputs: str


def steps() -> Iterator[Step]:
    """All commands. They run in one folder, each with what those before it made."""
    for name, options in MODELS.items():
        yield Step(f"train {name} {options} {FILES} --order 3", f"{name}/*.bin {name}/*.npz {name}/weights.toml")
        to = f"-o {name}.lists --search-graph {name}.json"
        yield Step(f"translate {name} test.de.conllu --n-best 10 {to}", f"{name}.lists {name}.json")
        yield Step(f"translate {name} test.de.conllu --derivations json -o {name}.steps", f"{name}.steps")
        for k, more in enumerate(TRANSLATIONS.get(name, ())):
            yield Step(f"translate {name} test.de.conllu --n-best 5 {more} -o {name}.{k}", f"{name}.{k}")
    yield Step("translate pbmt marked.de --xml-input inclusive --n-best 5 -o marked", "marked")
    yield Step("explain hpb-selection test.de.conllu --svg graphs", "graphs/*")
    for k, (name, options) in enumerate(TUNING):
        yield Step(
            f"tune {name} --source dev.de.conllu --target dev.en {options} --iterations 3 -o tuned{k}.toml",
            f"tuned{k}.toml",
        )
    for k, _ in enumerate(CONSENSUS):
        train = f"consensus btg --source train.de.conllu --target train.en --dev dev.de.conllu dev.en -o consensus{k}"
        yield Step(f"{train} --config consensus{k}.toml", f"consensus{k}/spans.tsv.gz")
        yield Step(f"translate btg test.de.conllu --consensus-of consensus{k} -o consensus{k}.out", f"consensus{k}.out")
    for part in ("dev", "test"):
        yield Step(f"translate hpb {part}.de.conllu --n-best 30 --distinct -o {part}.nbest", "")
    for features in TUNED:
        tuned = "-m train.tsv --dev dev.nbest dev.de.conllu --dev-target dev.en"
        rerank = f"rerank test.nbest -s test.de.conllu {tuned} --features {features} --n-best"
        yield Step(f"{rerank} -o {features}.ranked", f"{features}.ranked")
    for k, options in enumerate(UNTUNED):
        yield Step(f"rerank test.nbest -s test.de.conllu {options} --n-best -o untuned{k}", f"untuned{k}")


def prepare(folder: Path) -> None:
    """Write what the commands read beside the corpus, which is in the folder."""
    (folder / "links.toml").write_text('[dwl]\ncontext = "links"\n', "utf-8")
    for k, options in enumerate(CONSENSUS):
        name, value = options.split("=")
        (folder / f"consensus{k}.toml").write_text(f'[consensus]\n{name} = "{value}"\nalternations = 1\n', "utf-8")
    sources = [" ".join(tree.tokens) for tree in read_trees(folder / "train.de.conllu")]
    targets = (folder / "train.en").read_text("utf-8").splitlines()
    pairs = zip(sources, targets, strict=True)
    (folder / "train.tsv").write_text("".join(f"{source}\t{target}\n" for source, target in pairs), "utf-8")
    test = [" ".join(tree.tokens) for tree in read_trees(folder / "test.de.conllu")]
    words = [text.split()[1] for text in test[:3]]
    uses = ("required", "preferred", "forbidden")
    terms = zip(words, ("someone", "something", "the"), uses, strict=True)
    (folder / "terms.tsv").write_text("source\ttarget\tuse\n" + "".join(map("{0[0]}\t{0[1]}\t{0[2]}\n".format, terms)))
    marked = (text.replace(text.split()[1], f'<n translation="that">{text.split()[1]}</n>', 1) for text in test[:5])
    (folder / "marked.de").write_text("".join(f"{text}\n" for text in marked), "utf-8")


def fingerprint(path: Path) -> str:
    """Of the file; of weights, to four digits, because NumPy's sums differ from processor to processor."""
    content = path.read_bytes()
    if path.suffix == ".toml" or path.suffix == ".ranked":
        content = re.sub(rb"-?\d+\.\d+(e-?\d+)?", lambda one: b"%.4g" % float(one[0]), content)
    return hashlib.sha256(content).hexdigest()[:16]


def fingerprints(folder: Path, run: Run, done: Callable[[str, str], object] = lambda *_: None) -> dict[str, str]:
    """A fingerprint for each file that the commands make from a corpus in this folder."""
    prepare(folder)
    found: dict[str, str] = {}
    for command, outputs in steps():
        run(shlex.split(command), folder)
        made = sorted(path for pattern in outputs.split() for path in folder.glob(pattern))
        for path in made:
            name = path.relative_to(folder).as_posix()
            done(name, found.setdefault(name, fingerprint(path)))
    return found


def differences(found: dict[str, str], other: dict[str, str]) -> list[str]:
    """The names whose fingerprints differ, or that only one of the two has."""
    return sorted(name for name in {*found, *other} if found.get(name) != other.get(name))


def _subprocess(command: list[str], folder: Path) -> None:
    subprocess.run([sys.executable, "-m", "graphmt", "--quiet", *command], cwd=folder, check=True)


def _multi30k(data: Path, folder: Path) -> None:
    corpus = data / "data" / "multi30k-de-en"
    for part, most in (("train", None), ("dev", 300), ("test", 300)):
        with (folder / f"{part}.de.conllu").open("w", encoding="utf-8") as stream:
            stream.writelines(tree.conllu() for tree in islice(read_trees(corpus / f"{part}.de.conllu.gz"), most))
        targets: Iterable[str] = lines(corpus / f"{part}.en.gz")
        (folder / f"{part}.en").write_text("".join(f"{line}\n" for line in islice(targets, most)), "utf-8")
    _subprocess(shlex.split("align --source train.de.conllu --target train.en --out train.align"), folder)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=data_folder, required=True, help="folder that holds data/")
    parser.add_argument("--compare", type=Path, help="file whose last line is the JSON line of another run")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        _multi30k(options.data, Path(name))
        found = fingerprints(Path(name), _subprocess, lambda name, one: print(f"{name:40} {one}", flush=True))
    print(json.dumps(found))
    if options.compare:
        other = json.loads(options.compare.read_text("utf-8").splitlines()[-1])
        if different := differences(found, other):
            sys.exit(f"different: {', '.join(different)}")


if __name__ == "__main__":
    main()
