"""``graphmt consensus``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from graphmt.cli import outputs
from graphmt.cli.display import note
from graphmt.cli.flags import Overwrite, with_options
from graphmt.consensus import ConsensusOptions
from graphmt.model.layout import CONSENSUS as FOLDER
from graphmt.model.layout import CONTENT
from graphmt.storage.folders import require_folder
from graphmt.storage.locks import content_lock, writer_lock


@with_options(consensus=ConsensusOptions)
def consensus(
    model: Annotated[Path, typer.Argument(help="The folder of a tuned chart model: btg, hpb, dgst or dep2str.")],
    source: Annotated[Path, typer.Option(help="Source side of the training corpus: text or CoNLL-U.")],
    target: Annotated[Path, typer.Option(help="Its target side: text.")],
    dev: Annotated[tuple[Path, Path], typer.Option(metavar="SOURCE TARGET", help="Development set to tune on.")],
    consensus: dict[str, Any],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help=f"Folder to write; default: MODEL/{FOLDER}."), outputs.FOLDER
    ] = None,
    overwrite: Overwrite = False,
) -> None:
    """Train consensus decoding (G-Decode) for a chart model; then translate with --consensus.

    Forced decoding of the training corpus yields spans with their translations. Decoding then adds consensus with
    similar spans as features in every cell of the chart.
    """
    from graphmt.consensus import learn_decoding_files, make_span_memory_files
    from graphmt.model import Model

    options = ConsensusOptions.from_mapping(consensus)
    require_folder(out or model / FOLDER, CONTENT, overwrite=overwrite)
    with writer_lock(out) if out is not None else content_lock(model, FOLDER):
        opened = Model(model)
        memory, _ = make_span_memory_files(opened, (source, target), threads=options.threads)
        made = learn_decoding_files(opened, memory, dev, options, train=(source, target))
        made.save(out, overwrite=overwrite)
    note(f"{out or model / FOLDER}: dev BLEU {made.bleu[-1]:.2f}.")
