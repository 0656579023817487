"""The report: one well-formed file with all its parts, and nothing from elsewhere."""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree

import pytest
from graphmt.draw import Picture
from graphmt.errors import InputError
from graphmt.evaluate import Compared, EvaluateOptions, Output, compare, read_output
from graphmt.evaluate.analysis import by_length, largest_differences, rule_use
from graphmt.evaluate.report import read_curve, write_report
from graphmt.evaluate.report.derivations import drawn
from graphmt.model import Derivation, Step

REFERENCE = [f"a{k} big house stands in the town {'today ' * (k % 7)}." for k in range(60)]
SOURCE = [f"ein{k} haus <steht> groß {'da ' * (k % 12)}." for k in range(60)]


def derivation(k: int) -> Derivation:
    source = tuple(SOURCE[k].split())
    gap = Step((0, 3), "segmenting", (3,), ("a", "big"), ((0, 0), (3, 1)), 3)
    rest = tuple(range(4, len(source)))
    last = Step((1, 2, *rest), "basic", None, ("house",), ((1, 2),), 5)
    return Derivation(source, (1, 2, -1, *([2] * (len(source) - 3))), (gap, last))


def system(name: str, change: dict[int, str], *, derived: bool = True, runs: int = 1) -> Compared:
    lines = tuple(change.get(k, line) for k, line in enumerate(REFERENCE))
    made = tuple(derivation(k) for k in range(60)) if derived else ()
    return Compared(name, tuple(Output(f"{name}{run}.txt", lines, made) for run in range(runs)))


@pytest.fixture(scope="module")
def comparison():
    left = system("left & <right>", {3: "no <script>alert(1)</script> house", 8: "a8 small house stands"})
    right = system("other", {5: "nothing", 8: "a8 big houses stand in town"})
    options = EvaluateOptions(metrics=("bleu", "chrf"), samples=50, trials=50, examples=3)
    return compare([left, right], [("ref", REFERENCE)], options)


@pytest.fixture(scope="module")
def page(comparison, tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    curves = {"other": [(1, 20.0), (2, 25.5)]}
    write_report(path, comparison, source=("src", SOURCE), curves=curves, facts={"ref": "SHA-256 abc"})
    return path.read_text("utf-8")


def test_it_is_well_formed_and_whole(page) -> None:
    root = ElementTree.fromstring(page.removeprefix("<!DOCTYPE html>\n"))
    headings = [heading.text for heading in root.iter("h2")]
    assert headings == ["Scores", "By sentence length", "Tuning", "Rules used", "Sentences that differ most"]
    links = [link.get("href") for link in root.iter("a")]
    assert links == [f"#{part.get('id')}" for part in root.iter("section")]
    svg = "{http://www.w3.org/2000/svg}svg"
    charts = [drawn.get("aria-label") for drawn in root.iter(svg) if drawn.get("class") == "chart"]
    assert charts == ["BLEU by sentence length", "Learning curve of tuning", "Kinds of rules used"]
    # Two derivations side by side for each of the three examples.
    assert [len(list(side.iter(svg))) for side in root.iter("div") if side.get("class") == "sides"] == [2, 2, 2]
    text = "".join(root.itertext())
    for expected in ("BLEU|nrefs:1", "chrF2|nrefs:1", "seed 12345", "SHA-256 abc", "sacrebleu", "Sentence 6", "ein3"):
        assert expected in text


def test_rows_of_scores_are_as_wide_as_their_heads(page, tmp_path) -> None:
    """Beside another system there are columns for the difference, alone there are none."""
    alone = compare([system("a", {1: "x"})], [("ref", REFERENCE)], EvaluateOptions(samples=10, trials=10))
    write_report(tmp_path / "r.html", alone)
    for text, wide in ((page, True), ((tmp_path / "r.html").read_text("utf-8"), False)):
        root = ElementTree.fromstring(text.removeprefix("<!DOCTYPE html>\n"))
        first = next(root.iter("table"))
        widths = {len(row) for row in first.iter("tr")}
        assert len(widths) == 1 and (widths.pop() > 3) is wide


def test_nothing_comes_from_elsewhere(page) -> None:
    outside = page.replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r"https?:|//[a-z]|url\(|@import|<script|<link|<img|<iframe|src=", outside)


