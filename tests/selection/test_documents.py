"""Documents: where they begin, in a whole text and in its chunks, in files, and in commands."""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import programs
import pytest
from graphmt.cli import app
from graphmt.corpus import clean, read_trees, write_trees
from graphmt.corpus.documents import begins_document
from graphmt.corpus.joining import join_pairs
from graphmt.errors import InputError
from graphmt.explain import explain_some
from graphmt.model import load
from graphmt.selection.documents import documents, whole_documents
from graphmt.selection.topics import Topics, learn
from graphmt.training import TrainOptions, train
from hypothesis import given
from hypothesis import strategies as st
from sealing import with_digests
from typer.testing import CliRunner


def run(*arguments: object) -> str:
    result = CliRunner().invoke(app, ["--quiet", *map(str, arguments)])
    assert result.exit_code == 0, result.exception or result.output
    return result.stdout


@pytest.mark.parametrize(
    ("marks", "length", "wanted"),
    [
        ([False] * 5, 2, [0, 0, 1, 1, 2]),
        ([False] * 3, 0, [0, 0, 0]),
        ([True, False, True, False], 1, [0, 0, 1, 1]),
        # Before the first mark the length holds, after it marks alone.
        ([False, True, True], 9, [0, 1, 2]),
        ([False, False, False, True, False, False, False], 2, [0, 0, 1, 2, 2, 2, 2]),
        ([], 3, []),
    ],
)
def test_documents(marks, length, wanted) -> None:
    assert documents(marks, length) == wanted


@given(st.lists(st.booleans(), max_size=40), st.integers(0, 5), st.integers(1, 9))
def test_chunks_hold_the_documents_of_the_whole(marks, length, least) -> None:
    """Documents of chunks, each looked at by itself, are those of the whole text."""
    chunks = list(whole_documents(marks, bool, length, least))
    assert [mark for chunk in chunks for mark in chunk] == marks
    assert all(len(chunk) >= least for chunk in chunks[:-1])
    found, before = [], 0
    for chunk in chunks:
        numbers = documents(chunk, length)
        found += [before + number for number in numbers]
        before += numbers[-1] + 1
    assert found == documents(marks, length)


@pytest.mark.parametrize(
    ("comment", "begins"),
    [("# newdoc", True), ("# newdoc id = a", True), ("#newdoc", True), ("# newdocument", False), ("# newpar", False)],
)
def test_marks(comment, begins) -> None:
    assert begins_document(["# sent_id = 1", comment]) == begins


def marked(demo, marks: set[int], out: Path, sentences: int = 12) -> Path:
    trees = list(read_trees(demo.test))[:sentences]
    with_marks = [
        type(tree)(**{**tree.__dict__, "comments": ("# newdoc id = x",) if k in marks else ()})
        for k, tree in enumerate(trees)
    ]
    write_trees(out, with_marks)
    return out


@given(data=st.data())
def test_cleaning_keeps_documents(data, demo, tmp_path_factory) -> None:
    """Sentences that are kept are in the same documents as before, whatever is dropped."""
    folder = tmp_path_factory.mktemp("clean")
    marks = data.draw(st.sets(st.integers(0, 11)))
    dropped = data.draw(st.sets(st.integers(0, 11), max_size=11))
    source = marked(demo, marks, folder / "s.conllu")
    (folder / "t").write_text("".join("\n" if k in dropped else f"word {k}\n" for k in range(12)), "utf-8")
    clean(source, folder / "t", out_source=folder / "so.conllu", out_target=folder / "to")
    kept = [k for k in range(12) if k not in dropped]
    before = np.array(documents([k in marks for k in range(12)], 0))[kept]
    found = documents([begins_document(tree.comments) for tree in read_trees(folder / "so.conllu")], 0)
    assert np.unique(before, return_inverse=True)[1].tolist() == found


