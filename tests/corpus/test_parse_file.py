"""Parsing files: in order, resumed, and cached beside the corpus."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from graphmt.corpus import ParseOptions, TextOptions, Tree, parse_file, read_trees, tokenised
from graphmt.corpus.parsers import files
from graphmt.corpus.parsers import parsed_corpus as parsed
from graphmt.errors import InputError
from rights import needs_permissions, respect_permissions
from test_parsers import COMMAND


class Counting:
    """Attaches every word to the first; stops after some batches, as an interrupt would."""

    one_process = True

    def __init__(self, most: int = 99, name: str = "counting") -> None:
        self.batches: list[list[str]] = []
        self.most, self.name = most, name

    def identity(self) -> dict[str, Any]:
        return {"kind": self.name}

    def parse(self, lines: Sequence[str], *, tokenised: bool) -> list[Tree | None]:
        if len(self.batches) == self.most:
            raise KeyboardInterrupt
        self.batches.append(list(lines))
        words = [tuple(line.split()) for line in lines]
        return [Tree(forms, (-1, *[0] * (len(forms) - 1)), ("X",) * len(forms)) for forms in words]


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "text"
    path.write_text("".join(f"line {number}\n" for number in range(23)))
    return path


def test_an_interrupted_run_resumes(text: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "PART", 4)
    whole, out = text.with_name("whole.conllu"), text.with_name("out.conllu")
    assert parse_file(text, whole, Counting(), batch=2) == 23
    assert not text.with_name("whole.conllu.parsing").exists()
    with pytest.raises(KeyboardInterrupt) as stopped:
        parse_file(text, out, Counting(most=5), batch=2)
    assert "finished parts are kept in" in stopped.value.advice  # type: ignore[attr-defined]
    assert not out.exists() and len(list(text.with_name("out.conllu.parsing").glob("*.conllu"))) == 2
    rest = Counting()
    assert parse_file(text, out, rest, batch=2) == 23
    assert rest.batches[0] == ["line 8", "line 9"] and len(rest.batches) == 8
    assert out.read_bytes() == whole.read_bytes()
    assert not text.with_name("out.conllu.parsing").exists()


def test_parts_of_another_parser_or_text_are_not_reused(text: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "PART", 4)
    out = text.with_name("out.conllu")
    for change in ("parser", "text"):
        with pytest.raises(KeyboardInterrupt):
            parse_file(text, out, Counting(most=5), batch=2)
        if change == "text":
            text.write_text("other\n" * 23)
        again = Counting(name="other" if change == "parser" else "counting")
        parse_file(text, out, again, batch=2)
        assert len(again.batches) == 12


def test_a_folder_of_the_user_is_kept(text: Path) -> None:
    out = text.with_name("out.conllu")
    (own := text.with_name("out.conllu.parsing")).mkdir()
    (own / "notes").write_text("mine")
    with pytest.raises(InputError, match="Move it away"):
        parse_file(text, out, Counting())
    assert (own / "notes").read_text() == "mine"


def test_several_processes_give_the_same_trees(text: Path) -> None:
    one, two = text.with_name("one.conllu"), text.with_name("two.conllu.gz")
    assert parse_file(text, one, COMMAND, pretokenised=True, batch=4, processes=1) == 23
    assert parse_file(text, two, COMMAND, pretokenised=True, batch=4, processes=2) == 23
    assert list(read_trees(one)) == list(read_trees(two))


def test_errors_name_the_line(text: Path) -> None:
    text.write_text("a\nb\n\n")
    with pytest.raises(InputError, match=r"text:3: an empty line has no tree"):
        parse_file(text, text.with_name("out.conllu"), Counting(), batch=2)
    text.write_text("")
    with pytest.raises(InputError, match="this file is empty"):
        parse_file(text, text.with_name("out.conllu"), Counting())
    assert sorted(path.name for path in text.parent.iterdir() if not path.name.startswith(".")) == ["text"]


def test_text_can_be_tokenised_before_it_is_parsed(text: Path) -> None:
    text.write_text("Er schläft.\n", "utf-8")
    parse_file(text, text.with_name("out.conllu"), Counting(), text=TextOptions(language="de", case="lower"))
    assert list(tokenised(text.with_name("out.conllu"))) == ["Er schläft ."]


def test_trees_are_cached_beside_the_corpus(text: Path, tmp_path: Path) -> None:
    options = ParseOptions(parser=COMMAND, threads=1)
    made = parsed(text, options, text=TextOptions(), corpus=text, spare=tmp_path / "spare")
    assert made.parent == text.with_name("text.parsed") and len(list(read_trees(made))) == 23
    stamp = made.stat().st_mtime_ns
    assert parsed(text, options.replace(batch=3), text=TextOptions(), corpus=text, spare=tmp_path / "spare") == made
    assert made.stat().st_mtime_ns == stamp
    # Other tokens, another file.
    split = parsed(text, options.replace(segmenter="text"), text=TextOptions(), corpus=text, spare=tmp_path / "spare")
    assert split != made
    text.write_text("changed\n")
    assert parsed(text, options, text=TextOptions(), corpus=text, spare=tmp_path / "spare") not in (made, split)
    assert not (tmp_path / "spare").exists()


@needs_permissions
def test_a_corpus_in_a_folder_that_is_not_writable(text: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    spare = tmp_path_factory.mktemp("spare")
    text.parent.chmod(0o555)
    try:
        options = ParseOptions(parser=COMMAND, threads=1)
        # Rights are those of a thread.
        with ThreadPoolExecutor(1, initializer=respect_permissions) as bound:
            made = bound.submit(parsed, text, options, text=TextOptions(), corpus=text, spare=spare).result()
    finally:
        text.parent.chmod(0o755)
    assert made.parent == spare
