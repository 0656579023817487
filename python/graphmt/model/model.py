"""A trained model: opened from its folder, ready to translate."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import logging
import operator
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, SupportsIndex, overload

from graphmt import _core
from graphmt.bars import shown
from graphmt.corpus import TextOptions, TextSteps, Tree
from graphmt.corpus.documents import begins_document
from graphmt.corpus.given import TARGET, given_sentence, given_sentences, given_texts, is_sentence
from graphmt.corpus.pair_steps import prepared_references
from graphmt.corpus.parsers import ParseOptions, Parser
from graphmt.corpus.steps import FILE as STEPS
from graphmt.errors import InputError, OptionError
from graphmt.glossary import XML_INPUT, Glossary, MarkedText, read_glossary
from graphmt.model.annotations import Annotate, Annotations
from graphmt.model.charts import Forced, SpanTranslations, span_translations
from graphmt.model.input_terms import FixedSpan, InputTerms
from graphmt.model.layout import LM, PARSER, REORDERING, RULES, SOURCE_STEPS, TARGET_STEPS, rule_files
from graphmt.model.manifest import Manifest
from graphmt.model.options import SearchOptions
from graphmt.model.source_parser import ParsedText, ParserState, SourceParser
from graphmt.model.translation import Derivation, Step, Translation, TranslationList
from graphmt.model.weights import FILE as WEIGHTS
from graphmt.model.weights import as_vector, checked_weight, load_weights
from graphmt.options import nearest
from graphmt.progress import bar, is_shown
from graphmt.protect import Restored
from graphmt.protect.restore import changes_words
from graphmt.reprs import counted
from graphmt.rules import rule_kinds
from graphmt.searchgraph import SearchGraph
from graphmt.selection import DocumentReader, SelectionModel, selection_models
from graphmt.selection.documents import whole_documents
from graphmt.storage.files import AnyPath
from graphmt.systems import system
from graphmt.systems.base import REORDERING_FEATURES, option_features, search_features, unused_features
from graphmt.systems.grammars import DecoderFiles
from graphmt.systems.reads import described, require_read, search_options_of

log = logging.getLogger(__name__)

Sentence = str | Tree

#: Translations of a sentence among which one that needs no repair is searched for.
_ALTERNATIVES = 50

#: Sentences that are translated between two pictures of a bar.
_SHOWN = 64

#: The feature of preferred terms, and its weight unless it was tuned.
GLOSSARY, GLOSSARY_WEIGHT = "glossary", 1.0

#: A sentence as the core takes it.
Prepared = _core.Sentence


class Model:
    """An opened model folder. Tables are memory-mapped, not copied.

    :func:`graphmt.load` opens one. It can be pickled, by the path of its folder, and used from several threads.

    Parameters
    ----------
    folder
        The model folder.
    search
        Search options; by default those set in training.
    weights
        A weights file to use instead of the model's own.
    parser
        A parser of raw text to use instead of the one remembered from training: its name, or an opened parser.

    Raises
    ------
    InputError
        If the folder is not a model, or its files are damaged.
    OptionError
        If the model has nothing that reads a search option that was changed.

    Examples
    --------
    >>> import graphmt
    >>> model = graphmt.load("pbmt")
    >>> model.translate("Er schläft .").tokens
    ('he', 'is', 'sleeping', '.')
    >>> [best.text for best in model.n_best("Er schläft .", 2, distinct=True)][0]
    'He is sleeping .'
    """

    def __init__(
        self,
        folder: AnyPath,
        *,
        search: SearchOptions | None = None,
        weights: AnyPath | None = None,
        parser: str | Parser | None = None,
    ) -> None:
        self.folder = Path(folder)
        self.manifest = Manifest.load(folder)
        self.system = system(self.manifest.system)
        usual = SearchOptions.from_mapping(self.manifest.options.get("search", {}), file=str(self.folder))
        self.search = search or usual
        extract = self.manifest.options.get("extract", {})
        read = search_options_of(self.system, self.selection, extract)
        # Values that a model was trained with may be of an older version, which accepted them.
        require_read(self.search, read, self.described, usual=usual)
        sometimes = {
            **search_features(self.system.grammar, extract),
            **(REORDERING_FEATURES if extract.get("reordering") else {}),
            GLOSSARY: GLOSSARY_WEIGHT,
        }
        self.weights = load_weights(weights or self.folder / WEIGHTS, self.features, sometimes)
        # A model has this feature only while it has a glossary, or marked input.
        self._glossary_weight = self.weights.pop(GLOSSARY)
        unused = unused_features(
            self.search.contexts,
            soft_context=self.search.soft_context,
            count_general=self.search.count_general,
        )
        unused |= REORDERING_FEATURES.keys() - self.features.keys()
        self.weights = {name: weight for name, weight in self.weights.items() if name not in unused}
        self.manifest.check_files(self.folder)
        self.source_steps = TextSteps.load(self.folder / SOURCE_STEPS)
        self.target_steps = TextSteps.load(self.folder / TARGET_STEPS)
        remembered = ParseOptions.from_mapping(self.manifest.options.get("parse", {}), file=str(self.folder))
        self._parser = (
            SourceParser(self.folder, remembered, self.source_steps, parser) if parser or remembered.parser else None
        )
        self._decoder = self._make_decoder()
        self._documents = self._open_documents()
        self.manifest.check_tables(self.folder, self.files)
        self._annotate: Annotations | None = None
        self._has_consensus = False
        self._terms = InputTerms(self.source_steps, self.target_steps)
        self._drops_unknown = False

    def __repr__(self) -> str:
        rules = self.manifest.report.get("rules")
        count = f", {counted(sum(rule_kinds(rules).values()), 'rule')}" if rules else ""
        return f"Model({os.fspath(self.folder)!r}, system={self.described!r}{count})"

    def _repr_html_(self) -> str:
        """The card of the model: system, languages, corpus, scores, files."""
        from graphmt.model.card import model_card

        return model_card(self)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the folder's path and whatever was changed since it was opened; another process opens it again."""
        if self._has_consensus:
            raise InputError(
                "a model with consensus in its search cannot be pickled.",
                hint="Pickle the model without it, and add consensus in each process.",
            )
        if self._annotate is not None:
            self._annotate.require_pickling()
        if self._parser is not None:
            self._parser.require_pickling()
        # What training fitted is read from the folder again.
        texts = {name: getattr(self, name).options for name in ("source_steps", "target_steps")}
        terms = {name: getattr(self._terms, name) for name in ("glossary", "xml_input", "fixed")}
        own = {name: getattr(self, name) for name in ("weights", "_glossary_weight", "_annotate", "_drops_unknown")}
        parser = self._parser.state if self._parser else None
        return _reopened, (self.folder.absolute(), self.manifest.files, self.search, parser, texts, terms, own)

    @property
    def features(self) -> dict[str, float]:
        """The features of the model with the system's initial weights."""
        names = dict(self.system.features)
        names.update(option_features(self.system, self.manifest.options.get("extract", {})))
        names.update(dict.fromkeys(self.manifest.added_features, 0.0))
        for model in self.selection:
            names.update(model.features)
        return names

    @property
    def selection(self) -> tuple[SelectionModel, ...]:
        """The model's models of lexical selection."""
        return selection_models(self.manifest.selection)

    @property
    def described(self) -> str:
        """The system and its lexical selection: ``hpb+gm``."""
        return described(self.system, self.selection)

    @property
    def files(self) -> tuple[str, ...]:
        """The files in the folder that translations depend on, except the weights."""
        steps = (f"{side}/{STEPS}" for side in (SOURCE_STEPS, TARGET_STEPS))
        reordering = (REORDERING,) if self.system.grammar.has_reordering_model else ()
        parser = (PARSER,) if self._parser is not None and self._parser.is_own_file else ()
        selection = (file for model in self.selection for file in model.files_in(self.folder))
        return (*rule_files(self.folder), LM, *reordering, *steps, *parser, *selection)

    @property
    def needs_trees(self) -> bool:
        """Whether source sentences must come with dependency trees."""
        return self.system.needs_trees or any(model.needs_trees for model in self.selection)

    @property
    def parser(self) -> str | None:
        """The parser of raw input, such as ``udpipe:german.udpipe``; None if there is none."""
        return self._parser.name if self._parser else None

    def parse_in_processes(self, processes: int = 0) -> None:
        """Let several processes parse many texts at once; 0: one per core.

        Processes import the main module again, so a script needs ``if __name__ == "__main__":``.
        """
        if self._parser:
            self._parser.processes = processes

    @property
    def glossary(self) -> Glossary | None:
        """The glossary of :meth:`with_glossary`; None if there is none."""
        return self._terms.glossary

    @property
    def sees_documents(self) -> bool:
        """Whether translations depend on a sentence's document."""
        return self._documents is not None

    @property
    def decoder(self) -> _core.Decoder:
        """The core's decoder with the model's weights and lexical selection."""
        return self._decoder

    def _open_documents(self) -> DocumentReader | None:
        for model in self.selection:
            if model.open_documents is not None:
                own = self.manifest.options.get(model.name, {})
                return model.open_documents(self.folder, self.search.as_dict(), own)
        return None

    def _bare_decoder(self) -> _core.Decoder:
        """Without lexical selection."""
        files = DecoderFiles(self.folder / RULES, self.folder / LM, self.folder / REORDERING)
        return self.system.grammar.make_decoder(self.system, files, self._vector(), self.search)

    def _make_decoder(self) -> _core.Decoder:
        decoder = self._bare_decoder()
        if not self.selection:
            return decoder
        opened = [model.open(self.folder, self.search.as_dict()) for model in self.selection]
        return decoder.annotated(opened, self._vector())

    def reweighted(self, weights: dict[str, float]) -> Model:
        """Copy the model with other weights; its files are shared.

        Parameters
        ----------
        weights
            New weights of some features; the others keep theirs.

        Returns
        -------
        Model
            The copy.

        Raises
        ------
        OptionError
            If the model has no such feature (the message suggests the nearest), or a weight is not a finite number.

        Examples
        --------
        >>> import graphmt
        >>> graphmt.load("pbmt").reweighted({"lm": 0.7}).weights["lm"]
        0.7
        """
        for name in weights:
            if name not in self.weights:
                raise OptionError(f"the model has no feature {name!r}{nearest(name, self.weights)}.")
        changed = {name: checked_weight(name, weight) for name, weight in weights.items()}
        other = self._with_weights({**self.weights, **changed})
        other._decoder = self._decoder.reweighted(other._vector())
        return other

    def take_weights(self, weights: Mapping[str, float]) -> None:
        """Use other weights of all features from now on, in this object itself: tuning wrote them into its folder."""
        other = self.reweighted(dict(weights))
        self.weights, self._decoder = other.weights, other._decoder
        self._glossary_weight = self.weights.get(GLOSSARY, self._glossary_weight)

    def annotated(self, annotate: Annotate, features: dict[str, float]) -> Model:
        """Copy the model with added features.

        Features of earlier annotations are kept. A sentence that is split because it is too long is annotated piece by
        piece.

        Parameters
        ----------
        annotate
            Computes the values: it gets the options of a sentence as columns, and its words, and returns an array with
            a row per option and a column per feature (for one feature, optionally one value per option).
        features
            The weights of the new features, by name.

        Returns
        -------
        Model
            The copy.

        Raises
        ------
        OptionError
            If the model already has such a feature, or a weight is not a finite number.

        Examples
        --------
        >>> import graphmt
        >>> import numpy as np
        >>> model = graphmt.load("pbmt").annotated(lambda options, words: np.ones(len(options.copied)), {"one": 0.1})
        >>> model.translate("Er schläft .").features["one"] > 0
        True
        """
        # A model folder may declare features whose values are computed here.
        expected = self.manifest.added_features if self._annotate is None else ()
        known = next((name for name in features if name in self.feature_names and name not in expected), None)
        if known is not None:
            raise OptionError(f"the model already has a feature {known!r}.", hint="Choose another name.")
        added = {name: checked_weight(name, weight) for name, weight in features.items()}
        other = self._with_weights({**self.weights, **added})
        other._annotate = Annotations(*(self._annotate.functions if self._annotate else ()), annotate)
        other._decoder = self._decoder.reweighted(other._vector())
        return other

    def protecting(self, groups: Sequence[str]) -> Model:
        """Copy the model with protection of at least some groups of text; its files are shared.

        Typed tokens that the model was not trained with are copied like unknown words.

        Parameters
        ----------
        groups
            Groups of :data:`graphmt.protect.GROUPS`.

        Returns
        -------
        Model
            The copy, or the model itself if it protects them already.

        Examples
        --------
        >>> import graphmt
        >>> model = graphmt.load("pbmt")
        >>> model.source_steps.options.protected
        ()
        >>> model.protecting(["numbers"]).source_steps.options.protected
        ('numbers',)
        """
        own = self.source_steps.options.protected
        if set(groups) <= set(own):
            return self
        return self._with_text_options(protect=",".join(dict.fromkeys((*own, *groups))))

    def reading_raw_text(self) -> Model:
        """Copy the model so that it tokenises its input, and detokenises its output; its files are shared.

        For models that were trained on tokens and are given text as people write it. Placeholders, tags, addresses and
        numbers are protected.

        Returns
        -------
        Model
            The copy, or the model itself if it was trained on raw text.

        Examples
        --------
        >>> import graphmt
        >>> model = graphmt.load("pbmt")
        >>> [one.translate("Er schläft.").text for one in (model, model.reading_raw_text())]
        ['He schläft.', 'He is sleeping.']
        """
        if all(steps.options.tokenise for steps in (self.source_steps, self.target_steps)):
            return self
        other = self._with_text_options(tokenise=True, protect="auto")
        if self._parser is not None:
            own = self._parser
            other._parser = SourceParser(own.folder, own.options, other.source_steps, own.given)
        return other

    def with_glossary(
        self,
        glossary: Glossary | AnyPath,
        *,
        weight: float | None = None,
        languages: tuple[str, str] | None = None,
    ) -> Model:
        """Copy the model with a glossary; its files are shared.

        Required translations are used wherever a term occurs, and nothing else is. Preferred ones compete with the
        rules of the model and have the feature ``glossary``, which can be tuned. Forbidden ones are not used. Steps of
        a derivation that translate terms are of the kind ``term``.

        Parameters
        ----------
        glossary
            The glossary, or a file with one: TSV or TBX.
        weight
            The weight of the feature ``glossary``; by default that of the model's weights, or 1 if it was never tuned.
        languages
            Source and target language, for TBX with more than two.

        Returns
        -------
        Model
            The copy.

        Raises
        ------
        InputError
            If the file is malformed; the message names the line.

        Examples
        --------
        >>> import graphmt
        >>> from graphmt.glossary import Glossary, Term
        >>> model = graphmt.load("pbmt").with_glossary(Glossary((Term("schläft", "slumbers"),)))
        >>> best = model.translate("Er schläft .")
        >>> best.text
        'He slumbers .'
        >>> [step.kind for step in best.derivation.steps]
        ['basic', 'term', 'basic']
        """
        terms = glossary if isinstance(glossary, Glossary) else read_glossary(glossary, languages)
        return self._with_terms(weight, glossary=terms)

    def with_xml_input(self, mode: str = "exclusive", *, weight: float | None = None) -> Model:
        """Copy the model so that texts may prescribe translations: ``<n translation="…">words</n>``, as in Moses.

        Parameters
        ----------
        mode
            ``exclusive``: the words get one of the given translations; ``inclusive``: these compete with the rules of
            the model, like preferred terms of a glossary.
        weight
            As for :meth:`with_glossary`.

        Returns
        -------
        Model
            The copy.

        Raises
        ------
        OptionError
            If there is no such mode.

        Examples
        --------
        >>> import graphmt
        >>> model = graphmt.load("pbmt").with_xml_input()
        >>> model.translate('Er <n translation="is dreaming">schläft</n> .').text
        'He is dreaming .'
        """
        if mode not in XML_INPUT:
            raise OptionError(f"there is no XML input mode {mode!r}{nearest(mode, XML_INPUT)}.")
        return self._with_terms(weight, xml_input=mode)

    def with_fixed(self, spans: Mapping[int, Sequence[FixedSpan]]) -> Model:
        """Copy the model so that spans of the sentences of the next call have given translations.

        Parameters
        ----------
        spans
            The spans of each sentence, by its number from 0. Spans of a sentence do not overlap.

        Returns
        -------
        Model
            The copy.

        Examples
        --------
        >>> import graphmt
        >>> from graphmt.model import FixedSpan
        >>> model = graphmt.load("pbmt").with_fixed({0: [FixedSpan(1, 2, "is dreaming")]})
        >>> model.translate("Er schläft .").text
        'He is dreaming .'
        """
        return self._with_terms(None, fixed=spans)

    def has_fixed(self, number: int) -> bool:
        """Whether spans of a sentence of the next call are fixed; sentences are counted from 0."""
        return bool(self._terms.fixed.get(number))

    def contradicted_term(self, sentence: Sentence, translation: str) -> str | None:
        """The term of the glossary that a translation from elsewhere contradicts: ``source → target``, or None."""
        return self._terms.contradicted_by(sentence, translation)

    def _with_text_options(self, **changes: Any) -> Model:
        """A copy with other options of the text steps of both sides."""
        other = self._with_weights(self.weights)
        other.source_steps, other.target_steps = (
            dataclasses.replace(steps, options=steps.options.replace(**changes))
            for steps in (self.source_steps, self.target_steps)
        )
        other._terms = self._terms.changed(source_steps=other.source_steps, target_steps=other.target_steps)
        return other

    def _with_terms(self, weight: float | None, **terms: Any) -> Model:
        """A copy with other terms of the input, and the feature of preferred ones."""
        current = self.weights.get(GLOSSARY, self._glossary_weight)
        used = current if weight is None else checked_weight(GLOSSARY, weight)
        other = self._with_weights({**self.weights, GLOSSARY: used})
        other._decoder = self._decoder.reweighted(other._vector())
        other._terms = self._terms.changed(**terms)
        return other

    def dropping_unknown(self) -> Model:
        """Copy the model so that its translations lack unknown words, which are copied otherwise; files are shared.

        Scores and features stay. Protected text is kept.

        Returns
        -------
        Model
            The copy.

        Examples
        --------
        >>> import graphmt
        >>> model = graphmt.load("pbmt")
        >>> [one.translate("Er schläft Qwertz .").text for one in (model, model.dropping_unknown())]
        ['He is sleeping qwertz .', 'He is sleeping .']
        """
        other = self._with_weights(self.weights)
        other._drops_unknown = True
        return other

    def with_consensus(self, consensus: _core.SpanConsensus, features: dict[str, float]) -> Model:
        """The same model with translation consensus in its search; ``features`` are those of consensus."""
        plain = {name: weight for name, weight in self.weights.items() if name not in features}
        # In the core, the features of consensus come last.
        other = self._with_weights({**plain, **features})
        other._has_consensus = True
        other._decoder = consensus.applied_to(self._decoder, other._vector())
        return other

    def with_pop_limit(self, pop_limit: int) -> Model:
        """Copy the model with another pop limit of its search; files are shared.

        Parameters
        ----------
        pop_limit
            Hypotheses per stack or chart cell, as in :class:`SearchOptions`.

        Returns
        -------
        Model
            The copy.

        Raises
        ------
        OptionError
            If the limit is not at least 1.

        Examples
        --------
        >>> import graphmt
        >>> graphmt.load("pbmt").with_pop_limit(50).search.pop_limit
        50
        """
        other = self._with_weights(self.weights)
        other.search = self.search.replace(pop_limit=pop_limit)
        other._decoder = self._decoder.with_pop_limit(pop_limit)
        return other

    def _with_weights(self, weights: dict[str, float]) -> Model:
        """A copy that still needs a decoder."""
        other = object.__new__(Model)
        other.__dict__.update(self.__dict__)
        other.weights = weights
        return other

    def _vector(self) -> list[float]:
        return as_vector(self.weights, tuple(name for name in self.weights if name not in _core.FEATURES))

    @overload
    def translate(self, sentences: Sentence, *, threads: int = ..., progress: bool = ...) -> Translation: ...
    @overload
    def translate(self, sentences: Iterable[Any], *, threads: int = ..., progress: bool = ...) -> list[Translation]: ...

    def translate(self, sentences: Any, *, threads: int = 0, progress: bool = False) -> Any:
        """Translate a sentence, or each of several.

        Parameters
        ----------
        sentences
            A string or a tree, or several of them. Systems that need trees parse strings if they know a parser. Also a
            ``Doc`` of spaCy or ``TokenList`` of conllu, several of them, a column of a DataFrame, or a table with one
            column of text or one that the source language names.
        threads
            Number of threads; 0: one per core. The translations do not depend on it.
        progress
            Show a bar, in a notebook or on a terminal.

        Returns
        -------
        Translation or list of Translation
            The best translation, or that of each sentence.

        Raises
        ------
        InputError
            If a sentence is neither a string nor a tree, or lacks a tree that the system needs.

        Examples
        --------
        >>> import graphmt
        >>> model = graphmt.load("pbmt")
        >>> model.translate("Er schläft .").text
        'He is sleeping .'
        >>> [best.text for best in model.translate(["Er schläft .", ""])]
        ['He is sleeping .', '']
        """
        if is_sentence(sentences):
            return self.n_best(sentences, 1, threads=threads)[0]
        return [best[0] for best in self.n_best(sentences, 1, threads=threads, progress=progress)]

    @overload
    def n_best(self, sentences: Sentence, n: int, *, distinct: bool = ..., threads: int = ...) -> list[Translation]: ...
    @overload
    def n_best(
        self, sentences: Iterable[Any], n: int, *, distinct: bool = ..., threads: int = ..., progress: bool = ...
    ) -> list[list[Translation]]: ...

    def n_best(
        self, sentences: Any, n: int, *, distinct: bool = False, threads: int = 0, progress: bool = False
    ) -> Any:
        """Find the n best translations of a sentence, or of each of several.

        Parameters
        ----------
        sentences
            As for :meth:`translate`.
        n
            How many; there may be fewer.
        distinct
            Only translations that differ as text.
        threads
            Number of threads; 0: one per core. The translations do not depend on it.
        progress
            Show a bar, in a notebook or on a terminal.

        Returns
        -------
        list of Translation, or a list of such lists
            The best first; a list for each of several sentences.

        Raises
        ------
        OptionError
            If ``n`` is less than 1.

        Examples
        --------
        >>> import graphmt
        >>> lists = graphmt.load("pbmt").n_best(["Er schläft .", "Er"], 3)
        >>> [len(best) for best in lists]
        [3, 3]
        """
        if is_sentence(sentences):
            return TranslationList(self.n_best([sentences], n, distinct=distinct, threads=threads)[0])
        with shown(progress):
            prepared = self.prepare(self.given(sentences))
            self.note_cuts(prepared)
            if not is_shown() or self._has_consensus or len(prepared) <= _SHOWN:
                return self.n_best_prepared(prepared, n, distinct=distinct, threads=threads)
            made: list[list[Translation]] = []
            with bar("sentences", len(prepared)) as advance:
                while len(made) < len(prepared):
                    some = prepared[len(made) : len(made) + _SHOWN]
                    made += self.n_best_prepared(some, n, distinct=distinct, threads=threads)
                    advance(len(made))
            return made

    def n_best_prepared(
        self, prepared: list[Prepared], n: int, *, distinct: bool = False, threads: int = 0
    ) -> list[list[Translation]]:
        """The n best of prepared sentences, possibly a subset of those prepared together."""
        # Usually an int: to ask a protocol takes a good part of the time of a short search.
        is_number = type(n) is int or (isinstance(n, SupportsIndex) and not isinstance(n, bool))
        if not is_number or operator.index(n) < 1:
            raise OptionError(f"the number of translations must be 1 or more, not {n!r}.")
        made = self._n_best(prepared, n, distinct=distinct, threads=threads)
        if n == 1:
            self._avoid_repairs(prepared, made, threads)
        return made

    def _n_best(self, prepared: list[Prepared], n: int, *, distinct: bool, threads: int) -> list[list[Translation]]:
        found = self._decoder.translate(prepared, n_best=n, distinct=distinct, threads=threads, annotate=self._annotate)
        columns = self._weight_columns()
        return [
            [self._translation(sentence, one, columns) for one in best]
            for sentence, best in zip(prepared, found, strict=True)
        ]

    def _avoid_repairs(self, prepared: list[Prepared], made: list[list[Translation]], threads: int) -> None:
        """Replace translations with repaired words by the best ones without, if there are any among the first."""
        places = [place for place, best in enumerate(made) if best and changes_words(best[0].repairs)]
        if not places:
            return
        lists = self._n_best([prepared[place] for place in places], _ALTERNATIVES, distinct=True, threads=threads)
        for place, best in zip(places, lists, strict=True):
            whole = next((one for one in best if not changes_words(one.repairs)), None)
            if whole is not None:
                made[place] = [whole]

    def spans(
        self, sentences: Sequence[Sentence], *, most: int = 100, threads: int = 0
    ) -> list[tuple[SpanTranslations, ...]]:
        """Find the best translations of every source span that has any; chart systems only.

        For a sentence that is split because it is too long, these are the spans of its pieces.

        Parameters
        ----------
        sentences
            Strings or trees.
        most
            The most translations of a span.
        threads
            Number of threads; 0: one per core. The translations do not depend on it.

        Returns
        -------
        list of tuple of SpanTranslations
            The spans of each sentence.

        Examples
        --------
        >>> import graphmt
        >>> [spans] = graphmt.load("hpb").spans(["er schläft ."], most=1)
        >>> max(span.end for span in spans)
        3
        """
        prepared = self.prepare(sentences)
        self.note_cuts(prepared)
        found = self._decoder.spans(prepared, most=most, threads=threads, annotate=self._annotate)
        return [span_translations(spans) for spans in found]

    def forced(
        self, sentences: Sequence[Sentence], references: Sequence[str], *, most: int = 100, threads: int = 0
    ) -> list[Forced]:
        """Derive each reference from its sentence (forced decoding); chart systems only.

        A sentence that is too long for one chart is not decoded: it has no translation and no spans.

        Parameters
        ----------
        sentences
            Strings or trees.
        references
            Texts, to which the target side's steps are applied.
        most
            The most translations of a span. They are returned even if the whole cannot be derived.
        threads
            Number of threads; 0: one per core. The translations do not depend on it.

        Returns
        -------
        list of Forced
            The derivation of each reference, if there is one, and the translations of spans.

        Examples
        --------
        >>> import graphmt
        >>> model = graphmt.load("hpb")
        >>> best = model.translate("er schläft .")
        >>> model.forced(["er schläft ."], [best.text])[0].reached
        True
        """
        sentences, references = self.given(sentences), list(given_texts(references, "the references", side=TARGET))
        prepared = self.prepare(sentences)
        if too_long := sum(len(sentence) > self.longest for sentence in prepared):
            log.warning(f"Forced decoding skips {too_long:,} sentences of more than {self.longest} words.")
        wanted = [line.split() for line in self.prepare_references(sentences, references)]
        found = self._decoder.forced(prepared, wanted, most=most, threads=threads, annotate=self._annotate)
        columns = self._weight_columns()
        return [
            Forced(
                None if made.hypothesis is None else self._translation(sentence, made.hypothesis, columns),
                span_translations(made.spans),
            )
            for sentence, made in zip(prepared, found, strict=True)
        ]

    def given(self, sentences: Iterable[Any]) -> Sequence[Sentence]:
        """Sentences in any form that :meth:`translate` takes, as texts and trees."""
        if isinstance(sentences, list | tuple) and not (sentences and isinstance(sentences[0], Mapping)):
            # What is no sentence among them is refused when it is prepared.
            return [one if isinstance(one, str | Tree) else given_sentence(one) for one in sentences]
        return list(given_sentences(sentences, language=self.source_steps.options.language))

    def prepare(self, sentences: Sequence[Sentence]) -> list[Prepared]:
        """Sentences as input for the core, for translating them repeatedly."""
        if is_sentence(sentences):
            raise InputError("a single sentence; a list of sentences was expected.", hint="Give it as [sentence].")
        sentences = self.given(sentences)
        marked = self._terms.unmarked(sentences)
        plain = sentences if marked is None else [one if isinstance(one, Tree) else one.text for one in marked]
        parsed = self._parsed(plain)
        marks = [one if isinstance(one, MarkedText) else None for one in marked or parsed]
        prepared = [self._prepare(number, *pair) for number, pair in enumerate(zip(parsed, marks, strict=True))]
        if self._documents is None:
            return prepared
        topics = self._documents.of(
            [one.words for one in prepared], [_begins_document(sentence) for sentence in sentences]
        )
        return [one.with_topics(of) for one, of in zip(prepared, topics, strict=True)]

    def _parsed(self, sentences: Sequence[Sentence]) -> Sequence[Sentence | ParsedText]:
        """The sentences with trees instead of texts, if the model has a parser."""
        if self._parser is None:
            return sentences
        texts = {at: one for at, one in enumerate(sentences) if isinstance(one, str) and one.strip()}
        parsed = self._parser.parsed(list(texts.values()), self.source_steps) if texts else []
        trees: dict[int, Sentence | ParsedText] = dict(zip(texts, parsed, strict=True))
        return [trees.get(at, one) for at, one in enumerate(sentences)]

    def trees(self, sentences: Sequence[Sentence]) -> list[Tree | None]:
        """The trees of sentences: their own, or those of the model's parser; None for text without a parser."""
        parsed = self._parsed(sentences)
        return [one.tree if isinstance(one, ParsedText) else one if isinstance(one, Tree) else None for one in parsed]

    def prepare_references(self, sentences: Sequence[Sentence], references: Sequence[str]) -> list[str]:
        """References as tokens of the model's output, for scoring and forced decoding."""
        texts = [sentence.text if isinstance(sentence, Tree) else sentence for sentence in sentences]
        return prepared_references(self.target_steps, self.source_steps, texts, references)

    @property
    def longest(self) -> int:
        """The maximum length of a sentence that is translated in one piece."""
        return self._decoder.longest

    def note_cuts(self, prepared: Sequence[Prepared], names: Sequence[str] | None = None) -> None:
        """Report sentences that are split because they are too long; ``names`` are used in the messages."""
        for number, one in enumerate(prepared):
            if len(one) > self.longest:
                name = f"sentence {number + 1}" if names is None else names[number]
                pieces = len(self._decoder.pieces(one))
                log.warning(
                    f"{name}: {len(one):,} words exceed the maximum of {self.longest}; translated in {pieces} pieces."
                )

    def chunks(self, sentences: Iterable[Sentence], size: int) -> Iterator[list[Sentence]]:
        """Chunks of ``size`` sentences of a long text, each to be prepared and translated separately.

        For models that use documents, chunks end with a document and may be longer. With ``size`` 1, for interactive
        use, each sentence is a document.
        """
        if self._documents is not None and size > 1:
            yield from whole_documents(sentences, _begins_document, self._documents.length, size)
            return
        stream = iter(sentences)
        while chunk := list(itertools.islice(stream, size)):
            yield chunk

    def n_best_columns(
        self, prepared: list[Prepared], n: int, *, distinct: bool = False, threads: int = 0
    ) -> _core.NBestColumns:
        """The n best of prepared sentences as columns, for tuning: their values are those of :attr:`weights`."""
        columns = list(self._weight_columns().values())
        return self._decoder.n_best_columns(
            prepared, columns, n_best=n, distinct=distinct, threads=threads, annotate=self._annotate
        )

    def _weight_columns(self) -> dict[str, int]:
        """Which value of a translation each weight belongs to."""
        places = {name: number for number, name in enumerate(self.feature_names)}
        return {name: places[name] for name in self.weights}

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The names of a translation's values in order: all features of the core, then the added ones."""
        return (*_core.FEATURES, *(name for name in self.weights if name not in _core.FEATURES))

    def search_graph(self, sentence: Sentence) -> SearchGraph:
        """Find the translations of a sentence that the search kept, as a graph.

        Parameters
        ----------
        sentence
            A string or, for systems that need one, a tree.

        Returns
        -------
        SearchGraph
            A lattice, or the forest of a chart.

        Examples
        --------
        >>> import graphmt
        >>> graph = graphmt.load("pbmt").search_graph("Er schläft .")
        >>> graph.is_lattice, len(graph.edges) > 3
        (True, True)
        """
        prepared = self.prepare([sentence])
        self.note_cuts(prepared)
        return self.search_graphs(prepared, threads=1)[0]

    def search_graphs(self, prepared: list[Prepared], *, threads: int = 0) -> list[SearchGraph]:
        """The search graphs of prepared sentences."""
        found = self._decoder.search_graphs(prepared, threads=threads, annotate=self._annotate)
        lattices = not self.system.has_chart
        return [SearchGraph(tuple(one.words), lines, lattices) for one, lines in zip(prepared, found, strict=True)]

    def _prepare(self, number: int, sentence: Sentence | ParsedText, marks: MarkedText | None = None) -> Prepared:
        if isinstance(sentence, Tree | ParsedText):
            tree = sentence if isinstance(sentence, Tree) else sentence.tree
            made = self.source_steps.prepare_tree(tree) if isinstance(sentence, Tree) else sentence.line
            plain, heads, tags = tree.tokens, tree.heads, tree.upos
            if made.places:
                marked = {place: made.tokens[place] for place in made.places}
                plain = tuple(marked.get(place, token) for place, token in enumerate(plain))
        elif not isinstance(sentence, str):
            raise InputError(
                f"sentence {number + 1} is {type(sentence).__name__!r}; a text or a tree was expected.",
                hint='Join the words of a sentence: " ".join(words).',
            )
        else:
            _require_text(number, sentence)
            made = self.source_steps.prepare(sentence)
            plain, heads, tags = made.tokens, (), ()
            if self.needs_trees and made.tokens:
                raise InputError(
                    f"{self.described} needs a dependency tree for every sentence, but sentence {number + 1} has none.",
                    hint="Give a parser (--parser, in Python parser=…), or parse the text first: "
                    "graphmt corpus parse --parser KIND:MODEL text.txt text.conllu",
                )
        if self.target_steps.options.case == "lower":
            plain = tuple(map(str.lower, plain))
        record = (made, isinstance(sentence, Tree)) if self.source_steps.protects else None
        given = sentence if isinstance(sentence, str) else tree
        terms = self._terms.of(number + 1, given, made, marks)
        return _core.Sentence(made.tokens, plain, heads, tags, record=record, terms=terms)

    def _translation(self, sentence: Prepared, found: _core.Hypothesis, columns: dict[str, int]) -> Translation:
        tokens, values = tuple(found.tokens), found.features
        steps = functools.partial(_steps, found, columns)
        derivation = Derivation.deferred(tuple(sentence.surface), tuple(sentence.heads), steps)
        if self._drops_unknown:
            kept, derivation = derivation.without_copies()
            tokens = tuple(tokens[place] for place in kept)
        if sentence.record is None:
            restored = Restored(self.target_steps.undo(" ".join(tokens)), tokens)
        else:
            line, from_tree = sentence.record
            links = [link for step in derivation.steps for link in step.alignment]
            restored = self.target_steps.restore(tokens, links, line, trees=from_tree)
        return Translation(
            text=restored.text,
            tokens=restored.tokens,
            score=found.score,
            features={name: values[column] for name, column in columns.items()},
            derivation=derivation,
            repairs=restored.repairs,
        )


