"""The Spark engine gives the results of one machine. One file, so that one process runs one session."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import small_lists
from graphmt import _core, lm, load, spark
from graphmt.align import AlignOptions
from graphmt.cli import spark_translation
from graphmt.cli.verbs import app
from graphmt.consensus import NBestList, Reranker, RerankOptions
from graphmt.consensus.candidates import Candidates
from graphmt.corpus import CleanOptions, clean, read_trees, statistics
from graphmt.errors import InputError, MissingPackageError, OptionError
from graphmt.lm import LmOptions
from graphmt.rules import ExtractOptions, extract_rules
from graphmt.spark import jobs
from graphmt.spark import session as sessions
from graphmt.spark import text as text_steps
from graphmt.spark.engine import SparkEngine
from graphmt.spark.jobs import Stages
from graphmt.spark.reading import sentences, text_lines, tree_texts
from graphmt.storage.files import lines
from graphmt.systems import system
from small_models import Trained
from spark_corpus import Corpus

COLUMNS = "number long, source string, target string, alignment string, tree string"

#: Every word depends on the one before it.
CHAIN_PARSER = """
import sys
for line in sys.stdin:
    words = enumerate(line.split())
    print("".join(f"{n + 1}\\t{word}\\t_\\tX\\t_\\t_\\t{n}\\tdep\\t_\\t_\\n" for n, word in words))
