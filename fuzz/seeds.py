"""Makes the seed files: ``python -m fuzz.seeds``.

One folder for each reader, with small valid files of its format. They come from a few pairs of the demo corpus, so
that anyone can make them again, which a changed file format requires.
"""

from __future__ import annotations

import dataclasses
import gzip
import json
import shutil
import struct
import tempfile
from collections.abc import Callable
from pathlib import Path

from graphmt import _core, lm
from graphmt.align import AlignOptions
from graphmt.align.lexical import LexicalTable
from graphmt.align.step import Outputs, align_files
from graphmt.consensus import ConsensusOptions, RerankOptions, learn_decoding, make_span_memory
from graphmt.consensus.reranker import Reranker
from graphmt.corpus import TextOptions, TextSteps, read_trees
from graphmt.demo import DemoOptions
from graphmt.demo.corpus import DemoCorpus, generate
from graphmt.evidence import EvidenceOptions, NgramPosteriors, SentenceLists, make_index
from graphmt.lm import LmOptions
from graphmt.model import Manifest, Model
from graphmt.options import template
from graphmt.rules import ExtractOptions, RuleTable, extract_settings
from graphmt.selection import Corpus, DwlOptions, GmOptions, LrsmOptions, OrderOptions, TsmOptions
from graphmt.selection.dwl import train_dwl
from graphmt.selection.gm import VECTORS
from graphmt.selection.order import train_order
from graphmt.selection.tsm import TOPICS
from graphmt.stages import STAGES
from graphmt.storage.resume import Steps
from graphmt.systems import SYSTEMS, system
from graphmt.training import train
from graphmt.tune.state import RECORD, RESULT, State

from fuzz.readers.base import SEEDS
from fuzz.readers.states import REQUEST, tuned

PAIRS = 4

#: Limits of extraction, for grammars with holes over spans, and for the others.
HOLES = ExtractOptions(max_length=4, max_symbols=3, min_hole=1, threads=1, max_memory=64)
PHRASES = ExtractOptions(max_source=3, max_target=3, threads=1, max_memory=64)

EXPERIMENT = """name = "own"
corpora = ["news-de-en"]
test = ["test", "test2"]
metrics = ["bleu", "ter"]
rule_shares = { basic = "1 %", segmenting = "2 %", selecting = "3 %" }

[[arms]]
name = "a"
system = "hpb"
search = { max_span = 9 }
selection = ["gm"]
training = { gm = { dimensions = 9 } }
start = { lm = 0.5 }
features = [{ function = "f.py:f", weights = { f = 1.0 } }]

[[arms]]
name = "b"
over = "a"
rerank = { method = "struct-lp" }

[[claims]]
arm = "b"
over = "a"
gain = { de-en = 0.65 }

[[ablations]]
title = "Kinds"
varied = "kind"
rows = [["all", "a"], ["none", "b"]]

[search]
pop_limit = 50
"""
CSV = 'id,source,target\n1,"Open ""%s"", then close",„%s“ öffnen\n2,Save,"Speichern,\nsofort"\n'
GLOSSARY = "source\ttarget\tuse\nDrucker\tprinter\nneuer Drucker\tnew printer\tpreferred\nDrucker\tpress\tforbidden\n"
TBX = """\
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE martif SYSTEM "TBXcoreStructV02.dtd">
<martif type="TBX" xml:lang="de"><text><body>
<termEntry id="1"><langSet xml:lang="de"><tig><term>Drucker</term></tig></langSet>
<langSet xml:lang="en"><tig><term>printer</term></tig><tig><term>press</term>
<termNote type="administrativeStatus">deprecatedTerm-admn-sts</termNote></tig></langSet></termEntry>
</body></text></martif>
"""
HTML = """\
<!DOCTYPE html><html lang="de"><head><meta charset="utf-8"><title>Drucker &amp; Papier</title>
<style>p > a { color: red }</style></head><body><!-- links --><p class="a b">Der <b>neue</b> Drucker<br> druckt.</p>
<ul><li translate="no">PrintMaster</li><li><a href='x.html' title="mehr">mehr</a> &nbsp;lesen</li></ul></body></html>
"""
ANDROID = """\
<?xml version="1.0" encoding="utf-8"?>
<resources xmlns:xliff="urn:oasis:names:tc:xliff:document:1.2">
<string name="hello">Hallo, <b>%1$s</b>! It\\'s <xliff:g id="n">%d</xliff:g></string>
<string name="id" translatable="false">x1</string><string name="quoted">" zwei  Wörter "</string>
<plurals name="files"><item quantity="one">%d Datei</item><item quantity="other">%d Dateien</item></plurals>
<string-array name="days"><item>Montag</item><item><![CDATA[<i>Dienstag</i>]]></item></string-array>
</resources>
"""
APPLE = '/* Title */\n"title" = "Ein \\"neuer\\" Drucker";\nsave = "%@ speichern\\n";  // twice\n"empty" = "";\n'
ARB = """\
{"@@locale": "de", "hello": "Hallo, {name}!", "@hello": {"description": "greeting"}, "menu": {"save": "Speichern"},
 "files": "{count, plural, =0 {keine} one {eine Datei} other {{count} Dateien}}", "rows": ["eins", "", 3, null]}
"""