def _steps(found: _core.Hypothesis, columns: dict[str, int]) -> tuple[Step, ...]:
    return tuple(
        Step(
            tuple(step.positions),
            step.kind,
            None if step.context is None else tuple(step.context),
            tuple(step.target),
            tuple(step.alignment),
            step.count,
            tuple(step.places),
            tuple(step.children),
            tuple(step.labels),
            _features(columns, step.features),
        )
        for step in found.steps
    )


def _features(columns: dict[str, int], values: list[float]) -> dict[str, float]:
    """The values of a step by name. A step that only joins pieces of a long sentence has none."""
    return dict(zip(columns, map(values.__getitem__, columns.values()), strict=True)) if values else {}


def _require_text(number: int, sentence: str) -> None:
    """Reject half of a surrogate pair, which cannot be written as UTF-8."""
    try:
        sentence.encode()
    except UnicodeEncodeError as error:
        found = sentence[error.start]
        raise InputError(
            f"sentence {number + 1} is not text: character {error.start + 1} is half of a surrogate pair ({found!a}).",
            hint="Decode the text anew, from UTF-8.",
        ) from None


def _begins_document(sentence: Sentence) -> bool:
    return isinstance(sentence, Tree) and begins_document(sentence.comments)


def _reopened(
    folder: Path,
    files: dict[str, str],
    search: SearchOptions,
    parser: ParserState | None,
    texts: Mapping[str, TextOptions],
    terms: Mapping[str, Any],
    own: Mapping[str, Any],
) -> Model:
    """A model as it was pickled."""
    model = Model(folder, search=search, parser=parser.given if parser else None)
    if model.manifest.files != files:
        raise InputError(
            "the model was replaced after it was pickled.", file=folder, hint="Open it anew instead of unpickling it."
        )
    steps = {name: dataclasses.replace(getattr(model, name), options=options) for name, options in texts.items()}
    model.__dict__.update(steps)
    model.__dict__.update(own)
    model._terms = model._terms.changed(**steps, **terms)
    if parser is not None and model._parser is not None:
        model._parser = model._parser.with_state(parser)
    model._decoder = model._decoder.reweighted(model._vector())
    return model


def load(
    folder: AnyPath, *, weights: AnyPath | None = None, parser: str | Parser | None = None, **options: Any
) -> Model:
    """Open a model folder.

    Parameters
    ----------
    folder
        The model folder.
    weights
        A weights file to use instead of the model's own.
    parser
        A parser of raw text to use instead of the one remembered from training: its name, or an opened parser.
    **options
        Search options, such as ``stack_size=500``; the others are those set in training.

    Returns
    -------
    Model
        The model, ready to translate.

    Raises
    ------
    InputError
        If the folder is not a model, or its files are damaged.
    OptionError
        If an option is unknown (the message suggests the nearest name), or nothing in the model reads it.

    Examples
    --------
    >>> import graphmt
    >>> model = graphmt.load("pbmt", pop_limit=500)
    >>> model.translate("Er schläft .").text
    'He is sleeping .'
    """
    manifest = Manifest.load(folder)
    search = SearchOptions.from_mapping({**manifest.options.get("search", {}), **options})
    return Model(folder, search=search, weights=weights, parser=parser)
