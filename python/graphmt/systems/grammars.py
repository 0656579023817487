"""Grammars: what a system's rules are, how they are extracted, and which decoder applies them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, NamedTuple, Protocol

from graphmt import _core
from graphmt.options import Options
from graphmt.storage.files import AnyPath
from graphmt.systems.extract_options import (
    ContextScope,
    DiscontinuousRules,
    FragmentLimits,
    HeadRules,
    HoleLimits,
    Msd,
    PhraseLimits,
    RuleCounting,
    Smoothing,
    SubgraphSpan,
)
from graphmt.systems.search_options import (
    ContextualRules,
    ContextUse,
    GeneralCounts,
    LeftToRightSearch,
    Pruning,
    SpanLimit,
)

if TYPE_CHECKING:
    from graphmt.model.options import SearchOptions
    from graphmt.rules.options import ExtractOptions
    from graphmt.systems.base import Links, System

#: Options by the classes that declare them.
Declared = tuple[type[Options], ...]


class DecoderFiles(NamedTuple):
    """The files of a model that a decoder opens."""

    rules: AnyPath
    lm: AnyPath
    #: The model of straight and inverted order, for grammars that have one.
    reordering: AnyPath


class Grammar(Protocol):
    """What differs between the systems' rules.

    Examples
    --------
    >>> from graphmt.systems import Grammar, system
    >>> grammar: Grammar = system("gbmt-ctx").grammar
    >>> grammar
    SubgraphRules(context=True)
    """

    #: Whether the rules themselves need dependency trees.
    needs_trees: ClassVar[bool]
    #: Whether the search goes bottom-up over source spans rather than from left to right.
    has_chart: ClassVar[bool]
    #: Whether a model of straight and inverted order is trained.
    has_reordering_model: ClassVar[bool]
    #: What it reads of the search options if an option of extraction is on, by that option.
    switched_search_options: ClassVar[Mapping[str, Declared]]

    @property
    def context(self) -> bool:
        """Whether there are contextual rules, which look at what is still untranslated."""

    @property
    def search_options(self) -> Declared:
        """What it reads of the options of the search."""

    def extract_options(self, links: Links) -> Declared:
        """What it reads of the options of extraction, with the links of the system's source graph."""

    def extract_settings(self, system: System, options: ExtractOptions) -> _core.ExtractSettings:
        """The core's settings for extraction."""

    def make_decoder(
        self, system: System, files: DecoderFiles, weights: list[float], search: SearchOptions
    ) -> _core.Decoder:
        """The core's decoder."""


@dataclasses.dataclass(frozen=True)
class SubgraphRules:
    """A rule translates a connected subgraph of the source graph into a continuous target phrase.

    Examples
    --------
    >>> from graphmt.systems import system
    >>> system("pbmt").grammar
    SubgraphRules(context=False)
    """

    #: Whether there are also segmenting and selecting rules, which look at what is still untranslated.
    context: bool = False
    needs_trees: ClassVar[bool] = False
    has_chart: ClassVar[bool] = False
    has_reordering_model: ClassVar[bool] = False
    switched_search_options: ClassVar[Mapping[str, Declared]] = {}

    @property
    def search_options(self) -> Declared:
        """Those of left-to-right search."""
        return (Pruning, LeftToRightSearch, *((ContextUse, ContextualRules) if self.context else ()))

    def extract_options(self, links: Links) -> Declared:
        """The limits of subgraphs, and what tells discontinuous ones apart if there are any."""
        # Links between neighbours alone connect nothing but continuous phrases.
        discontinuous: Declared = (DiscontinuousRules,) if links.dependency else ()
        context: Declared = (ContextScope,) if self.context else ()
        return (RuleCounting, PhraseLimits, SubgraphSpan, Smoothing, Msd, *discontinuous, *context)

    def extract_settings(self, system: System, options: ExtractOptions) -> _core.ExtractSettings:
        """Connected subgraphs of the system's source graph."""
        return _core.ExtractSettings.subgraphs(options, system.links, context=self.context)

    def make_decoder(
        self, system: System, files: DecoderFiles, weights: list[float], search: SearchOptions
    ) -> _core.Decoder:
        """Left to right, with stacks."""
        return _core.Decoder(files.rules, files.lm, weights, search, system.links)