def test_files_are_put_together(tmp_path) -> None:
    for name, text in {"a": "x\ny\n", "b": "z", "c": "u\nv\n", "d": "w\n"}.items():
        (tmp_path / name).write_text(text)
    files = [[tmp_path / "a", tmp_path / "b"], [tmp_path / "c", tmp_path / "d"]]
    assert join_pairs(*files, (tmp_path / "s", tmp_path / "t")) == (0, 2)
    assert (tmp_path / "s").read_text() == "x\ny\nz\n"
    with pytest.raises(InputError, match=r"a: 2 sentences; its target .*d has 1"):
        join_pairs(files[0], files[1][::-1], (tmp_path / "s", tmp_path / "t"))
    with pytest.raises(InputError, match="2 source files, 1 target files"):
        join_pairs(files[0], files[1][:1], (tmp_path / "s", tmp_path / "t"))


def test_files_of_another_kind_are_refused(demo, tmp_path) -> None:
    (tmp_path / "a").write_text("x\n")
    with pytest.raises(InputError, match="this is CoNLL-U, but"):
        join_pairs([demo.test, tmp_path / "a"], [tmp_path / "a"] * 2, (tmp_path / "s", tmp_path / "t"))


def test_training_from_several_files(demo, tmp_path) -> None:
    """A corpus in two files gives the rules of one, and documents that end with the files."""
    trees, targets = list(read_trees(demo.source)), demo.target.read_text("utf-8").splitlines()
    files = []
    for k, part in enumerate((slice(0, 200), slice(200, None))):
        write_trees(tmp_path / f"{k}.conllu", trees[part])
        (tmp_path / f"{k}.en").write_text("".join(f"{line}\n" for line in targets[part]), "utf-8")
        files.append((tmp_path / f"{k}.conllu", tmp_path / f"{k}.en"))
    config = tmp_path / "o.toml"
    config.write_text(
        "[tsm]\ntopics = 3\nmost_frequent = 5\niterations = 5\ndocument_length = 0\n"
        '[gm]\ndimensions = 4\nlemmas = false\n[search]\ngm_relatedness = "lm"\n'
    )
    sides = [flag for s, t in files for flag in ("--source", s, "--target", t)]
    given_files = ("--alignment", demo.alignment, "--lm", demo.lm, "--threads", 1)
    run("train", tmp_path / "m", *sides, *given_files, "--system", "hpb", "--with", "gm,tsm", "--config", config)
    assert not (tmp_path / "m.training").exists()
    manifest = json.loads((tmp_path / "m" / "manifest.json").read_text("utf-8"))
    assert manifest["report"]["tsm"]["documents"] == 2
    options = manifest["options"]
    # The whole file counts, and --threads for all stages.
    assert (options["tsm"]["topics"], options["gm"]["dimensions"]) == (3, 4)
    assert (options["search"]["gm_relatedness"], options["search"]["document_length"]) == ("lm", 0)
    assert {stage.get("threads", 1) for stage in options.values()} == {1}
    assert (tmp_path / "m" / "gm-vectors.npy").exists()
    one = demo.train("hpb", tmp_path / "one")
    assert (tmp_path / "m" / "rules.bin").read_bytes() == (one.folder / "rules.bin").read_bytes()


@pytest.fixture(scope="module")
def sharp(two_ways, tmp_path_factory) -> Path:
    """Weights with which topics matter."""
    path = tmp_path_factory.mktemp("sharp") / "weights.toml"
    weights = (two_ways["hpb+tsm"] / "weights.toml").read_text("utf-8")
    path.write_text(weights.replace("_source = -0.1", "_source = -9.0").replace("_target = -0.1", "_target = -9.0"))
    return path


