"""LibreTranslate's routes, for clients that exist: the same parameters, answers and errors."""

from __future__ import annotations

import asyncio
import dataclasses
import json
from collections.abc import AsyncGenerator, Iterable
from functools import partial
from typing import Any
from urllib.parse import parse_qsl

from fastapi import APIRouter, Request
from fastapi.responses import Response
from pydantic import BaseModel, ValidationError
from starlette.datastructures import Headers, UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser

from graphmt.errors import InputError
from graphmt.localisation import html
from graphmt.server import libre_schemas as schemas
from graphmt.server.context import Context, json_answer, long_json
from graphmt.server.direct import Endpoint
from graphmt.server.documents import FORMATS, PROTECTED, translated_document, translated_file
from graphmt.server.guard import Scope
from graphmt.server.language_names import name_of_language
from graphmt.server.refusals import Refused, worst
from graphmt.server.segments import Segments
from graphmt.server.served import OpenedModel
from graphmt.server.v1 import REFUSALS
from graphmt.server.work import Translated, Work, size_of

#: Fields of a form; a list of texts has a field for each.
_MOST_FIELDS = 10_000
_SECRET = {"400", "403", "408", "413", "422", "429", "500", "503", "504"}


def router(context: Context) -> APIRouter:
    """The routes."""
    made = APIRouter(tags=["LibreTranslate"])
    refusals = {status: about for status, about in REFUSALS.items() if str(status) in _SECRET}
    libre = _Libre(context)

    @made.post(
        "/translate",
        response_model=schemas.LibreTranslateOut,
        responses=refusals,
        summary="Translate texts",
        openapi_extra=_body(schemas.LibreTranslateIn),
    )
    async def translate(request: Request) -> Response:
        """Translate a text or a list of texts, plain or HTML. Parameters also come as a form or in the query."""
        content = await libre.translated(request.scope, await _parameters(context.work(request.scope), request))
        return Response(content, media_type="application/json")

    @made.post(
        "/detect",
        response_model=list[schemas.DetectionOut],
        responses=refusals,
        summary="Detect the language of a text",
        openapi_extra=_body(schemas.LibreDetectIn),
    )
    async def detect(request: Request) -> Response:
        """The languages of the models, the most probable first."""
        work = context.work(request.scope)
        asked = _validated(schemas.LibreDetectIn, await _parameters(work, request))
        context.require_key(request.scope, asked.api_key)
        return json_answer(await libre.detect(work, asked.q))

    @made.get("/languages", response_model=list[schemas.LanguageOut], summary="Languages of the models")
    async def languages() -> Response:
        """Source languages with their targets."""
        return json_answer(libre.languages())

    @made.post(
        "/translate_file",
        response_model=schemas.FileOut,
        responses=refusals,
        summary="Translate a file",
        openapi_extra=_file_body(),
    )
    async def translate_file(request: Request) -> Response:
        """Fill in a localisation file or a text; the answer has the address of the translated file."""
        given = await _parameters(context.work(request.scope), request)
        context.require_key(request.scope, _text(given, "api_key", ""))
        name = await libre.translate_file(request.scope, given)
        return json_answer({"translatedFileUrl": f"{_address(request.scope, context)}/download_file/{name}"})

    @made.get(
        "/download_file/{name}",
        response_class=Response,
        responses={200: {"content": {"application/octet-stream": {}}}, 404: REFUSALS[404]},
        summary="Download a translated file",
    )
    async def download(name: str) -> Response:
        """A file of /translate_file; it is kept for 20 minutes."""
        data, plain = await asyncio.to_thread(context.files.get, name)
        headers = {"Content-Disposition": f'attachment; filename="{plain}"', "Cache-Control": "no-store"}
        return Response(data, headers=headers, media_type="application/octet-stream")

    @made.get("/frontend/settings", response_model=schemas.SettingsOut, summary="Settings for pages")
    async def settings() -> Response:
        """What LibreTranslate's page asks for."""
        return json_answer(libre.settings())

    @made.post("/suggest", responses={403: REFUSALS[403]}, summary="Suggest a translation (disabled)")
    async def suggest() -> Response:
        """This server takes no suggestions."""
        raise Refused(403, "suggestions are disabled on this server.")

    return made


def direct(context: Context) -> Endpoint:
    """/translate without FastAPI, for bodies of JSON."""
    libre = _Libre(context)

    async def endpoint(scope: Scope, body: bytes) -> bytes:
        given = await context.work(scope).do(lambda: _json_object(body), len(body))
        return await libre.translated(scope, given)

    return endpoint


