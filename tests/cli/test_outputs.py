"""No command destroys what it reads, loosens the rights of a file, or makes folders without a word."""

from __future__ import annotations

import inspect
import os
import stat
import subprocess
import sys
from pathlib import Path

import programs
import pytest
from graphmt import lm
from graphmt.cli import app, outputs
from graphmt.cli.verbs import with_all_verbs
from graphmt.corpus import clean, head, parse_file, sample, split
from graphmt.corpus.convert import projectivise_trees, rewrite_trees, split_pairs, write_tokens
from graphmt.corpus.steps import TextOptions, TextSteps, process_file
from graphmt.errors import OptionError
from graphmt.rules import RuleTable, filtered, from_moses, pruned
from graphmt.rules import split as split_table
from graphmt.storage.checks import require_outputs
from graphmt.storage.files import writing
from graphmt.storage.folders import writing_folder
from graphmt.storage.together import writing_together
from typer.testing import CliRunner

runner = CliRunner()

#: Parameters whose names say that they are written, but that are read: saved results of other commands.
READ = {"steps", "lexicon", "weights"}
WRITTEN = ("out", "save", "report", "svg", "explain", "search_graph", "lexical")


def verbs(command, path=()):
    for name, one in command.commands.items():
        if getattr(one, "commands", None):
            yield from verbs(one, (*path, name))
        else:
            yield (*path, name), one


def test_every_path_that_a_command_writes_is_marked() -> None:
    seen = 0
    for path, verb in verbs(with_all_verbs()):
        for name, one in inspect.signature(verb.callback, eval_str=True).parameters.items():
            kind = outputs._kind(one.annotation)
            if kind is None or name in READ:
                continue
            # A search for its own output: the alignment that `translate` writes has the name of an input of `train`.
            is_written = name.startswith(WRITTEN) or (path, name) in {
                (("translate",), "alignment"),
                (("train",), "model"),
            }
            assert (kind != "input") == is_written, (path, name)
            seen += is_written
    assert seen > 30


