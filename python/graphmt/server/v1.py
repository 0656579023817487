"""The server's own routes: /v1/models, /v1/translate, /v1/explain and /v1/rerank."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response

from graphmt.corpus import Tree
from graphmt.corpus.conllu import parse_conllu
from graphmt.glossary import Glossary, Term
from graphmt.model import FixedSpan
from graphmt.model.model import Sentence
from graphmt.server import schemas
from graphmt.server.bodies import json_routes, read
from graphmt.server.context import Context, json_answer, json_bytes, long_json
from graphmt.server.describe import sentence_json
from graphmt.server.direct import Endpoint
from graphmt.server.explanation import Question, explanation
from graphmt.server.guard import Scope
from graphmt.server.refusals import Refused
from graphmt.server.reranking import reranked
from graphmt.server.segments import Segments
from graphmt.server.served import OpenedModel
from graphmt.server.work import Settings, Translated, size_of

#: The statuses of refusals, for the OpenAPI description.
REFUSALS: dict[int | str, dict[str, Any]] = {
    status: {"model": schemas.ErrorOut, "description": about}
    for status, about in {
        400: "The body is not JSON.",
        403: "An API key is missing or unknown.",
        404: "There is no such model.",
        408: "The body did not arrive in time.",
        413: "The body is too large.",
        422: "The request cannot be processed: a field is malformed, a sentence is too long, …",
        429: "The client has too many requests in progress; see Retry-After.",
        500: "An unexpected error.",
        503: "The queue is full, or the server is stopping; see Retry-After.",
        504: "The request took too long; see Retry-After.",
    }.items()
}


def router(context: Context) -> APIRouter:
    """The routes."""
    made = APIRouter(prefix="/v1", tags=["graphmt"], route_class=json_routes(context))

    @made.get("/models", response_model=schemas.ModelsOut, responses=_only(403, 429, 500), summary="Served models")
    async def models(request: Request) -> Response:
        """The models with their versions: digests that change when a model is replaced."""
        context.require_key(request.scope)
        return json_answer({"models": [_model(one) for one in context.models]})

    @made.post("/translate", response_model=schemas.TranslateOut, responses=REFUSALS, summary="Translate")
    async def translate(request: Request, body: schemas.TranslateIn) -> Response:
        """Translate a text, a list of sentences or trees, with n-best lists and derivations."""
        return Response(await _translate(context, request.scope, body), media_type="application/json")

    @made.post("/explain", response_model=schemas.ExplainOut, responses=REFUSALS, summary="Explain a translation")
    async def explain(request: Request, body: schemas.ExplainIn) -> Response:
        """Translate one sentence, with the features of every step, runners-up and, if asked for, alternatives."""
        context.require_key(request.scope, body.api_key)
        work, opened = context.work(request.scope), context.models.get(body.model, of_text=body.conllu is None)
        settings, fixed = _settings(body, {}), _by_sentence(body.fixed, 1).get(0, ())

        def unit() -> tuple[int, bytes]:
            sentence = _one_sentence(context, body)
            work.require_fit(opened, [sentence], settings)
            question = Question(
                sentence,
                sentence.text if isinstance(sentence, Tree) else sentence,
                fixed,
                body.n_best,
                (5 if body.span else 0) if body.alternatives is None else body.alternatives,
                body.span,
                body.neighbours,
            )
            found = explanation(opened, question, settings, context.options.max_words)
            return len(found["source"]["tokens"]), long_json(found)

        [(words, content)] = await work.run([unit])
        request.state.fields.update(model=opened.name, sentences=1, words=words)
        return Response(content, media_type="application/json")

    @made.post("/rerank", response_model=schemas.RerankOut, responses=REFUSALS, summary="Re-rank n-best lists")
    async def rerank(request: Request, body: schemas.RerankIn) -> Response:
        """Re-rank the n-best lists of any system with a translation memory, and say what supported each choice."""
        context.require_key(request.scope, body.api_key)
        if body.memory is None and all(one.memory is None for one in context.models):
            raise Refused(422, "there is no translation memory.", hint="Send pairs as memory, or start with --memory.")
        if len(body.lists) > context.options.max_sentences:
            raise Refused(422, f"{len(body.lists)} lists; at most {context.options.max_sentences} are taken.")
        work = context.work(request.scope)
        [content] = await work.run([lambda: long_json({"choices": reranked(context.models, body)})])
        request.state.fields.update(sentences=len(body.lists))
        return Response(content, media_type="application/json")

    return made


def direct(context: Context) -> Endpoint:
    """/v1/translate without FastAPI."""

    async def endpoint(scope: Scope, body: bytes) -> bytes:
        return await _translate(context, scope, await read(context.work(scope), schemas.TranslateIn, body))

    return endpoint


async def _translate(context: Context, scope: Scope, body: schemas.TranslateIn) -> bytes:
    """The answer as JSON."""
    context.require_key(scope, body.api_key)
    work, opened = context.work(scope), context.models.get(body.model, of_text=body.conllu is None)
    segments, sentences = await work.do(lambda: _input(context, body), size_of(body.text or body.conllu or ""))
    settings = _settings(body, _by_sentence(body.fixed, len(sentences)))
    how = {"derivation": "json" in body.derivations, "svg": "svg" in body.derivations}

    # To write a long answer takes a while, in which the other requests should not wait.
    def written(done: list[Translated]) -> tuple[list[Translated], bytes]:
        texts = [one.translations[0].text for one in done]
        shown = [one.text if isinstance(one, Tree) else one for one in sentences]
        answer = {
            "model": opened.name,
            "version": opened.version,
            "translation": segments.joined(texts) if segments is not None else texts,
        }
        parts = [long_json(sentence_json(text, one, **how)) for text, one in zip(shown, done, strict=True)]
        return done, b'%s,"sentences":[%s]}' % (json_bytes(answer)[:-1], b",".join(parts))

    done, content = await work.translate_then(opened, sentences, settings, written)
    context.note(scope, opened, done)
    return content


def _only(*statuses: int) -> dict[int | str, dict[str, Any]]:
    return {status: REFUSALS[status] for status in statuses}


def _model(opened: OpenedModel) -> dict[str, Any]:
    model = opened.model
    source, target = opened.languages
    return {
        "name": opened.name,
        "version": opened.version,
        "system": model.described,
        "summary": model.system.summary,
        "source": source,
        "target": target,
        "input": ["conllu"] if opened.needs_conllu else ["text", "conllu"],
        "raw": opened.is_raw,
        "parser": model.parser and model.parser.partition(":")[0],
        "chart": model.system.has_chart,
        "selection": [one.name for one in model.selection],
        "consensus": opened.has_consensus,
        "memory": len(opened.memory) if opened.memory is not None else 0,
        "weights": model.weights,
        "graphmt": model.manifest.versions.get("graphmt", ""),
    }


def _input(context: Context, body: schemas.TranslateIn | schemas.ExplainIn) -> tuple[Segments | None, list[Sentence]]:
    """The sentences of a request; segments if they come from one text."""
    if (body.text is None) == (body.conllu is None):
        raise Refused(422, "one of text and conllu was expected.")
    if body.conllu is not None:
        return None, list(parse_conllu(body.conllu.encode("utf-8", "replace").decode()))
    if isinstance(body.text, list):
        return None, [" ".join(line.split()) for line in body.text]
    assert body.text is not None
    segments = Segments(body.text, lines_only=body.tokenised)
    if len(segments.sentences) > context.options.max_sentences:
        raise Refused(
            422,
            f"{len(segments.sentences)} sentences; at most {context.options.max_sentences} are translated at a time.",
            hint="Send several requests.",
        )
    return segments, list(segments.sentences)


def _one_sentence(context: Context, body: schemas.ExplainIn) -> Sentence:
    """The sentence that a request wants to be explained."""
    segments, sentences = _input(context, body)
    if len(sentences) == 1:
        return sentences[0]
    if segments is None or not sentences:
        raise Refused(422, f"{len(sentences)} sentences; one is explained at a time.")
    # One text is one sentence here, however many it may have.
    return " ".join(str(body.text).split())


def _settings(body: schemas.TranslateIn | schemas.ExplainIn, fixed: dict[int, list[FixedSpan]]) -> Settings:
    terms = tuple(Term(one.source, one.target, one.usage) for one in body.glossary)
    # The defaults of these are for explanations, which need no list.
    n_best, distinct, confidence = 1, True, False
    if isinstance(body, schemas.TranslateIn):
        n_best, distinct, confidence = body.n_best, body.distinct, body.confidence
    return Settings(
        n_best=n_best,
        distinct=distinct,
        confidence=confidence,
        glossary=Glossary(terms) if terms else None,
        selection=body.selection,
        consensus=body.consensus,
        memory=body.memory,
        fixed=fixed,
        tokenised=body.tokenised or body.conllu is not None,
    )


def _by_sentence(given: list[schemas.FixedIn], sentences: int) -> dict[int, list[FixedSpan]]:
    found: dict[int, list[FixedSpan]] = defaultdict(list)
    for one in given:
        if one.sentence >= sentences:
            raise Refused(422, f"a span of sentence {one.sentence} is fixed, but there are {sentences} sentences.")
        found[one.sentence].append(FixedSpan(one.first, one.end, one.target))
    return dict(found)