"""


@pytest.fixture(scope="module")
def corpus(demo: Trained, tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return Corpus(demo, tmp_path_factory.mktemp("corpus"), 60)


@pytest.fixture(scope="module")
def pairs(session: Any, corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Any:
    # Pairs in no order, in three partitions.
    return corpus.frame(session, tmp_path_factory.mktemp("pairs")).repartition(3).cache()


@pytest.mark.parametrize(("name", "smoothing"), [("gbmt-ctx", "kneser-ney"), ("dgst", "none")], ids=lambda one: one)
def test_rule_tables_are_those_of_one_machine(
    name: str, smoothing: str, pairs: Any, corpus: Corpus, tmp_path: Path
) -> None:
    options = ExtractOptions(smoothing=smoothing, reordering=smoothing != "none")
    expected = extract_rules(system(name), *corpus.files(), tmp_path / "one.bin", trees=corpus.trees, options=options)
    found = spark.extract_rules(pairs, name, tmp_path / "spark.bin", options=options, parts=5)
    assert found == expected
    assert (tmp_path / "spark.bin").read_bytes() == (tmp_path / "one.bin").read_bytes()


@pytest.mark.parametrize(
    ("order", "prune", "end"),
    [(3, (0, 1), "lm"), *(pytest.param(*one, "arpa", marks=pytest.mark.long) for one in ((1, ()), (2, (1,)), (6, ())))],
)
def test_language_models_are_those_of_one_machine(
    order: int, prune: tuple[int, ...], end: str, session: Any, corpus: Corpus, tmp_path: Path
) -> None:
    options = LmOptions(order=order, prune=prune, discount_fallback=True)
    expected = lm.train(corpus.target, tmp_path / f"one.{end}", options)
    lines = text_lines(Stages(session, tmp_path / "work", {}), [corpus.target]).repartition(3)
    found = spark.estimate(lines, tmp_path / f"spark.{end}", options)
    assert found == expected
    assert (tmp_path / f"spark.{end}").read_bytes() == (tmp_path / f"one.{end}").read_bytes()
    assert expected.lines == 60
    with pytest.raises(InputError, match="no words"):
        spark.estimate(lines.selectExpr("number", "'' as text"), tmp_path / "none", options)


def test_the_command_estimates_language_models(session: Any, corpus: Corpus, tmp_path: Path) -> None:
    arguments = ["lm", "train", str(corpus.source), str(corpus.target), "--order", "2", "--discount-fallback"]
    for name, more in (("one", []), ("spark", ["--engine", "spark", "--master", "local[2]"])):
        app([*arguments, "--out", str(tmp_path / f"{name}.arpa"), *more], standalone_mode=False)
    assert (tmp_path / "spark.arpa").read_bytes() == (tmp_path / "one.arpa").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one.arpa", "spark.arpa"]
    with pytest.raises(OptionError, match="files, not standard input"):
        app(["lm", "train", "-", "--out", str(tmp_path / "none"), "--engine", "spark"], standalone_mode=False)


def test_statistics_are_those_of_one_machine(
    session: Any, corpus: Corpus, demo: Trained, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trees = tmp_path / "source.conllu"
    text = corpus.trees.read_text("utf-8")
    trees.write_text(text.replace("\t0\t", "\t99\t", 1), "utf-8")
    arguments = [
        "corpus",
        "stats",
        str(trees),
        str(corpus.target),
        "--unknown",
        str(demo.test),
        "--lowercase",
        "--json",
    ]
    shown = []
    for more in ([], ["--engine", "spark", "--master", "local[2]"]):
        app([*arguments, *more], standalone_mode=False)
        shown.append(json.loads(capsys.readouterr().out))
    assert shown[0] == shown[1]
    assert shown[0]["sides"][0]["trees"]["faults"] == 1
    assert shown[0]["unknown"]["unknown_types"] > 0
    columns = [list(lines(path)) for path in corpus.files()[:2]]
    rows = list(zip(*columns, strict=True))
    pairs = session.createDataFrame(rows, "source string, target string").repartition(3)
    other = session.createDataFrame([("das xyz xyz",)], "text string")
    found = spark.statistics(pairs, unknown=other)
    expected = statistics(*corpus.files()[:2])
    named = zip(expected.sides, ("source", "target"), strict=True)
    assert found.sides == tuple(dataclasses.replace(side, name=name) for side, name in named)
    assert found.unknown is not None
    assert (found.unknown.tokens, found.unknown.unknown_tokens, found.unknown.unknown_types) == (3, 2, 1)
    with pytest.raises(InputError, match="nothing to count"):
        spark.statistics(pairs.limit(0))


def test_links_of_an_aligner_trained_on_a_sample_are_those_of_one_machine(
    session: Any, corpus: Corpus, tmp_path: Path
) -> None:
    arguments = ["align", "--source", str(corpus.source), "--target", str(corpus.target), "--model", "ibm1"]
    on_spark = ["--engine", "spark", "--master", "local[2]"]
    with pytest.raises(OptionError, match="a sample, whose size is not given"):
        app([*arguments, "--out", str(tmp_path / "none"), *on_spark], standalone_mode=False)
    arguments += ["--sample", "40", "--lexical-lowercase"]
    for name, more in (("one", []), ("spark", on_spark)):
        files = ["--out", str(tmp_path / f"{name}.gz"), "--lexical", str(tmp_path / name)]
        app([*arguments, *files, *more], standalone_mode=False)
    one, other = (json.loads((tmp_path / f"{name}.gz.json").read_text("utf-8")) for name in ("one", "spark"))
    assert {**one, "lexical": None} == {**other, "lexical": None}
    for end in ("gz", "f2e.gz", "e2f.gz"):
        assert list(lines(tmp_path / f"one.{end}")) == list(lines(tmp_path / f"spark.{end}"))
    assert not (tmp_path / "spark.gz.working").exists()
    # Columns are kept, and pairs without links say why.
    rows = [(0, "a b", "c d", "x"), (1, "", "c", "y"), (2, "a", "c " * 30, "z")]
    frame = session.createDataFrame(rows, "number long, source string, target string, more string")
    found = spark.align(frame, AlignOptions(model="ibm1", sample=3, max_length=20)).orderBy("number").collect()
    assert [row.unaligned for row in found] == [None, "empty side", "too long"]
    assert [row.more for row in found] == ["x", "y", "z"]


def test_a_rerun_goes_on_from_whole_stages(
    session: Any, corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, options = SparkEngine(session), ExtractOptions(max_source=2)
    arguments = {"trees": None, "options": options, "work": tmp_path / "work"}
    from graphmt.spark import rules

    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(rules._Extraction, "scored", stopped)
        engine.extract_rules(system("pbmt"), *corpus.files(), tmp_path / "out.bin", **arguments)
    assert not (tmp_path / "out.bin").exists()
    merged = tmp_path / "work" / "merged"
    before = {path: path.stat().st_mtime_ns for path in merged.iterdir()}
    engine.extract_rules(system("pbmt"), *corpus.files(), tmp_path / "out.bin", **arguments)
    assert {path: path.stat().st_mtime_ns for path in merged.iterdir()} == before
    extract_rules(system("pbmt"), *corpus.files(), tmp_path / "one.bin", options=options)
    assert (tmp_path / "out.bin").read_bytes() == (tmp_path / "one.bin").read_bytes()


def test_translations_are_those_of_one_machine_and_failures_are_recorded(
    session: Any, demo: Trained, tmp_path: Path
) -> None:
    trees = list(tree_texts(demo.test))[:6]
    faulty = trees[2].replace("\t0\t", "\t99\t")
    rows = [(number, faulty if number == 2 else tree) for number, tree in enumerate(trees)]
    given = session.createDataFrame(rows, "number long, tree string").repartition(2)
    found = spark.translate(given, demo.models["gbmt"], n_best=3).orderBy("number", "rank").collect()
    expected = load(demo.models["gbmt"]).n_best(demo.trees()[:6], 3)
    assert [row.number for row in found if row.error] == [2]
    assert "99" in next(row.error for row in found if row.error)
    for number in (0, 1, 3, 4, 5):
        made = [(row.rank, row.text, row.moses) for row in found if row.number == number]
        assert made == [(rank, one.text, one.as_moses(number)) for rank, one in enumerate(expected[number])]


def test_the_command_writes_translations_in_order(session: Any, demo: Trained, tmp_path: Path) -> None:
    text, out, expected = tmp_path / "in.txt", tmp_path / "out.txt", tmp_path / "expected.txt"
    text.write_text("".join(f"{line}\n" for line in demo.texts()[:9]), "utf-8")
    arguments = ["translate", str(demo.models["pbmt"]), str(text)]
    app([*arguments, "--out", str(expected)], standalone_mode=False)
    app([*arguments, "--out", str(out), "--engine", "spark", "--master", "local[2]"], standalone_mode=False)
    assert out.read_bytes() == expected.read_bytes()


def test_a_stopped_translation_goes_on_from_whole_portions(
    session: Any, demo: Trained, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text, out = tmp_path / "in.txt", tmp_path / "out.txt"
    texts = demo.texts()[:5]
    text.write_text("".join(f"{line}\n" for line in texts), "utf-8")
    arguments = ["translate", str(demo.models["pbmt"]), str(text), "--out", str(out)]
    arguments += ["--engine", "spark", "--master", "local[2]"]
    monkeypatch.setattr(spark_translation, "SENTENCES_PER_CORE", 1)
    whole, asked = Stages.frame, []

    def stopped_at_the_third(self: Stages, name: str, *more: Any) -> Any:
        asked.append(name)
        if len(asked) == 3:
            raise InputError("stopped")
        return whole(self, name, *more)

    with monkeypatch.context() as patch, pytest.raises(InputError, match="stopped"):
        patch.setattr(Stages, "frame", stopped_at_the_third)
        app(arguments, standalone_mode=False)
    assert asked == [f"translations-{start:012}" for start in (0, 2, 4)]
    assert not out.exists()
    ready = tmp_path / "out.txt.working" / "translations" / asked[1]
    before = {path.name: path.stat().st_mtime_ns for path in ready.iterdir()}
    after = []
    # Another request would make it anew; the same one reads it.
    monkeypatch.setattr(
        jobs.shutil,
        "rmtree",
        lambda path, **__: after.append({one.name: one.stat().st_mtime_ns for one in ready.iterdir()}),
    )
    app(arguments, standalone_mode=False)
    assert after[-1] == before
    assert out.read_text("utf-8").splitlines() == [one.text for one in demo.load("pbmt").translate(texts)]


def test_tokenised_and_parsed_text_is_that_of_one_machine(session: Any, tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("Er schläft. Sie nicht!\nDas Haus (alt) kostet 3,50 Euro.\nEr kommt.\n", "utf-8")
    on_spark = ["--engine", "spark", "--master", "local[2]"]
    parser = tmp_path / "parser.py"
    parser.write_text(CHAIN_PARSER, "utf-8")
    for name, asked in (
        ("tokens", ["tokenise", str(text), "--language", "de", "--case", "true"]),
        ("trees.conllu", ["parse", str(text), "--parser", f"command:{sys.executable} {parser}", "--tokenised"]),
    ):
        words = ["corpus", asked[0], asked[1]]
        app([*words, str(tmp_path / name), *asked[2:]], standalone_mode=False)
        app([*words, str(tmp_path / f"spark.{name}"), *asked[2:], *on_spark], standalone_mode=False)
        assert (tmp_path / f"spark.{name}").read_bytes() == (tmp_path / name).read_bytes()
    text.write_text("Er kommt.\n\n", "utf-8")
    with pytest.raises(InputError, match="an empty line has no tree") as caught:
        app([*words, str(tmp_path / "none"), *asked[2:], *on_spark], standalone_mode=False)
    assert (caught.value.file, caught.value.line) == (str(text), 2)
    assert not (tmp_path / "none").exists()
    with pytest.raises(OptionError, match="files, not standard input"):
        app(["corpus", "tokenise", "-", str(tmp_path / "none"), *on_spark], standalone_mode=False)


@pytest.mark.long
def test_parsing_resumes(session: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_steps, "PARSED_PER_CORE", 1)
    text, parser, parsed, broken = (tmp_path / name for name in ("text", "parser.py", "parsed", "broken"))
    text.write_text("eins\nzwei\ndrei\nvier\nfünf\n", "utf-8")
    program = f"""