@pytest.fixture(scope="module")
def files(demo, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("read-and-written")
    texts = demo.texts()
    (folder / "a.de").write_text("".join(line + "\n" for line in texts), "utf-8")
    (folder / "a.en").write_text("".join("he sleeps .\n" for _ in texts), "utf-8")
    (folder / "pairs.tsv").write_text("".join(f"{line}\the sleeps .\n" for line in texts), "utf-8")
    (folder / "todo.po").write_text('msgid ""\nmsgstr ""\n\nmsgid "das Haus"\nmsgstr ""\n', "utf-8")
    (folder / "a.conllu").write_bytes(demo.test.read_bytes())
    (folder / "lists").write_text("".join(f"{k} ||| he sleeps . ||| lm= 1 ||| -1\n" for k in range(len(texts))))
    (folder / "lists.conf").write_text("")
    (folder / "alignment").write_text("0-0\n" * len(texts))
    (folder / "lm.arpa").write_text("")
    return folder


COMMANDS = [
    "translate MODEL a.de -o a.de",
    "translate MODEL a.de --alignment a.de",
    "translate MODEL a.de --search-graph a.de",
    "translate MODEL a.de --memory pairs.tsv -o pairs.tsv",
    "translate MODEL a.de -o MODEL/rules.bin",
    "translate MODEL todo.po -o todo.po",
    "translate MODEL a.de --config lists.conf -o lists.conf",
    "lm train a.en -o a.en",
    "lm train a.de a.en -o a.en",
    "lm build lm.arpa -o lm.arpa",
    "align --source a.de --target a.en --out a.en",
    "align --source a.de --target a.en --out a.de",
    "rerank lists --source a.de --memory a.de --memory-target a.en --out a.de",
    "rerank lists --source a.de --memory a.de --memory-target a.en --out a.en",
    "rerank lists --memory pairs.tsv --source a.de --out lists",
    "rerank lists --memory pairs.tsv --source a.de --explain pairs.tsv",
    "rerank lists --memory pairs.tsv --source a.de --report a.de",
    "tune MODEL --source a.de --target a.en --out a.en",
    "corpus clean a.de a.en --out-source b.de --out-target a.en",
    "corpus tokenise a.de a.de",
    "corpus convert pairs.tsv b.de pairs.tsv",
    "corpus convert a.conllu a.conllu",
    "corpus projectivise a.conllu a.conllu",
    "corpus head a.de a.en -o b.de -o a.en",
    "corpus parse a.de a.de --parser command:cat",
    "inspect export MODEL MODEL/rules.bin",
    "inspect prune MODEL/rules.bin MODEL/rules.bin",
    "compare a.de a.en -r a.en --report a.de",
]


@pytest.mark.parametrize("command", COMMANDS)
def test_an_output_that_is_also_read_is_refused(files, demo, monkeypatch, command) -> None:
    monkeypatch.chdir(files)
    before = {path: path.read_bytes() for path in files.iterdir()}
    model = str(demo.models["pbmt"])
    table = (demo.models["pbmt"] / "rules.bin").read_bytes()
    result = runner.invoke(app, [one.replace("MODEL", model) for one in command.split()])
    assert isinstance(result.exception, OptionError), result.exception or result.output
    assert "this file is also read" in str(result.exception)
    assert {path: path.read_bytes() for path in files.iterdir()} == before
    assert (demo.models["pbmt"] / "rules.bin").read_bytes() == table


def library(folder: Path, demo):
    """Functions that read a file and write one, each with a file for both."""
    text, trees, pairs, table = folder / "a.de", folder / "a.conllu", folder / "pairs.tsv", demo.models["pbmt"]
    rules = table / "rules.bin"
    return {
        "lm.train": (text, lambda: lm.train(text, text)),
        "lm.build": (text, lambda: lm.build(text, text)),
        "to_arpa": (demo.lm, lambda: lm.load(demo.lm).to_arpa(demo.lm)),
        "clean": (text, lambda: clean(text, folder / "a.en", out_source=text, out_target=folder / "b.en")),
        "head": (text, lambda: head([text], [text], 1)),
        "sample": (text, lambda: sample([text], [text], 1)),
        "split_pairs": (pairs, lambda: split_pairs(pairs, pairs, folder / "b.en")),
        "rewrite_trees": (trees, lambda: rewrite_trees(trees, trees)),
        "projectivise": (trees, lambda: projectivise_trees(trees, trees)),
        "write_tokens": (text, lambda: write_tokens(text, text)),
        "process_file": (text, lambda: process_file(text, text, TextSteps(TextOptions(True, "de", "none")))),
        "parse_file": (text, lambda: parse_file(text, text, "command:cat")),
        "to_moses": (rules, lambda: RuleTable(rules).to_moses(rules)),
        "from_moses": (text, lambda: from_moses(text, text)),
        "filtered": (rules, lambda: filtered(rules, ["a"], rules)),
        "pruned": (rules, lambda: pruned(rules, rules)),
        "split_table": (rules, lambda: split_table(rules, rules, part_size=10)),
    }


def test_functions_refuse_it_as_well(files, demo) -> None:
    for name, (path, work) in library(files, demo).items():
        before = path.read_bytes()
        with pytest.raises(OptionError, match="this file is also read"):
            work()
        assert path.read_bytes() == before, name


def test_a_split_into_its_own_folder(tmp_path) -> None:
    (tmp_path / "train").mkdir()
    (tmp_path / "train" / "text").write_text("a\nb\nc\n")
    with pytest.raises(OptionError, match="also read"):
        split([tmp_path / "train" / "text"], tmp_path, dev=1)


def test_links_and_open_files_are_the_file(tmp_path, monkeypatch) -> None:
    text, hard, soft, other = (tmp_path / name for name in ("text", "hard", "soft", "other"))
    text.write_text("a\n")
    other.write_text("a\n")
    hard.hardlink_to(text)
    soft.symlink_to(text)
    for path in (text, hard, soft):
        with pytest.raises(OptionError, match="also read"):
            require_outputs(path, inputs=[other, text])
    require_outputs(text, tmp_path / "new", inputs=[other, tmp_path / "nothing", None])
    # What is no file cannot be destroyed.
    require_outputs(os.devnull, inputs=[os.devnull])
    with text.open() as stream:
        monkeypatch.setattr(sys, "stdin", stream)
        with pytest.raises(OptionError, match=r"also read \(as standard input\)"):
            require_outputs(hard, inputs=["-"])
        require_outputs(other, inputs=["-"])


def test_standard_output_appended_to_an_input(files, demo) -> None:
    before = (files / "a.de").read_bytes()
    with (files / "a.de").open("ab") as out:
        command = [programs.graphmt(), "translate", str(demo.models["pbmt"]), "a.de"]
        done = subprocess.run(command, cwd=files, stdout=out, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2 and "standard output is a.de, which is also read" in done.stderr
    assert (files / "a.de").read_bytes() == before


def test_an_option_given_twice_is_not_dropped(files, demo, monkeypatch) -> None:
    monkeypatch.chdir(files)
    model = str(demo.models["pbmt"])
    result = runner.invoke(app, ["translate", model, "a.de", "--glossary", "a.de", "--glossary", "a.en"])
    assert "--glossary is given 2 times; it takes one value" in str(result.exception)
    result = runner.invoke(app, ["train", "m", "--dev", "a", "b", "--dev", "c", "d"])
    assert "--dev is given 2 times" in str(result.exception)


def test_every_memory_is_used(demo, files, tmp_path) -> None:
    first, second = (files / "a.de").read_text("utf-8").splitlines()[:2]
    memories = []
    for name, line in (("one.tsv", first), ("two.tsv", second)):
        (tmp_path / name).write_text(f"{line}\t{name}\n", "utf-8")
        memories += ["--memory", str(tmp_path / name)]
    (tmp_path / "text").write_text(f"{first}\n{second}\n", "utf-8")
    result = runner.invoke(app, ["-q", "translate", str(demo.models["pbmt"]), str(tmp_path / "text"), *memories])
    assert result.stdout.splitlines() == ["one.tsv", "two.tsv"], result.exception
    (tmp_path / "none.tsv").write_text("a\t\n", "utf-8")
    memories += ["--memory", str(tmp_path / "none.tsv")]
    result = runner.invoke(app, ["-q", "translate", str(demo.models["pbmt"]), str(tmp_path / "text"), *memories])
    assert "none.tsv: this translation memory has no pairs" in str(result.exception)


def test_a_folder_that_was_not_there_is_announced(files, demo, tmp_path) -> None:
    command = [programs.graphmt(), "translate", str(demo.models["pbmt"]), str(files / "a.de"), "-o"]
    new = tmp_path / "not" / "there"
    assert f"The folder {new} is new." in subprocess.run([*command, new / "out"], capture_output=True, text=True).stderr
    assert "is new" not in subprocess.run([*command, new / "out"], capture_output=True, text=True).stderr


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such rights")
def test_what_is_replaced_keeps_its_rights(tmp_path) -> None:
    def mode(path):
        return stat.S_IMODE(path.stat().st_mode)

    paths = [tmp_path / name for name in ("one", "two", "three")]
    for path, rights in zip(paths, (0o600, 0o444, 0o640), strict=True):
        path.write_text("old")
        path.chmod(rights)
    for path in paths[:2]:
        rights = mode(path)
        with writing(path) as stream:
            # Nobody reads the new text who may not read the old one.
            [draft] = [one for one in tmp_path.iterdir() if one.suffix == ".part"]
            assert mode(draft) == rights | 0o700
            stream.write("new")
        assert (path.read_text(), mode(path)) == ("new", rights)
    with writing_together(paths[0], paths[2]) as streams:
        streams[0].write("newer")
    assert [mode(path) for path in paths] == [0o600, 0o444, 0o640]
    folder = tmp_path / "folder"
    folder.mkdir()
    for rights in (0o700, 0o750):
        folder.chmod(rights)
        with writing_folder(folder, "marker", owned=lambda name: True, overwrite=True) as draft:
            (draft / "marker").write_text("")
        assert mode(folder) == rights


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such rights")
def test_files_of_the_core_keep_their_rights(files, tmp_path) -> None:
    made = tmp_path / "made.lm"
    made.write_text("old")
    made.chmod(0o600)
    lm.train(files / "a.de", made, lm.LmOptions(order=2))
    assert stat.S_IMODE(made.stat().st_mode) == 0o600
    assert lm.load(made).order == 2
