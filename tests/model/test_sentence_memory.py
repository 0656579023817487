"""A translation memory beside a model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from graphmt.cli import app
from graphmt.errors import InputError
from graphmt.glossary import Glossary, Term
from graphmt.localisation import translate_document
from graphmt.model import FixedSpan, Model, SentenceMemory, load
from graphmt.training import train
from small_models import Trained
from typer.testing import CliRunner, Result


@pytest.fixture
def pairs(demo: Trained) -> list[tuple[str, str]]:
    first, second, *_ = demo.texts()
    return [(first, "taken from the memory ."), (first, "another one"), (first, "another one"), (second, "also known")]


def test_exact_matches_are_taken_and_others_are_not(demo: Trained, pairs: list[tuple[str, str]]) -> None:
    model = demo.load("pbmt")
    memory = SentenceMemory(model, pairs, threshold=0.5)
    assert len(memory) == 2
    first, second, *_ = demo.texts()
    near = f"{second} zzyzx"
    exact, similar, other, empty = memory.find([f"  {first} ", near, "qwertz asdf", ""])
    assert exact is not None
    # The most frequent translation.
    assert (exact.target, exact.similarity, exact.taken) == ("another one", 1.0, True)
    assert similar is not None
    words = len(near.split())
    assert (similar.source, similar.taken, similar.similarity) == (second, False, pytest.approx((words - 1) / words))
    assert other is None
    assert empty is None
    strict = SentenceMemory(model, pairs, threshold=0.95).find([near, first.upper()])
    assert strict[0] is None
    # It differs in case only, which the model does not see.
    assert strict[1] is not None
    assert (strict[1].similarity, strict[1].taken) == (0.99, False)
    trees = demo.trees()
    assert [match and match.taken for match in memory.find(trees[:3])][:2] == [True, True]


def test_the_verb(demo: Trained, pairs: list[tuple[str, str]], tmp_path: Path) -> None:
    (tmp_path / "memory.tsv").write_text("".join(f"{left}\t{right}\n" for left, right in pairs), "utf-8")
    first, second, third, *_ = demo.texts()
    lines = [first, f"{second} zzyzx", third]
    (tmp_path / "text").write_text("".join(f"{line}\n" for line in lines), "utf-8")
    command = ["translate", str(demo.models["pbmt"]), str(tmp_path / "text"), "--memory", str(tmp_path / "memory.tsv")]
    done = CliRunner().invoke(app, [*command, "--derivations", "json", "--memory-threshold", "0.5"])
    records = [json.loads(line) for line in done.stdout.splitlines()]
    assert records[0]["text"] == "another one"
    assert records[0]["memory"] == {
        "source": first,
        "target": "another one",
        "similarity": 1.0,
        "taken": True,
        "contradicts": None,
    }
    assert (records[1]["memory"]["source"], records[1]["memory"]["taken"]) == (second, False)
    plain = demo.load("pbmt").translate(lines)
    assert [record["text"] for record in records[1:]] == [one.text for one in plain[1:]]
    assert "1 sentences are taken from the memory, 1 others" in done.stderr
    lists = CliRunner().invoke(app, ["--quiet", *command, "--n-best", "2"]).stdout.splitlines()
    assert lists[0] == "0 ||| another one |||  ||| 0"
    assert len(lists) == 5


def test_an_empty_memory_is_rejected(demo: Trained, tmp_path: Path) -> None:
    (tmp_path / "memory.tsv").write_text("", "utf-8")
    with pytest.raises(InputError, match="empty"):
        SentenceMemory.read(demo.load("pbmt"), tmp_path / "memory.tsv")


@pytest.fixture(scope="module")
def raw_model(tmp_path_factory: pytest.TempPathFactory) -> Model:
    folder = tmp_path_factory.mktemp("raw")
    (folder / "en").write_text("Open the file.\nClose {name}.\n" * 3, "utf-8")
    (folder / "de").write_text("Die Datei öffnen.\n{name} schließen.\n" * 3, "utf-8")
    options = {
        "sides": {"source_language": "en", "target_language": "de"},
        "lm": {"order": 2},
        "align": {"model": "ibm1"},
        "extract": {"threads": 1},
    }
    return train("pbmt", source=folder / "en", target=folder / "de", out=folder / "model", options=options)


def test_files_and_protected_text(raw_model: Model, tmp_path: Path) -> None:
    assert raw_model.source_steps.options.tokenise
    memory = SentenceMemory(raw_model, [("Close {name}.", "{name} zumachen."), ("Open {name}.", "Öffnen.")])
    whole, broken = memory.find(["Close {name}.", "Open {name}."])
    assert whole is not None
    assert whole.taken
    # Its target lacks the placeholder.
    assert broken is not None
    assert not broken.taken
    (tmp_path / "todo.po").write_text('msgid "Close {name}."\nmsgstr ""\n\nmsgid "Open {name}."\nmsgstr ""\n', "utf-8")
    report = translate_document(raw_model, tmp_path / "todo.po", tmp_path / "done.po", threads=1, memory=memory)
    assert (report.filled, report.from_memory) == (2, 1)
    done = (tmp_path / "done.po").read_text("utf-8")
    assert 'msgstr "{name} zumachen."' in done
    assert done.count("{name}") == 4
    pairs = "Close {name}.\t{name} zumachen.\n"
    (tmp_path / "memory.tsv").write_text(pairs, "utf-8")
    command = ["translate", raw_model.folder, tmp_path / "todo.po", "-o", tmp_path / "two.po"]
    said = CliRunner().invoke(app, [*map(str, command), "--memory", str(tmp_path / "memory.tsv")])
    assert "1 sentences are taken from the memory." in said.stderr
    assert (tmp_path / "two.po").read_text("utf-8") == done
    assert load(raw_model.folder).target_steps.recaser is not None


def test_memories_in_other_languages(raw_model: Model, tmp_path: Path) -> None:
    header = 'msgid ""\nmsgstr "Language: {}\\n"\n\n'
    message = 'msgid "Close."\nmsgstr "Zu."\n'
    path = tmp_path / "memory.po"
    path.write_text(header.format("de") + message, "utf-8")
    assert SentenceMemory.read(raw_model, path).pairs == [("Close.", "Zu.")]
    path.write_text(header.format("fr") + message, "utf-8")
    with pytest.raises(InputError, match=r"memory\.po: its language is fr, not en and de"):
        SentenceMemory.read(raw_model, path)


def test_a_match_that_contradicts_the_glossary_is_not_taken(demo: Trained) -> None:
    model = demo.load("pbmt")
    pairs = [("Er schläft .", "He is fast asleep ."), ("Sie schläft .", "She slumbers ."), ("Er liest .", "He reads .")]
    glossary = Glossary((Term("schläft", "slumbers"), Term("schläft", "naps"), Term("liest", "reads", "forbidden")))
    memory = SentenceMemory(model.with_glossary(glossary), pairs)
    sources = [source for source, _ in pairs]
    found = [match for match in memory.find(sources) if match is not None]
    assert [(one.similarity, one.taken, one.contradicts) for one in found] == [
        (1.0, False, "schläft → slumbers"),
        (1.0, True, None),
        (1.0, False, "liest → reads"),
    ]
    # Another model has another glossary, and a fixed span is a choice against the memory.
    assert all(match and match.taken for match in memory.with_model(model).find(sources))
    fixed = memory.with_model(model.with_fixed({1: [FixedSpan(1, 2, "naps")]})).find(sources)
    assert [match and (match.taken, match.contradicts) for match in fixed] == [
        (True, None),
        (False, None),
        (True, None),
    ]


def test_contradictions_are_reported(demo: Trained, raw_model: Model, tmp_path: Path) -> None:
    def translated(model: Path, text: Path, glossary: str, *more: str) -> Result:
        (tmp_path / "terms.tsv").write_text(glossary, "utf-8")
        command = ["translate", str(model), str(text), "--memory", str(tmp_path / "memory.tsv"), *more]
        return CliRunner().invoke(app, [*command, "--glossary", str(tmp_path / "terms.tsv")])

    (tmp_path / "memory.tsv").write_text("Er schläft .\tHe is fast asleep .\n", "utf-8")
    (tmp_path / "text").write_text("Er schläft .\n", "utf-8")
    done = translated(demo.models["pbmt"], tmp_path / "text", "schläft\tslumbers\n", "--derivations", "json")
    record = json.loads(done.stdout)
    assert record["text"] == "He slumbers ."
    assert (record["memory"]["taken"], record["memory"]["contradicts"]) == (False, "schläft → slumbers")
    assert "1 sentences are in the memory with translations that contradict the glossary" in done.stderr
    (tmp_path / "memory.tsv").write_text("Open the file.\tDie Datei aufmachen.\n", "utf-8")
    (tmp_path / "todo.po").write_text('msgid "Open the file."\nmsgstr ""\n', "utf-8")
    out = ("-o", str(tmp_path / "done.po"))
    done = translated(raw_model.folder, tmp_path / "todo.po", "open\töffnen\n", *out)
    assert "1 sentences are in the memory with translations that contradict the glossary" in done.stderr
    assert "aufmachen" not in (tmp_path / "done.po").read_text("utf-8")