import pathlib, sys
for line in sys.stdin:
    if "fünf" in line and pathlib.Path({str(broken)!r}).exists():
        sys.exit("no more")
    with open({str(parsed)!r}, "a") as log:
        log.write(line)
    print(f"1\\t{{line.strip()}}\\t_\\tX\\t_\\t_\\t0\\troot\\t_\\t_\\n", flush=True)
"""
    parser.write_text(program, "utf-8")
    broken.touch()
    out = tmp_path / "trees.conllu"
    for first in (True, False):
        asked = ["corpus", "parse", str(text), str(out), "--parser", f"command:{sys.executable} {parser}"]
        with pytest.raises(InputError) if first else contextlib.nullcontext():
            app([*asked, "--engine", "spark", "--master", "local[2]"], standalone_mode=False)
        assert out.exists() is not first
        broken.unlink(missing_ok=True)
    assert [tree.tokens for tree in read_trees(out)] == [(word,) for word in text.read_text("utf-8").split()]
    # What was whole is not parsed again.
    assert sorted(parsed.read_text("utf-8").split()) == sorted(text.read_text("utf-8").split())
    assert {path.name for path in tmp_path.iterdir()} == {"text", "parser.py", "parsed", "trees.conllu"}


@pytest.mark.parametrize("duplicates", ["pairs", pytest.param("sources", marks=pytest.mark.long)])
def test_cleaning_is_that_of_one_machine(duplicates: str, session: Any, tmp_path: Path) -> None:
    rows = [
        ("a b", "c"),
        ("", "c"),
        ("a  b", "c "),
        ("a b", "d"),
        ("x", "x"),
        ("x", "x"),
        ("a " * 90, "c"),
        ("a b", "c"),
    ]
    for at, name in enumerate(("source", "target")):
        (tmp_path / name).write_text("".join(f"{row[at]}\n" for row in rows), "utf-8")
    options = CleanOptions(duplicates=duplicates, drop_copies=True)
    files = {"out_source": tmp_path / "s", "out_target": tmp_path / "t", "options": options}
    expected = clean(tmp_path / "source", tmp_path / "target", **files)
    numbered = [(number, *row) for number, row in enumerate(rows)]
    frame = session.createDataFrame(numbered, "number long, source string, target string").repartition(2)
    found = spark.clean(frame, options).cache()
    assert spark.report(found, options) == expected
    kept = [row.source for row in found.where("reason = 'kept'").orderBy("number").collect()]
    assert kept == (tmp_path / "s").read_text("utf-8").splitlines()


def test_the_command_cleans_files_with_faulty_trees(session: Any, tmp_path: Path) -> None:
    trees = [
        "".join(f"{n}\t{word}\t_\tX\t_\t_\t{n - 1}\tdep\t_\t_\n" for n, word in enumerate(words, 1))
        for words in ("ab", "c", "ab")
    ]
    trees.insert(1, trees[0].replace("\t0\t", "\t9\t"))
    (tmp_path / "source.conllu").write_text("\n".join(trees) + "\n", "utf-8")
    (tmp_path / "target").write_text("x y\nx\nz\nx y\n", "utf-8")
    arguments = ["corpus", "clean", str(tmp_path / "source.conllu"), str(tmp_path / "target")]
    for name, more in (("one", []), ("spark", ["--engine", "spark", "--master", "local[2]"])):
        (tmp_path / name).mkdir()
        outs = ["--out-source", str(tmp_path / name / "s.conllu"), "--out-target", str(tmp_path / name / "t")]
        app([*arguments, *outs, *more], standalone_mode=False)
    assert (tmp_path / "spark" / "t").read_text("utf-8") == (tmp_path / "one" / "t").read_text("utf-8") == "x y\nz\n"
    assert (tmp_path / "spark" / "s.conllu").read_bytes() == (tmp_path / "one" / "s.conllu").read_bytes()


@pytest.mark.parametrize(
    "asked",
    [
        # Fixed weights, with consensus within chunks of four sentences.
        ["--features", "gc+lc", "--chunk", "4", "--n-best"],
        # Tuned on pairs that are left out of the memory.
        pytest.param(["--dev", "DEV", "--self-tune", "--seed", "2"], marks=pytest.mark.long),
    ],
    ids=["untuned", "tuned"],
)
def test_choices_of_reranking_are_those_of_one_machine(asked: list[str], session: Any, tmp_path: Path) -> None:
    memory = small_lists.sentences(60, 1)
    for name, pairs in (("memory", memory), ("dev", memory[:12]), ("test", small_lists.sentences(10, 3))):
        small_lists.write(tmp_path, name, pairs, small_lists.lists(pairs, 4))
    files = [str(tmp_path / name) for name in ("test.nbest", "test.de", "memory.de", "memory.en")]
    arguments = ["rerank", files[0], "--source", files[1], "--memory", files[2], "--memory-target", files[3]]
    dev = [str(tmp_path / "dev.nbest"), str(tmp_path / "dev.de")]
    arguments += [word for one in asked for word in (dev if one == "DEV" else [one])]
    for name, more in (("one", []), ("spark", ["--engine", "spark", "--master", "local[2]"])):
        app([*arguments, "--out", str(tmp_path / name), *more], standalone_mode=False)
    assert (tmp_path / "spark").read_bytes() == (tmp_path / "one").read_bytes()
    assert not (tmp_path / "spark.working").exists()
    with pytest.raises(OptionError, match="--explain does not work with the Spark engine"):
        app([*arguments, "--explain", str(tmp_path / "why"), "--engine", "spark"], standalone_mode=False)


def test_lists_in_a_dataframe_are_reranked(session: Any, tmp_path: Path) -> None:
    pairs = small_lists.sentences(9, 3)
    given = small_lists.lists(pairs, 4)
    options = RerankOptions(features="gc+lc", chunk=4, threads=1)
    reranker = Reranker.untuned(("score", "length"), options)
    rows = [(number, pair[0], own) for number, (pair, own) in enumerate(zip(pairs, given, strict=True))]
    found = spark.rerank(session.createDataFrame(rows, spark.LISTS).repartition(3), reranker)
    found = [(row.number, row.rank, row.place, row.text, row.score) for row in found.collect()]
    expected = []
    for start in range(0, 9, 4):
        chunk = [NBestList.of(start + k, own) for k, own in enumerate(given[start : start + 4])]
        candidates = Candidates([source for source, _ in pairs[start : start + 4]], chunk, None, options)
        scores = reranker.rank(candidates).scores
        for at, one, order in zip(candidates.starts.tolist(), chunk, candidates.order(scores), strict=False):
            expected += [(one.number, rank, k, one.texts[k], float(scores[at + k])) for rank, k in enumerate(order)]
    assert sorted(found) == sorted(expected)


def test_neighbours_are_those_of_one_index(session: Any, demo: Trained) -> None:
    sources = [" ".join(tree.tokens) for tree in read_trees(demo.source)][:150]
    pairs = list(zip(sources, demo.target.read_text("utf-8").splitlines(), strict=False))
    base = max(sources, key=len)
    pairs += [(base.upper(), "another translation")]
    memory = _core.TranslationMemory(lowercase=True)
    memory.add([source for source, _ in pairs], [target for _, target in pairs])
    memory.finish()
    texts = [*demo.texts()[:10], f"{base} ja"]
    expected = [
        (number, one.source, one.similarity, [(each.text, each.probability) for each in one.translations])
        for number, found in enumerate(memory.neighbours(texts, 0.4))
        for one in found
    ]
    rows = [(number, *pair) for number, pair in enumerate(pairs)]
    frame = session.createDataFrame(rows, "number long, source string, target string").repartition(3)
    given = session.createDataFrame(list(enumerate(texts)), "number long, text string")
    found = [
        (row.number, row.source, row.similarity, [tuple(each) for each in row.translations])
        for row in spark.neighbours(frame, given, 0.4, lowercase=True, parts=3).collect()
    ]
    assert sorted(found) == sorted(expected)
    assert any(len(translations) > 1 for *_, translations in expected)


def test_errors_of_workers_are_those_of_one_machine(session: Any, tmp_path: Path) -> None:
    rows = [(0, "a b", "c", "0-0", None), (1, "a", "c", "0-7", None)]
    pairs = session.createDataFrame(rows, COLUMNS)
    with pytest.raises(InputError, match="sentence pair 2: link 0-7"):
        spark.extract_rules(pairs, "pbmt", tmp_path / "out.bin", parts=2)
    with pytest.raises(InputError, match="no column 'alignment'"):
        spark.extract_rules(pairs.drop("alignment"), "pbmt", tmp_path / "out.bin")
    with pytest.raises(InputError, match="no rule could be extracted"):
        spark.extract_rules(session.createDataFrame([(0, "a", "b", "", None)], COLUMNS), "pbmt", tmp_path / "out.bin")
    assert not (tmp_path / "out.bin").exists()
    text = tmp_path / "text"
    text.write_text("a\n")
    assert sentences(Stages(session, tmp_path / "work", {}), [text]).count() == 1
    text.write_text("<?xml version='1.0'?><a/>\n")
    for read in (sentences, text_lines):
        with pytest.raises(InputError, match="this is an XML file"):
            read(Stages(session, tmp_path / "other", {}), [text]).count()


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("pyspark")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(MissingPackageError, match="needs Java 17 or newer, and no java was found"):
        sessions.require_spark()
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text("#!/bin/sh\necho 'openjdk version \"11.0.2\"' >&2\n")
    java.chmod(0o755)
    if sys.platform != "win32":
        with pytest.raises(MissingPackageError, match="java is version 11"):
            sessions.require_spark()
    monkeypatch.setitem(sys.modules, "pyspark", None)
    with pytest.raises(MissingPackageError, match=r"needs pyspark\. Install it with pip install 'graphmt\[spark\]'"):
        sessions.require_spark()


def test_without_spark_the_command_says_what_to_install(tmp_path: Path) -> None:
    code = "import sys; sys.modules['pyspark'] = None; from graphmt.cli import main; main()"
    arguments = ["translate", str(tmp_path), str(tmp_path), "--engine", "spark"]
    run = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False)
    assert run.returncode == 3
    assert "the Spark engine needs pyspark" in run.stderr
    assert "Traceback" not in run.stderr


def test_masters_are_checked() -> None:
    pytest.importorskip("pyspark")
    if sessions.java_version() is None:
        pytest.skip("needs Java")
    with pytest.raises(OptionError, match="unknown Spark master 'lokal'"):
        sessions.open_session("lokal")
    with pytest.raises(OptionError, match="--master needs the Spark engine"):
        app(["translate", "model", "text", "--master", "local"], standalone_mode=False)
