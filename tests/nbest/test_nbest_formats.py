"""Every format of n-best lists: a file's text and the lists that are read from it."""

from __future__ import annotations

import gzip
import math
from pathlib import Path

import pytest
from graphmt.errors import GraphmtError, InputError, OptionError
from graphmt.nbest import FORMATS, NBestList, ScoreMeaning, fairseq, read_lists, written
from graphmt.nbest.pieces import join_pieces

SUM, NORMALISED, UNKNOWN, NONE = ScoreMeaning.SUM, ScoreMeaning.NORMALISED, ScoreMeaning.UNKNOWN, ScoreMeaning.NONE

FAIRSEQ = (
    "2020-01-01 10:00:00 | INFO | fairseq_cli.generate | loading\n"
    "S-1\tein Haus\nT-1\ta house\n"
    "H-1\t-0.5\ta hou@@ se\nD-1\t-0.5\ta house\nP-1\t-0.5 -0.25 -0.75\nA-1\t0-0 1-1\n"
    "H-1\t-1.5\tone house\nD-1\t-1.5\tone house\nP-1\t-1.5 -1.5\nA-1\t0-0 1-1\n"
    "S-0\tja\nH-0\t-0.25\tyes\nD-0\t-0.25\tyes\nP-0\t-0.25 -0.25\nA-0\t0-0\n"
    "Generate test with beam=2: BLEU4 = 30.00\n"
)
OPENNMT = (
    "[2021-01-01 10:00:00,000 INFO] Loading\n[2021-01-01 10:00:00,000 INFO] \n"
    "SENT 1: ['ein', 'Haus']\nPRED 1: a house\nPRED SCORE: -1.5\nGOLD 1: a house\n\nBEST HYP:\n"
    "[-1.5000] ['a', 'house']\n[-2.2500] ['one', \"house's\"]\n\n"
    "SENT 2: ['ja']\nPRED 2: yes\nPRED SCORE: -0.5\n"
    "PRED AVG SCORE: -0.5, PRED PPL: 1.1\n"
)

