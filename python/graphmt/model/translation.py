"""A translation: text, score and derivation."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from graphmt.nbest import moses
from graphmt.protect.items import KIND_OF
from graphmt.reprs import ShownList, counted, shortened

if TYPE_CHECKING:
    from graphmt.draw import Drawing, TreePicture

#: The mark of each kind of rule in a picture; basic rules have none.
_MARKS = {"segmenting": "→", "selecting": "∅", "copy": "?", "term": "=", "glue": "+", "pseudo": "+"}


@dataclasses.dataclass(frozen=True)
class Step:
    """One rule of a derivation.

    Examples
    --------
    >>> import graphmt
    >>> step = graphmt.load("pbmt").translate("Er schläft .").derivation.steps[0]
    >>> step.kind, step.positions
    ('basic', (0, 1))
    """

    #: Source positions of its own words, ascending; its children cover the holes.
    positions: tuple[int, ...]
    #: ``basic``, ``segmenting``, ``selecting``, ``copy`` (an unknown word, copied) or ``term`` (of a glossary); in a
    #: chart ``rule``, ``phrase`` (dep2str: without structure), ``copy``, ``term``, ``glue`` (concatenation),
    #: ``straight``, ``inverted`` or ``pseudo``.
    kind: str
    #: The positions that must link to untranslated words; None for rules without context.
    context: tuple[int, ...] | None
    target: tuple[str, ...]
    #: (source position, target position), both in the whole sentence.
    alignment: tuple[tuple[int, int], ...]
    #: How often the rule was seen in training.
    count: float
    #: The position of each target word in the translation; empty: after those of the previous steps.
    places: tuple[int, ...] = ()
    #: The steps (by number, from 0) that fill the rule's holes, in target order.
    children: tuple[int, ...] = ()
    #: The label of each hole on the rule's source side: ``X``, or the labels of dgst and dep2str. Empty for steps that
    #: are not rules of the table.
    labels: tuple[str, ...] = ()
    #: What the step adds to each feature of the translation. The rest is of the whole sentence, such as its end.
    features: Mapping[str, float] = dataclasses.field(default_factory=dict, compare=False, repr=False)

    def as_dict(self) -> dict[str, Any]:
        """Plain lists and numbers, without the features."""
        return {name: value for name, value in vars(self).items() if name != "features"}


@dataclasses.dataclass(frozen=True)
class Derivation:
    """How a source sentence was segmented and translated, step by step.

    The steps of left-to-right systems are in target order. Those of a chart form a tree: the first step is its root,
    and parents precede their children.

    Examples
    --------
    >>> import graphmt
    >>> derivation = graphmt.load("pbmt").translate("Er schläft .").derivation
    >>> derivation.source
    ('er', 'schläft', '.')
    >>> derivation.is_tree
    False
    """

    source: tuple[str, ...]
    #: From 0, -1 for the root word; empty where there was no tree.
    heads: tuple[int, ...]
    steps: tuple[Step, ...]

    @classmethod
    def deferred(
        cls, source: tuple[str, ...], heads: tuple[int, ...], steps: Callable[[], tuple[Step, ...]]
    ) -> Derivation:
        """A derivation whose steps are made when they are first asked for; most callers want the text alone."""
        made = cls.__new__(cls)
        vars(made).update(source=source, heads=heads, _deferred=steps)
        return made

    def __getattr__(self, name: str) -> Any:
        # Called only for what is not there: the steps, before they are made.
        made = vars(self)
        if name == "steps" and (make := made.get("_deferred")) is not None:
            made["steps"] = make()
            made["_deferred"] = None
        # Another thread may have made them since.
        if name in made:
            return made[name]
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)

    def __reduce__(self) -> tuple[type[Derivation], tuple[Any, ...]]:
        return type(self), (self.source, self.heads, self.steps)

    @property
    def target(self) -> tuple[str, ...]:
        """The words of the translation."""
        words = [word for step in self.steps for word in step.target]
        places = [place for places in self.places for place in places]
        return tuple(word for _, word in sorted(zip(places, words, strict=True)))

    def covered(self, number: int) -> tuple[int, int]:
        """The span that a step covers with all steps below it: first position, and the one after the last."""
        below, places = [number], list[int]()
        while below:
            step = self.steps[below.pop()]
            places += step.positions
            below += step.children
        return (min(places), max(places) + 1) if places else (0, 0)

    @property
    def places(self) -> list[tuple[int, ...]]:
        """The positions of each step's target words in the translation."""
        if all(len(step.places) == len(step.target) for step in self.steps):
            return [step.places for step in self.steps]
        ends = list(itertools.accumulate(len(step.target) for step in self.steps))
        return [tuple(range(end - len(step.target), end)) for step, end in zip(self.steps, ends, strict=True)]

    def without_copies(self) -> tuple[list[int], Derivation]:
        """The positions of all target words that are not copied, and the derivation with only these words.

        The typed tokens of protected text are kept: they are no unknown words, even where no rule has them.
        """
        dropped = [step.kind == "copy" and not all(word in KIND_OF for word in step.target) for step in self.steps]
        copied = {place for drop, own in zip(dropped, self.places, strict=True) if drop for place in own}
        kept = [place for place in range(len(self.target)) if place not in copied]
        new = {place: number for number, place in enumerate(kept)}
        steps = tuple(
            dataclasses.replace(
                step,
                target=() if drop else step.target,
                places=() if drop else tuple(new[place] for place in step.places),
                alignment=tuple((i, new[j]) for i, j in step.alignment if j in new),
            )
            for drop, step in zip(dropped, self.steps, strict=True)
        )
        return kept, dataclasses.replace(self, steps=steps)

    @property
    def is_tree(self) -> bool:
        """Whether rules have holes that others fill."""
        return any(step.children for step in self.steps)

    def as_dict(self) -> dict[str, Any]:
        """Plain lists and numbers, as written by ``--derivations json``."""
        # Everything within is plain already: dataclasses.asdict would copy each word and number on its own.
        steps = tuple(step.as_dict() for step in self.steps)
        return {"source": self.source, "heads": self.heads, "steps": steps}

    @functools.cached_property
    def tree(self) -> TreePicture:
        """The rules as a tree between source and translation; those of a left-to-right system side by side."""
        from graphmt.draw import RuleNode, TreePicture

        return TreePicture(
            self.source,
            self.target,
            [
                RuleNode(step.positions, places, step.children, step.kind, _MARKS.get(step.kind, ""), step.labels)
                for step, places in zip(self.steps, self.places, strict=True)
            ],
            [link for step in self.steps for link in step.alignment],
        )

    def picture(self, *, deprels: Sequence[str] = (), bigram_links: bool = False) -> Drawing:
        """How the graph was segmented: a colour and a number for each step, the translation with its alignment below.

        The number is the step's position in the translation. The links that a rule's context needs, to words that are
        not yet translated, have the colour of the step. ``→`` marks a segmenting rule, ``∅`` a selecting rule,
        ``?`` an unknown word that was copied, ``=`` a term of a glossary.

        A derivation tree is drawn in source order above and in target order below, without the sentence's graph. The
        number is the step's, from the root; ``⇄`` marks a rule that swaps its holes, ``+`` a concatenation.
        """
        if self.is_tree:
            return self.tree
        steps, contexts = list(enumerate(self.steps, 1)), list(self._contexts())
        description = "; ".join(
            f"step {k}, {step.kind}: {' '.join(self.source[p] for p in step.positions)} = {' '.join(step.target)}"
            + (f", before {' '.join(dict.fromkeys(self.source[j] for _, j in found))}" if found else "")
            for (k, step), found in zip(steps, contexts, strict=True)
        )
        from graphmt.draw import Group, Picture

        return Picture(
            self.source,
            self.heads,
            deprels,
            bigram_links=bigram_links,
            groups=[
                Group(step.positions, label=f"{k}{_MARKS.get(step.kind, '')}", target=places)
                for (k, step), places in zip(steps, self.places, strict=True)
            ],
            contexts=[link for found in contexts for link in found],
            target=self.target,
            alignment=[link for step in self.steps for link in step.alignment],
            title=f"{' '.join(self.source)} = {' '.join(self.target)}",
            description=description,
        )

    def _contexts(self) -> Iterator[list[tuple[int, int]]]:
        """For each step the links from the context of its rule to words that are translated later."""
        from graphmt.graph import LINKS, links

        linked = links(self.heads or [-1] * len(self.source), LINKS if self.heads else ("bigram",)).tolist()
        near = [*linked, *([j, i] for i, j in linked)]
        later = set(range(len(self.source)))
        for step in self.steps:
            later.difference_update(step.positions)
            yield [(i, j) for i, j in near if i in (step.context or ()) and j in later]

    def __repr__(self) -> str:
        source, target = (shortened(" ".join(words)) for words in (self.source, self.target))
        return f"Derivation({source!r}, {target!r}, {counted(len(self.steps), 'step')})"

    def _repr_svg_(self) -> str:
        return self.picture(bigram_links=True).svg

    def __str__(self) -> str:
        """The steps, one per line: number, kind, source words with their positions, target words.

        In a tree, each line is a rule with its holes in brackets, numbered in source order and labelled on the source
        side, and indented below the rule whose hole it fills.
        """
        if self.is_tree:
            tree = self.tree
            return "\n".join(f"{k + 1:2}. {'  ' * depth}{self._rule(tree, k)}" for k, depth in enumerate(tree.depths))
        rows = []
        for k, step in enumerate(self.steps, 1):
            words = " ".join(f"{self.source[p]}[{p}]" for p in step.positions)
            rows.append(f"{k:2}. {step.kind:10} {words} → {' '.join(step.target)}")
        return "\n".join(rows)

    def _rule(self, tree: TreePicture, k: int) -> str:
        source, target = tree.written(k)
        kind = self.steps[k].kind
        return f"{kind}  {'S' if kind == 'glue' else 'X'} → {source} | {target}"