def main() -> None:
    """Write all seeds anew."""
    with tempfile.TemporaryDirectory() as temporary:
        made = Path(temporary) / "seeds"
        made.mkdir()
        _write(Path(temporary), made)
        shutil.rmtree(SEEDS, ignore_errors=True)
        shutil.copytree(made, SEEDS)
    sizes = [path.stat().st_size for path in SEEDS.rglob("*") if path.is_file()]
    print(f"{len(sizes)} seeds, {sum(sizes):,} bytes")


def _write(work: Path, out: Path) -> None:
    corpus = generate(DemoOptions(train=PAIRS, dev=0, test=0))
    files = _corpus(corpus, work)
    _texts(corpus, files, out)
    _models(files, work, out)
    _ngram_predictors(corpus, work, out)
    _states(files, work, out)


def _put(out: Path, reader: str, name: str, content: str | bytes) -> Path:
    path = out / reader / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def _copied(out: Path, reader: str, name: str, path: Path) -> None:
    _put(out, reader, name, path.read_bytes())


def _corpus(corpus: DemoCorpus, work: Path) -> dict[str, Path]:
    files = {name: work / name for name in ("train.de.conllu", "train.en", "train.align")}
    files["train.de.conllu"].write_text("".join(pair.source.conllu() for pair in corpus.train), "utf-8")
    files["train.en"].write_text("".join(" ".join(pair.target).lower() + "\n" for pair in corpus.train), "utf-8")
    rows = (" ".join(f"{i}-{j}" for i, j in sorted(pair.alignment)) for pair in corpus.train)
    files["train.align"].write_text("".join(row + "\n" for row in rows), "utf-8")
    return files