#: Format, file, columns, and the texts and values of each list.
READ = {
    "marian": (
        "marian",
        "0 ||| a b ||| F0= -3 F1= -2 ||| -1\n0 ||| a ||| F0= -4 F1= -2 ||| -2\n",
        ("score", "F0", "F1"),
        [(("a b", "a"), [[-1, -3, -2], [-2, -4, -2]])],
    ),
    "marian, one model": (
        "marian",
        "0 ||| a b ||| F0=-3.2 ||| -1.6\n1 |||  ||| F0=-1 ||| -1\n",
        ("score", "F0"),
        [(("a b",), [[-1.6, -3.2]]), (("",), [[-1, -1]])],
    ),
    "marian with alignment and word scores": (
        "marian",
        "0 ||| ▁a ▁b ||| 0-0 1-1 ||| WordScores= -0.10000 -0.2 ||| F0= -3 ||| -1.5\n",
        ("score", "F0"),
        [(("a b",), [[-1.5, -3]])],
    ),
    "fairseq": (
        "fairseq",
        FAIRSEQ,
        ("score", "log_probability"),
        [
            (("yes",), [[-0.25, -0.5 * math.log(2)]]),
            (("a house", "one house"), [[-0.5, -1.5 * math.log(2)], [-1.5, -3 * math.log(2)]]),
        ],
    ),
    "fairseq, H lines alone": ("fairseq", "H-0\t-0.5\ta hou@@ se\n", ("score",), [(("a house",), [[-0.5]])]),
    "fairseq, D lines alone": (
        "fairseq",
        "D-0\t-0.5\ta house\nD-0\t-1\ta\n",
        ("score",),
        [(("a house", "a"), [[-0.5], [-1]])],
    ),
    "opennmt": (
        "opennmt",
        OPENNMT,
        ("score",),
        [(("a house", "one house's"), [[-1.5], [-2.25]]), (("yes",), [[-0.5]])],
    ),
    "tsv": (
        "tsv",
        "0\ta b\t-1.5\n0\tc\t-2\n1\t5\t-3\n",
        ("score",),
        [(("a b", "c"), [[-1.5], [-2]]), (("5",), [[-3]])],
    ),
    "tsv, score before text": ("tsv", "0\t-1.5\ta b\n", ("score",), [(("a b",), [[-1.5]])]),
    "tsv without scores": ("tsv", "0\ta b\n0\tc\n", ("score",), [(("a b", "c"), [[0], [0]])]),
    "tsv with more columns": ("tsv", "0\ta\t-1\t2\n", ("score", "column4"), [(("a",), [[-1, 2]])]),
    "tsv with a header": (
        "tsv",
        "source\tlength\tlogprob\thyp\tid\tkind\nein\t3\t-1.5\ta b\t0\tx\n",
        ("score", "length"),
        [(("a b",), [[-1.5, 3]])],
    ),
    "json, texts": ("json", '["a", "b"]\n["c"]\n', ("score",), [(("a", "b"), [[0], [0]]), (("c",), [[0]])]),
    "json, pairs": ("json", '[["a", -1], ["b", -2.5]]\n', ("score",), [(("a", "b"), [[-1], [-2.5]])]),
    "json, objects": (
        "json",
        '[{"translation": "a", "logprob": -1}, {"translation": "b", "logprob": -2}]\n',
        ("score",),
        [(("a", "b"), [[-1], [-2]])],
    ),
    "json, sentences with scores beside": (
        "json",
        '{"source": "x", "hypotheses": ["a", "b"], "scores": [-1, -2]}\n{"src": "y", "nbest": ["c"], "scores": [0]}\n',
        ("score",),
        [(("a", "b"), [[-1], [-2]]), (("c",), [[0]])],
    ),
    "json, tokens": (
        "json",
        '{"hypotheses": [["▁a", "b"], ["▁c"]], "scores": [-1, -2]}\n',
        ("score",),
        [(("ab", "c"), [[-1], [-2]])],
    ),
    "json, one array on a line": (
        "json",
        '[["a", "b"], ["c"]]',
        ("score",),
        [(("a", "b"), [[0], [0]]), (("c",), [[0]])],
    ),
    "json, one array on many lines": (
        "json",
        '[\n  {"source": "x, ]", "candidates": [\n    {"tgt": "a \\" }", "score": 1},\n    {"tgt": "b", "score": 2}\n'
        '  ]},\n  {"candidates": [{"output": "c", "score": 3}]}\n]\n\n',
        ("score",),
        [(('a " }', "b"), [[1], [2]]), (("c",), [[3]])],
    ),
    "json, one sentence on many lines": ("json", '[\n"a",\n"b"\n]', ("score",), [(("a", "b"), [[0], [0]])]),
    "json, numbered candidates in an array": (
        "json",
        '[{"id": 0, "hyp": "a", "score": 1}, {"id": 0, "hyp": "b", "score": 2}, {"id": 1, "hyp": "c", "score": 3}]',
        ("score",),
        [(("a", "b"), [[1], [2]]), (("c",), [[3]])],
    ),
    "json, a chat interface": (
        "json",
        '{"id": "chat-1", "choices": [{"index": 0, "message": {"content": "a\\nb"}}]}\n',
        ("score",),
        [(("a b",), [[0]])],
    ),
    "moses with pieces": ("moses", "0 ||| hou@@ se x@@ ||| LM= 1 ||| 2\n", ("score", "LM"), [(("house x",), [[2, 1]])]),
}


def saved(folder: Path, text: str, name: str = "lists") -> Path:
    path = folder / name
    path.write_text(text, "utf-8")
    return path


@pytest.mark.parametrize("case", READ)
def test_lists_of_every_format(tmp_path: Path, case: str) -> None:
    format, text, columns, expected = READ[case]
    path = saved(tmp_path, text)
    given = read_lists(path)
    assert (given.format, given.features) == (format, columns)
    for one, (texts, values) in zip(given, expected, strict=True):
        assert one.texts == texts
        assert one.values.tolist() == [pytest.approx(row) for row in values]
    packed = tmp_path / "lists.gz"
    packed.write_bytes(gzip.compress(text.replace("\n", "\r\n").encode()))
    again = [one.texts for one in read_lists(packed, format=format)]
    assert again == [texts for texts, _ in expected]