@pytest.mark.parametrize("length", [0, 4])
def test_commands_see_the_same_documents(two_ways, demo, sharp, tmp_path, length, monkeypatch) -> None:
    """``translate``, ``explain``, search graphs and Python: chunks of a few sentences change nothing."""
    monkeypatch.setattr("graphmt.cli.inputs.CHUNK", 2)
    text = marked(demo, {9}, tmp_path / "text.conllu")
    folder = two_ways["hpb+tsm"]
    model = load(folder, weights=sharp, document_length=length, pop_limit=10)
    expected = model.translate(list(read_trees(text)))
    told = ("--weights", sharp, "--document-length", length, "--pop-limit", 10)
    graphs = tmp_path / "graphs.jsonl"
    found = run("translate", folder, text, *told, "--derivations", "json", "--search-graph", graphs)
    scores = [json.loads(line)["score"] for line in found.splitlines()]
    assert scores == pytest.approx([one.score for one in expected])
    whole = model.search_graphs(model.prepare(list(read_trees(text))))
    arcs = [
        {"sentence": k, **json.loads(arc)} for k, graph in enumerate(whole) for arc in graph.json_lines.splitlines()
    ]
    assert [json.loads(line) for line in graphs.read_text("utf-8").splitlines()] == arcs
    lines = [line for line in run("explain", folder, text, *told).splitlines() if line.startswith("with ")]
    assert lines == [f"with     {' '.join(one.tokens)}" for one in expected]
    explained = explain_some(model, list(read_trees(text)), range(12))
    assert all("topic_distance_source" in one.text for one in explained)


def test_a_document_ends_with_its_file(two_ways, demo, sharp, tmp_path) -> None:
    trees = list(read_trees(demo.test))
    write_trees(tmp_path / "a.conllu", trees[:4])
    write_trees(tmp_path / "b.conllu", trees[4:9])
    folder = two_ways["hpb+tsm"]
    model = load(folder, weights=sharp, document_length=0)
    expected = [one.text for part in (trees[:4], trees[4:9]) for one in model.translate(part)]
    told = ("--weights", sharp, "--document-length", 0)
    assert run("translate", folder, tmp_path / "a.conllu", tmp_path / "b.conllu", *told).splitlines() == expected


def test_trees_on_standard_input_are_seen(two_ways, demo) -> None:
    """Also by a model that can do without: marks of documents come with trees alone."""
    command = [programs.graphmt(), "translate", str(two_ways["hpb+tsm"]), "--tokens"]
    for data in (demo.test.read_bytes(), gzip.compress(demo.test.read_bytes())):
        done = subprocess.run(command, input=data, capture_output=True)
        assert done.returncode == 0, done.stderr
        expected = load(two_ways["hpb+tsm"]).translate(demo.trees())
        assert done.stdout.decode().splitlines() == [" ".join(one.tokens) for one in expected]


def test_too_few_words_for_topics() -> None:
    with pytest.raises(InputError, match=r"2 words occur at least 2 times, and the 5 most frequent"):
        learn([["a", "b", "a"], ["b", "c"]], 2, iterations=1, seed=1, most_frequent=5)


def test_topics_that_are_damaged(two_ways, tmp_path) -> None:
    model = tmp_path / "model"
    shutil.copytree(two_ways["hpb+tsm"], model)
    file = model / "topics.npz"
    whole = file.read_bytes()
    for damaged in (b"", whole[:40], whole[: len(whole) // 2], whole[:200] + b"x" * 40 + whole[240:]):
        file.write_bytes(damaged)
        with pytest.raises(InputError, match="not a topic file, or damaged"):
            load(with_digests(model))
    words = np.array(["a", "b"])
    for content in (
        {"words": np.array([1, 2]), "phi": np.ones((3, 2), np.float32), "alpha": np.ones(3, np.float32)},
        {"words": words, "phi": np.ones((3, 1), np.float32), "alpha": np.ones(3, np.float32)},
        {"words": words, "phi": np.ones((3, 2), np.float32), "alpha": np.ones(2, np.float32)},
    ):
        np.savez_compressed(file, **content)
        with pytest.raises(InputError, match="not a topic file, or damaged"):
            load(with_digests(model))
    Topics(("a", "b"), np.ones((2, 2), np.float32), np.ones(2, np.float32)).save(file)
    with pytest.raises(InputError, match="2 topics; the model was trained with 3"):
        load(with_digests(model))


def test_what_is_missing_is_found_before_anything_is_made(demo, tmp_path, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "tomotopy", None)
    with pytest.raises(Exception, match="topics need the package tomotopy"):
        train(
            "hpb", source=demo.source, target=demo.target, out=tmp_path / "m", selection=["tsm"], options=TrainOptions()
        )
    with pytest.raises(InputError, match="no such file"):
        train("hpb", source=tmp_path / "none", target=demo.target, out=tmp_path / "m")
    assert not list(tmp_path.iterdir())
