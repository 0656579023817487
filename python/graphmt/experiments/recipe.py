"""A paper's table, declared: systems, corpora, tuner, seeds, metrics, and what the paper reports."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from graphmt.consensus import ConsensusOptions, RerankOptions
from graphmt.errors import OptionError
from graphmt.evaluate import EvaluateOptions
from graphmt.experiments.corpora import HALVES, HELD_OUT, LEARNT, TEST
from graphmt.experiments.features import Feature
from graphmt.model.weights import checked_weight
from graphmt.options import nearest
from graphmt.reprs import counted
from graphmt.selection import selection_models
from graphmt.systems import system
from graphmt.training import TrainOptions
from graphmt.training.applicable import require_applicable


@dataclasses.dataclass(frozen=True)
class Arm:
    """A system as the experiment tunes and tests it.

    Examples
    --------
    >>> from graphmt.experiments import Arm
    >>> Arm("gaps", "gbmt", extract={"identity": "gaps"}).system
    'gbmt'
    """

    name: str
    #: Arms of one system that extract the same rules share the model.
    system: str
    #: Search options that differ from the defaults.
    search: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    #: Options of extraction that differ from the defaults.
    extract: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    #: Initial weights that differ from the system's.
    start: Mapping[str, float] = dataclasses.field(default_factory=dict)
    #: The arm whose tuned weights it uses, instead of being tuned, to measure a change of the search alone.
    tuned_as: str = ""
    #: Its models of lexical selection.
    selection: tuple[str, ...] = ()
    #: Options of training these models that differ from the defaults, by model.
    training: Mapping[str, Mapping[str, Any]] = dataclasses.field(default_factory=dict)
    #: For an external system: the folder, within the data, of its lists CORPUS.PART.nbest.gz.
    lists: str = ""
    #: For an arm that re-ranks: the arm whose n-best lists it uses, and the options of re-ranking.
    over: str = ""
    rerank: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    #: For an arm that decodes with consensus: the options of consensus; ``over`` is the arm whose model it uses.
    consensus: Mapping[str, Any] | None = None
    #: Its own features, added to those of its model.
    features: tuple[Feature, ...] = ()

    def __post_init__(self) -> None:
        require_file_name("the name of an arm", self.name)
        try:
            self._require_acting()
        except OptionError as error:
            raise OptionError(f"arm {self.name}: {error.message}", hint=error.hint) from None

    def _require_acting(self) -> None:
        """Reject options that nothing reads."""
        if self.rerank and (not self.over or self.consensus is not None):
            raise OptionError("rerank: it re-ranks nothing.", hint="Name in over the arm whose lists it re-ranks.")
        if self.consensus is not None and not self.over:
            raise OptionError("consensus: it has no model.", hint="Name in over the arm whose model it uses.")
        if not self.has_model:
            for name in ("search", "extract", "start", "tuned_as", "selection", "training", "features"):
                if getattr(self, name):
                    owner = f"arm {self.over}" if self.over else f"the lists {self.lists}"
                    raise OptionError(f"{name}: it has no model of its own.", hint=f"It uses {owner}.")
            RerankOptions.from_mapping(self.rerank)
            ConsensusOptions.from_mapping(self.consensus or {})
            return
        if any("threads" in stage for stage in (self.extract, *self.training.values())):
            raise OptionError("threads: they are those of the experiment.", hint="Give --threads.")
        for name, weight in self.start.items():
            checked_weight(name, weight)
        stages = {"extract": self.extract, "search": self.search, **self.training}
        require_applicable(system(self.system), selection_models(self.selection), TrainOptions.of(stages))

    @property
    def has_model(self) -> bool:
        """Whether it is trained and tuned, not external."""
        return not (self.lists or self.over)

    @property
    def stands_on(self) -> tuple[str, ...]:
        """The arms whose lists, model or weights it uses."""
        return tuple(name for name in (self.over, self.tuned_as) if name)

    @property
    def model(self) -> str:
        """The name of the model: that of the system and its lexical selection, and how its rules were extracted and its
        lexical selection trained if not as by default."""
        system = "+".join([self.system, *sorted(self.selection)])
        training = (one for _, options in sorted(self.training.items()) for one in sorted(options.items()))
        changed = [*sorted(self.extract.items()), *training]
        return "-".join([system, *(f"{name}-{value}" for name, value in changed)])


@dataclasses.dataclass(frozen=True)
class Claim:
    """A gain that the paper reports: BLEU of an arm over another, by language pair.

    Examples
    --------
    >>> from graphmt.experiments import Claim
    >>> Claim("gbmt", "pbmt", {"de-en": 0.4}).gain
    {'de-en': 0.4}
    """

    arm: str
    over: str
    gain: Mapping[str, float]


@dataclasses.dataclass(frozen=True)
class Ablation:
    """Arms with labels; differences are relative to the first.

    Examples
    --------
    >>> from graphmt.experiments import Ablation
    >>> Ablation("Kinds of rules", (("all", "gbmt-ctx"), ("basic only", "basic"))).title
    'Kinds of rules'
    """

    title: str
    rows: tuple[tuple[str, str], ...]
    #: What differs between the rows, as the head of their labels.
    varied: str = "variant"


#: The kinds of rules in a table of shares.
KINDS = ("basic", "segmenting", "selecting")


@dataclasses.dataclass(frozen=True)
class RuleShares:
    """A table of rule counts by kind, next to the paper's shares.

    Examples
    --------
    >>> from graphmt.experiments import RuleShares
    >>> RuleShares({"basic": "61 %"}).paper
    {'basic': '61 %'}
    """

    #: By kind, as printed in the paper.
    paper: Mapping[str, str]


@dataclasses.dataclass(frozen=True)
class Recipe:
    """The declaration of an experiment. The first arm is the baseline.

    Examples
    --------
    >>> from graphmt.experiments import Arm, Recipe
    >>> Recipe("identity", "when source sides are equal", "ours", (Arm("links", "gbmt"),), ("multi30k-de-en",))
    Recipe('identity', 1 arm, corpora=('multi30k-de-en',))
    """

    name: str
    #: One line for ``graphmt experiment --list``.
    summary: str
    paper: str
    arms: tuple[Arm, ...]
    corpora: tuple[str, ...]
    tuner: str = "mira"
    seeds: int = 3
    metrics: tuple[str, ...] = ("bleu", "chrf", "ter")
    #: Metrics that are added where their program is installed.
    extra_metrics: tuple[str, ...] = ()
    claims: tuple[Claim, ...] = ()
    ablations: tuple[Ablation, ...] = ()
    rule_shares: RuleShares | None = None
    #: Whether to add a table of reordering statistics.
    movement: bool = False
    #: The part to score: ``test``; ``held-out``, for choices that must not depend on test scores: dev, each half
    #: translated with weights tuned on the other; or ``dev`` itself.
    part: str = "test"
    #: Arms that appear only in ablations, not in the table of scores.
    ablation_only: tuple[str, ...] = ()
    #: The test sets of each corpus, by the beginning of their files' names.
    test: tuple[str, ...] = (TEST,)

    def __post_init__(self) -> None:
        try:
            self._require_whole()
        except OptionError as error:
            raise OptionError(f"recipe {self.name}: {error.message}", hint=error.hint) from None
        known = [arm.name for arm in self.arms]
        if len(set(known)) < len(known):
            raise OptionError(f"recipe {self.name}: two arms have the same name.")
        named = [c.arm for c in self.claims] + [c.over for c in self.claims] + list(self.ablation_only)
        named += [arm for ablation in self.ablations for _, arm in ablation.rows]
        named += [name for arm in self.arms for name in arm.stands_on]
        self._check(named)
        for number, arm in enumerate(self.arms):
            self._require_base(arm, known[:number])

    def __repr__(self) -> str:
        return f"Recipe({self.name!r}, {counted(len(self.arms), 'arm')}, corpora={self.corpora})"

    def _require_whole(self) -> None:
        require_file_name("the name of a recipe", self.name)
        EvaluateOptions(metrics=(*self.metrics, *self.extra_metrics))
        if not self.arms:
            raise OptionError("it has no arms.")
        if self.part not in (TEST, HELD_OUT, "dev"):
            raise OptionError(f"unknown part {self.part!r}{nearest(self.part, (TEST, HELD_OUT, 'dev'))}.")
        if self.part != TEST and self.test != (TEST,):
            raise OptionError(f"test: nothing is tested with the part {self.part}.", hint="Leave out one of them.")
        if not self.test or len(set(self.test)) < len(self.test):
            raise OptionError("test: different names of test sets were expected, at least one.")
        for name in self.test:
            require_file_name("the name of a test set", name)
            if name in (*LEARNT, *HALVES, HELD_OUT):
                raise OptionError(f"test: {name} is no test set.")

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts of each corpus to score."""
        return self.test if self.part == TEST else (self.part,)

    def _require_base(self, arm: Arm, before: Sequence[str]) -> None:
        """Reject an arm over one that comes later, or that does not have what this one uses."""
        for base in map(self.arm, arm.stands_on):
            about = f"recipe {self.name}: arm {arm.name} uses arm {base.name}"
            if base.name not in before:
                raise OptionError(f"{about}, which must come before it.")
            if not base.has_model and (arm.tuned_as or arm.consensus is not None or not base.lists):
                raise OptionError(f"{about}, which has no model of its own.")
            if arm.tuned_as and arm.features != base.features:
                raise OptionError(f"{about}, which has other features.", hint="Its weights would not fit.")

    def _check(self, names: Sequence[str]) -> None:
        known = [arm.name for arm in self.arms]
        for name in names:
            if name not in known:
                raise OptionError(f"recipe {self.name}: unknown arm {name!r}{nearest(name, known)}.")

    def arm(self, name: str) -> Arm:
        """The arm of a name."""
        return next(arm for arm in self.arms if arm.name == name)

    def only(self, names: Sequence[str]) -> Recipe:
        """The recipe with only these arms, the baseline, and the arms whose lists or weights they use."""
        self._check(names)
        wanted = {self.arms[0].name, *names}
        wanted |= {name for arm in self.arms if arm.name in wanted for name in arm.stands_on}
        rows = [
            dataclasses.replace(one, rows=tuple(row for row in one.rows if row[1] in wanted)) for one in self.ablations
        ]
        return dataclasses.replace(
            self,
            arms=tuple(arm for arm in self.arms if arm.name in wanted),
            claims=tuple(claim for claim in self.claims if {claim.arm, claim.over} <= wanted),
            ablations=tuple(one for one in rows if len(one.rows) > 1),
            ablation_only=tuple(name for name in self.ablation_only if name in wanted),
        )

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for the record of a run."""
        # Records call this field ``aside``.
        return {"aside" if name == "ablation_only" else name: value for name, value in dataclasses.asdict(self).items()}


def require_file_name(what: str, name: str) -> None:
    """Reject names that cannot be part of a file's name."""
    if not name.strip() or any(letter in "/\\\0\n" for letter in name) or name.startswith("."):
        raise OptionError(f"{what} cannot be {name!r}.", hint="It becomes part of the names of files.")
