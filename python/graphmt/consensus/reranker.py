"""Re-rankers: tuned weights, applied to new lists."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import graphmt
from graphmt.consensus.candidates import Candidates, Values, feature_names, weighted
from graphmt.consensus.options import RerankOptions
from graphmt.errors import InputError, OptionError
from graphmt.options import nearest, plain_names
from graphmt.reprs import counted
from graphmt.storage.files import AnyPath, writing
from graphmt.storage.formats import MALFORMED, read_json

#: The version of the file format.
VERSION = 1

#: Untuned weights of the consensus features, relative to the model's log-posterior.
UNTUNED = {"gc1": 1.0, "gc2": 0.5, "gc3": 0.1, "gc4": 0.1}

#: Options that may differ from those used in tuning. (Only sentences within a chunk are connected.)
_RUNNING = ("threads", "chunk", "per_sentence")


def added_names(options: RerankOptions) -> tuple[str, ...]:
    """The columns that re-ranking with these options adds to the lists."""
    if options.method == "none":
        return ()
    return feature_names(options.features) if options.method == "g-rerank" else (options.method,)


def uses_neighbours(options: RerankOptions) -> bool:
    """Whether similar sentences are used."""
    return options.method == "struct-lp" or (options.method == "g-rerank" and "gc" in options.features)


def require_new(features: Sequence[str], options: RerankOptions) -> None:
    """Reject lists that already have columns with the names of added ones."""
    if known := [name for name in added_names(options) if name in features]:
        raise InputError(
            f"the lists have the columns {', '.join(known)}, which re-ranking adds itself.", hint="Remove them."
        )


@dataclasses.dataclass(frozen=True)
class Ranked:
    """The result of re-ranking some lists."""

    #: Scores of all candidates, concatenated.
    scores: Values
    #: The features that were added, by name.
    added: dict[str, Values]


@dataclasses.dataclass(frozen=True)
class Reranker:
    """Options, scale and weights. ``stages`` are the weights of each turn of Algorithm 1, without consensus first.

    Consensus features need posteriors, and posteriors need weights, so new lists go through the same turns as the
    development set.

    Examples
    --------
    >>> from graphmt.consensus import RerankOptions, Reranker
    >>> Reranker.untuned(("score", "lm"), RerankOptions())
    Reranker('g-rerank', 11 weights)
    """

    options: RerankOptions
    #: The features of the lists that it was tuned for, the score first.
    features: tuple[str, ...]
    scale: float
    stages: tuple[Mapping[str, float], ...]
    #: BLEU of the development set with each of the stages.
    bleu: tuple[float, ...] = ()

    def __repr__(self) -> str:
        tuned = f", dev BLEU {self.bleu[-1]:.2f}" if self.bleu else ""
        return f"Reranker({self.options.method!r}, {counted(len(self.stages[-1]), 'weight')}{tuned})"

    @classmethod
    def untuned(cls, features: tuple[str, ...], options: RerankOptions) -> Reranker:
        """The model's posterior and consensus, combined with fixed weights."""
        require_new(features, options)
        scale = 1.0 if options.scale is None else options.scale
        names = feature_names(options.features) if options.method == "g-rerank" else ()
        base = {name: float(name == options.score) for name in features}
        mixture = {name: scale * weight for name, weight in base.items()}
        mixture |= {name: UNTUNED.get(name, 0.0) for name in names}
        return cls(options, features, scale, (base, mixture) if names else (base,))

    def rank(self, candidates: Candidates) -> Ranked:
        """Scores of new lists."""
        self._check(candidates)
        method = self.options.method
        scores = weighted(candidates.values, self.features, self.stages[0])
        if method == "none":
            return Ranked(scores, {})
        if method != "g-rerank":
            found = direct(candidates, candidates.posterior(candidates.scores, self.scale), method)
            return Ranked(found, {method: found})
        names = feature_names(self.options.features)
        added: dict[str, Values] = {}
        for weights in self.stages[1:]:
            consensus = candidates.consensus(candidates.posterior(scores, self.scale))
            values = np.hstack([candidates.values, consensus])
            scores = weighted(values, (*self.features, *names), weights)
            added = dict(zip(names, consensus.T, strict=True))
        return Ranked(scores, added)

    def _check(self, candidates: Candidates) -> None:
        if candidates.features != self.features:
            raise InputError(
                f"lists with the columns {', '.join(candidates.features)}; the re-ranker was tuned on "
                f"{', '.join(self.features)}.",
                hint="Tune it on lists of the same system.",
            )

    def save(self, path: AnyPath) -> None:
        """Write it as JSON."""
        content = {
            "graphmt reranker": VERSION,
            "version": graphmt.__version__,
            "options": {name: value for name, value in self.options.as_dict().items() if name not in _RUNNING},
            "features": self.features,
            "scale": self.scale,
            "bleu": self.bleu,
            "stages": [dict(weights) for weights in self.stages],
        }
        with writing(path) as stream:
            json.dump(content, stream, ensure_ascii=False, indent=2)
            stream.write("\n")

    @classmethod
    def load(cls, path: AnyPath, **running: Any) -> Reranker:
        """Read a re-ranker; ``running`` are options that do not affect tuning (threads, chunk, per_sentence).

        Other options are rejected unless they have the values used in tuning.
        """
        path = Path(path)
        try:
            content = read_json(path)
            if (version := content["graphmt reranker"]) != VERSION:
                said = f"version {str(version)[:20]} of a re-ranker; this graphmt reads {VERSION}."
                raise InputError(said, file=path)
            saved = RerankOptions.from_mapping(content["options"], file=str(path))
            _require_same(saved, plain_names(running), path)
            options = saved.replace(**plain_names(running))
            stages = tuple({str(k): float(v) for k, v in stage.items()} for stage in content["stages"])
            features = tuple(map(str, content["features"]))
            added = feature_names(options.features) if options.method == "g-rerank" else ()
            wanted = [set(features), *({*features, *added} for _ in stages[1:])]
            if [set(stage) for stage in stages] != wanted or options.score not in features:
                raise ValueError
            scale = float(content["scale"])
            if not all(map(math.isfinite, [scale, *(value for stage in stages for value in stage.values())])):
                raise ValueError
            return cls(options, features, scale, stages, tuple(map(float, content["bleu"])))
        except OSError:
            raise InputError("no such file, or it cannot be read.", file=path) from None
        except MALFORMED:
            raise InputError("not a re-ranker, or damaged.", file=path) from None


def _require_same(saved: RerankOptions, running: Mapping[str, Any], path: Path) -> None:
    known = saved.as_dict()
    for name in running:
        if name not in known:
            raise OptionError(f"unknown option {name!r}{nearest(name, known)}.")
    if other := [name for name, value in running.items() if name not in _RUNNING and value != known[name]]:
        flags = ", ".join(f"--{name.replace('_', '-')}" for name in other)
        raise OptionError(
            f"the re-ranker was tuned with another {flags}.",
            file=path,
            hint="Leave the option out, or tune again.",
        )


def direct(candidates: Candidates, posterior: Values, method: str) -> Values:
    """Scores without weights: Struct-LP, or the expected gain of MBR."""
    if method == "struct-lp":
        return candidates.propagated(candidates.made_graph(("bleu",)), posterior)[:, 0]
    return candidates.core.expected_gain(posterior, method.removeprefix("mbr-"), threads=candidates.options.threads)
