"""Tree systems on raw text: a model remembers its parser and parses its input."""

from __future__ import annotations

import dataclasses
import pickle
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import graphmt
import programs
import pytest
import small_treebanks
from graphmt.cli import app
from graphmt.corpus import ParseOptions, TextOptions, Tree, is_conllu, open_parser, parse_file, read_trees
from graphmt.corpus.parsers import parse_lines
from graphmt.corpus.parsers.running import parse_batches
from graphmt.errors import InputError, MissingPackageError, OptionError
from graphmt.model import Manifest
from graphmt.model.layout import PARSER
from graphmt.protect import Recogniser
from graphmt.training import train
from made_once import made_once
from typer.testing import CliRunner

CHAIN = Path(__file__).parents[1] / "docs" / "files" / "chain_parser.py"
COMMAND = f"command:{sys.executable} {CHAIN}"


@dataclasses.dataclass(frozen=True)
class Raw:
    """Raw text of two sides, a parser, and a model trained on them."""

    folder: Path

    @property
    def model(self) -> Path:
        return self.folder / "model"

    @property
    def text(self) -> list[str]:
        return (self.folder / "source").read_text("utf-8").splitlines()

    @property
    def target(self) -> list[str]:
        return (self.folder / "target").read_text("utf-8").splitlines()