def test_text_stays_text(page) -> None:
    assert "<script>" not in page and "&lt;script&gt;" in page and "left &amp; &lt;right&gt;" in page


def test_without_source_derivations_and_curves(tmp_path) -> None:
    plain = [system("a", {1: "x"}, derived=False, runs=2), system("b", {2: "y"}, derived=False)]
    made = compare(plain, [("ref", REFERENCE)], EvaluateOptions(metrics=("ter",), samples=20, trials=20))
    write_report(tmp_path / "r.html", made)
    root = ElementTree.fromstring((tmp_path / "r.html").read_text("utf-8").removeprefix("<!DOCTYPE html>\n"))
    assert [h.text for h in root.iter("h2")] == ["Scores", "By sentence length", "Sentences that differ most"]
    assert "s(runs)" in "".join(root.itertext())


def test_a_source_of_another_length(comparison, tmp_path) -> None:
    with pytest.raises(InputError, match="src has 2 lines, the reference has 60 lines"):
        write_report(tmp_path / "r.html", comparison, source=("src", SOURCE[:2]))
    assert not (tmp_path / "r.html").exists()


def test_largest_differences_come_first(comparison) -> None:
    found = largest_differences(comparison)
    assert [one.sentence for one in found] == sorted(
        (3, 5, 8), key=lambda k: -next(f.range for f in found if f.sentence == k)
    )
    assert found[0].range >= found[1].range >= found[2].range > 0


def test_groups_by_length_cover_every_sentence(comparison) -> None:
    groups = by_length(comparison, SOURCE, samples=10)
    assert sum(group.sentences for group in groups) == 60 and len(groups) >= 2
    assert all(group.sentences >= 20 for group in groups)


def test_rules_are_counted_by_hand() -> None:
    use = rule_use([derivation(0), derivation(1)])
    assert (use.rules, use.kinds, use.discontinuous) == (4, {"segmenting": 2, "basic": 2}, 4)
    assert use.words == (2 + 3 + 2 + 4) / 4


def test_a_derivation_is_drawn_step_by_step() -> None:
    made = derivation(1).picture()
    assert isinstance(made, Picture)
    assert [sorted(group.positions) for group in made.groups] == [[0, 3], [1, 2, 4, 5]]
    assert tuple(made.target) == ("a", "big", "house") and (1, 2) in made.alignment
    no_tree = Derivation(("x", "y"), (), (Step((0, 1), "basic", None, ("z",), ((0, 0),), 1),))
    ElementTree.fromstring(no_tree.picture().svg)


#: A chart's: one rule swaps what fills its holes.
TREE = Derivation(
    ("im", "park", "mit", "<ihr>", "."),
    (),
    (
        Step((), "glue", None, (), (), 0, (), (1, 4)),
        Step((0, 2), "rule", None, ("with", "in", "the"), ((2, 0), (0, 2)), 3, (0, 2, 3), (2, 3), ("DET", "N_P")),
        Step((3,), "rule", None, ("her",), ((3, 1),), 5, (1,)),
        Step((1,), "rule", None, ("park",), ((1, 4),), 7, (4,)),
        Step((4,), "copy", None, (".",), ((4, 5),), 0, (5,)),
    ),
)


def test_a_tree_is_drawn_as_one_above_a_nested_list() -> None:
    figure = ElementTree.fromstring(drawn("hpb", TREE))
    svg = figure.find(".//{http://www.w3.org/2000/svg}svg")
    assert svg is not None and svg.get("aria-label") == "im park mit <ihr> . = with her in the park ."

    def told(item) -> list:
        line = " ".join(span.text or "" for span in item.find("div"))
        return [line, *(told(below) for below in item.findall("ol/li"))]

    (top,) = [item for listed in figure.findall("ol") for item in listed.findall("li")]
    assert told(top) == [
        "1+ [1] [2] → [1] [2] glue, one after the other",
        [
            "2⇄ im [N_P 1] mit [DET 2] → with [2] in the [1] rule, seen 3×",
            ["4 park → park rule, seen 7×"],
            ["3 <ihr> → her rule, seen 5×"],
        ],
        ["5? . → . copied, an unknown word"],
    ]