class _Libre:
    def __init__(self, context: Context) -> None:
        self.context = context

    async def translated(self, scope: Scope, given: dict[str, Any]) -> bytes:
        asked = _validated(schemas.LibreTranslateIn, given)
        self.context.require_key(scope, asked.api_key)
        texts = asked.q if isinstance(asked.q, list) else [asked.q]
        limit = self.context.options.max_sentences
        if len(texts) > limit:
            raise Refused(422, f"{len(texts)} texts; at most {limit} are translated at a time.")
        work = self.context.work(scope)
        opened, detected = await self._model(work, " ".join(texts), asked.source, asked.target)
        others: list[list[str]]
        if opened is None:
            found, others = texts, [[] for _ in texts]
        elif asked.format == "html":
            found, others = await self._html(scope, work, opened, texts), [[] for _ in texts]
        else:
            found, others = await self._texts(scope, work, opened, texts, asked.alternatives)
        single = not isinstance(asked.q, list)
        answer: dict[str, Any] = {"translatedText": found[0] if single else found}
        if detected is not None:
            answer["detectedLanguage"] = detected if single else [detected] * len(texts)
        if asked.alternatives:
            answer["alternatives"] = others[0] if single else others
        return await work.do(lambda: long_json(answer), sum(map(len, found)) * (1 + asked.alternatives))

    async def _texts(
        self, scope: Scope, work: Work, opened: OpenedModel, texts: list[str], alternatives: int
    ) -> tuple[list[str], list[list[str]]]:
        """The translations of texts, all of whose sentences are one piece of work, and alternatives."""
        settings = dataclasses.replace(PROTECTED, n_best=1 + alternatives)
        segments = await work.do(lambda: [Segments(text) for text in texts], size_of(texts))
        sentences = [one for own in segments for one in own.sentences]

        def joined(done: list[Translated]) -> tuple[list[Translated], list[str], list[list[str]]]:
            rest = iter(done)
            found, others = [], []
            for own in segments:
                mine = [next(rest) for _ in own.sentences]
                made = [own.joined(_ranked(one, rank) for one in mine) for rank in range(1 + alternatives)]
                found.append(made[0])
                others.append([text for text in dict.fromkeys(made) if text != made[0]])
            return done, found, others

        done, found, others = await work.translate_then(opened, sentences, settings, joined)
        self.context.note(scope, opened, done)
        return found, others

    async def _html(self, scope: Scope, work: Work, opened: OpenedModel, texts: list[str]) -> list[str]:
        found = []
        for text in texts:
            data = text.encode("utf-8", "replace")
            document = await work.do(partial(html.read, data, "the text", opened.languages), len(text))
            filled, done = await translated_document(work, opened, document)
            self.context.note(scope, opened, done)
            found.append(filled.decode())
        return found

    async def translate_file(self, scope: Scope, given: dict[str, Any]) -> str:
        uploaded = given.get("file")
        if not isinstance(uploaded, UploadFile):
            raise Refused(400, "missing parameter: file.")
        source, target = _text(given, "source"), _text(given, "target")
        data, name = await uploaded.read(), uploaded.filename or ""
        work = self.context.work(scope)
        opened, _ = await self._model(work, data[:20_000].decode("utf-8", "replace"), source, target)
        if opened is None:
            raise Refused(400, "source and target language are the same.")
        try:
            made, done = await translated_file(work, opened, data, name)
        except InputError as error:
            raise Refused(400, error.message, hint=error.hint) from None
        self.context.note(scope, opened, done)
        return await asyncio.to_thread(self.context.files.put, made, name, opened.languages[1])

    async def detect(self, work: Work, text: str, among: set[str] | None = None) -> list[dict[str, Any]]:
        [found] = await work.run([lambda: self.context.languages.detector().detect(text, among)])
        return [{"confidence": round(100 * share, 1), "language": language} for language, share in found]

    async def _model(
        self, work: Work, text: str, source: str, target: str
    ) -> tuple[OpenedModel | None, dict[str, Any] | None]:
        """The model of two languages (None if they are the same), and the detected language."""
        models = self.context.models
        sources, targets = ({one.languages[side] for one in models.of_text} for side in (0, 1))
        wanted = _known(target, targets | sources)
        if wanted is None:
            raise Refused(400, f"{target[:40]} is not supported.", hint=f"Targets: {', '.join(sorted(targets))}.")
        detected = None
        if source == "auto":
            able = {one.languages[0] for one in models.of_text if one.languages[1] == wanted} | {wanted}
            detected = (await self.detect(work, text, able))[0]
            source = detected["language"]
        given = _known(source, sources | targets)
        if given is None:
            raise Refused(400, f"{source[:40]} is not supported.", hint=f"Sources: {', '.join(sorted(sources))}.")
        opened = models.between(given, wanted)
        if opened is None and given != wanted:
            raise Refused(400, f"{wanted} is not available as a target language from {given}.")
        return opened, detected

    def languages(self) -> list[dict[str, Any]]:
        targets: dict[str, list[str]] = {}
        for one in self.context.models.of_text:
            source, target = one.languages
            targets.setdefault(source, [source])
            targets.setdefault(target, [target])
            if target not in targets[source]:
                targets[source].append(target)
        return [{"code": code, "name": name_of_language(code), "targets": found} for code, found in targets.items()]

    def settings(self) -> dict[str, Any]:
        source, target = self.context.models.get(of_text=True).languages
        options = self.context.options
        return {
            "apiKeys": self.context.keys.required,
            "charLimit": options.max_body * 1024,
            "filesTranslation": True,
            "frontendTimeout": 500,
            "keyRequired": self.context.keys.required,
            "language": {
                "source": {"code": source, "name": name_of_language(source)},
                "target": {"code": target, "name": name_of_language(target)},
            },
            "suggestions": False,
            "supportedFilesFormat": list(FORMATS),
        }