def _texts(corpus: DemoCorpus, files: dict[str, Path], out: Path) -> None:
    """Formats that people and other tools write."""
    pairs = [(pair.source.text, " ".join(pair.target)) for pair in corpus.train[:3]]
    trees = "".join(pair.source.conllu() for pair in corpus.train[:2])
    multiword = (
        "# newdoc id = one\n# text = Er geht zum Haus\n1\tEr\ter\tPRON\t_\t_\t2\tnsubj\t_\t_\n"
        "2\tgeht\tgehen\tVERB\t_\t_\t0\troot\t_\t_\n3-4\tzum\t_\t_\t_\t_\t_\t_\t_\t_\n"
        "3\tzu\tzu\tADP\t_\t_\t5\tcase\t_\t_\n4\tdem\tder\tDET\t_\t_\t5\tdet\t_\t_\n"
        "5\tHaus\tHaus\tNOUN\t_\t_\t2\tobl\t_\t_\n5.1\tleer\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
    )
    _put(out, "conllu", "demo.conllu", trees)
    _put(out, "conllu", "multiword.conllu", multiword)
    _put(out, "text", "plain.txt", "".join(f"{source}\n" for source, _ in pairs))
    _put(out, "text", "windows.txt", "\ufeffein Haus\r\n\r\nzwei\u2028Häuser\r\n")
    _put(out, "gzip", "text.gz", gzip.compress("".join(f"{s}\n" for s, _ in pairs).encode(), mtime=0))
    _put(out, "gzip", "members.gz", gzip.compress(b"ein\n", mtime=0) + gzip.compress(b"zwei\n", mtime=0))
    _put(out, "tsv", "pairs.tsv", "".join(f"{source}\t{target}\n" for source, target in pairs))
    _put(out, "tmx", "memory.tmx", _tmx(pairs))
    _put(out, "po", "messages.po", _po(pairs))
    _put(out, "mo", "messages.mo", _mo([("", "Content-Type: text/plain; charset=UTF-8\n"), *pairs, ("a\0b", "x\0y")]))
    links = files["train.align"].read_text()
    _put(out, "alignment", "links.align", "".join(links.splitlines(keepends=True)[:3]) + "0-0 1p1 2?1\n\n")
    _put(out, "nbest-moses", "lists.nbest", _moses_list(pairs))
    _put(out, "nbest-json", "lists.jsonl", _json_list(pairs))
    for reader, name, content in _other_lists(pairs):
        _put(out, reader, name, content)
    _put(out, "xliff", "old.xlf", _xliff(pairs, "1.2"))
    _put(out, "xliff", "new.xlf", _xliff(pairs, "2.1"))
    _put(out, "html", "page.html", HTML)
    _put(out, "android", "strings.xml", ANDROID)
    _put(out, "apple-strings", "app.strings", APPLE)
    _put(out, "json-strings", "app.arb", ARB)
    _put(out, "csv", "table.csv", CSV)
    _put(out, "glossary", "terms.tsv", GLOSSARY)
    _put(out, "tbx", "old.tbx", TBX)
    _put(out, "config", "all.toml", "\n".join(r for r in template(STAGES).splitlines() if not r.startswith("#")) + "\n")
    _put(out, "experiment", "own.toml", EXPERIMENT)
    _put(out, "config", "some.toml", '[align]\nmodel = "hmm"\nthreads = 1\n\n[lm]\norder = 3\nprune = [0, 1]\n')


def _tmx(pairs: list[tuple[str, str]]) -> str:
    units = "".join(
        f'  <tu><tuv xml:lang="de"><seg>{source}</seg></tuv><tuv xml:lang="en"><seg>{target} <ph>code</ph></seg></tuv>'
        "</tu>\n"
        for source, target in pairs
    )
    head = '<?xml version="1.0" encoding="UTF-8"?>\n<tmx version="1.4">\n<header srclang="de"/>\n'
    return f"{head}<body>\n{units}</body>\n</tmx>\n"


def _po(pairs: list[tuple[str, str]]) -> str:
    head = 'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n\n'
    plain = "".join(f'#: place:1\nmsgid "{source}"\nmsgstr "{target}"\n\n' for source, target in pairs)
    more = (
        'msgctxt "menu"\nmsgid "one \\"file\\""\nmsgid_plural "%d files"\nmsgstr[0] "ein"\n"e"\nmsgstr[1] "\\t%d"\n\n'
    )
    return f'{head}{plain}{more}#, fuzzy\nmsgid "x"\nmsgstr "y"\n\n#~ msgid "old"\n#~ msgstr "alt"\n'


def _mo(pairs: list[tuple[str, str]]) -> bytes:
    """A compiled catalogue: header, two tables of lengths and places, then the strings."""
    columns = [[text.encode() + b"\0" for text in column] for column in zip(*pairs, strict=True)]
    tables, at = [], 28 + 16 * len(pairs)
    for column in columns:
        for text in column:
            tables.append(struct.pack("<2I", len(text) - 1, at))
            at += len(text)
    places = (28, 28 + 8 * len(pairs))
    head = struct.pack("<7I", 0x950412DE, 0, len(pairs), *places, 0, 0)
    return head + b"".join(tables) + b"".join(text for column in columns for text in column)


