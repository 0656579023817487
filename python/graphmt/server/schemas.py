"""The JSON of requests and answers, for validation and for the OpenAPI description."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ModelWrapValidatorHandler,
    ValidationError,
    model_validator,
    with_config,
)
from pydantic_core import PydanticCustomError
from typing_extensions import NotRequired, Self, TypedDict

#: Faults of a body that are reported one by one.
MOST_FAULTS = 100
#: Half of a surrogate pair is refused, as in every constrained field: it cannot be written as UTF-8.
Text = Annotated[str, Field(max_length=1_000_000)]
Name = Annotated[str, Field(min_length=1, max_length=100)]


class Request(BaseModel):
    """A body; unknown fields are rejected."""

    model_config = ConfigDict(extra="forbid")


class WholeRequest(Request):
    """The whole body. A body with very many faults has one: to report each of them takes long."""

    @model_validator(mode="wrap")
    @classmethod
    def _limit_faults(cls, given: Any, validated: ModelWrapValidatorHandler[Self]) -> Self:
        # Names are counted first: the validator makes an error for each.
        number = sum(name not in cls.model_fields for name in given) if isinstance(given, dict) else 0
        if number <= MOST_FAULTS:
            try:
                return validated(given)
            except ValidationError as error:
                if error.error_count() <= MOST_FAULTS:
                    raise
                number = error.error_count()
        raise PydanticCustomError("faults", "{number} fields are malformed or unknown", {"number": number})


class TermIn(Request):
    """A term of an inline glossary."""

    source: Annotated[str, Field(min_length=1, max_length=500, examples=["Drucker"])]
    target: Annotated[str, Field(min_length=1, max_length=500, examples=["printer"])]
    usage: Literal["required", "preferred", "forbidden"] = "required"


class FixedIn(Request):
    """A span of a sentence, by tokens, with the translation that it must have."""

    sentence: Annotated[int, Field(ge=0, description="The sentence, from 0.")] = 0
    first: Annotated[int, Field(ge=0, description="The first token, from 0.")]
    end: Annotated[int, Field(ge=1, description="The token after the last.")]
    target: Annotated[str, Field(min_length=1, max_length=500)]


class SourceIn(WholeRequest):
    """The text of a request: exactly one of ``text`` and ``conllu``."""

    model: Annotated[Name | None, Field(description="A name of /v1/models; the first model by default.")] = None
    conllu: Annotated[
        Text | None, Field(description="Sentences with dependency trees, instead of text; systems that need trees.")
    ] = None
    tokenised: Annotated[
        bool,
        Field(
            description="The text is tokenised already. Otherwise a model that was trained on tokens gets them here."
        ),
    ] = False
    # Defaults that can be changed would be copied for each request.
    glossary: Annotated[list[TermIn], Field(default_factory=list, max_length=1000)]
    selection: Annotated[bool, Field(description="Use the model's lexical selection, if it has any.")] = True
    consensus: Annotated[bool, Field(description="Decode with consensus; the model must have it.")] = False
    memory: Annotated[bool, Field(description="Use the server's translation memory, if there is one.")] = True
    api_key: Annotated[str | None, Field(max_length=500)] = None


class TranslateIn(SourceIn):
    """A request for translations."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [{"text": "Er schläft. Sie nicht.", "n_best": 2, "derivations": ["json"], "confidence": True}]
        },
    )

    text: Annotated[
        Text | Annotated[list[Text], Field(max_length=10_000)] | None,
        Field(description="A text, which is split into sentences, or a list of sentences."),
    ] = None
    n_best: Annotated[int, Field(ge=1, le=1000)] = 1
    distinct: Annotated[bool, Field(description="Only translations that differ as text.")] = True
    derivations: Annotated[
        list[Literal["json", "svg"]],
        Field(default_factory=list, max_length=2, description="Derivations as steps, as a picture, or both."),
    ]
    confidence: bool = False
    fixed: Annotated[list[FixedIn], Field(default_factory=list, max_length=1000)]


