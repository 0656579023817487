"""The languages of a corpus: those asked for, else those that its files state."""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Sequence

from graphmt.corpus.catalogue import is_catalogue
from graphmt.corpus.given import GivenPairs
from graphmt.corpus.header import Columns
from graphmt.corpus.languages import Languages
from graphmt.corpus.stated import corpus_languages, settled_languages
from graphmt.errors import InputError
from graphmt.storage.files import AnyPath, name_of
from graphmt.training.options import USUAL_LANGUAGES, TrainOptions

log = logging.getLogger(__name__)


def with_languages(
    stages: TrainOptions,
    sources: Sequence[AnyPath] | GivenPairs,
    targets: Sequence[AnyPath] | None,
    columns: Columns | None = None,
) -> tuple[TrainOptions, Languages | None]:
    """The options with both languages, and the languages to read in pairs, if anything names them.

    ``sources`` is empty where a side is data, and the data where it is pairs, of which ``columns`` are read.
    """
    sides = stages.sides
    asked = sides.source_language, sides.target_language
    if asked[0] and asked[1]:
        return stages, (asked[0], asked[1])
    if isinstance(sources, GivenPairs):
        return _settled(stages, sources.stated(columns), sources.name)
    # Names of files contradict nothing.
    stated = None if targets is not None and any(asked) else corpus_languages(sources, targets)
    if targets is None and stated is None:
        for path in filter(is_catalogue, sources):
            raise InputError(
                "its header does not name its language.",
                file=name_of(path),
                hint="Give the languages: --languages SOURCE TARGET (in Python: options={'sides': …}).",
            )
    return _settled(stages, stated, sources[0] if sources else "the corpus")


def _settled(stages: TrainOptions, stated: Languages | None, file: AnyPath) -> tuple[TrainOptions, Languages | None]:
    """The options with the languages that were asked for, or are stated, or usual."""
    sides = stages.sides
    asked = sides.source_language, sides.target_language
    found = settled_languages(*asked, stated, USUAL_LANGUAGES, file)
    origin = "" if stated is not None else " (the files name none; --languages SOURCE TARGET does)"
    log.info(f"Languages: {found[0]} to {found[1]}{origin}.")
    sides = sides.replace(source_language=found[0], target_language=found[1])
    return dataclasses.replace(stages, sides=sides), found if stated is not None or any(asked) else None
