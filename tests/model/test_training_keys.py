"""A resumed training repeats exactly the steps that depend on what was changed."""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from graphmt.align import AlignOptions
from graphmt.corpus import TextSteps
from graphmt.corpus.parsers.parsed_side import ParsedFile
from graphmt.lm import LmOptions
from graphmt.rules import ExtractOptions
from graphmt.selection import DwlOptions, GmOptions, LrsmOptions, OrderOptions, TsmOptions, selection_models
from graphmt.storage.files import digest, lines
from graphmt.storage.resume import Steps
from graphmt.systems import system
from graphmt.training import SidesOptions, TrainOptions
from graphmt.training.steps import Inputs, Run
from small_models import Trained

PAIRS = 40
SELECTION = ("gm", "lrsm", "dwl", "order", "tsm")
OF_TEXTS = {"align", "lm", "rules", "reorder", *SELECTION}
#: Of the alignment, which is another one if the texts are.
OF_LINKS = OF_TEXTS - {"align", "lm"}


@dataclasses.dataclass(frozen=True)
class Case:
    """Everything that a run of btg, which has a reordering model, is given."""

    folder: Path
    options: TrainOptions
    given: Inputs
    begins: tuple[int, ...] = ()
    parsed: tuple[ParsedFile, ...] = ()
    name: str = "btg"

    @property
    def work(self) -> Path:
        return self.folder / "work"

    def run(self, *, again: bool, monkeypatch: pytest.MonkeyPatch) -> set[str]:
        """The steps that are repeated. ``again``: only texts are really made anew, as the rest takes long."""
        repeated = set()
        run = Steps.run

        def noting(
            self: Steps, name: str, request: dict[str, Any], outputs: list[Path], work: Callable[[], dict[str, Any]]
        ) -> dict[str, Any]:
            def noted() -> dict[str, Any]:
                repeated.add(name)
                return work() if name.startswith("text") or not again else {}

            return run(self, name, request, outputs, noted)

        source, target = self.folder / "source", self.folder / "target"
        data = {"source": digest(source), "target": digest(target)}
        work = Run(system(self.name), self.options, source, target, self.work, data, self.begins, self.parsed)
        self.work.mkdir(exist_ok=True)
        with monkeypatch.context() as patched:
            patched.setattr(Steps, "run", noting)
            work.make(self.given)
        return repeated


@pytest.fixture(scope="module")
def made(demo: Trained, tmp_path_factory: pytest.TempPathFactory) -> Case:
    """A run of all steps."""
    folder = tmp_path_factory.mktemp("keys")
    trees = demo.source.read_text("utf-8").split("\n\n")[:PAIRS]
    (folder / "source").write_text("\n\n".join(trees) + "\n\n", "utf-8")
    shutil.copy(folder / "source", folder / "more.conllu")
    (folder / "target").write_text("".join(f"{line}\n" for line in list(lines(demo.target))[:PAIRS]), "utf-8")
    shutil.copy(folder / "target", folder / "more.en")
    (folder / "links").write_text("".join(f"{line}\n" for line in list(lines(demo.alignment))[:PAIRS]), "utf-8")
    options = TrainOptions(
        sides=SidesOptions(protect="none", case="lower", tokenise=False),
        align=AlignOptions(model="gibbs", threads=1),
        lm=LmOptions(order=2, discount_fallback=True),
        extract=ExtractOptions(threads=1),
        gm=GmOptions(
            lemmas=False,
            source_count=0,
            source_pmi=-20.0,
            threads=1,
            more_source=(str(folder / "more.conllu"),),
            more_target=(str(folder / "more.en"),),
        ),
        lrsm=LrsmOptions(occurrences=1, threads=1),
        dwl=DwlOptions(occurrences=1, threads=1),
        order=OrderOptions(occurrences=1, threads=1),
        tsm=TsmOptions(topics=2, most_frequent=2, iterations=5, threads=1),
    )
    given = Inputs([], [], None, None, None, {}, selection_models(SELECTION))
    case = Case(folder, options, given)
    case.run(again=False, monkeypatch=pytest.MonkeyPatch())
    return case


@pytest.fixture
def case(made: Case, tmp_path: Path) -> Case:
    """The same run in a folder of its own."""
    copy = shutil.copytree(made.folder, tmp_path / "run")
    more = {"more_source": (str(copy / "more.conllu"),), "more_target": (str(copy / "more.en"),)}
    return dataclasses.replace(
        made, folder=copy, options=dataclasses.replace(made.options, gm=made.options.gm.replace(**more))
    )


def of(stage: str, **changes: Any) -> Callable[[Case], Case]:
    def changed(case: Case) -> Case:
        one = getattr(case.options, stage).replace(**changes)
        return dataclasses.replace(case, options=dataclasses.replace(case.options, **{stage: one}))

    return changed