def write_side(path: Path, lines: list[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")


def made(folder: Path, trees: list[Tree], target: list[str], parser: Path, system: str, language: str) -> Path:
    write_side(folder / "source", [small_treebanks.raw(tree) for tree in trees])
    write_side(folder / "target", target)
    done = CliRunner().invoke(
        app,
        [
            *("train", str(folder / "model"), "--system", system, "--tokenise", "--source-language", language),
            *("--source", str(folder / "source"), "--target", str(folder / "target"), "--threads", "1"),
            *("--parser", f"udpipe:{parser}", "--order", "2", "--aligner", "ibm1"),
        ],
    )
    assert done.exit_code == 0, done.output
    return folder


@pytest.fixture(scope="session")
def german(tmp_path_factory: pytest.TempPathFactory) -> Raw:
    pytest.importorskip("ufal.udpipe", reason="needs the extra 'udpipe'")

    def make(folder: Path) -> Path:
        trees, target = small_treebanks.german(200)
        small_treebanks.trained(folder, trees[:80])
        return made(folder, trees, target, folder / "small.udpipe", "gbmt-ctx", "de")

    return Raw(made_once(tmp_path_factory, "raw-de", make))


@pytest.fixture(scope="session")
def chinese(chinese_parser: Path, tmp_path_factory: pytest.TempPathFactory) -> Raw:
    def make(folder: Path) -> Path:
        return made(folder, *small_treebanks.chinese(), chinese_parser / "small.udpipe", "gbmt", "zh")

    return Raw(made_once(tmp_path_factory, "raw-zh", make))


@pytest.mark.long
def test_chinese_text_is_segmented_parsed_and_translated(chinese: Raw) -> None:
    """Segmented by the parser: jieba is not needed."""
    model = graphmt.load(chinese.model)
    best = model.translate(chinese.text[-1])
    assert best.derivation.source == ("老师", "喜欢", "小猫", "。") and best.derivation.heads == (1, -1, 1, 1)
    assert best.text == "the teacher like cats."
    right = [one.text.lower() for one in model.translate(chinese.text)]
    assert sum(one == wanted.lower() for one, wanted in zip(right, chinese.target, strict=True)) > 50


def test_german_text_is_parsed_and_translated(german: Raw) -> None:
    model = graphmt.load(german.model)
    parser = open_parser(str(german.folder / "small.udpipe"))
    text = german.text[0]
    (tree,) = parse_lines(parser, [text])
    best, same = model.translate(text), model.translate(tree)
    assert best == same and len(best.derivation.heads) == len(tree)
    # Trees, texts and empty lines can be mixed.
    assert [one.text for one in model.translate([text, "", tree])] == [best.text, "", best.text]
    assert model.parser == f"udpipe:{german.folder / 'small.udpipe'}"


def test_the_command_parses_standard_input(german: Raw) -> None:
    raw = "".join(f"{line}\n" for line in german.text[:3])
    command = [programs.graphmt(), "translate", str(german.model)]
    done = subprocess.run(command, input=raw.encode(), capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    wanted = [one.text for one in graphmt.load(german.model).translate(german.text[:3])]
    assert done.stdout.decode().splitlines() == wanted


def test_a_model_holds_its_udpipe_parser(german: Raw, tmp_path: Path) -> None:
    assert (german.model / PARSER).read_bytes() == (german.folder / "small.udpipe").read_bytes()
    assert PARSER in Manifest.load(german.model).files
    moved = tmp_path / "moved"
    moved.mkdir()
    for path in german.model.rglob("*"):
        if path.is_file():
            (moved / path.relative_to(german.model)).parent.mkdir(exist_ok=True)
            (moved / path.relative_to(german.model)).write_bytes(path.read_bytes())
    assert graphmt.load(moved).translate(german.text[0]) == graphmt.load(german.model).translate(german.text[0])


def test_many_texts_are_parsed_by_several_processes(german: Raw, monkeypatch: pytest.MonkeyPatch) -> None:
    model = graphmt.load(german.model)
    expected = model.translate(german.text[:24], threads=1)
    used: list[int] = []

    def counted(*given: object, processes: int, **more: object) -> object:
        used.append(processes)
        return parse_batches(*given, processes=processes, **more)

    monkeypatch.setattr("graphmt.model.source_parser.parse_batches", counted)
    monkeypatch.setattr("graphmt.model.source_parser.MANY", 20)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    assert model.translate(german.text[:24], threads=1) == expected
    assert used == []
    model.parse_in_processes()
    assert model.translate(german.text[:24], threads=1) == expected
    assert used == [2]
    # A parser that was given as an object, or few texts, stay in this process.
    model.translate(german.text[:20], threads=1)
    graphmt.load(german.model, parser=Splitting()).translate(german.text[:24], threads=1)
    assert used == [2]


def test_a_pickled_model_parses(german: Raw) -> None:
    model = graphmt.load(german.model)
    again = pickle.loads(pickle.dumps(model))
    assert again.translate(german.text[0]) == model.translate(german.text[0])


def test_trees_are_kept_beside_the_corpus(german: Raw) -> None:
    (kept,) = (german.folder / "source.parsed").glob("*.conllu")
    assert is_conllu(kept) and not (german.folder / "model.training").exists()


def test_tuning_parses_its_development_set(german: Raw, tmp_path: Path) -> None:
    write_side(tmp_path / "dev.de", german.text[:8])
    write_side(tmp_path / "dev.en", german.target[:8])
    options = ["--iterations", "1", "--n-best", "5", "--threads", "1", "--out", str(tmp_path / "weights.toml")]
    files = ["--source", str(tmp_path / "dev.de"), "--target", str(tmp_path / "dev.en")]
    done = CliRunner().invoke(app, ["tune", str(german.model), *files, *options])
    assert done.exit_code == 0, done.output
    assert (tmp_path / "weights.toml").exists()


def test_a_missing_package_is_named(german: Raw, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ufal.udpipe", None)
    model = graphmt.load(german.model)
    with pytest.raises(MissingPackageError, match=r"model was trained with the parser udpipe:.*graphmt\[udpipe\]"):
        model.translate(german.text[0])


@pytest.fixture
def with_command(tmp_path: Path) -> Path:
    """A model that was trained with a command as its parser, tuned on raw text."""
    write_side(tmp_path / "a.de", ["das Haus", "das Buch", "ein Haus", "ein Buch"])
    write_side(tmp_path / "a.en", ["the house", "the book", "a house", "a book"])
    (tmp_path / "links").write_text("0-0 1-1\n" * 4)
    made = train(
        "gbmt",
        source=tmp_path / "a.de",
        target=tmp_path / "a.en",
        alignment=tmp_path / "links",
        dev=(tmp_path / "a.de", tmp_path / "a.en"),
        out=tmp_path / "model",
        options={"parse": {"parser": COMMAND}, "lm": {"order": 2}, "tune": {"iterations": 1, "threads": 1}},
    )
    assert made.translate("das Haus").text == "the house"
    return tmp_path / "model"


def test_a_remembered_command_is_not_run_unasked(with_command: Path) -> None:
    with pytest.raises(OptionError, match=r"runs a program to parse its input: command:.*--parser 'command:"):
        graphmt.load(with_command).translate("das Haus")
    assert graphmt.load(with_command, parser=COMMAND).translate("das Haus").text == "the house"
    done = CliRunner().invoke(
        app, ["translate", str(with_command), "--parser", COMMAND, "--format", "text"], input="ein Buch\n"
    )
    assert done.stdout == "a book\n"


def test_text_does_not_go_to_another_computer_unasked(with_command: Path, tmp_path: Path) -> None:
    manifest = Manifest.load(with_command)
    manifest.options["parse"]["parser"] = "corenlp:http://example.org"
    manifest.save(with_command)
    with pytest.raises(OptionError, match="sends its input to another computer"):
        graphmt.load(with_command).translate("das Haus")


def test_without_a_parser_the_message_says_how(tmp_path: Path) -> None:
    write_side(tmp_path / "a.de", ["das Haus"])
    with pytest.raises(InputError, match=r"gbmt needs a dependency tree .*--parser KIND:MODEL"):
        train("gbmt", source=tmp_path / "a.de", target=tmp_path / "a.de", out=tmp_path / "model")


def test_a_missing_parser_is_reported_before_any_work(tmp_path: Path) -> None:
    write_side(tmp_path / "a.de", ["das Haus"])
    options = {"parse": ParseOptions(parser="command:no-such-program")}
    with pytest.raises(MissingPackageError, match="no-such-program"):
        train("gbmt", source=tmp_path / "a.de", target=tmp_path / "a.de", out=tmp_path / "model", options=options)
    assert not (tmp_path / "model").exists()
    options = {"parse": ParseOptions(parser=str(tmp_path / "none.udpipe"))}
    with pytest.raises(MissingPackageError, match=r"none.udpipe|ufal.udpipe"):
        train("gbmt", source=tmp_path / "a.de", target=tmp_path / "a.de", out=tmp_path / "model", options=options)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.de"]


ITEMS = "Er ruft {file name} und <b>seine Schwester</b> um 5 an (%s), siehe https://example.org/a?b=1."


class Splitting:
    """A parser that splits at every character that is no letter, and some words."""

    one_process = True

    def identity(self) -> dict[str, str]:
        return {"kind": "splitting"}

    def parse(self, lines: Sequence[str], *, tokenised: bool) -> list[Tree | None]:
        split = [line.split() if tokenised else re.findall(r"Q|\w+|[^\w\s]", line) for line in lines]
        return [Tree(tuple(words), (-1, *range(len(words) - 1))) for words in split]


@pytest.mark.parametrize("segmenter", ["parser", "text"])
def test_protected_text_survives_parsing(german: Raw, segmenter: str) -> None:
    wanted = Counter(item.text for item in Recogniser().find(ITEMS))
    for parser in (None, Splitting()):
        model = graphmt.load(german.model, parser=parser)
        assert model._parser is not None
        model._parser.segmenter = segmenter
        for text in (ITEMS, f"{ITEMS} Qzx", "{a}", german.text[0]):
            best = model.translate(text, threads=1)
            assert Counter(i.text for i in Recogniser().find(best.text)) == Counter(
                i.text for i in Recogniser().find(text)
            )
        best = model.translate(ITEMS, threads=1)
        assert len(best.derivation.heads) == len(best.derivation.source)
        assert sum(word.startswith("⟨") for word in best.derivation.source) == wanted.total()


def test_training_sees_protected_text_as_translation_does(tmp_path: Path) -> None:
    """Each item is one node of the trees of training, also where the parser would split it."""
    write_side(tmp_path / "a.de", ["Öffne {{ file }} jetzt.", 'Öffne <a href="x y">alles</a>!', "Öffne alles."] * 2)
    write_side(tmp_path / "a.en", ["Open {{ file }} now.", 'Open <a href="x y">all</a>!', "Open 5 all."] * 2)
    (tmp_path / "links").write_text("0-0 1-1 2-2\n0-0 1-1 2-2 3-3\n0-0 1-2\n" * 2)
    files = {"source": tmp_path / "a.de", "target": tmp_path / "a.en", "alignment": tmp_path / "links"}
    options = {"parse": {"parser": COMMAND}, "lm": {"order": 2}, "sides": {"tokenise": True, "case": "true"}}
    model = train("gbmt", **files, out=tmp_path / "model", options=options)
    for text, wanted in (
        ("Öffne {n} jetzt.", ("Öffne", "⟨variable⟩", "jetzt.")),
        ("Öffne <i>alles</i>!", ("Öffne", "⟨open⟩", "alles", "⟨close⟩", "!")),
    ):
        best = model.translate(text, threads=1)
        assert best.derivation.source == wanted
        assert best.features["unknown"] == 0, best
    (kept,) = (tmp_path / "a.de.parsed").glob("*.conllu")
    # Trees without protection have another key.
    train("gbmt", **files, out=tmp_path / "other", options={**options, "sides": {"tokenise": True, "protect": "none"}})
    assert len(list((tmp_path / "a.de.parsed").glob("*.conllu"))) == 2 and kept.exists()
    assert model.translate("Öffne {n}.").text.count("{n}") == 1


def test_a_resumed_parse_hides_the_right_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphmt.corpus.parsers.files.PART", 2)
    lines = ["Eins {a}.", "Zwei.", "Drei {b} {c}.", "Vier {d}.", "Fünf {e} {f} {g}."]
    write_side(tmp_path / "text", lines)
    options = TextOptions(tokenise=True, protect="auto")
    parse_file(tmp_path / "text", tmp_path / "whole.conllu", Splitting(), protect=options)

    class Failing(Splitting):
        def parse(self, lines: Sequence[str], *, tokenised: bool) -> list[Tree | None]:
            if any("Vier" in line for line in lines):
                raise InputError("stopped.")
            return super().parse(lines, tokenised=tokenised)

    with pytest.raises(InputError, match="stopped"):
        parse_file(tmp_path / "text", tmp_path / "again.conllu", Failing(), protect=options, batch=1)
    assert (tmp_path / "again.conllu.parsing").is_dir()
    parse_file(tmp_path / "text", tmp_path / "again.conllu", Splitting(), protect=options, batch=1)
    assert (tmp_path / "again.conllu").read_bytes() == (tmp_path / "whole.conllu").read_bytes()
    made = [tree.forms.count("Qzx") for tree in read_trees(tmp_path / "again.conllu")]
    assert made == [1, 0, 2, 1, 3]