def _moses_list(pairs: list[tuple[str, str]]) -> str:
    rows = []
    for number, (_, target) in enumerate(pairs):
        rows.append(f"{number} ||| {target} ||| LM= -3.5 TM= -1 -2.25 ||| -4.5\n")
        rows.append(f"{number} ||| {target} too ||| LM= -4.5 TM= -1 -2 ||| -5e0 ||| 0-0 1-1\n")
    return "".join(rows)


def _json_list(pairs: list[tuple[str, str]]) -> str:
    rows: list[object] = [
        {"sentence": 0, "text": pairs[0][1], "score": -1.5, "features": {"length": 3}},
        {"sentence": 0, "tokens": pairs[0][1].split(), "log_probability": -2, "features": {"length": 4}},
        {"id": 1, "candidates": [{"text": pairs[1][1] + " \u00e4", "score": -1, "features": {"length": 1}}]},
    ]
    return "".join(json.dumps(row) + "\n" for row in rows)


def _other_lists(pairs: list[tuple[str, str]]) -> list[tuple[str, str, str]]:
    """Lists as (reader, file, content), two candidates for each pair."""
    marian, fairseq, opennmt, tsv, plain, scored = [], [], [], ["id\ttext\tscore\tlength\n"], [], []
    array: list[object] = []
    for number, (source, target) in enumerate(pairs):
        opennmt.append(
            f"SENT {number + 1}: {source.split()}\nPRED {number + 1}: {target}\nPRED SCORE: -1.5\n\nBEST HYP:\n"
        )
        fairseq.append(f"S-{number}\t{source}\nT-{number}\t{target}\n")
        for text in (target, f"{target} to@@ o"):
            words = " ".join(["-0.5"] * len(text.split()))
            marian.append(f"{number} ||| {text} ||| 0-0 1-1 ||| WordScores= {words} ||| F0= -4 F1= -2 ||| -1.5\n")
            fairseq.append(
                f"H-{number}\t-0.5\t{text}\nD-{number}\t-0.5\t{text}\nP-{number}\t{words}\nA-{number}\t0-0\n"
            )
            opennmt.append(f"[-1.5000] {text.split()}\n")
            tsv.append(f"{number}\t{text}\t-1.5\t3\n")
            plain.append(f"{text}\n")
            scored.append(f"{text}\t-1.5\n")
        array.append({"source": source, "hypotheses": [target, f"\u2581{target}"], "scores": [-1, -2.5]})
    texts = [[target, f"{target} too"] for _, target in pairs]
    return [
        ("nbest-marian", "lists.nbest", "".join(marian)),
        ("nbest-marian", "short.nbest", "0 ||| a ||| F0=-1 ||| -1\n"),
        ("nbest-fairseq", "generate.out", "2020-01-01 10:00:00 | INFO | x\n" + "".join(fairseq) + "Generate test\n"),
        ("nbest-opennmt", "translate.log", "[2021-01-01 10:00:00 INFO] \n" + "".join(opennmt)),
        ("nbest-tsv", "header.tsv", "".join(tsv)),
        ("nbest-tsv", "plain.tsv", "".join(tsv[1:])),
        ("nbest-plain", "texts.txt", "".join(plain)),
        ("nbest-plain", "scores.txt", "".join(scored)),
        ("nbest-json-array", "sentences.json", json.dumps(array, indent=1)),
        ("nbest-json-array", "texts.json", json.dumps(texts)),
        ("nbest-json-array", "lines.json", "".join(json.dumps(one) + "\n" for one in texts)),
    ]


