"""Options of training: those of every stage."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Mapping
from typing import Any

from graphmt.align import AlignOptions
from graphmt.corpus import ParseOptions, TextOptions, TextSteps
from graphmt.corpus.steps import CASES
from graphmt.errors import OptionError
from graphmt.lm import LmOptions
from graphmt.model import SearchOptions
from graphmt.model.layout import SOURCE_STEPS
from graphmt.options import Options, nearest, option
from graphmt.reorder import ReorderOptions
from graphmt.rules import ExtractOptions
from graphmt.selection import DwlOptions, GmOptions, LrsmOptions, OrderOptions, TsmOptions
from graphmt.tune import TuneOptions

#: Source and target language where neither the user nor the files name any.
USUAL_LANGUAGES = ("de", "en")


@dataclasses.dataclass(frozen=True)
class SidesOptions(Options):
    """The languages of a corpus and how its words are prepared.

    Examples
    --------
    >>> from graphmt.training import SidesOptions
    >>> SidesOptions(source_language="fr", tokenise=True)
    SidesOptions(source_language='fr', tokenise=True)
    """

    source_language: str | None = option(
        None, "Source language, which selects the tokenisation rules; by default as the files say, or de.", unit="code"
    )
    target_language: str | None = option(
        None, "Target language, which selects the tokenisation rules; by default as the files say, or en.", unit="code"
    )
    case: str = option(
        "auto",
        "Case of words on both sides. lower: fewest distinct words, capitals are restored as the target side has them; "
        "true: truecase sentence starts; none: unchanged; auto: true for text that is found to be raw, else lower.",
        choices=("auto", *CASES),
    )
    tokenise: bool | None = option(
        None,
        "Tokenise both sides, and detokenise the output; off for text that is tokenised already. By default the files "
        "tell: text is raw if more punctuation is attached to words than is not.",
    )
    protect: str = option(
        "auto",
        "Text that must not change: each item is one typed token in training, and the output has the source's own. "
        "auto: everything in raw text, else nothing; none; or some of variables,tags,addresses,numbers.",
    )
    protect_patterns: tuple[str, ...] = option(
        (),
        "More text to protect: regular expressions, without look-around and back-references. They apply even if "
        "protect is none.",
    )

    def steps(self, side: str) -> TextSteps:
        """The declared steps of one side; what is left open is as for tokenised text."""
        own, usual = (
            (self.source_language, USUAL_LANGUAGES[0])
            if side == SOURCE_STEPS
            else (self.target_language, USUAL_LANGUAGES[1])
        )
        case = "lower" if self.case == "auto" else self.case
        return TextSteps(TextOptions(bool(self.tokenise), own or usual, case, self.protect, self.protect_patterns))

    def settled(self, raw: bool) -> SidesOptions:
        """The options with nothing left open, for raw or for tokenised text."""
        case = ("true" if raw and self.tokenise is None else "lower") if self.case == "auto" else self.case
        return self.replace(tokenise=raw if self.tokenise is None else self.tokenise, case=case)


@dataclasses.dataclass(frozen=True)
class TrainOptions:
    """The options of every stage of training, by stage.

    Examples
    --------
    >>> import graphmt
    >>> graphmt.TrainOptions(lm=graphmt.lm.LmOptions(order=3))
    TrainOptions(lm=LmOptions(order=3))
    >>> graphmt.TrainOptions.of({"align": {"model": "hmm"}, "tune": {"seed": 2}})
    TrainOptions(align=AlignOptions(model='hmm'), tune=TuneOptions(seed=2))
    """

    sides: SidesOptions = dataclasses.field(default_factory=SidesOptions)
    parse: ParseOptions = dataclasses.field(default_factory=ParseOptions)
    align: AlignOptions = dataclasses.field(default_factory=AlignOptions)
    lm: LmOptions = dataclasses.field(default_factory=LmOptions)
    extract: ExtractOptions = dataclasses.field(default_factory=ExtractOptions)
    reorder: ReorderOptions = dataclasses.field(default_factory=ReorderOptions)
    search: SearchOptions = dataclasses.field(default_factory=SearchOptions)
    gm: GmOptions = dataclasses.field(default_factory=GmOptions)
    lrsm: LrsmOptions = dataclasses.field(default_factory=LrsmOptions)
    dwl: DwlOptions = dataclasses.field(default_factory=DwlOptions)
    order: OrderOptions = dataclasses.field(default_factory=OrderOptions)
    tsm: TsmOptions = dataclasses.field(default_factory=TsmOptions)
    tune: TuneOptions = dataclasses.field(default_factory=TuneOptions)

    def __repr__(self) -> str:
        stages = ((field.name, getattr(self, field.name)) for field in dataclasses.fields(self))
        return f"TrainOptions({', '.join(f'{name}={one!r}' for name, one in stages if one != type(one)())})"

    @classmethod
    def of(cls, given: TrainOptions | Mapping[str, Mapping[str, Any] | Options] | None) -> TrainOptions:
        """The options in any form that :func:`train` takes; unknown stages and options are rejected."""
        if isinstance(given, TrainOptions):
            return given
        if given is not None and not isinstance(given, Mapping):
            raise OptionError(
                f"options are TrainOptions or a mapping from stages to their options, not {type(given).__name__!r}.",
                hint='For example options={"lm": {"order": 4}}.',
            )
        classes: dict[str, type[Options]] = typing.get_type_hints(cls)
        made: dict[str, Any] = {}
        for name, values in (given or {}).items():
            if name not in classes:
                raise OptionError(f"training has no stage {name!r}{nearest(name, classes)}.")
            if isinstance(values, Mapping):
                made[name] = classes[name].from_mapping(values)
            elif isinstance(values, classes[name]):
                made[name] = values
            else:
                raise OptionError(
                    f"the options of {name} are {classes[name].__name__} or a mapping, not {type(values).__name__!r}."
                )
        return dataclasses.replace(cls(), **made)

    def as_dict(self) -> dict[str, dict[str, Any]]:
        """The options by stage, as a manifest keeps them."""
        return {field.name: getattr(self, field.name).as_dict() for field in dataclasses.fields(self)}

    def on_threads(self, threads: int) -> TrainOptions:
        """The same with so many threads for every stage that does not say how many."""
        stages = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        open_ = {name: one for name, one in stages.items() if getattr(one, "threads", None) == 0}
        return dataclasses.replace(self, **{name: one.replace(threads=threads) for name, one in open_.items()})
