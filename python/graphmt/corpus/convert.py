"""Converting corpora."""

from __future__ import annotations

import os
from collections.abc import Callable

import numpy as np

from graphmt import _core
from graphmt.corpus.header import Columns
from graphmt.corpus.pairs import read_pair_chunks, require_one_side
from graphmt.corpus.sides import CHUNK
from graphmt.corpus.text import tokenised_chunks
from graphmt.errors import InputError
from graphmt.progress import bar, sentences_in
from graphmt.storage.checks import require_outputs
from graphmt.storage.files import AnyPath, writing
from graphmt.storage.together import writing_together


def split_pairs(
    source: AnyPath,
    out_source: AnyPath,
    out_target: AnyPath,
    *,
    columns: Columns | None = None,
    languages: tuple[str, str] | None = None,
    header: bool | None = None,
) -> int:
    """Write the pairs of one file, which is as in :func:`read_pairs`, as two text files; returns how many."""
    count = 0
    with writing_together(out_source, out_target, inputs=[source]) as (left_stream, right_stream):
        for left, right in read_pair_chunks(source, columns=columns, languages=languages, header=header):
            everything = np.ones(len(left.texts), dtype=bool)
            left_stream.write(left.written(everything))
            right_stream.write(right.written(everything))
            count += len(left.texts)
    return count


def rewrite_trees(source: AnyPath, out: AnyPath, *, multiword: str = "surface") -> int:
    """Rewrite trees, with multiword tokens as in :func:`read_trees`; returns how many."""
    return _mapped_trees(source, out, multiword, lambda chunk: None)


def projectivise_trees(source: AnyPath, out: AnyPath, *, multiword: str = "surface") -> tuple[int, int, int]:
    """Write trees with arcs lifted until all are projective; returns trees, changed trees, lifted arcs."""
    changed = lifts = 0

    def lift(chunk: _core.TreeChunk) -> None:
        nonlocal changed, lifts
        more = chunk.projectivise()
        changed, lifts = changed + more.changed, lifts + more.lifts

    return _mapped_trees(source, out, multiword, lift), changed, lifts


def _mapped_trees(source: AnyPath, out: AnyPath, multiword: str, change: Callable[[_core.TreeChunk], None]) -> int:
    if os.fspath(source) != "-" and not _core.is_conllu(source):
        raise InputError(
            "this is not CoNLL-U: its first word line does not have ten tab-separated columns.",
            file=source,
            hint="Parse the text with graphmt corpus parse.",
        )
    require_outputs(out, inputs=[source])
    count = 0
    with writing(out) as stream, bar("trees", sentences_in(source)) as advance:
        for chunk in _core.ConlluReader(source, multiword=multiword, chunk=CHUNK):
            change(chunk)
            stream.write(chunk.conllu())
            count += len(chunk)
            advance(count)
    return count


def write_tokens(source: AnyPath, out: AnyPath, *, lowercase: bool = False) -> int:
    """Write the tokens of a text or CoNLL-U file, one sentence per line; returns how many."""
    require_one_side(source)
    require_outputs(out, inputs=[source])
    count = 0
    with writing(out) as stream:
        for chunk in tokenised_chunks(source, lowercase=lowercase):
            stream.write("\n".join(chunk) + "\n")
            count += len(chunk)
    return count
