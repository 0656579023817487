"""Training, tuning, translation, re-ranking and evaluation take data of Python code as they take files."""

from __future__ import annotations

import logging
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import graphmt
import pytest
from data_libraries import DATA_SETS, DOCS, FRAMES, TOKEN_LISTS
from graphmt import Tree
from graphmt.consensus import DevSet, RerankOptions, make_memory
from graphmt.corpus import statistics
from graphmt.errors import GraphmtError, InputError
from graphmt.evaluate import EvaluateOptions, corpus_score, make_metrics
from graphmt.model import Model, SentenceMemory
from graphmt.training.engine import LocalEngine
from graphmt.tune import TuneOptions
from small_models import Trained

TUNING = TuneOptions(iterations=2, n_best=10, threads=1)


@pytest.fixture(scope="module")
def sides() -> tuple[list[Tree], list[str], list[str]]:
    """Trees, their alignment, English."""
    pairs = graphmt.demo.generate(graphmt.demo.DemoOptions(train=60, dev=0, test=0)).train
    links = [" ".join(f"{i}-{j}" for i, j in sorted(pair.alignment)) for pair in pairs]
    return [pair.source for pair in pairs], links, [" ".join(pair.target) for pair in pairs]


@pytest.fixture
def alignment(sides: tuple[list[Tree], list[str], list[str]], tmp_path: Path) -> Path:
    (tmp_path / "align").write_text("".join(f"{line}\n" for line in sides[1]))
    return tmp_path / "align"


def of_files(tmp_path: Path, system: str, sides: Sequence[Any], alignment: Path) -> Model:
    """The model of the same corpus as files."""
    trees, _, english = sides
    needs_trees = system != "pbmt"
    source, target = tmp_path / f"train.{'conllu' if needs_trees else 'de'}", tmp_path / "train.en"
    source.write_text("".join(tree.conllu() if needs_trees else f"{tree.text}\n" for tree in trees), "utf-8")
    target.write_text("".join(f"{line}\n" for line in english), "utf-8")
    return graphmt.train(system, source=source, target=target, alignment=alignment, out=tmp_path / "files")


def require_same(made: Model, expected: Model) -> None:
    assert made.manifest.data == expected.manifest.data
    assert made.manifest.files == expected.manifest.files
    assert not Path(f"{made.folder}.training").exists()