class ExplainIn(SourceIn):
    """A request to explain the translation of one sentence."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [{"text": "Er schläft.", "fixed": [{"first": 1, "end": 2, "target": "sleeps"}]}]
        },
    )

    text: Text | None = None
    n_best: Annotated[int, Field(ge=1, le=100, description="Other translations to list.")] = 5
    alternatives: Annotated[
        int | None,
        Field(ge=0, le=100, description="Alternatives to list for each span; 5 with ``span``, otherwise none."),
    ] = None
    span: Annotated[
        tuple[int, int] | None, Field(description="Alternatives for these tokens only: the first, and after the last.")
    ] = None
    neighbours: Annotated[int, Field(ge=0, le=50, description="Similar sentences of the memory to list.")] = 5
    fixed: Annotated[list[FixedIn], Field(default_factory=list, max_length=1000)]


@with_config(ConfigDict(extra="forbid"))
class CandidateIn(TypedDict):
    """A translation with its score. There are many of them: dictionaries are made faster than objects of a class."""

    text: Text
    score: NotRequired[Annotated[float | None, Field(allow_inf_nan=False, ge=-1e9, le=1e9)]]


class ListIn(Request):
    """The n-best list of a source sentence."""

    source: Text
    candidates: Annotated[list[CandidateIn], Field(min_length=1, max_length=1000)]


@with_config(ConfigDict(extra="forbid"))
class PairIn(TypedDict):
    """A pair of a translation memory."""

    source: Text
    target: Text


class RerankIn(WholeRequest):
    """N-best lists of any system, and a translation memory."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {
                    "lists": [
                        {
                            "source": "wie geht ' s , wie steht ' s ?",
                            "candidates": [
                                {"text": "how 's it going to stand ?", "score": -4.2},
                                {"text": "how 's it going ?", "score": -4.6},
                            ],
                        }
                    ],
                    "memory": [{"source": "hallo , wie geht ' s ?", "target": "hi , how 's it going ?"}],
                    "features": "gc",
                }
            ]
        },
    )

    lists: Annotated[list[ListIn], Field(min_length=1, max_length=1000)]
    memory: Annotated[
        list[PairIn] | None, Field(max_length=100_000, description="Pairs; null: the server's memory.")
    ] = None
    features: Annotated[
        str | None, Field(max_length=100, description="As graphmt rerank --features; null: chosen by the memory.")
    ] = None
    api_key: Annotated[str | None, Field(max_length=500)] = None


class ErrorOut(BaseModel):
    """Why a request was refused."""

    error: str
    hint: str | None = None


class StepOut(BaseModel):
    """One rule of a derivation; positions and places count from 0."""

    positions: list[int]
    kind: str
    context: list[int] | None
    target: list[str]
    alignment: list[tuple[int, int]]
    count: float
    places: list[int]
    children: list[int]
    labels: list[str]
    span: tuple[int, int]
    rule: str


class DerivationOut(BaseModel):
    """The steps of a translation; those of a chart form a tree whose root is the first."""

    source: list[str]
    target: list[str]
    heads: list[int]
    is_tree: bool
    steps: list[StepOut]


class MatchOut(BaseModel):
    """A pair of the translation memory."""

    source: str
    target: str
    similarity: float
    taken: bool
    contradicts: str | None


class TranslationOut(BaseModel):
    """A translation."""

    text: str
    tokens: list[str]
    score: float
    features: dict[str, float]
    alignment: list[tuple[int, int]]
    repairs: list[str]
    memory: MatchOut | None
    derivation: DerivationOut | None = None
    svg: str | None = None


class SourceOut(BaseModel):
    """The tokens of a sentence with its dependency tree; empty lists where there is none."""

    tokens: list[str]
    heads: list[int]
    deprels: list[str]
    upos: list[str]


class ConfidenceOut(BaseModel):
    """posterior: the share of the best translation in the 50 best; unknown: the share of unknown words."""

    value: float
    posterior: float
    unknown: float


class SentenceOut(BaseModel):
    """A sentence with its translations, the best first."""

    text: str
    source: SourceOut
    translations: list[TranslationOut]
    confidence: ConfidenceOut | None


