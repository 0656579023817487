"""METEOR against its authors' program, where it is installed, and against a stand-in that speaks its protocol."""

from __future__ import annotations

import gzip
import random
import re
import shutil
import stat
import subprocess
import sys

import numpy as np
import pytest
from graphmt.errors import InputError, MissingPackageError, OptionError
from graphmt.evaluate import EvaluateOptions, corpus_score, make_metrics
from graphmt.evaluate.meteor import PACKAGE, VARIABLE, Meteor, require_meteor
from graphmt.evaluate.meteor_score import COUNTS, PARAMETERS, additive

REFERENCES = [
    [
        f"the {noun} {verb} a red house in the old garden today ."
        for noun in ("man", "dogs")
        for verb in ("saw", "Sees")
    ],
    [f"today {noun} are looking at a red home in the old yard ." for noun in ("men", "Dogs", "two", "all")],
]
HYPOTHESES = [
    "the man saw a red house in the old garden today .",
    "The man looks at a crimson building , the old house is in a garden today",
    "today two are looking at a red home in the old yard .",
    "",
]


@pytest.fixture(scope="module")
def jar(tmp_path_factory):
    """The program with few paraphrases, because it takes long to read its own."""
    try:
        own, _ = require_meteor(EvaluateOptions())
    except MissingPackageError as error:
        pytest.skip(f"the program is not installed: {error}")
    jar = tmp_path_factory.mktemp("meteor") / own.name
    shutil.copy(own, jar)
    (jar.parent / "data").mkdir()
    with gzip.open(jar.parent / "data" / "paraphrase-en.gz", "wt") as stream:
        stream.write("0.5\nred house\ncrimson building\n")
    return jar


def own_total(jar, folder, hypotheses, references) -> float:
    """The program's own score of files."""
    (folder / "hypotheses").write_text("".join(f"{line}\n" for line in hypotheses))
    interleaved = [line for own in zip(*references, strict=True) for line in own]
    (folder / "references").write_text("".join(f"{line}\n" for line in interleaved))
    files = [str(folder / "hypotheses"), str(folder / "references")]
    command = ["java", "-Xmx2G", "-jar", str(jar), *files, "-l", "en", "-r", str(len(references))]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return 100 * float(re.search(r"^Final score:\s+(\S+)$", said, re.MULTILINE)[1])


@pytest.mark.parametrize("references", [REFERENCES[:1], REFERENCES])
def test_the_score_of_a_text_is_that_of_the_program(references, jar, tmp_path) -> None:
    """Sentences that match as a whole among others."""
    (metric,) = make_metrics(EvaluateOptions(metrics=("meteor",), meteor=jar), references)
    assert metric.rows(HYPOTHESES)[:, 16:20].any(), "paraphrases match"
    expected = own_total(jar, tmp_path, HYPOTHESES, references)
    assert corpus_score(metric, HYPOTHESES) == pytest.approx(expected, abs=1e-10)
    # And of such sentences alone.
    assert corpus_score(metric, references[0]) == pytest.approx(100.0)


def test_sums_are_scored_as_the_program_scores_them(jar) -> None:
    (metric,) = make_metrics(EvaluateOptions(metrics=("meteor",), meteor=jar), [REFERENCES[0] * 6])
    rng = random.Random(3)
    words = [line.split() for line in REFERENCES[0] * 6]
    rows = metric.rows([" ".join(rng.sample(own, rng.randint(0, len(own)))) for own in words])
    for _ in range(30):
        counts = rows[rng.choices(range(len(rows)), k=rng.randint(1, 9))].sum(0)
        metric._say("EVAL", " ".join(map(repr, counts.tolist())))
        # One line for the row, one for the total of all rows.
        answers = [100 * float(metric._heard()) for _ in range(2)]
        assert answers == pytest.approx([metric.score(counts)] * 2, abs=1e-10)


def test_parameters_by_hand() -> None:
    """Three of four words of either side match, in two chunks: one exactly, one by its stem, one function word."""
    counts = np.zeros(COUNTS)
    counts[:4] = 4, 4, 1, 1
    counts[4:8] = 1, 1, 1, 1
    counts[8:10] = 1, 1
    counts[20:] = 2, 3, 3
    # 0.75 · (1 + 0.6) + 0.25 of 0.75 · 3 + 0.25, both for precision and for recall; the penalty is 0.6 · (2 / 3)^0.2.
    expected = (0.75 * 1.6 + 0.25) / (0.75 * 3 + 0.25) * (1 - 0.6 * (2 / 3) ** 0.2)
    assert PARAMETERS["en"].score(counts) == pytest.approx(expected)
    assert PARAMETERS["en"].score(counts * 7) == pytest.approx(expected)
    for nothing in (np.zeros(COUNTS), np.array([4.0, 4.0] + [0.0] * (COUNTS - 2))):
        assert PARAMETERS["en"].score(nothing) == 0.0