def test_the_model_of_data_is_that_of_its_files(
    sides: Sequence[Any], alignment: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    trees, _, english = sides
    german = [tree.text for tree in trees]
    expected = of_files(tmp_path, "pbmt", sides, alignment)
    frame = FRAMES["a table"]({"en": english, "id": list(range(len(german))), "de": german})
    rows = [{"translation": {"de": de, "en": en}} for de, en in zip(german, english, strict=True)]
    languages = {"sides": {"source_language": "de", "target_language": "en"}}
    given: list[dict[str, Any]] = [
        {"source": german, "target": english},
        {"source": iter(german), "target": (one for one in english)},
        {"source": zip(german, english, strict=True)},
        {"source": frame, "options": languages},
        {"source": frame, "columns": ("de", "en")},
        {"source": DATA_SETS["a data set"](rows)},
        {"source": tmp_path / "train.de", "target": english},
        {"source": german, "target": str(tmp_path / "train.en")},
    ]
    for number, each in enumerate(given):
        require_same(graphmt.train("pbmt", **each, alignment=alignment, out=tmp_path / f"data{number}"), expected)
    with caplog.at_level(logging.INFO):
        turned = graphmt.train("pbmt", source=frame, out=tmp_path / "turned", options={"align": {"model": "hmm"}})
    assert "Languages: en to de." in caplog.messages
    assert turned.manifest.data["source"] == expected.manifest.data["target"]


@pytest.mark.parametrize("kind", ["trees", *DOCS, *TOKEN_LISTS])
def test_parsed_sentences_train_systems_with_trees(
    kind: str, sides: Sequence[Any], alignment: Path, tmp_path: Path
) -> None:
    def made(tree: Tree) -> Any:
        if kind in TOKEN_LISTS:
            plain = [
                f"{k}\t{form}\t_\t_\t_\t_\t{head + 1}\tdep\t_\t_"
                for k, (form, head) in enumerate(zip(tree.forms, tree.heads, strict=True), 1)
            ]
            return TOKEN_LISTS[kind]("\n".join(plain) + "\n\n")
        if kind in DOCS:
            heads = [place if head < 0 else head for place, head in enumerate(tree.heads)]
            return DOCS[kind](tree.forms, heads, [True] * len(heads))
        return tree

    expected = of_files(tmp_path, "gbmt", sides, alignment)
    given = [made(tree) for tree in sides[0]]
    model = graphmt.train("gbmt", source=given, target=sides[2], alignment=alignment, out=tmp_path / "data")
    for file in ("rules.bin", "lm.bin"):
        assert model.manifest.files[file] == expected.manifest.files[file]
    assert model.translate(given[0]).text == expected.translate(sides[0][0]).text
    assert [one.text for one in model.translate(iter(given[:2]))] == [
        one.text for one in expected.translate(sides[0][:2])
    ]


class Stopped(LocalEngine):
    """An engine that counts language models, and stops before it extracts rules unless it may."""

    def __init__(self) -> None:
        self.language_models = 0
        self.may_extract = False

    def train_lm(self, *given: Any, **named: Any) -> None:
        self.language_models += 1
        super().train_lm(*given, **named)

    def extract_rules(self, *given: Any, **named: Any) -> Any:
        if not self.may_extract:
            raise KeyboardInterrupt
        return super().extract_rules(*given, **named)


def test_an_interrupted_run_resumes_with_the_same_data_alone(
    sides: Sequence[Any], alignment: Path, tmp_path: Path
) -> None:
    pairs = [(tree.text, english) for tree, english in zip(sides[0], sides[2], strict=True)]
    engine = Stopped()
    given: dict[str, Any] = {"alignment": alignment, "out": tmp_path / "model", "engine": engine}
    for each, models in ((pairs, 1), (iter(pairs), 1), ([*pairs[:-1], (pairs[-1][0], "He ran .")], 2), (pairs, 3)):
        with pytest.raises(KeyboardInterrupt):
            graphmt.train("pbmt", source=each, **given)
        assert engine.language_models == models
    engine.may_extract = True
    graphmt.train("pbmt", source=pairs, **given)
    assert engine.language_models == 3


def test_trees_that_were_parsed_from_data_are_kept_until_the_model_is_whole(
    sides: Sequence[Any],
    alignment: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.chdir(tmp_path)
    parser = Path(__file__).parent / "docs" / "files" / "chain_parser.py"
    engine = Stopped()
    given: dict[str, Any] = {
        "source": [tree.text for tree in sides[0]], "target": sides[2], "alignment": alignment, "out": "model",
        "engine": engine, "options": {"parse": {"parser": f"command:{sys.executable} {parser}"}},
    }  # fmt: skip
    with pytest.raises(KeyboardInterrupt):
        graphmt.train("gbmt", **given)
    engine.may_extract = True
    with caplog.at_level(logging.INFO):
        graphmt.train("gbmt", **given)
    assert any(message.startswith("Trees of model.training") for message in caplog.messages)
    assert sorted(path.name for path in tmp_path.iterdir() if not path.name.startswith(".")) == ["align", "model"]


def test_a_development_set_is_data(sides: Sequence[Any], demo: Trained, alignment: Path, tmp_path: Path) -> None:
    german, english = [tree.text for tree in sides[0]][:8], sides[2][:8]
    (tmp_path / "dev.de").write_text("\n".join(german) + "\n", "utf-8")
    (tmp_path / "dev.en").write_text("\n".join(english) + "\n", "utf-8")

    def tuned(number: int, *given: Any, **named: Any) -> Any:
        result = graphmt.tune_model(demo.models["pbmt"], *given, TUNING, out=tmp_path / f"{number}.toml", **named)
        return result.weights, result.bleu

    expected = tuned(0, tmp_path / "dev.de", tmp_path / "dev.en")
    pairs = list(zip(german, english, strict=True))
    for number, given in enumerate((
        (german, english),
        (iter(german), [english]),
        (tmp_path / "dev.de", iter(english)),
        (pairs, None),
        (FRAMES["a table"]({"en": english, "de": german}), None),
    ), 1):  # fmt: skip
        assert tuned(number, *given) == expected
    assert tuned(9, german, [english, ["he is ."] * 8])[1] >= expected[1]
    with pytest.raises(InputError, match=r"the target of the development set.*: 7 lines, but the source of"):
        tuned(10, german, english[:7])
    with pytest.raises(InputError, match=r"a development set has one source, not 2"):
        tuned(11, [tmp_path / "dev.de", tmp_path / "dev.de"], tmp_path / "dev.en")
    corpus = {
        "source": zip(german * 3, english * 3, strict=True),
        "options": {"tune": TUNING, "align": {"model": "hmm"}},
    }
    for name, dev in (("pairs", pairs), ("sides", (german, english)), ("references", (german, [english, english]))):
        graphmt.train("pbmt", **{**corpus, "source": pairs * 3}, dev=dev, out=tmp_path / name)
    assert (tmp_path / "pairs" / "weights.toml").read_bytes() == (tmp_path / "sides" / "weights.toml").read_bytes()
    with pytest.raises(InputError, match=r"a tuple of 3; \(source, target\) was expected"):
        graphmt.train("pbmt", **corpus, dev=tuple(pairs[:3]), out=tmp_path / "three")


def test_systems_with_trees_refuse_texts(demo: Trained, tmp_path: Path) -> None:
    expected = (
        r"the (corpus|source of the development set): gbmt needs .* Give trees instead of texts, or a parser [^/]*$"
    )
    with pytest.raises(InputError, match=expected):
        graphmt.train("gbmt", source=[("er schläft .", "he sleeps .")], out=tmp_path / "model")
    with pytest.raises(InputError, match=expected):
        graphmt.tune_model(demo.models["gbmt"], ["er schläft ."], ["he sleeps ."], TUNING, out=tmp_path / "w.toml")
    with pytest.raises(InputError, match=r"the corpus: None; a path, several paths, or data was expected"):
        graphmt.train("pbmt", source=None, out=tmp_path / "model")  # type: ignore[arg-type]


def test_misspelt_paths_are_not_sentences(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"tarin\.de: no such file"):
        graphmt.train("pbmt", source=["tarin.de"], target=["train.en"], out=tmp_path / "model")


def test_translation(demo: Trained) -> None:
    model = demo.load("pbmt")
    german = demo.texts()[:3]
    expected = [best.text for best in model.translate(german)]
    for given in (
        tuple(german),
        iter(german),
        demo.trees()[:3],
        FRAMES["a table"]({"text": german}),
        FRAMES["a table that iterates over names"]({"en": ["x"] * 3, "de": german}),
        DATA_SETS["a data set"]([{"translation": {"de": one, "en": "x"}} for one in german]),
    ):
        assert [best.text for best in model.translate(given)] == expected
    assert [lists[0].text for lists in model.n_best(iter(german), 2)] == expected
    assert len(model.prepare(FRAMES["a table"]({"text": german}))) == 3
    with pytest.raises(InputError, match=r"the sentences: number 2 is nan; a text or a tree was expected"):
        model.translate(FRAMES["a table"]({"de": ["er", float("nan")]}))
    with pytest.raises(InputError, match=r"the sentences: a dict; sentences were expected"):
        model.translate({"de": german})
    memory = FRAMES["a table"]({"en": ["he is asleep ."], "de": ["er schläft ."]})
    [found] = SentenceMemory(model, memory).find(["er schläft ."])
    assert found is not None and found.target == "he is asleep ."


def test_re_ranking() -> None:
    sources = ["wie geht ' s , wie steht ' s ?"]
    lists = [[("how 's it going to stand ?", -4.2), ("how 's it going ?", -4.6)]]
    pairs = [("hallo , wie geht ' s ?", "hi , how 's it going ?")]
    options = RerankOptions(features="gc")
    [expected] = graphmt.rerank(sources, lists, memory=pairs, options=options)
    assert expected.places == (1, 0)
    for made in (FRAMES["a table"], FRAMES["a table that iterates over names"]):
        frame = made({"number": [7], "de": [pairs[0][0]], "en": [pairs[0][1]]})
        assert graphmt.rerank(made({"text": sources}), lists, memory=frame, options=options) == [expected]
        assert len(make_memory(frame)) == 1
    rows = DATA_SETS["a data set"]([{"translation": dict(zip(("en", "de"), pairs[0][::-1], strict=True))}])
    languages = {"source_language": "de", "target_language": "en", "features": "gc"}
    assert graphmt.rerank(iter(sources), iter(lists), memory=rows, options=languages) == [expected]
    with pytest.raises(InputError, match=r"the memory: its columns with text are a, b, c; exactly two were expected"):
        graphmt.rerank(sources, lists, memory=FRAMES["a table"]({name: ["x"] for name in "abc"}))
    with pytest.raises(InputError, match=r"the candidates: a Frame.*; a list of candidates for each source"):
        graphmt.rerank(sources, FRAMES["a table"]({"en": ["a"]}))
    with pytest.raises(InputError, match=r"the sources: number 1 is \[\(\"how"):
        graphmt.rerank(lists, sources)


def test_re_ranking_tunes_on_data() -> None:
    sources = ["das Haus", "ein Haus"]
    lists = [[("a house", -1.0), ("the house", -1.5)], [("the house", -1.0), ("a house", -1.5)]]
    references = ["the house", "a house"]

    def scores(dev: DevSet) -> list[Any]:
        return graphmt.rerank(sources, lists, memory=None, options=RerankOptions(method="none"), dev=dev)

    expected = scores(DevSet(sources, lists, references))
    assert scores(DevSet(iter(sources), iter(lists), [references])) == expected
    assert scores(DevSet(FRAMES["a table"]({"de": sources}), lists, iter(references))) == expected
    scores(DevSet(sources, lists, [references, ["the home", "a home"]]))
    with pytest.raises(InputError, match=r"the development set: 1 reference for 2 n-best lists"):
        scores(DevSet(sources, lists, [references, ["the home"]]))


def test_evaluation(demo: Trained) -> None:
    references = ["he is sleeping now .", "she reads a book ."]
    other = ["he sleeps now .", "she is reading a book ."]
    systems = {"old": ["he sleeps .", "she reads a book ."], "new": ["he is sleeping .", "she reads a book ."]}
    one, several = graphmt.compare(systems, references), graphmt.compare(systems, [references, other])
    assert len(several.references) == 2 and several.scores[0].systems[0].mean > one.scores[0].systems[0].mean
    column = FRAMES["a table"]({"text": references})
    assert graphmt.compare({name: iter(lines) for name, lines in systems.items()}, column).scores == one.scores
    named = graphmt.compare(systems, [("a", references), ("b", tuple(other))])
    assert named.scores == several.scores
    with pytest.raises(
        InputError, match=r"2 texts for 3 sentences.*Exchange rows and columns|3 lists of 2 texts for 3"
    ):
        graphmt.compare({"old": ["a b"] * 3}, [["a", "b"]] * 3)
    with pytest.raises(InputError, match=r"reference 2 of the references: number 2 is None"):
        graphmt.compare(systems, [references, ["he sleeps .", None]])
    with pytest.raises(InputError, match=r"the systems: .*; translations by the name of their system"):
        graphmt.compare([systems["old"]], references)
    model = demo.load("pbmt")
    made = model.translate(demo.texts()[:2])
    assert graphmt.compare({"pbmt": made}, references).systems[0].runs[0].lines == tuple(best.text for best in made)
    options = EvaluateOptions(metrics=("bleu",))
    [flat], [nested] = make_metrics(options, references), make_metrics(options, [references])
    assert corpus_score(flat, iter(systems["new"])) == corpus_score(nested, systems["new"]) > 10


def test_statistics(tmp_path: Path) -> None:
    german, english = ["er schläft .", "sie liest ."], ["he sleeps .", "she is reading ."]
    for name, lines in (("source", german), ("target", english)):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), "utf-8")
    files = statistics(tmp_path / "source", tmp_path / "target", unknown=tmp_path / "source")
    for given in (
        {"source": german, "target": iter(english)},
        {"source": zip(german, english, strict=True)},
        {"source": FRAMES["a table"]({"de": german, "en": english})},
        {"source": DATA_SETS["a data set"]([{"translation": {"de": german[k], "en": english[k]}} for k in (0, 1)])},
    ):
        found = statistics(**given, unknown=german)
        assert [side.tokens for side in found.sides] == [6, 7] == [side.tokens for side in files.sides]
        assert [side.name for side in found.sides] == ["source", "target"]
        assert list(found.files) == ["source", "target", "unknown"]
        assert list(found.files.values()) == [*list(files.files.values())[:2], files.files[str(tmp_path / "source")]]
        assert found.unknown is not None and found.unknown.unknown_tokens == 0
    assert statistics(iter(german)).sides[0].sentences == 2
    assert statistics(["Haus", "Buch"]).sides[0].tokens == 2
    trees = statistics([Tree(("er", "schläft"), (1, -1))])
    assert trees.sides[0].trees is not None
    with pytest.raises(InputError, match=r"the corpus: .*; the path of a file was expected"):
        statistics([str(tmp_path / "source"), str(tmp_path / "target")])
    with pytest.raises(GraphmtError, match=r"columns can only be given for files of pairs"):
        statistics(german, english, columns=("de", "en"))
