"""The tour behind ``graphmt demo``: the whole pipeline on the built-in corpus, in a minute or two.

The corpus is synthetic; the figures only show that the parts work together and say nothing about real text.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.console import Console

from graphmt import lm
from graphmt.align import AlignmentScore, AlignOptions, read_alignment, score
from graphmt.align.step import Outputs, align_files
from graphmt.demo.choices import agreed, selected
from graphmt.demo.corpus import ABOUT, DemoCorpus, DemoOptions, Pair, write
from graphmt.draw import Picture
from graphmt.errors import InputError
from graphmt.evaluate import Compared, EvaluateOptions, Output, compare
from graphmt.evaluate.report import write_report
from graphmt.model import Translation, load
from graphmt.rules import rule_kinds
from graphmt.storage.checks import require_room
from graphmt.storage.files import AnyPath, writing
from graphmt.storage.locks import writer_lock
from graphmt.systems import SYSTEMS
from graphmt.training import train

#: The constructions of the three drawn sentences, by tag.
SHOWN = {
    "separable": "a separable verb: its particle stands at the end of the clause",
    "relative": "a relative clause: its verb comes last",
    "perfect": "the perfect tense: auxiliary and participle frame the clause",
}
#: The titles of the last part.
CHOICES = {
    "selection": "Collective lexical selection: related words support one another's translations",
    "consensus": "Consensus: translations of similar sentences support a candidate",
}


@dataclasses.dataclass(frozen=True)
class Tour:
    """The results of the tour."""

    folder: Path
    corpus: DemoCorpus
    alignment: AlignmentScore
    perplexity: lm.Perplexity
    pictures: dict[str, Path]
    #: The translations of the test part by each system.
    translations: dict[str, list[Translation]]
    #: The comparison of the systems as a page.
    report: Path
    #: Explanations of lexical selection and consensus as text, by title.
    choices: dict[str, str]


def tour(out: AnyPath, options: DemoOptions | None = None, say: Callable[[str], None] = print) -> Tour:
    """Make the corpus, align it, train a language model and all systems, translate, compare, draw; then lexical
    selection and consensus.

    All output goes to a folder, replacing that of an earlier tour. The systems are not tuned.
    """
    folder = Path(out)
    _require_own(folder)
    with writer_lock(folder):
        return _tour(folder, options, say)


def _require_own(folder: Path) -> None:
    """Reject a folder in which the tour could replace other files."""
    if folder.exists() and not folder.is_dir():
        raise InputError("exists and is not a folder.", file=folder, hint="Choose another name.")
    in_it = [path for path in folder.iterdir() if not path.name.startswith(".")] if folder.is_dir() else []
    if in_it and not (folder / "corpus" / ABOUT).exists():
        raise InputError(
            "exists already and was not made by graphmt demo.",
            file=folder,
            hint="Choose another name, or move it away.",
        )
    require_room(folder)


def _tour(folder: Path, options: DemoOptions | None, say: Callable[[str], None]) -> Tour:
    corpus_folder = folder / "corpus"
    corpus = write(corpus_folder, options)
    ending = ".gz" if corpus.options.compress else ""
    part = {
        (name, side): corpus_folder / f"{name}.{side}{ending}"
        for name in corpus.parts
        for side in ("de.conllu", "en", "align")
    }
    say(
        f"Corpus: {len(corpus.train):,} training, {len(corpus.dev):,} dev and {len(corpus.test):,} test pairs, "
        f"synthetic German-English with gold trees and alignments, in {corpus_folder}."
    )

    aligned = folder / "train.aligned.gz"
    align_files(part["train", "de.conllu"], part["train", "en"], Outputs(aligned), AlignOptions())
    measured = score(read_alignment(part["train", "align"]), read_alignment(aligned))
    say(
        f"Word alignment ({AlignOptions().named().model}): error rate {100 * measured.error_rate:.1f} % against gold, "
        f"precision {100 * measured.precision:.1f} %, recall {100 * measured.recall:.1f} %."
    )

    model = folder / "english.lm"
    lm.train([part["train", "en"]], model)
    perplexity = lm.load(model).perplexity(part["test", "en"])
    say(f"Language model: {lm.load(model).order}-grams, perplexity {perplexity.perplexity:.1f} on the test part.")

    pictures = {}
    for tag, pair in chosen(corpus).items():
        drawn = picture(pair, SHOWN[tag])
        pictures[tag] = folder / f"{tag}.svg"
        drawn.save(pictures[tag])

    translations = {}
    files: dict[str, Any] = {
        "source": part["train", "de.conllu"],
        "target": part["train", "en"],
        "alignment": aligned,
        "language_model": model,
    }
    for name, made in SYSTEMS.items():
        trained = train(name, **files, out=folder / name, overwrite=True)
        rules = trained.manifest.report["rules"]
        translations[name] = trained.translate([pair.source for pair in corpus.test])
        number = sum(rule_kinds(rules).values())
        say(f"{name}: {number:,} rules ({made.summary}); {len(corpus.test):,} test sentences translated.")
        for tag, pair in chosen(corpus).items():
            at = corpus.test.index(pair)
            derived = translations[name][at].derivation.picture(deprels=pair.source.deprels, bigram_links=True)
            pictures[f"{tag}.{name}"] = folder / f"{tag}.{name}.svg"
            derived.save(pictures[f"{tag}.{name}"])
    report = folder / "report.html"
    compared = [Compared(name, (_output(folder / name, best),)) for name, best in translations.items()]
    # The models' output is lower-case, so the references are lower-cased for the comparison.
    references = [("test.en", [" ".join(pair.target).lower() for pair in corpus.test])]
    comparison = compare(compared, references, EvaluateOptions(tokenise="none", lowercase=True, trials=200))
    write_report(
        report,
        comparison,
        title="The demo corpus: every system, untuned",
        source=("test.de.conllu", [pair.source.text for pair in corpus.test]),
    )
    choices = _choices(folder, corpus, files, pictures, say)
    return Tour(folder, corpus, measured, perplexity, pictures, translations, report, choices)


def _choices(
    folder: Path, corpus: DemoCorpus, files: dict[str, Any], pictures: dict[str, Path], say: Callable[[str], None]
) -> dict[str, str]:
    choices = {}
    explained = selected(corpus, files, folder / "hpb+gm")
    say("hpb with gm, collective lexical selection: chooses translations that are related to each other.")
    if explained is not None:
        choices["selection"] = explained.text
        _draw(explained.graphs[0].svg, "selection", folder, pictures)
    supported, changed = agreed(corpus, load(folder / "hpb"))
    say(f"Consensus with similar training sentences changed {changed:,} of hpb's test translations.")
    if supported is not None:
        choices["consensus"] = str(supported).rstrip()
        _draw(supported.svg, "consensus", folder, pictures)
    return choices


def _draw(svg: str, name: str, folder: Path, pictures: dict[str, Path]) -> None:
    pictures[name] = folder / f"{name}.svg"
    with writing(pictures[name]) as stream:
        stream.write(svg)


def _output(folder: Path, best: list[Translation]) -> Output:
    return Output(str(folder), tuple(" ".join(one.tokens) for one in best), tuple(one.derivation for one in best))


def chosen(corpus: DemoCorpus) -> dict[str, Pair]:
    """A test pair for each construction to show: the first of a readable length."""
    found: dict[str, Pair] = {}
    for tag in SHOWN:
        candidates = [pair for pair in corpus.test if tag in pair.phenomena and pair not in found.values()]
        if candidates:
            found[tag] = min(candidates, key=lambda pair: abs(len(pair.source) - 9))
    return found


def picture(pair: Pair, title: str) -> Picture:
    """A pair's graph with its translation and gold alignment."""
    tree = pair.source
    return Picture(
        tree.forms,
        tree.heads,
        tree.deprels,
        tree.upos,
        bigram_links=True,
        target=pair.target,
        alignment=sorted(pair.alignment),
        possible=sorted(pair.possible),
        title=title,
    )


def show(made: Tour, console: Console) -> None:
    """Print the drawn sentences, and how each system segments the one with the separable verb."""
    for tag, pair in chosen(made.corpus).items():
        console.print(f"\n[bold]{SHOWN[tag].capitalize()}[/bold]  ({made.pictures[tag]})", soft_wrap=True)
        picture(pair, SHOWN[tag]).show(console)
    tag, pair = next(iter(chosen(made.corpus).items()))
    for name, best in made.translations.items():
        translated = best[made.corpus.test.index(pair)]
        console.print(f"\n[bold]{name}[/bold]: {translated.text}  ({made.pictures[f'{tag}.{name}']})", soft_wrap=True)
        translated.derivation.picture(deprels=pair.source.deprels).show(console)
    for name, text in made.choices.items():
        console.print(f"\n[bold]{CHOICES[name]}[/bold]  ({made.pictures[name]})", soft_wrap=True)
        console.print(text, markup=False, soft_wrap=True)
