"""From an aligned corpus to a rule table."""

from __future__ import annotations

import dataclasses
import tempfile

from graphmt import _core
from graphmt.files import AnyPath
from graphmt.progress import bar
from graphmt.rules.options import ExtractOptions
from graphmt.systems.base import System


@dataclasses.dataclass(frozen=True)
class ExtractReport:
    """What extraction found: distinct rules by kind."""

    pairs: int
    #: Pairs left out because a side has more words than any search takes.
    too_long: int
    source_sides: int
    basic: int
    segmenting: int
    selecting: int


def extract_rules(
    system: System,
    source: AnyPath,
    target: AnyPath,
    alignment: AnyPath,
    out: AnyPath,
    *,
    trees: AnyPath | None = None,
    options: ExtractOptions | None = None,
) -> ExtractReport:
    """Extract and score a system's rules from tokenised text, and write the table whole or not at all.

    ``trees`` is the source side as CoNLL-U with the same tokens; only its heads are used.
    """
    options = options or ExtractOptions()
    with tempfile.TemporaryDirectory(prefix="graphmt-rules-") as folder, bar("extracting rules") as advance:
        made = _core.train_rules(
            (source, target, alignment, trees if system.needs_trees else None),
            _settings(system, options),
            out,
            smoothing_of=options.smoothing,
            memory=options.memory << 20,
            folder=folder,
            threads=options.threads,
            progress=advance,
        )
    return ExtractReport(**made)


def list_rules(
    system: System,
    source: AnyPath,
    target: AnyPath,
    alignment: AnyPath,
    *,
    trees: AnyPath | None = None,
    options: ExtractOptions | None = None,
) -> list[str]:
    """Every rule occurrence as ``source ||| target ||| alignment``, contextual ones with ``||| context`` behind it.

    For looking at small corpora and for comparing extractors; nothing is counted.
    """
    files = (source, target, alignment, trees if system.needs_trees else None)
    return _core.list_rules(files, _settings(system, options or ExtractOptions()))


def _settings(system: System, options: ExtractOptions) -> _core.ExtractSettings:
    return _core.ExtractSettings(
        bigram=system.links.bigram,
        dependency=system.links.dependency,
        max_source=options.max_source,
        max_target=options.max_target,
        max_span=options.max_span,
        identity_of=options.identity,
        context_scope=options.context_scope if system.grammar.context else "none",
        orientations=options.reordering,
    )
