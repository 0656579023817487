"""``graphmt rerank`` with features of a memory: tuning, saving, explaining, several systems."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import small_lists
from graphmt import lm
from graphmt.cli import app
from graphmt.errors import InputError, OptionError
from graphmt.lm import LmOptions
from typer.testing import CliRunner

MEMORY, DEV, TEST = (small_lists.sentences(number, seed) for number, seed in ((150, 1), (40, 2), (30, 3)))
RIGHT = "".join(f"{target}\n" for _, target in TEST)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("rerank")
    small_lists.write(made, "train", MEMORY)
    small_lists.write(made, "dev", DEV, small_lists.lists(DEV, 4))
    small_lists.write(made, "test", TEST, small_lists.lists(TEST, 5))
    rows = "".join(f"{source}\t{target}\n" for source, target in [*MEMORY, *DEV])
    (made / "memory.tsv").write_text(rows, "utf-8")
    # Word by word, except at the end: "jetzt im haus ." is "in the house now .".
    links = "0-0 1-1 2-2 3-6 4-3 4-4 5-5 6-7\n"
    (made / "memory.gdfa").write_text(links * (len(MEMORY) + len(DEV)), "utf-8")
    return made


def graphmt(*arguments: str) -> str:
    """The messages of a command that succeeds."""
    done = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stderr


def right_lines(path: Path) -> int:
    lines = path.read_text("utf-8").splitlines()
    return sum(line == target for line, (_, target) in zip(lines, TEST, strict=True))


@pytest.fixture
def here(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the same files, as the current one."""
    for path in folder.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    monkeypatch.chdir(tmp_path)
    return tmp_path


GIVEN = ("rerank", "test.nbest", "--source", "test.de", "--memory", "memory.tsv", "--classifier", "lr", "--out", "out")
ALIGNED = ("--alignment", "memory.gdfa")


def test_tuned_on_the_memory_itself_saved_and_used_again(here: Path) -> None:
    tuned = ("--dev", "dev.nbest", "dev.de", "--self-tune", "--features", "memory,lm", "--save", "saved")
    said = graphmt(*GIVEN, *tuned, "--explain", "why.jsonl", "--report", "why.html")
    assert "pairs of the memory are held out for tuning" in said and "translations changed" in said
    assert right_lines(here / "out") > 25
    assert sorted(path.name for path in (here / "saved").iterdir()) == ["lm.bin", "ngrams.bin", "reranker.json"]
    rows = [json.loads(line) for line in (here / "why.jsonl").read_text("utf-8").splitlines()]
    assert len(rows) == 30 and rows[0]["ngrams"] and "memory" in rows[0]["groups"]
    page = (here / "why.html").read_text("utf-8")
    assert "translations changed with the memory" in page and "pairs with the source words" in page
    again = ("rerank", "test.nbest", "-s", "test.de", "-m", "memory.tsv", "--weights", "saved", "-o", "again")
    graphmt(*again, "--explain", "why.txt")
    # Both rank with the whole memory.
    assert (here / "again").read_bytes() == (here / "out").read_bytes()
    assert "pairs with: " in (here / "why.txt").read_text("utf-8")
    # A language model of another re-ranker does not fit the weights.
    (here / "other.en").write_text("the house is old .\n" * 3, "utf-8")
    lm.train(here / "other.en", here / "saved" / "lm.bin", LmOptions(order=2, discount_fallback=True))
    with pytest.raises(InputError, match=r"lm\.bin: this is not the file that the re-ranker was trained with"):
        graphmt(*again)


def test_given_alignment_lexicon_and_language_model(here: Path) -> None:
    tuned = ("--dev", "dev.nbest", "dev.de", "--dev-target", "dev.en")
    graphmt(*GIVEN, *tuned, *ALIGNED, "--features", "memory,lexicon")
    assert (here / "out").read_text("utf-8") == RIGHT
    (here / "lex.f2e").write_text("now jetzt 0.9\nhouse haus 1\n", "utf-8")
    (here / "lex.e2f").write_text("jetzt now 1\nhaus house 1\n", "utf-8")
    graphmt("lm", "train", "train.en", "--out", "own.lm")
    files = ("--lexicon", "lex", "--lm", "own.lm", "--features", "lm,lexicon")
    graphmt(*GIVEN, *tuned, *files, "--save", "lexical")
    assert (here / "out").read_text("utf-8") == RIGHT
    assert sorted(path.name for path in (here / "lexical").iterdir()) == ["lexicon.npz", "lm.bin", "reranker.json"]


def test_without_a_development_set(here: Path) -> None:
    graphmt(*GIVEN, "--features", "memory,lm")
    assert right_lines(here / "out") > 20
    graphmt(*GIVEN, "--features", "memory,lm,lexicon", *ALIGNED)
    # A memory of something else: every list keeps its order.
    (here / "other.tsv").write_text("etwas anderes .\tsomething else .\n", "utf-8")
    said = graphmt("rerank", "test.nbest", "-s", "test.de", "-m", "other.tsv", "-o", "kept", "--features", "memory,lm")
    assert "; 0 translations changed" in said