def test_rules_of_trees_are_counted_without_glue() -> None:
    use = rule_use([TREE])
    assert (use.rules, use.kinds, use.discontinuous) == (4, {"rule": 3, "copy": 1}, 1)
    assert use.words == 5 / 4
    merge = Step((), "straight", None, (), (), 0, (), (1, 2))
    pieces = [Step((k,), "rule", None, ("x",), (), 1, (k,)) for k in range(2)]
    use = rule_use([Derivation(("a", "b"), (), (merge, *pieces))])
    assert (use.rules, use.kinds, use.words) == (3, {"straight": 1, "rule": 2}, 1.0)


def test_a_report_on_a_chart_shows_its_kinds_of_rules(tmp_path) -> None:
    systems = [
        Compared(name, (Output(name, ("with her", text), (TREE, TREE)),)) for name, text in (("a", "in"), ("b", "out"))
    ]
    made = compare(systems, [("ref", ["with her", "in"])], EvaluateOptions(metrics=("bleu",), samples=20, trials=20))
    write_report(tmp_path / "r.html", made)
    root = ElementTree.fromstring((tmp_path / "r.html").read_text("utf-8").removeprefix("<!DOCTYPE html>\n"))
    heads = [[cell.text for cell in row] for row in root.iter("tr") if row[0].text == "system"]
    assert ["system", "rules used", "rule", "copy", "discontinuous", "source words per rule"] in heads
    assert len([one for one in root.iter("ol") if one.get("class") == "steps nested"]) == 2


def test_curves_from_a_log(tmp_path) -> None:
    log = tmp_path / "tune.jsonl"
    rows = [{"start": 1}, {"iteration": 1, "bleu": 20.5, "seconds": 3}, {"iteration": 2, "bleu": 21}]
    log.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert read_curve(log) == [(1, 20.5), (2, 21.0)]
    log.write_text("iteration 1\n")
    with pytest.raises(InputError, match=r"tune.jsonl:1: "):
        read_curve(log)
    for wrong in ('{"iteration": 1e400, "bleu": 1}', '{"iteration": 1, "bleu": NaN}', "[" * 100_000, "1"):
        log.write_text(wrong + "\n")
        with pytest.raises(InputError, match="a JSON object was expected"):
            read_curve(log)
    log.write_text("{}\n")
    with pytest.raises(InputError, match="no line has an iteration"):
        read_curve(log)


@pytest.mark.parametrize("made", [derivation(2), TREE])
def test_translations_with_derivations_are_read_back(made, tmp_path) -> None:
    line = {"sentence": 0, "rank": 0, "text": "A big", "tokens": ["a", "big"], "derivation": made.as_dict()}
    path = tmp_path / "out.jsonl"
    path.write_text(json.dumps(line) + "\n" + json.dumps({**line, "rank": 1}) + "\n")
    assert read_output(path) == Output(str(path), ("A big",), (made,))
    assert read_output(path, tokens=True).lines == ("a big",)
    wrong = [[], {**line, "text": 1}, {**line, "text": "\ud800"}, {**line, "rank": None, "derivation": None}]
    for name, value in (
        ("source", "text"),
        ("heads", [None]),
        ("steps", [[]]),
        ("positions", [99]),
        ("positions", [True]),
        ("positions", "0"),
        ("target", [1]),
        ("alignment", [[0, 99]]),
        ("alignment", [[0]]),
        ("count", 10**400),
        ("count", float("nan")),
        ("places", [0, 0, 0, 0]),
        ("children", [0]),
        ("context", [-1]),
        ("labels", ["X"] * 9),
        ("kind", None),
    ):
        changed = json.loads(json.dumps(line))
        (changed["derivation"] if name in changed["derivation"] else changed["derivation"]["steps"][0])[name] = value
        wrong.append(changed)
    for other in wrong:
        path.write_text(json.dumps(line) + "\n" + json.dumps(other) + "\n")
        with pytest.raises(InputError, match=r"out.jsonl:2: not a translation in JSON"):
            read_output(path)
    path.write_text(json.dumps(line) + "\n" + "[" * 100_000 + "\n")
    with pytest.raises(InputError, match=r"out.jsonl:2: not a translation in JSON"):
        read_output(path)