def _xliff(pairs: list[tuple[str, str]], version: str) -> str:
    name, head = ("trans-unit", '<file source-language="de" target-language="en"><body>')
    languages, tail = "", "</body></file>"
    if version != "1.2":
        name, head, tail = "segment", '<file id="f"><unit id="u">', "</unit></file>"
        languages = ' srcLang="de" trgLang="en"'
    units = "".join(
        f"<{name}><source>{source} <ph>code</ph></source><target>{target}</target></{name}>\n"
        for source, target in pairs
    )
    return f'<xliff version="{version}"{languages}>{head}\n{units}{tail}</xliff>\n'


def _models(files: dict[str, Path], work: Path, out: Path) -> None:
    """The files of trained models, and tables of other tools."""
    lm.train([files["train.en"]], work / "lm.bin", LmOptions(order=2, threads=1))
    lm.train([files["train.en"]], work / "lm.arpa", LmOptions(order=2, threads=1))
    _copied(out, "lm", "lm.bin", work / "lm.bin")
    _put(out, "arpa", "bigrams.arpa", (work / "lm.arpa").read_text("utf-8"))
    own = {
        "gm": GmOptions(lemmas=False, source_count=0, source_pmi=-20.0, dimensions=2, threads=1),
        "lrsm": LrsmOptions(occurrences=1, features=1, threads=1),
        "tsm": TsmOptions(topics=2, most_frequent=0, iterations=5, document_length=2, threads=1),
    }
    given = {"source": files["train.de.conllu"], "target": files["train.en"], "alignment": files["train.align"]}
    for name in SYSTEMS:
        chosen = own if name == "hpb" else {}
        options = {"extract": HOLES if name in ("hpb", "dgst") else PHRASES, **chosen}
        train(name, **given, language_model=work / "lm.bin", out=work / name, selection=[*chosen], options=options)
        _copied(out, f"rules-{name}", "rules.bin", work / name / "rules.bin")
    for reader in ("gm", "lrsm", "tsm"):
        _copied(out, reader, f"{reader}.bin", work / "hpb" / f"{reader}.bin")
    _copied(out, "topics", TOPICS, work / "hpb" / TOPICS)
    _words(files, work)
    _copied(out, "dwl", "dwl.bin", work / "dwl.bin")
    _copied(out, "order", "order.bin", work / "order.bin")
    _copied(out, "gm-vectors", VECTORS, work / "hpb" / VECTORS)
    _copied(out, "reordering", "reordering.bin", work / "btg" / "reordering.bin")
    # Without the digests of other files, which readers of those damage.
    dataclasses.replace(Manifest.load(work / "hpb"), files={}).save(work)
    _copied(out, "manifest", "manifest.json", work / "manifest.json")
    _copied(out, "weights", "weights.toml", work / "hpb" / "weights.toml")
    TextSteps(TextOptions(case="true", tokenise=True)).fit(["Das Haus .", "das haus"]).save(work)
    _copied(out, "text-steps", "text.json", work / "text.json")
    for name, reader in (("pbmt", "moses-phrases"), ("hpb", "moses-rules")):
        RuleTable(work / name / "rules.bin").to_moses(work / "table")
        rows = (work / "table").read_text("utf-8").splitlines(keepends=True)
        _put(out, reader, "table.txt", "".join(rows[:: max(1, len(rows) // 12)]))
    lines = [files["train.en"].read_text().splitlines()[:3]] * 2
    links = _core.Alignment.from_pairs([[(0, 0), (1, 1)]] * 3)
    LexicalTable.count(*lines, links).save(work / "lex", compress=False)
    _copied(out, "lexical", "lex.f2e", work / "lex.f2e")
    _put(out, "lexical-reverse", "lex.e2f", (work / "lex.e2f").read_bytes())


def _words(files: dict[str, Path], work: Path) -> None:
    """A word lexicon and a model of word order, for the rules of hpb. In every second pair the links are changed, so
    that words have two translations and two orders: for the lexicon there are none, for the order they are mirrored."""
    rows = files["train.align"].read_text("utf-8").splitlines()
    tokens = (" ".join(tree.tokens).lower() + "\n" for tree in read_trees(files["train.de.conllu"]))
    (work / "train.de").write_text("".join(tokens), "utf-8")

    def corpus(name: str, changed: Callable[[str], str]) -> Corpus:
        links = work / f"{name}.align"
        links.write_text("".join(f"{changed(row) if k % 2 else row}\n" for k, row in enumerate(rows)), "utf-8")
        text = work / "train.de", files["train.en"], links, files["train.de.conllu"]
        settings = extract_settings(system("hpb"), HOLES)
        return Corpus(*text, TextSteps(), TextSteps(), work / "hpb" / "rules.bin", settings)

    def mirrored(row: str) -> str:
        sides = [link.split("-") for link in row.split()]
        return " ".join(f"{s}-{t}" for (s, _), (_, t) in zip(sides, reversed(sides), strict=True))

    dwl, order = (of(occurrences=1, features=1, threads=1) for of in (DwlOptions, OrderOptions))
    train_dwl(corpus("half", lambda row: ""), work / "dwl.bin", dwl)
    train_order(corpus("mirrored", mirrored), work / "order.bin", order)


def _ngram_predictors(corpus: DemoCorpus, work: Path, out: Path) -> None:
    pairs = [(" ".join(pair.source.tokens), " ".join(pair.target)) for pair in corpus.train]
    lists = SentenceLists(
        [source for source, _ in pairs],
        [[target, *(other for _, other in pairs)] for _, target in pairs],
        references=[[target] for _, target in pairs],
    )
    for classifier in ("lr", "gb"):
        options = EvidenceOptions(
            classifier=classifier, folds=2, skip_identical=True, trees=2, leaves=3, leaf_rows=3, threads=1
        )
        posteriors, _ = NgramPosteriors.fit(make_index(pairs, options), lists, options)
        posteriors.save(work / classifier)
        _copied(out, "ngram-predictor", f"{classifier}.bin", work / classifier)


def _states(files: dict[str, Path], work: Path, out: Path) -> None:
    """What runs keep: derivations, re-rankers, consensus, records and states."""
    model = Model(work / "btg")
    sources = [" ".join(tree.tokens) for tree in read_trees(files["train.de.conllu"])]
    found = model.n_best(sources[:2], 2)
    rows = [one.as_json(number, rank) + "\n" for number, best in enumerate(found) for rank, one in enumerate(best)]
    _put(out, "derivations", "translations.jsonl", "".join(rows))
    options = RerankOptions()
    Reranker.untuned(("score", "LM", "TM0", "TM1"), options).save(work / "reranker.json")
    _copied(out, "reranker", "reranker.json", work / "reranker.json")
    targets = files["train.en"].read_text("utf-8").splitlines()
    memory, _ = make_span_memory(model, zip(sources[:2], targets[:2], strict=True), threads=1)
    asked = ConsensusOptions(threads=1, alternations=1)
    learn_decoding(model, memory, sources[:2], [[line] for line in targets[:2]], asked).save(work / "consensus")
    _copied(out, "consensus", "consensus.json", work / "consensus" / "consensus.json")
    _copied(out, "span-memory", "spans.tsv.gz", work / "consensus" / "spans.tsv.gz")
    align_files(files["train.en"], files["train.en"], Outputs(work / "links"), AlignOptions(model="ibm1", threads=1))
    _copied(out, "align-record", "links.json", work / "links.json")
    Steps(work).run("step", {"options": {"order": 3}}, [], lambda: {"ngrams": [1, 2]})
    _copied(out, "steps-record", "step.json", work / "step.json")
    result = tuned(work / "state", iterations=1)
    State(work / "state", REQUEST).keep_result(result)
    _copied(out, "tune-state", RECORD, work / "state" / RECORD)
    _copied(out, "tune-result", RESULT, work / "state" / RESULT)
    history = [json.dumps(dataclasses.asdict(one)) + "\n" for one in result.history]
    _put(out, "tuning-log", "weights.tuning.jsonl", "".join(history * 2))
    _copied(out, "tune-lists", "lists-001.npz", work / "state" / "lists-001.npz")


if __name__ == "__main__":
    main()