class TranslateOut(BaseModel):
    """The answer of /v1/translate."""

    model: str
    version: str
    translation: str | list[str]
    sentences: list[SentenceOut]


class DifferenceOut(BaseModel):
    """A feature of two translations: the weighted difference, positive if the first one gains."""

    feature: str
    weight: float
    value: float
    other: float
    difference: float


class InsteadOut(BaseModel):
    """A step of the runner-up over the same words."""

    positions: list[int]
    target: list[str]
    kind: str
    rule: str


class RunnerUpOut(BaseModel):
    """The best translation that does without a step's rule."""

    text: str
    score: float
    steps: list[InsteadOut]
    differences: list[DifferenceOut]


class StepScoreOut(BaseModel):
    """What a step adds to the score."""

    features: dict[str, float]
    score: float
    runner_up: RunnerUpOut | None


class ExplainedTranslationOut(TranslationOut):
    """A translation with the features of each step."""

    steps: list[StepScoreOut]
    sentence_features: dict[str, float]
    sentence_score: float


class AlternativeOut(BaseModel):
    """A translation of a span; ``rule`` is null where several rules derive it."""

    target: list[str]
    text: str
    score: float
    rule: str | None
    kind: str
    features: dict[str, float]
    chosen: bool


class SpanOut(BaseModel):
    """A span with its alternatives, the best first; those that are fixable can be sent back as ``fixed``."""

    first: int
    end: int
    positions: list[int]
    fixable: bool
    options: list[AlternativeOut]


class FixedOut(BaseModel):
    """What fixed spans changed: differences are those of the translation with them and the one without."""

    spans: list[dict[str, Any]]
    without: TranslationOut
    differences: list[DifferenceOut]


class NeighbourOut(BaseModel):
    """A similar pair of the translation memory."""

    source: str
    target: str
    similarity: float


class ConsensusNeighbourOut(BaseModel):
    """A similar source of the consensus memory with its translations and their probabilities."""

    source: str
    similarity: float
    translations: list[tuple[str, float]]


class ConsensusOut(BaseModel):
    """The translation with consensus, and the neighbours of the sentence."""

    text: str
    neighbours: list[ConsensusNeighbourOut]


class SelectionOut(BaseModel):
    """The translations with and without lexical selection, and its graphs."""

    models: list[str]
    features: dict[str, dict[str, float]]
    with_: Annotated[str, Field(alias="with")]
    without: str
    graphs: list[dict[str, Any]]


class ExplainOut(BaseModel):
    """The answer of /v1/explain."""

    model: str
    version: str
    system: str
    text: str
    source: SourceOut
    links: list[tuple[int, int]]
    weights: dict[str, float]
    translation: ExplainedTranslationOut
    others: list[TranslationOut]
    confidence: ConfidenceOut
    alternatives: list[SpanOut]
    fixed: FixedOut | None
    selection: SelectionOut | None
    consensus: ConsensusOut | None
    neighbours: list[NeighbourOut] | None
    memory: MatchOut | None


class ModelOut(BaseModel):
    """A served model."""

    name: str
    version: str
    system: str
    summary: str
    source: str
    target: str
    input: Annotated[list[Literal["text", "conllu"]], Field(description="What the model translates.")]
    raw: Annotated[bool, Field(description="Trained on raw text; otherwise text is tokenised for it.")]
    parser: str | None
    chart: bool
    selection: list[str]
    consensus: bool
    memory: int
    weights: dict[str, float]
    graphmt: str


class ModelsOut(BaseModel):
    """The answer of /v1/models."""

    models: list[ModelOut]


class ChoiceOut(BaseModel):
    """The candidates of a sentence in their new order, and what supported the choice."""

    source: str
    chosen: str
    place: Annotated[int, Field(description="Its rank in the list that was sent, from 1.")]
    order: Annotated[list[int], Field(description="The places of all candidates, from 0, the best first.")]
    scores: list[float]
    ngrams: list[dict[str, Any]]
    neighbours: list[dict[str, Any]]
    groups: dict[str, float]


class RerankOut(BaseModel):
    """The answer of /v1/rerank."""

    choices: list[ChoiceOut]