@dataclasses.dataclass(frozen=True)
class Blocks(SubgraphRules):
    """Phrases, and neighbouring blocks of them merged straight or inverted, scored by their boundary words.

    Examples
    --------
    >>> from graphmt.systems import system
    >>> system("btg").grammar
    Blocks(context=False)
    """

    has_chart: ClassVar[bool] = True
    has_reordering_model: ClassVar[bool] = True

    @property
    def search_options(self) -> Declared:
        """Those of a chart."""
        return (Pruning, SpanLimit)

    def extract_options(self, links: Links) -> Declared:
        """Those of phrases, without lexicalised reordering: the order of blocks has a model of its own."""
        return tuple(one for one in super().extract_options(links) if one is not Msd)

    def make_decoder(
        self, system: System, files: DecoderFiles, weights: list[float], search: SearchOptions
    ) -> _core.Decoder:
        """A chart with the reordering model."""
        return _chart(files, weights, search, reordering=files.reordering)


@dataclasses.dataclass(frozen=True)
class HierarchicalRules:
    """A rule translates a string of words and holes into another; a hole is filled by what another rule derives.

    Examples
    --------
    >>> from graphmt.systems import system
    >>> system("hpb").grammar
    HierarchicalRules()
    """

    #: Rules never look at what is around them.
    context: ClassVar[bool] = False
    needs_trees: ClassVar[bool] = False
    has_chart: ClassVar[bool] = True
    has_reordering_model: ClassVar[bool] = False
    search_options: ClassVar[Declared] = (Pruning, SpanLimit)
    switched_search_options: ClassVar[Mapping[str, Declared]] = {}

    def extract_options(self, links: Links) -> Declared:
        """The limits of rules with holes; their counts are fractional, so nothing is smoothed."""
        return (RuleCounting, HoleLimits)

    def extract_settings(self, system: System, options: ExtractOptions) -> _core.ExtractSettings:
        """Phrases with holes."""
        return _core.ExtractSettings.strings(options)

    def make_decoder(
        self, system: System, files: DecoderFiles, weights: list[float], search: SearchOptions
    ) -> _core.Decoder:
        """A chart."""
        return _chart(files, weights, search)


@dataclasses.dataclass(frozen=True)
class FragmentRules(HierarchicalRules):
    """Rules whose source sides and holes are fragments of the dependency graph: holes have labels, symbols heads.

    Examples
    --------
    >>> from graphmt.systems import system
    >>> system("dgst").grammar
    FragmentRules()
    """

    needs_trees: ClassVar[bool] = True
    #: Among rules over any span, the labels of holes are contexts.
    switched_search_options: ClassVar[Mapping[str, Declared]] = {"any_span": (ContextUse,)}

    def extract_options(self, links: Links) -> Declared:
        """The limits of rules with holes, and the shape of fragments."""
        return (*super().extract_options(links), FragmentLimits)

    def extract_settings(self, system: System, options: ExtractOptions) -> _core.ExtractSettings:
        """Fragments of the dependency graph."""
        return _core.ExtractSettings.fragments(options)


@dataclasses.dataclass(frozen=True)
class HeadDependentRules(HierarchicalRules):
    """Rules whose source sides are heads with their dependents: internal dependents are holes over their subtrees.

    Examples
    --------
    >>> from graphmt.systems import system
    >>> system("dep2str").grammar
    HeadDependentRules()
    """

    needs_trees: ClassVar[bool] = True
    #: Cells are subtrees, of any length.
    search_options: ClassVar[Declared] = (Pruning, GeneralCounts)

    def extract_options(self, links: Links) -> Declared:
        """The limits of phrases, and which parts of heads with dependents become rules."""
        return (RuleCounting, PhraseLimits, HeadRules, Smoothing)

    def extract_settings(self, system: System, options: ExtractOptions) -> _core.ExtractSettings:
        """Heads with their dependents."""
        return _core.ExtractSettings.dependents(options)


def _chart(
    files: DecoderFiles, weights: list[float], search: SearchOptions, reordering: AnyPath | None = None
) -> _core.Decoder:
    return _core.Decoder.chart(files.rules, files.lm, weights, search, reordering=reordering)
