"""``graphmt consensus``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from graphmt.cli.flags import with_options
from graphmt.consensus import ConsensusOptions, learn_decoding_files, make_span_memory_files
from graphmt.consensus.decoding import CONTENT, FOLDER
from graphmt.files import require_folder
from graphmt.model import Model
from graphmt.progress import note


@with_options(consensus=ConsensusOptions)
def consensus(
    model: Annotated[Path, typer.Argument(help="The folder of a tuned chart model: btg, hpb, dgst or dep2str.")],
    source: Annotated[Path, typer.Option(help="Source side of the training corpus: text or CoNLL-U.")],
    target: Annotated[Path, typer.Option(help="Its target side: text.")],
    dev: Annotated[tuple[Path, Path], typer.Option(metavar="SOURCE TARGET", help="Development set to tune on.")],
    consensus: dict[str, Any],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help=f"Folder to write; MODEL/{FOLDER} if not given.")
    ] = None,
) -> None:
    """Teach a chart model translation consensus (G-Decode); then translate with --consensus.

    The training corpus is decoded towards its own translations, which gives spans with their translations. What is
    translated then hears from similar spans in every cell of the chart.
    """
    options = ConsensusOptions.from_mapping(consensus)
    opened = Model(model)
    require_folder(out or model / FOLDER, CONTENT)
    memory, _ = make_span_memory_files(opened, (source, target), threads=options.threads)
    made = learn_decoding_files(opened, memory, dev, options)
    made.save(out)
    note(f"{out or model / FOLDER}: dev BLEU {made.bleu[-1]:.2f}.")