def test_only_whole_matches_in_one_chunk_count_no_chunk() -> None:
    whole = [2, 2, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, *[0] * 8]
    part = [3, 2, *whole[2:]]
    rows = np.array([[*whole, 1, 2, 2], [*whole, 2, 2, 2], [*part, 1, 2, 2]], dtype=float)
    assert additive(rows)[:, 20].tolist() == [0, 2, 1]
    assert rows[0, 20] == 1, "the given rows stay as they are"


#: Speaks METEOR's -stdio protocol: words that the first reference has, in order of the translation, are exact matches.
STAND_IN = """#!{python}
import sys
assert sys.argv[2] == "-jar" and sys.argv[4:7] == ["-", "-", "-stdio"], sys.argv
for line in sys.stdin:
    verb, *parts = [part.strip() for part in line.split("|||")]
    if "STOP" in line:
        sys.exit("out of memory")
    words, reference = parts[-1].split(), parts[0].split()
    same = sum(word in reference for word in words)
    print(len(words), len(reference), 0, 0, same, same, *[0] * 14, 1, same, same, flush=True)
"""
needs_scripts = pytest.mark.skipif(sys.platform == "win32", reason="the stand-in is a script with a first line")


@pytest.fixture
def program(tmp_path, monkeypatch):
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text(STAND_IN.format(python=sys.executable))
    java.chmod(java.stat().st_mode | stat.S_IXUSR)
    return installed(tmp_path, monkeypatch, java.parent)


def installed(folder, monkeypatch, path):
    """A jar with paraphrases of English, and nothing else but what is in a folder."""
    jar = folder / PACKAGE / "meteor" / "meteor-1.5.jar"
    (jar.parent / "data").mkdir(parents=True)
    jar.write_bytes(b"jar")
    (jar.parent / "data" / "paraphrase-en.gz").write_bytes(b"")
    monkeypatch.setenv("PATH", str(path))
    monkeypatch.delenv(VARIABLE, raising=False)
    return jar


@needs_scripts
def test_counts_come_from_the_program(program) -> None:
    options = EvaluateOptions(metrics=("meteor",), meteor=program, lowercase=True)
    (metric,) = make_metrics(options, [["a b c", "d"]])
    assert metric.rows(["A b x x", "d"])[:, [0, 1, 4, 20]].tolist() == [[4, 3, 2, 1], [1, 1, 1, 0]]
    assert metric.signature.startswith("METEOR|nrefs:1|case:lc|lang:en|jar:meteor-1.5.jar|sha256:")


@needs_scripts
@pytest.mark.parametrize("how", ["option", "variable", "package"])
def test_the_jar_is_found(how, program, monkeypatch, tmp_path) -> None:
    """Of the package without importing it."""
    options = EvaluateOptions(meteor=program if how == "option" else None)
    if how == "variable":
        monkeypatch.setenv(VARIABLE, str(program))
    if how == "package":
        (tmp_path / PACKAGE / "__init__.py").write_text("raise ImportError('a large package is missing')")
        monkeypatch.syspath_prepend(tmp_path)
    assert require_meteor(options) == (program, str(tmp_path / "bin" / "java"))
    assert corpus_score(Meteor(options, [["a b"]]), ["a b"]) == 100.0
    assert PACKAGE not in sys.modules


@needs_scripts
@pytest.mark.parametrize("said", ["1 x", "1 2", "nan " * COUNTS, "", "\\377", "1 2\\n3"])
def test_meteor_that_says_something_else(program, said, tmp_path) -> None:
    (tmp_path / "bin" / "java").write_text(f"#!/bin/sh\nprintf '{said}\\n'\n")
    metric = Meteor(EvaluateOptions(meteor=program), [["a", "b"]])
    with pytest.raises(InputError, match=rf"METEOR (answered .*; {COUNTS} numbers|exited unexpectedly)"):
        metric.rows(["a", "b"])


@needs_scripts
def test_meteor_that_ends_early(program) -> None:
    metric = Meteor(EvaluateOptions(meteor=program), [["a"]])
    with pytest.raises(InputError, match=r"METEOR exited unexpectedly: .*out of memory"):
        metric.rows(["STOP"])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "needs java"),
        ({"meteor": "no.jar"}, "no.jar: no such METEOR jar"),
        ({"meteor_language": "de"}, "paraphrase-de.gz: METEOR has no paraphrases for de"),
        ({"meteor_language": "eng"}, "METEOR has no language 'eng' (did you mean 'en'?)"),
    ],
)
def test_what_is_missing(options, words, tmp_path, monkeypatch) -> None:
    jar = installed(tmp_path, monkeypatch, tmp_path)
    with pytest.raises((MissingPackageError, OptionError)) as caught:
        make_metrics(EvaluateOptions(**{"metrics": ("meteor",), "meteor": jar, **options}), [["a"]])
    assert words in str(caught.value)


def test_without_the_package(monkeypatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingPackageError, match=r"needs its program.*graphmt\[meteor\].*GRAPHMT_METEOR"):
        make_metrics(EvaluateOptions(metrics=("meteor",)), [["a"]])