def test_plain_candidates_without_scores_in_raw_text(here: Path) -> None:
    """As a language model writes them: cased, not tokenised, no scores; tokenised memory."""
    pairs = TEST[:5]
    lists = small_lists.lists(pairs, 5)
    raw = ["".join(f"{text.capitalize()[:-2]}.\n" for text, _ in own) for own in lists]
    (here / "plain.txt").write_text("".join(raw), "utf-8")
    (here / "raw.de").write_text("".join(f"{source.capitalize()[:-2]}.\n" for source, _ in pairs), "utf-8")
    arguments = ("rerank", "plain.txt", "--list-size", "3", "-s", "raw.de", "-m", "memory.tsv", "-o", "out")
    said = graphmt(*arguments)
    assert "Not tokenised: candidates, source." in said and "differ in case" in said
    expected = "".join(f"{target.capitalize()[:-2]}.\n" for _, target in pairs)
    assert (here / "out").read_text("utf-8") == expected


def test_several_systems(here: Path) -> None:
    for part, pairs, seed in (("dev", DEV, 4), ("test", TEST, 5)):
        lists = small_lists.lists(pairs, seed)
        wrong = [[one for one in own if one[0] != target] for own, (_, target) in zip(lists, pairs, strict=True)]
        small_lists.write(here, part, pairs, wrong)
        (here / f"{part}.nbest").rename(here / f"{part}.wrong")
        small_lists.write(here, part, pairs, lists)
    both = ("rerank", "test.wrong", *GIVEN[2:], "--features", "memory,lm", "--also", "test.nbest")
    tuned = ("--dev", "dev.wrong", "dev.de", "--dev-target", "dev.en")
    graphmt(*both, *tuned, "--dev-also", "dev.nbest", "--n-best")
    lines = [line.split(" ||| ") for line in (here / "out").read_text("utf-8").splitlines()]
    assert "system1-missing= 1" in " ".join(line[2] for line in lines)
    best = {int(line[0]): line[1] for line in reversed(lines)}
    assert sum(best[k] == target for k, (_, target) in enumerate(TEST)) > 20
    with pytest.raises(OptionError, match="lists of 2 systems, and development lists of 1"):
        graphmt(*both, *tuned)


#: As a version without the options abstain, classifier and normalised wrote it.
OLD = {
    "graphmt reranker": 1,
    "version": "0.1.0",
    "options": {
        **{"method": "g-rerank", "features": "gc", "threshold": 0.3, "between": True, "normalise": "receiver"},
        **{"sharpness": 1.0, "score": "score", "scale": None, "rounds": 20, "tolerance": 1e-06, "floor": 0.0001},
        **{"lowercase": False, "tokenise": False, "source_language": "en", "target_language": "en"},
        **{"tuner": "mert", "alternations": 10, "seed": 1},
    },
    "features": ["score", "length"],
    "scale": 1.0,
    "bleu": [],
    "stages": [
        {"score": 1.0, "length": 0.0},
        {"score": 1.0, "length": 0.0, "gc1": 1.0, "gc2": 0.5, "gc3": 0.1, "gc4": 0.1, "gc-none": 0.0},
    ],
}


def test_a_re_ranker_of_an_older_version(here: Path) -> None:
    (here / "old.json").write_text(json.dumps(OLD), "utf-8")
    arguments = ("rerank", "test.nbest", "-s", "test.de", "-m", "memory.tsv")
    graphmt(*arguments, "--weights", "old.json", "-o", "out")
    graphmt(*arguments, "--features", "gc", "--normalised", "no", "-o", "same")
    assert (here / "out").read_bytes() == (here / "same").read_bytes() != (here / "test.en").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--self-tune",), "--self-tune apply to --dev"),
        (("--dev", "dev.nbest", "dev.de"), "the reference (--dev-target)"),
        (("--features", "lexicon"), "need weights tuned on a development set"),
        (("--features", "gc", "--lm", "train.en"), "--lm, --lexicon and --alignment apply to"),
        (("--features", "gc", "--dev", "dev.nbest", "dev.de", "--self-tune"), "--self-tune applies to"),
        (("--dev-also", "dev.nbest"), "--dev-also and --self-tune apply to --dev"),
        (("--normalised", "maybe"), "normalised cannot be 'maybe'"),
    ],
)
def test_mistakes(here: Path, arguments: tuple[str, ...], said: str) -> None:
    with pytest.raises(OptionError) as refused:
        graphmt(*GIVEN, *arguments)
    assert said in str(refused.value)
    assert not (here / "out").exists()