def _address(scope: Scope, context: Context) -> str:
    """Where clients reach the server. Not as the header Host says, which anybody can set."""
    if context.options.url:
        return context.options.url.rstrip("/")
    host, port = scope.get("server") or ("localhost", None)
    scheme, name = scope.get("scheme", "http"), f"[{host}]" if ":" in host else host
    usual = port is None or (scheme, port) in (("http", 80), ("https", 443))
    return f"{scheme}://{name}" if usual else f"{scheme}://{name}:{port}"


def _ranked(one: Translated, rank: int) -> str:
    """The translation of some rank, or the last one there is."""
    return one.translations[min(rank, len(one.translations) - 1)].text


def _known(code: str, known: set[str]) -> str | None:
    """A language as a model names it: pt-BR may be pt."""
    plain = code.lower()
    found = {one.lower(): one for one in known}
    return found.get(plain) or found.get(plain.partition("-")[0])


async def _parameters(work: Work, request: Request) -> dict[str, Any]:
    """The parameters of the query and of the body, which is JSON or a form."""
    found = _fields(request.scope["query_string"], "query")
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    body = await request.body()
    if kind == "application/json":
        return {**found, **await work.do(lambda: _json_object(body), len(body))}
    if kind == "application/x-www-form-urlencoded":
        return {**found, **await work.do(lambda: _fields(body, "form"), len(body))}
    if kind == "multipart/form-data":
        [given] = await work.run([lambda: _form(request.headers, body)])
        return {**found, **given}
    return found


def _json_object(body: bytes) -> dict[str, Any]:
    try:
        given = json.loads(body)
    except (ValueError, RecursionError):
        raise Refused(400, "the body is not JSON.") from None
    if not isinstance(given, dict):
        raise Refused(400, "the body is not a JSON object.")
    if len(given) > _MOST_FIELDS:
        raise Refused(400, f"the body has more than {_MOST_FIELDS:,} fields.")
    return given


def _form(headers: Headers, body: bytes) -> dict[str, Any]:
    """The fields of a form in several parts, and its file."""

    async def parts() -> AsyncGenerator[bytes, None]:
        yield body

    try:
        # In a loop of events of its own: the parser is written for one, and takes long for a hostile body.
        form = asyncio.run(MultiPartParser(headers, parts(), max_files=1, max_fields=50).parse())
    except (MultiPartException, ValueError):
        raise Refused(400, "the form is malformed.") from None
    return _by_name(form.multi_items())


def _fields(encoded: bytes, what: str) -> dict[str, Any]:
    """The fields of a query or form. Bytes that are not escaped are UTF-8, as those of escapes are."""
    try:
        pairs = parse_qsl(encoded.decode("utf-8"), keep_blank_values=True, errors="strict", max_num_fields=_MOST_FIELDS)
    except UnicodeDecodeError:
        raise Refused(400, f"the {what} is not UTF-8.") from None
    except ValueError:
        raise Refused(400, f"the {what} has more than {_MOST_FIELDS:,} fields.") from None
    return _by_name(pairs)


def _by_name(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """The values by their names: of ``q`` all, of the others the first."""
    found: dict[str, list[Any]] = {}
    for name, value in pairs:
        found.setdefault(name, []).append(value)
    return {name: values if name == "q" and len(values) > 1 else values[0] for name, values in found.items()}


def _validated(kind: type[Any], given: dict[str, Any]) -> Any:
    # Clients send null or nothing where they mean the default.
    present = {name: value for name, value in given.items() if value not in (None, "") or name == "q"}
    try:
        return kind.model_validate(present)
    except ValidationError as error:
        first, sentence = worst(error.errors())
        place = str(first["loc"][0]) if first["loc"] else "the body"
        said = f"missing parameter: {place}." if first["type"] == "missing" else f"{place}: {sentence}"
        raise Refused(400, said) from None


def _text(given: dict[str, Any], name: str, default: str | None = None) -> str:
    value = given.get(name, default)
    if not isinstance(value, str) or (default is None and not value):
        raise Refused(400, f"missing parameter: {name}.")
    return value


def _body(kind: type[BaseModel]) -> dict[str, Any]:
    schema = kind.model_json_schema()
    content = {
        "application/json": {"schema": schema},
        "application/x-www-form-urlencoded": {"schema": schema},
    }
    return {"requestBody": {"required": True, "content": content}}


def _file_body() -> dict[str, Any]:
    fields = {
        "file": {"type": "string", "format": "binary"},
        "source": {"type": "string"},
        "target": {"type": "string"},
        "api_key": {"type": "string"},
    }
    schema = {"type": "object", "properties": fields, "required": ["file", "source", "target"]}
    return {"requestBody": {"required": True, "content": {"multipart/form-data": {"schema": schema}}}}
