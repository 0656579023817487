"""Portions of a corpus: whole sentences, parallel files together, the same for the same seed."""

from __future__ import annotations

from pathlib import Path

import pytest
from graphmt.cli import app
from graphmt.corpus import head, read_trees, sample, sides, split, tokenised
from graphmt.errors import InputError, OptionError
from small_corpora import conllu
from typer.testing import CliRunner


@pytest.fixture
def corpus(tmp_path: Path) -> list[Path]:
    """Trees, their text and links, 30 sentences each; a document begins with every tenth."""
    trees = [
        ("# newdoc\n" if number % 10 == 0 else "") + f"# sent_id = {number}\n" + conllu([f"w{number}", "x"], [-1, 0])
        for number in range(30)
    ]
    (tmp_path / "a.conllu").write_text("".join(trees))
    (tmp_path / "a.txt").write_text("".join(f"w{number} y\n" for number in range(30)))
    (tmp_path / "a.align").write_text("".join(f"0-0 1-{number}\n" for number in range(30)))
    return [tmp_path / name for name in ("a.conllu", "a.txt", "a.align")]


def outs(folder: Path) -> list[Path]:
    return [folder / name for name in ("b.conllu", "b.txt", "b.align")]


def firsts(path: Path) -> list[str]:
    return [line.split()[0] for line in tokenised(path)]


@pytest.mark.parametrize("size", [4, 4096])
def test_the_first_sentences(corpus: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(sides, "CHUNK", size)
    assert head(corpus, outs(tmp_path), 7) == 7
    trees, text, links = outs(tmp_path)
    assert firsts(trees) == firsts(text) == [f"w{number}" for number in range(7)]
    assert trees.read_text() == corpus[0].read_text()[: len(trees.read_text())]
    assert links.read_text().splitlines()[-1] == "0-0 1-6"
    assert head(corpus, outs(tmp_path), 99) == 30 and trees.read_bytes() == corpus[0].read_bytes()


def test_a_sample_stays_parallel_and_is_repeatable(corpus: list[Path], tmp_path: Path) -> None:
    trees, text, links = outs(tmp_path)
    assert sample(corpus, outs(tmp_path), 9, seed=5) == 9
    chosen = firsts(text)
    assert firsts(trees) == chosen and len(set(chosen)) == 9
    assert chosen == sorted(chosen, key=lambda word: int(word[1:]))
    assert [f"w{line.split('-')[-1]}" for line in links.read_text().splitlines()] == chosen
    sample(corpus[1:2], [tmp_path / "again"], 9, seed=5)
    assert (tmp_path / "again").read_bytes() == text.read_bytes()
    sample(corpus[1:2], [tmp_path / "other"], 9, seed=6)
    assert (tmp_path / "other").read_bytes() != text.read_bytes()
    # Every document that has a sentence in the sample begins there.
    documents = {int(word[1:]) // 10 for word in chosen}
    assert sum("# newdoc" in tree.comments for tree in read_trees(trees)) == len(documents)
    with pytest.raises(InputError, match=r"a.conllu: 30 sentences; at least 31 are needed"):
        sample(corpus, outs(tmp_path), 31)


def test_a_split_has_every_sentence_once(corpus: list[Path], tmp_path: Path) -> None:
    assert split(corpus, tmp_path / "sets", dev=5, test=4, seed=2) == {"train": 21, "dev": 5, "test": 4}
    for name in ("a.conllu", "a.txt"):
        parts = [firsts(tmp_path / "sets" / part / name) for part in ("train", "dev", "test")]
        assert [len(part) for part in parts] == [21, 5, 4]
        assert sorted(word for part in parts for word in part) == sorted(f"w{number}" for number in range(30))
    assert firsts(tmp_path / "sets/dev/a.conllu") == firsts(tmp_path / "sets/dev/a.txt")
    assert split(corpus[1:2], tmp_path / "one", test=4, seed=2) == {"train": 26, "test": 4}
    assert not (tmp_path / "one" / "dev").exists()
    with pytest.raises(InputError, match="at least 31 are needed"):
        split(corpus, tmp_path / "sets", dev=20, test=10)
    with pytest.raises(OptionError, match="neither"):
        split(corpus, tmp_path / "sets")


def test_what_is_refused(corpus: list[Path], tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="3 files, but 1 outputs"):
        head(corpus, [tmp_path / "b"], 2)
    with pytest.raises(OptionError, match="the same file is given twice"):
        head([corpus[0], corpus[0]], [tmp_path / "b", tmp_path / "c"], 2)
    with pytest.raises(OptionError, match="standard input"):
        sample(["-"], [tmp_path / "b"], 2)
    (tmp_path / "short").write_text("a\n")
    with pytest.raises(InputError, match="has no counterpart"):
        sample([corpus[1], tmp_path / "short"], [tmp_path / "b", tmp_path / "c"], 1)
    (tmp_path / "m.tmx").write_text("<tmx/>")
    with pytest.raises(InputError, match="graphmt corpus convert"):
        head([tmp_path / "m.tmx"], [tmp_path / "b"], 2)
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.txt").write_text("a\n")
    with pytest.raises(OptionError, match=r"two files are named a.txt"):
        split([corpus[1], tmp_path / "sub" / "a.txt"], tmp_path / "sets", dev=1)


def test_the_commands(corpus: list[Path], tmp_path: Path) -> None:
    trees, text = (str(path) for path in corpus[:2])
    done = CliRunner().invoke(app, ["corpus", "head", text, "--count", "2", "--out", "-"])
    assert done.exit_code == 0 and done.stdout == "w0 y\nw1 y\n"
    out = ["--out", str(tmp_path / "c.conllu"), "--out", str(tmp_path / "c.txt")]
    assert CliRunner().invoke(app, ["corpus", "sample", trees, text, "-n", "4", "--seed", "3", *out]).exit_code == 0
    assert firsts(tmp_path / "c.conllu") == firsts(tmp_path / "c.txt")
    done = CliRunner().invoke(app, ["corpus", "split", trees, text, "--dev", "3", "--out", str(tmp_path / "sets")])
    assert done.exit_code == 0 and "train 27, dev 3" in " ".join(done.output.split())