PLAIN = {
    "texts": ("a b\n\nc\nd\n", [("a b", ""), ("c", "d")], [0, 0, 0, 0]),
    "scores": ("a b\t-1\nb\t-2\nc\t\t-3\nd\t-4\n", [("a b", "b"), ("c\t", "d")], [-1, -2, -3, -4]),
}


@pytest.mark.parametrize("case", PLAIN)
@pytest.mark.parametrize("format", [None, "plain", "opennmt"])
def test_plain_text_with_a_number_of_lines_for_each_sentence(tmp_path: Path, case: str, format: str | None) -> None:
    text, texts, scores = PLAIN[case]
    lists = list(read_lists(saved(tmp_path, text), list_size=2, format=format))
    assert [one.texts for one in lists] == texts
    assert [value for one in lists for value in one.values[:, 0]] == scores


@pytest.mark.parametrize(
    ("text", "meanings", "chosen"),
    [
        ("0 ||| a b ||| F0= -3 ||| -1.5\n", {"score": NORMALISED, "F0": SUM}, "F0"),
        ("0 ||| a b ||| F0= -3 ||| -3\n", {"score": SUM, "F0": SUM}, "score"),
        ("0 ||| a b ||| F0= -3 F1= -4 ||| -1\n", {"score": UNKNOWN, "F0": SUM, "F1": SUM}, "F0"),
        ("0 ||| a b ||| LogProb= -3 ||| -3\n", {"score": UNKNOWN, "LogProb": SUM}, "LogProb"),
        (FAIRSEQ, {"score": NORMALISED, "log_probability": SUM}, "log_probability"),
        ("H-0\t-3\ta\nP-0\t-1 -2\n", {"score": UNKNOWN, "log_probability": SUM}, "log_probability"),
        ("H-0\t-3\ta\n", {"score": NORMALISED}, None),
        (OPENNMT, {"score": UNKNOWN}, None),
        ('{"id": 0, "text": "a", "logprob": -1}\n', {"score": SUM}, "score"),
        ('{"id": 0, "text": "a", "score": 2, "logprob": -1}\n', {"score": UNKNOWN, "logprob": SUM}, "logprob"),
        ("id\ttext\tlog_prob\n0\ta\t-1\n", {"score": SUM}, "score"),
        ('["a"]\n', {"score": NONE}, None),
    ],
)
def test_the_meaning_of_columns_is_recorded(
    tmp_path: Path, text: str, meanings: dict[str, ScoreMeaning], chosen: str | None
) -> None:
    given = read_lists(saved(tmp_path, text))
    assert (given.meanings, given.log_probability) == (meanings, chosen)


def test_word_scores_alignments_and_sources_are_kept(tmp_path: Path) -> None:
    text = READ["marian with alignment and word scores"][1]
    [marian] = read_lists(saved(tmp_path, text))
    assert (marian.alignments, marian.word_scores) == (("0-0 1-1",), ((-0.1, -0.2),))
    assert written(marian, [0], [5.0], {"gc1": [0.5]}) == text.replace("F0= -3 ||| -1.5", "F0= -3 gc1= 0.5 ||| 5")
    assert written(marian, [0], [5.0], {}, "moses") == "0 ||| a b ||| F0= -3 ||| 5 ||| 0-0 1-1\n"
    _, second = read_lists(saved(tmp_path, FAIRSEQ))
    assert second.source == "ein Haus" and second.alignments == ("0-0 1-1",) * 2
    assert second.word_scores[1] == pytest.approx((-1.5 * math.log(2),) * 2)
    [moses] = read_lists(saved(tmp_path, "0 ||| a ||| LM= 1 ||| 2 ||| 0-0 1-1\n"))
    assert moses.alignments == ("0-0 1-1",)
    first, _ = read_lists(saved(tmp_path, OPENNMT))
    assert first.source == "ein Haus"


