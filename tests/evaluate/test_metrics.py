"""Metrics against sacreBLEU's own interface, and METEOR against a stand-in that speaks its protocol."""

from __future__ import annotations

import stat
import sys

import pytest
import sacrebleu
from graphmt.errors import InputError, MissingPackageError, OptionError
from graphmt.evaluate import EvaluateOptions, corpus_score, make_metrics
from graphmt.evaluate.meteor import Meteor
from graphmt.evaluate.metrics import check_lengths, sentence_scores

HYPOTHESES = ["The cat sat on the mat .", "a dog, barks loudly", "Nothing here", 'he said : "no" to it all today']
REFERENCES = [
    ["the cat is on the mat .", "A dog barks , loudly", "nothing at all", 'he said "no" to all of it today'],
    ["The cat sat on a mat .", "the dog barked loudly", "Nothing here", "today he said no"],
]


@pytest.mark.parametrize("references", [REFERENCES[:1], REFERENCES])
@pytest.mark.parametrize("tokenise", ["13a", "none", "intl", "char"])
@pytest.mark.parametrize("lowercase", [False, True])
def test_scores_and_signatures_are_sacrebleus(references, tokenise, lowercase) -> None:
    options = EvaluateOptions(tokenise=tokenise, lowercase=lowercase)
    own = [
        sacrebleu.BLEU(tokenize=tokenise, lowercase=lowercase),
        sacrebleu.CHRF(lowercase=lowercase),
        sacrebleu.TER(case_sensitive=not lowercase),
    ]
    for metric, made in zip(make_metrics(options, references), own, strict=True):
        expected = made.corpus_score(HYPOTHESES, references)
        assert corpus_score(metric, HYPOTHESES) == pytest.approx(expected.score, abs=1e-12)
        assert metric.name == expected.name
        assert metric.signature == f"{expected.name}|{made.get_signature()}"


def test_case_matters_unless_it_is_not_to() -> None:
    upper = [line.upper() for line in HYPOTHESES]
    for lowercase in (False, True):
        options = EvaluateOptions(lowercase=lowercase)
        pairs = [
            (corpus_score(metric, HYPOTHESES), corpus_score(metric, upper))
            for metric in make_metrics(options, REFERENCES)
        ]
        assert all((one == pytest.approx(other)) == lowercase for one, other in pairs)


@pytest.mark.parametrize(
    ("rank_by", "made"), [("chrf", sacrebleu.CHRF()), ("bleu", sacrebleu.BLEU(effective_order=True))]
)
def test_sentence_scores(rank_by, made) -> None:
    found = sentence_scores(HYPOTHESES, REFERENCES, EvaluateOptions(rank_by=rank_by))
    expected = [
        made.sentence_score(line, [lines[k] for lines in REFERENCES]).score for k, line in enumerate(HYPOTHESES)
    ]
    assert found == pytest.approx(expected)


def test_texts_that_do_not_go_together() -> None:
    with pytest.raises(InputError, match=r"a has 3 lines, b has 2 lines\. All must"):
        check_lengths([("a", 3), ("b", 2)])
    with pytest.raises(InputError, match="b: this file is empty"):
        check_lengths([("a", 3), ("b", 0)])


@pytest.mark.parametrize(
    ("chosen", "words"),
    [((), "no metric"), (("bluu",), "did you mean 'bleu'"), (("bleu", "bleu"), "twice")],
)
def test_metrics_that_cannot_be(chosen, words) -> None:
    with pytest.raises(OptionError, match=words):
        EvaluateOptions(metrics=chosen)


#: Speaks METEOR's -stdio protocol: the counts of a sentence are its words and those that its first reference has.
STAND_IN = """#!{python}
import sys
assert sys.argv[2] == "-jar" and sys.argv[4:7] == ["-", "-", "-stdio"], sys.argv
for line in sys.stdin:
    verb, *parts = [part.strip() for part in line.split("|||")]
    if verb == "SCORE":
        *references, said = parts
        words = said.split()
        print(len(words), sum(word in references[0].split() for word in words), flush=True)
    elif "STOP" in line:
        sys.exit("out of memory")
    else:
        for counts in [*parts, parts[-1]]:
            total, found = map(float, counts.split())
            print(found / total, flush=True)
"""


@pytest.fixture
def program(tmp_path, monkeypatch):
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text(STAND_IN.format(python=sys.executable))
    java.chmod(java.stat().st_mode | stat.S_IXUSR)
    jar = tmp_path / "meteor-1.5.jar"
    jar.write_bytes(b"jar")
    monkeypatch.setenv("PATH", str(java.parent))
    return jar


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-in is a script with a first line")
def test_meteor_sums_what_its_program_counts(program, monkeypatch) -> None:
    options = EvaluateOptions(metrics=("meteor",), meteor=program, lowercase=True)
    (metric,) = make_metrics(options, [["a b c", "d"]])
    assert metric.rows(["A b x x", "d"]).tolist() == [[4, 2], [1, 1]]
    assert corpus_score(metric, ["A b x x", "d"]) == pytest.approx(60.0)
    assert metric.signature.startswith("METEOR|nrefs:1|case:lc|lang:en|jar:meteor-1.5.jar|sha256:")
    monkeypatch.setenv("GRAPHMT_METEOR", str(program))
    assert corpus_score(Meteor(EvaluateOptions(), [["a"]]), ["a"]) == 100.0


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-in is a script with a first line")
@pytest.mark.parametrize("said", ["1 x", "nan 1", "", "\\377", "1 2\\n3"])
def test_meteor_that_says_something_else(program, said: str) -> None:
    java = program.parent / "bin" / "java"
    java.write_text(f"#!/bin/sh\nprintf '{said}\\n'\n")
    metric = Meteor(EvaluateOptions(meteor=program), [["a", "b"]])
    with pytest.raises(InputError, match=r"METEOR (answered .*numbers|returned 2 counts, then 1|exited unexpectedly)"):
        metric.rows(["a", "b"])


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-in is a script with a first line")
def test_meteor_that_ends_early(program) -> None:
    metric = Meteor(EvaluateOptions(meteor=program), [["a"]])
    metric._say("STOP")
    with pytest.raises(InputError, match=r"METEOR exited unexpectedly: .*out of memory"):
        metric.rows(["a"])


def test_meteor_that_is_not_there(tmp_path, monkeypatch) -> None:
    monkeypatch.delenv("GRAPHMT_METEOR", raising=False)
    with pytest.raises(MissingPackageError, match=r"needs its program.*GRAPHMT_METEOR"):
        make_metrics(EvaluateOptions(metrics=("meteor",)), [["a"]])
    with pytest.raises(MissingPackageError, match="no such METEOR jar"):
        make_metrics(EvaluateOptions(metrics=("meteor",), meteor=tmp_path / "no.jar"), [["a"]])
    (tmp_path / "m.jar").write_bytes(b"")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingPackageError, match="needs java"):
        make_metrics(EvaluateOptions(metrics=("meteor",), meteor=tmp_path / "m.jar"), [["a"]])
