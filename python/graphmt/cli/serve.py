"""``graphmt serve``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from graphmt.cli.display import note
from graphmt.cli.flags import with_options
from graphmt.cli.inputs import ParserName
from graphmt.server.options import ServeOptions


@with_options(serve=ServeOptions)
def serve(
    models: Annotated[
        list[str],
        typer.Argument(metavar="MODEL", help="Model folders; NAME=FOLDER gives one a name for clients."),
    ],
    serve: ServeOptions,
    memory: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="Translation memory of all models: TMX, XLIFF, TSV, PO or Parquet; repeat for several. Exact matches "
            "are taken.",
        ),
    ] = None,
    parser: ParserName = None,
    host: Annotated[str, typer.Option(metavar="ADDRESS", help="Address to listen at; 0.0.0.0: all.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, metavar="N", help="Port to listen at; 0: any.")] = 5000,
) -> None:
    """Serve models over HTTP: an API that LibreTranslate's clients speak, and a page that shows derivations.

    SIGTERM and Ctrl-C stop it after the accepted requests. A model that is replaced on disk is taken up. The log goes
    to standard error, as JSON lines without users' text.
    """
    from graphmt.server.run import serve as run_server
    from graphmt.server.served import ModelSource

    sources = [ModelSource.parse(one, memory=tuple(map(str, memory or ())), parser=parser) for one in models]
    run_server(sources, serve, host=host, port=port, ready=note)