def in_file(name: str, old: str, new: str) -> Callable[[Case], Case]:
    def changed(case: Case) -> Case:
        path = case.folder / name
        text = path.read_text("utf-8")
        assert old in text
        path.write_text(text.replace(old, new, 1), "utf-8")
        return case

    return changed


def aligned(case: Case) -> Case:
    return dataclasses.replace(case, given=dataclasses.replace(case.given, alignment=case.folder / "links"))


TEXTS = {"text-source", "text-target"}
CHANGES: dict[str, tuple[Callable[[Case], Case], set[str]]] = {
    "nothing": (lambda case: case, set()),
    # Limits of the machine change no result.
    "threads": (of("extract", threads=2, max_memory=77), set()),
    "align": (of("align", model="ibm2"), {"align"}),
    "lm": (of("lm", order=3), {"lm"}),
    "extract": (of("extract", max_source=5), {"rules", *SELECTION}),
    "reorder": (of("reorder", iterations=3), {"reorder"}),
    "gm": (of("gm", dimensions=2), {"gm"}),
    "lrsm": (of("lrsm", occurrences=2), {"lrsm"}),
    "dwl": (of("dwl", occurrences=2), {"dwl"}),
    "order": (of("order", occurrences=2), {"order"}),
    "tsm": (of("tsm", topics=3), {"tsm"}),
    "search": (of("search", pop_limit=7), set()),
    "more_source": (in_file("more.conllu", "Rosen", "Nelken"), {"gm"}),
    "more_target": (in_file("more.en", "the", "these"), {"gm"}),
    "source": (in_file("source", "\tRosen\t", "\tNelken\t"), {"text-source", *OF_TEXTS - {"lm"}}),
    "target": (in_file("target", "the", "these"), {"text-target", *OF_TEXTS}),
    # The tokens are the same.
    "trees": (in_file("source", "\tNOUN\t", "\tVERB\t"), {"text-source", *SELECTION}),
    "case": (of("sides", case="none"), {*TEXTS, *OF_TEXTS}),
    "language": (of("sides", target_language="fr"), {*TEXTS, *SELECTION}),
    "protect": (of("sides", protect_patterns=("modern",)), {"text", *OF_TEXTS}),
    "alignment": (aligned, OF_LINKS),
    "begins": (lambda case: dataclasses.replace(case, begins=(0, 5)), set(SELECTION)),
    "system": (lambda case: dataclasses.replace(case, name="hpb"), {"rules", *SELECTION}),
}


@pytest.mark.parametrize("name", CHANGES)
def test_steps_are_repeated_if_what_they_read_changed(case: Case, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    change, wanted = CHANGES[name]
    changed = change(case)
    assert changed.run(again=True, monkeypatch=monkeypatch) == wanted
    assert changed.run(again=True, monkeypatch=monkeypatch) == set()
    # A run of the whole is another one, too: a finished model is not taken for its result.
    before, after = (one.given.request(system(one.name), one.options) for one in (case, changed))
    assert (before == after) == (
        name in ("nothing", "threads", "source", "target", "trees", "begins", "more_source", "more_target")
    )


def test_the_request_of_a_run_knows_the_contents_of_further_text(case: Case) -> None:
    for file in ("more.conllu", "more.en"):
        before = case.given.request(system("btg"), case.options)
        with (case.folder / file).open("a", encoding="utf-8") as stream:
            stream.write("\n")
        assert case.given.request(system("btg"), case.options) != before


def test_raw_texts_of_protected_items(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same trees with another raw text: what is made of it counts in all later steps."""
    trees, raw = case.folder / "source", case.folder / "raw"
    shutil.copy(case.work / "source.txt", raw)
    changed = of("sides", protect_patterns=("modern",))(dataclasses.replace(case, parsed=(ParsedFile(trees, raw),)))

    def processed(files: object, out: tuple[Path, Path], steps: tuple[TextSteps, TextSteps], side: object) -> object:
        shutil.copy(raw, out[0])
        return steps

    monkeypatch.setattr("graphmt.training.steps.process_pair", processed)
    monkeypatch.setattr("graphmt.training.steps.ParsedSide", lambda parsed, steps: None)
    assert "text" in changed.run(again=True, monkeypatch=monkeypatch)
    assert changed.run(again=True, monkeypatch=monkeypatch) == set()
    raw.write_text(raw.read_text("utf-8").replace("rosen", "$item", 1), "utf-8")
    assert changed.run(again=True, monkeypatch=monkeypatch) == {"text", *OF_TEXTS - {"lm"}}


def test_texts_of_a_run_before_the_last(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sides are prepared together or apart, and write the same files."""
    before = (case.work / "source.txt").read_bytes()
    of("sides", protect_patterns=("modern",))(case).run(again=True, monkeypatch=monkeypatch)
    assert (case.work / "source.txt").read_bytes() != before
    assert case.run(again=True, monkeypatch=monkeypatch) == {*TEXTS, *OF_TEXTS}
    assert (case.work / "source.txt").read_bytes() == before
