"""Explanations of lexical selection: translation graphs, and translations with and without it."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from graphmt import _core
from graphmt.draw.choices import Candidate, ChoiceGraph, Word
from graphmt.errors import InputError
from graphmt.model import Model, Translation
from graphmt.model.model import Prepared, Sentence
from graphmt.reprs import counted, shortened
from graphmt.selection import gm
from graphmt.selection.gm import GM

__all__ = ["Explanation", "explain", "explain_some"]


@dataclasses.dataclass(frozen=True)
class Explanation:
    """A sentence, its translations, and its translation graphs (none without gm).

    Examples
    --------
    >>> import graphmt
    >>> tree = next(graphmt.read_trees("corpus/test.de.conllu"))
    >>> found = graphmt.explain.explain(graphmt.load("selection"), tree)
    >>> found
    Explanation('sie ist glücklich .', 0 graphs)
    >>> found.features
    ('gm',)
    """

    source: tuple[str, ...]
    translation: Translation
    #: With all weights of lexical selection set to 0.
    without: Translation
    graphs: tuple[ChoiceGraph, ...]
    #: The features of lexical selection, by name.
    features: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"Explanation({shortened(' '.join(self.source))!r}, {counted(len(self.graphs), 'graph')})"

    @property
    def text(self) -> str:
        """For a terminal."""
        same = self.translation.tokens == self.without.tokens
        rows = [
            f"source   {' '.join(self.source)}",
            f"with     {' '.join(self.translation.tokens)}",
            f"without  {'(the same)' if same else ' '.join(self.without.tokens)}",
            f"values   {', '.join(f'{name} {self.translation.features[name]:.3f}' for name in self.features)}",
        ]
        if not self.graphs and set(GM.features) & set(self.features):
            rows += ["", "no translation graph: no two of its content words are related"]
        for number, graph in enumerate(self.graphs, 1):
            rows += ["", f"translation graph {number}: association in training → normalised evidence", graph.text]
        return "\n".join(rows)

    def __str__(self) -> str:
        return self.text


def explain(model: Model, sentence: Sentence, *, most: int = 5) -> Explanation:
    """Explain a model's lexical selection for a sentence.

    Parameters
    ----------
    model
        A model with lexical selection.
    sentence
        A text or, for systems that need one, a tree.
    most
        The most candidates shown for a word.

    Returns
    -------
    Explanation
        The translations with and without lexical selection, and the translation graphs.

    Raises
    ------
    InputError
        If the model has no lexical selection.

    Examples
    --------
    >>> import graphmt
    >>> tree = next(graphmt.read_trees("corpus/test.de.conllu"))
    >>> graphmt.explain.explain(graphmt.load("selection"), tree)
    Explanation('sie ist glücklich .', 0 graphs)
    """
    return explain_some(model, [sentence], [0], most=most)[0]


def explain_some(
    model: Model,
    sentences: Sequence[Sentence],
    numbers: Sequence[int],
    *,
    most: int = 5,
    threads: int = 0,
    names: Sequence[str] | None = None,
) -> list[Explanation]:
    """Explain a model's lexical selection for some of the sentences that are translated together.

    Topic similarity takes documents from all ``sentences``; ``numbers`` (from 0) are those explained. ``names`` are
    used for sentences in messages.

    Parameters
    ----------
    model
        A model with lexical selection.
    sentences
        All sentences; topic similarity takes documents from them.
    numbers
        The numbers (from 0) of those to explain.
    most
        The most candidates shown for a word.
    threads
        Number of threads; 0: one per core.
    names
        Names of the sentences in messages.

    Returns
    -------
    list[Explanation]
        An explanation for each number.

    Raises
    ------
    InputError
        If the model has no lexical selection.

    Examples
    --------
    >>> import graphmt
    >>> trees = list(graphmt.read_trees("corpus/test.de.conllu"))
    >>> len(graphmt.explain.explain_some(graphmt.load("selection"), trees, [0, 2]))
    2
    """
    if not model.selection:
        raise InputError(
            f"{model.folder} has no lexical selection to explain.", hint="Train with it: graphmt train --with gm …"
        )
    features = [feature for one in model.selection for feature in one.features]
    prepared = model.prepare(sentences)
    model.note_cuts(prepared, names)
    chosen = [prepared[number] for number in numbers]
    with_it = model.n_best_prepared(chosen, 1, threads=threads)
    without = model.reweighted(dict.fromkeys(features, 0.0)).n_best_prepared(chosen, 1, threads=threads)
    opened = gm.open_gm(model.folder) if GM in model.selection else None
    return [
        Explanation(
            source=tuple(one.surface),
            translation=best[0],
            without=plain[0],
            graphs=_graphs(model, opened, one, most) if opened is not None else (),
            features=tuple(features),
        )
        for one, best, plain in zip(chosen, with_it, without, strict=True)
    ]


def _graphs(model: Model, opened: _core.GmModel, prepared: Prepared, most: int) -> tuple[ChoiceGraph, ...]:
    """The translation graphs of a sentence, with the ``most`` probable candidates of each word."""
    made = []
    surface = prepared.surface
    for graph in opened.graphs(model.decoder, prepared, gm.walk(model.search.as_dict())):
        words, rank = [], {}
        for w, node in enumerate(graph.words):
            candidates = node.candidates
            ranked = sorted((-one.probability, c) for c, one in enumerate(candidates))
            order = [c for _, c in ranked[:most]]
            rank.update({(w, c): (w, k) for k, c in enumerate(order)})
            shown = []
            for c in order:
                one = candidates[c]
                text = " ".join(one.words) or "∅"
                shown.append(Candidate(text, one.association, one.evidence, one.probability))
            words.append(Word(surface[node.position], tuple(shown), len(candidates) - len(shown)))
        kept = [
            (rank[edge.first], rank[edge.second], edge.weight)
            for edge in graph.edges
            if edge.first in rank and edge.second in rank
        ]
        made.append(ChoiceGraph(tuple(words), tuple(kept)))
    return tuple(made)