@dataclasses.dataclass(frozen=True)
class MemoryMatch:
    """A pair of a translation memory whose source equals a sentence or resembles it.

    Examples
    --------
    >>> from graphmt.model import MemoryMatch
    >>> MemoryMatch("Er schläft .", "He is asleep .", 0.99).taken
    False
    """

    source: str
    target: str
    #: From 0 to 1; 1 if the sentence is the same.
    similarity: float
    #: Whether its target is the translation.
    taken: bool = False
    #: The term of the glossary that the target of an exact match contradicts, such as ``Bank → credit union``.
    contradicts: str | None = None


@dataclasses.dataclass(frozen=True)
class Translation:
    """One translation of a sentence.

    Examples
    --------
    >>> import graphmt
    >>> best = graphmt.load("pbmt").translate("Er schläft .")
    >>> best.text
    'He is sleeping .'
    >>> sorted(best.features)[:2]
    ['distortion', 'lex_source_given_target']
    """

    #: Detokenised and recased: the declared text steps undone.
    text: str
    tokens: tuple[str, ...]
    #: Weighted sum of the features.
    score: float
    features: dict[str, float]
    derivation: Derivation
    #: What was changed so that the translation has exactly the protected items of its source; mostly empty.
    repairs: tuple[str, ...] = ()
    #: The best match of a translation memory, if there is one; ``memory.taken`` if the text is its target.
    memory: MemoryMatch | None = None

    def __str__(self) -> str:
        return self.text

    @property
    def repaired(self) -> bool:
        """Whether protected items had to be inserted, removed or moved."""
        return bool(self.repairs)

    def __repr__(self) -> str:
        steps = counted(len(self.derivation.steps), "step")
        return f"Translation({shortened(self.text)!r}, score={self.score:.2f}, {steps})"

    def _repr_svg_(self) -> str:
        return self.derivation._repr_svg_()

    @property
    def sentence_features(self) -> dict[str, float]:
        """The features without what the steps of the derivation add: the end of the sentence, for instance."""
        steps = self.derivation.steps
        return {
            name: value - sum(step.features.get(name, 0.0) for step in steps) for name, value in self.features.items()
        }

    @property
    def alignment(self) -> tuple[tuple[int, int], ...]:
        """The word alignment: (source position, target position) of tokens, from 0."""
        return tuple(sorted({link for step in self.derivation.steps for link in step.alignment}))

    def as_json(self, number: int, rank: int = 0) -> str:
        """One line of JSON: sentence number, rank, text, score, features, derivation."""
        content = {
            "sentence": number,
            "rank": rank,
            "text": self.text,
            "tokens": self.tokens,
            "score": self.score,
            "features": self.features,
            "derivation": self.derivation.as_dict(),
            **({"repaired": self.repairs} if self.repairs else {}),
            **({"memory": dataclasses.asdict(self.memory)} if self.memory else {}),
        }
        return json.dumps(content, ensure_ascii=False)

    def as_moses(self, number: int) -> str:
        """One line of a Moses n-best list; field and line separators in tokens are escaped as in Moses."""
        return moses.line_of(number, self.tokens, self.features, self.score)


class TranslationList(ShownList[Translation]):
    """The translations of a sentence, best first; a notebook shows them as a table."""

    def _repr_html_(self) -> str:
        from graphmt.draw.notebook import long_table

        rows = [(place, one.text, f"{one.score:.4g}") for place, one in enumerate(self, 1)]
        return long_table(("", "translation", "score"), rows, texts=(1,))
