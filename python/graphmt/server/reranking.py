"""Re-ranking n-best lists for clients, with what supported each choice."""

from __future__ import annotations

import dataclasses
from typing import Any

from graphmt.consensus import RerankOptions
from graphmt.consensus.plain_lists import rerank_explained
from graphmt.server.schemas import RerankIn
from graphmt.server.served import ServedModels


def reranked(models: ServedModels, asked: RerankIn) -> list[dict[str, Any]]:
    """The choices for some lists, as JSON."""
    if asked.memory is not None:
        pairs = [(one["source"], one["target"]) for one in asked.memory]
    else:
        pairs = next(one.memory.pairs for one in models if one.memory is not None)
    options = RerankOptions(threads=1) if asked.features is None else RerankOptions(features=asked.features, threads=1)
    found = rerank_explained(
        [one.source for one in asked.lists],
        [[(each["text"], each.get("score")) for each in one.candidates] for one in asked.lists],
        memory=pairs,
        options=options,
    )
    made = []
    for one, (choice, why) in zip(asked.lists, found, strict=True):
        made.append(
            {
                "source": one.source,
                "chosen": choice.best,
                "place": choice.places[0] + 1,
                "order": choice.places,
                "scores": choice.scores,
                "ngrams": [dataclasses.asdict(ngram) for ngram in why.ngrams] if why else [],
                "neighbours": [dataclasses.asdict(neighbour) for neighbour in why.support] if why else [],
                "groups": dict(why.groups) if why else {},
            }
        )
    return made
