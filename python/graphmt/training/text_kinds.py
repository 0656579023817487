"""What the text of a corpus needs: raw text is tokenised and truecased, tokenised text is left as it is."""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Sequence

from graphmt.corpus import kind_of_files
from graphmt.storage.files import AnyPath
from graphmt.training.options import SidesOptions, TrainOptions

log = logging.getLogger(__name__)

_CASES = {"lower": "in lower case", "true": "truecased", "none": "with their case"}


def with_settled_sides(stages: TrainOptions, sources: Sequence[AnyPath], targets: Sequence[AnyPath]) -> TrainOptions:
    """The options with the preparation of text that the files need, where they leave it open; says what was found."""
    sides = stages.sides
    if sides.tokenise is not None:
        return dataclasses.replace(stages, sides=sides.settled(raw=sides.tokenise))
    source, target = kind_of_files(sources), kind_of_files(targets)
    made = sides.settled(raw=source.is_raw or target.is_raw)
    log.info(f"Source: {source}. Target: {target}. {_done(made)}")
    return dataclasses.replace(stages, sides=made)


def _done(sides: SidesOptions) -> str:
    case = _CASES[sides.case]
    if not sides.tokenise:
        return f"Used as tokens, {case}; --raw tokenises them."
    protected = sides.steps("source").options.protected
    kept = f"; {', '.join(protected)} are protected" if protected else ""
    return f"Text is tokenised, {case}{kept}; --tokens leaves it as it is."