def test_fairseq_lists_are_written_as_they_came(tmp_path: Path) -> None:
    _, second = read_lists(saved(tmp_path, FAIRSEQ))
    assert written(second, [1, 0], [2.0, 3.0], {"gc1": [0.0, 0.0]}) == (
        "S-1\tein Haus\nH-1\t3\tone house\nD-1\t3\tone house\nP-1\t-1.5 -1.5\nA-1\t0-0 1-1\n"
        "H-1\t2\ta hou@@ se\nD-1\t2\ta house\nP-1\t-0.5 -0.25 -0.75\nA-1\t0-0 1-1\n"
    )


def test_held_candidates_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fairseq, "MOST_HELD", 2)
    rows = [f"H-{number}\t-1\ta\n" for number in (1, 2, 0, 3)]
    assert [one.number for one in read_lists(saved(tmp_path, "".join(rows)))] == [0, 1, 2, 3]
    rows = [f"H-{number}\t-1\ta\n" for number in (1, 2, 3, 0)]
    with pytest.raises(InputError, match=r"more than 2 candidates before those of sentence 0\. Sort the lines"):
        list(read_lists(saved(tmp_path, "".join(rows))))


def test_pieces_are_joined_with_a_note(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = saved(tmp_path, '["▁how ▁are", "▁how s"]\n["▁x"]\n["y@@ z"]\n')
    assert [one.texts for one in read_lists(path)] == [("how are", "hows"), ("x",), ("yz",)]
    said = caplog.text
    assert said.count("subword pieces (▁) are joined") == said.count("subword pieces (@@) are joined") == 1
    first = next(read_lists(path, join_pieces=False))
    assert first.texts == ("▁how ▁are", "▁how s")


@pytest.mark.parametrize(
    ("text", "joined"),
    [
        ("▁the ▁hou se", "the house"),
        ("The ▁hou se", "The house"),
        ("the hou@@ se@@", "the house"),
        ("house ￭. ( ￭a", "house. (a"),
        ("a_b a▁b @@x x@@y", "a_b a▁b @@x x@@y"),
        ("plain text", "plain text"),
    ],
)
def test_joined_pieces(text: str, joined: str) -> None:
    assert join_pieces(text)[0] == joined


REFUSED = [
    ("hello world\n", "lists:1: no known format of n-best lists: 'hello world'. The nearest is plain: translation, or"),
    ("a\tb\n", "lists:1: no known format of n-best lists: 'a\\tb'. The nearest is tsv: number<tab>translation"),
    ("0|||a|||b\n", "lists:1: no known format of n-best lists: '0|||a|||b'. The nearest is moses: number ||| tr"),
    ("Q-1 x\n", "The nearest is fairseq: H-0<tab>score<tab>translation"),
    ("PRED: x\n", "The nearest is opennmt: SENT 1:"),
    ('"a"\n', "The nearest is json: {"),
    ("H-0\tx\ta\n", "lists:1: not a line of fairseq-generate: 'H-0\\tx\\ta'. Expected: H-0<tab>score"),
    ("H-0\t-1\ta\nbroken\n", "lists:2: not a line of fairseq-generate: 'broken'."),
    ("H-0\t-1\ta\nP-0\tx\n", "lists:1: not a line of fairseq-generate: 'P-0\\tx'."),
    ("H-0\t-1\ta\nP-0\tnan\n", "lists:1: a value of sentence 0 is not a finite number."),
    ("P-0\t-1\n", "lists:1: not a line of fairseq-generate"),
    ("H-0\t-1\ta\nH-1\t-1\ta\nH-0\t-1\ta\n", "lists:3: a second list of sentence 0."),
    ("H-1\t-1\ta\n", "lists:1: sentence 1 where 0 was expected."),
    ("0 ||| a ||| 0-0 ||| x ||| F0= 1 ||| 2\n", "lists:1: not a line of Marian's n-best list"),
    ("0 ||| a ||| F0= 1 ||| x\n", "lists:1: not a line of Marian's n-best list: '0 ||| a ||| F0= 1 ||| x'."),
    ("0 ||| a ||| WordScores= inf ||| F0= 1 ||| 2\n", "lists:1: not a line of Marian's"),
    ("SENT 1: a\nPRED 1: b\nPRED SCORE: x\n", "lists:3: not a line of OpenNMT-py's log: 'PRED SCORE: x'."),
    ("SENT 1: a\nPRED 1: b\nBEST HYP:\n[-1] ['a\n", "lists:4: not a line of OpenNMT-py's log"),
    ("SENT 1: a\n[-1] ['\\ud800']\n", "lists:2: not a line of OpenNMT-py's log"),
    ("0\ta\t-1\n0\tb\n", "lists:2: not a line of a tab-separated n-best list: '0\\tb'. Expected: 3 columns"),
    ("0\ta\t-1\n0\tb\tc\n", "lists:2: not a line of a tab-separated n-best list"),
    ("id\ttext\tid\n0\ta\t0\n", "lists:2: not a line of a tab-separated n-best list"),
    ('[\n"a",\n', "lists:2: the file ends within its JSON array."),
    ('[\n"a",,"b"]\n', "lists:2: an element of the array is missing before a comma."),
    ('[\n"a"]\n"b"\n', "lists:3: text after the end of the JSON array."),
    ('[\n"a",\nb]\n', "lists:3: not a candidate in JSON. It is 'b'."),
    ('["a", "x"]\n["b", [5]]\n', "lists:2: not a candidate in JSON"),
    ('[]\n["a"]\n', "lists:1: no known format"),
    ('["a"]\n[]\n', "lists:2: not a candidate in JSON: a sentence without candidates."),
    ('{"hypotheses": ["a"], "scores": [1, 2]}\n', "lists:1: not a candidate in JSON: 2 scores for 1 candidates."),
    ('{"id": 0, "text": "a"}\n{"id": 0, "text": "b", "score": 1}\n', "lists:2: a candidate with a score; the first"),
    ('{"id": 0, "text": "a", "score": 1}\n{"id": 0, "text": "b"}\n', "lists:2: a candidate has the values (none)"),
]


@pytest.mark.parametrize(("text", "said"), REFUSED)
def test_malformed_files_are_refused_with_the_line(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InputError) as refused:
        list(read_lists(saved(tmp_path, text)))
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"format": "mose"}, "unknown format of n-best lists 'mose' (did you mean 'moses'?)"),
        ({"format": "plain"}, "plain text needs the number of candidates of a sentence. Give --list-size K"),
        ({"format": "moses", "list_size": 2}, "cannot be given for the format moses"),
        ({"list_size": 0}, "a list has at least one candidate"),
        ({"list_size": 3}, "lists:4: 4 lines; a multiple of 3 was expected"),
    ],
)
def test_options_of_reading(tmp_path: Path, options: dict[str, object], said: str) -> None:
    with pytest.raises(GraphmtError) as refused:
        list(read_lists(saved(tmp_path, "a\nb\nc\nd\n"), **options))
    assert said in str(refused.value)


def test_a_scored_text_needs_all_scores(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"lists:2: no score after the translation: 'b'"):
        list(read_lists(saved(tmp_path, "a\t1\nb\n"), list_size=2))


def test_a_format_of_output_must_be_known() -> None:
    with pytest.raises(OptionError, match="unknown format"):
        written(NBestList.of(0, [("a", 1.0)]), [0], [1.0], {}, "x")
    assert list(FORMATS) == ["marian", "moses", "opennmt", "fairseq", "json", "tsv", "plain"]


def test_empty_fields_of_moses_with_one_space(tmp_path: Path) -> None:
    path = tmp_path / "lists.txt"
    path.write_text("0 ||| a house ||| ||| -0.1\n0 ||| ||| ||| -1.5\n", "utf-8")
    [found] = read_lists(path)
    assert list(found.texts) == ["a house", ""]
    assert found.values[:, 0].tolist() == pytest.approx([-0.1, -1.5])
