"""The tour behind ``graphmt demo``: the whole pipeline on the built-in corpus, in a minute or two.

The corpus is synthetic; the figures show that the parts work together and claim nothing about real text.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

from rich.console import Console

from graphmt import lm
from graphmt.align import AlignmentScore, AlignOptions, read_alignment, score
from graphmt.align.step import Outputs, align_files
from graphmt.demo.corpus import DemoCorpus, DemoOptions, Pair, write
from graphmt.draw import Picture
from graphmt.files import AnyPath

#: What the three drawn sentences show, and the tag that finds them.
SHOWN = {
    "separable": "a separable verb: its particle stands at the end of the clause",
    "relative": "a relative clause: its verb comes last",
    "perfect": "the perfect tense: auxiliary and participle frame the clause",
}


@dataclasses.dataclass(frozen=True)
class Tour:
    """What the tour made and measured."""

    folder: Path
    corpus: DemoCorpus
    alignment: AlignmentScore
    perplexity: lm.Perplexity
    pictures: dict[str, Path]


def tour(out: AnyPath, options: DemoOptions | None = None, say: Callable[[str], None] = print) -> Tour:
    """Make the corpus, align it, train a language model, draw sentences; everything is left in a folder."""
    folder = Path(out)
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
        f"Word alignment ({AlignOptions().model}): error rate {100 * measured.error_rate:.1f} % against gold, "
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
    return Tour(folder, corpus, measured, perplexity, pictures)


def chosen(corpus: DemoCorpus) -> dict[str, Pair]:
    """A test pair for each construction that is shown: the first of a length that is easy to read."""
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
    """Print the drawn sentences."""
    for tag, pair in chosen(made.corpus).items():
        console.print(f"\n[bold]{SHOWN[tag].capitalize()}[/bold]  ({made.pictures[tag]})")
        picture(pair, SHOWN[tag]).show(console)
