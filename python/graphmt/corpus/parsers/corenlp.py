"""Stanford CoreNLP: ``corenlp:URL``, the address of its server, as in ``corenlp:http://localhost:9000?language=de``."""

from __future__ import annotations

import http.client
import json
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Sequence
from itertools import groupby
from typing import Any, ClassVar

from graphmt.corpus.conllu import Tree
from graphmt.corpus.parsers.base import LOCAL, joined_tree
from graphmt.errors import InputError, MissingPackageError, OptionError

#: Languages whose taggers and parsers expect multiword tokens (German *im*) to be split (*in dem*).
_SPLITTING = ("de", "es", "fr", "it")
#: Seconds to wait for a batch.
_PATIENCE = 600
_START = "java -cp '*' edu.stanford.nlp.pipeline.StanfordCoreNLPServer -port 9000 -timeout 600000"


class CoreNlpParser:
    """A running CoreNLP server; ``?language=de`` selects its models."""

    #: The server has threads of its own.
    one_process: ClassVar[bool] = True

    def __init__(self, model: str) -> None:
        self.model = model
        parts = urllib.parse.urlsplit(model)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise OptionError(f"corenlp: needs the address of a server like http://localhost:9000, not {model!r}.")
        asked = dict(urllib.parse.parse_qsl(parts.query))
        if unknown := [name for name in asked if name != "language"]:
            raise OptionError(f"corenlp: knows only ?language=CODE after the address, not {unknown[0]!r}.")
        # A server on this computer is asked directly, whatever proxy is set.
        direct = [urllib.request.ProxyHandler({})] if parts.hostname in LOCAL else []
        self._opener = urllib.request.build_opener(*direct)
        self._language = asked.get("language")
        self._address = urllib.parse.urlunsplit((parts.scheme, parts.netloc, parts.path or "/", "", ""))

    def identity(self) -> dict[str, Any]:
        """The address."""
        return {"kind": "corenlp", "server": self.model}

    def parse(self, lines: Sequence[str], *, tokenised: bool) -> list[Tree | None]:
        """One tree for each line."""
        found = self._ask(lines, tokenised).get("sentences")
        if not isinstance(found, list) or len(found) != len(lines):
            count = len(found) if isinstance(found, list) else "no"
            raise InputError(f"the CoreNLP server returned {count} sentences for {len(lines)} lines.")
        try:
            # Java counts characters in UTF-16.
            text = _joined(lines).encode("utf-16-le")
            rows = [_rows(sentence, text, tokenised) for sentence in found]
            return [joined_tree([sentence], line) for sentence, line in zip(rows, lines, strict=True)]
        except (KeyError, TypeError, AttributeError):
            raise InputError(
                f"the CoreNLP server at {self._address} returned sentences without dependencies."
            ) from None

    def _ask(self, lines: Sequence[str], tokenised: bool) -> dict[str, Any]:
        properties = {
            "annotators": f"tokenize,ssplit{',mwt' if self._language in _SPLITTING else ''},pos,depparse",
            "outputFormat": "json",
            "ssplit.eolonly": "true",
            **({"tokenize.whitespace": "true"} if tokenised else {}),
        }
        asked = {
            "properties": json.dumps(properties),
            **({"pipelineLanguage": self._language} if self._language else {}),
        }
        request = urllib.request.Request(
            f"{self._address}?{urllib.parse.urlencode(asked)}",
            data=_joined(lines).encode(),
            headers={"Content-Type": "text/plain; charset=utf-8"},
        )
        try:
            with self._opener.open(request, timeout=_PATIENCE) as answer:
                content = json.loads(answer.read().decode("utf-8"))
        except urllib.error.HTTPError as error:
            said = error.read().decode("utf-8", "replace").strip().split("\n")[0][:200]
            raise InputError(
                f"the CoreNLP server at {self._address} refused a request ({error.code}): {said}",
                hint="Are the models of the language on its class path?",
            ) from None
        except (OSError, http.client.HTTPException) as error:
            why = getattr(error, "reason", error)
            why = getattr(why, "strerror", None) or why
            raise MissingPackageError(
                f"no CoreNLP server answers at {self._address}: {why}.",
                hint=f"Start it in the folder of CoreNLP: {_START}",
            ) from None
        except ValueError:
            raise InputError(f"the server at {self._address} did not answer with CoreNLP's JSON.") from None
        if not isinstance(content, dict):
            raise InputError(f"the server at {self._address} did not answer with CoreNLP's JSON.")
        return content


def _joined(lines: Sequence[str]) -> str:
    return "\n".join(lines)


def _rows(sentence: dict[str, Any], text: bytes, tokenised: bool) -> list[list[str]]:
    """The rows of a sentence; ``text`` is that of the request in UTF-16.

    Its tags are in both columns, UPOS and XPOS: they are universal tags only in some languages.
    """
    arcs = {arc["dependent"]: (arc["governor"], arc["dep"]) for arc in sentence["basicDependencies"]}
    rows = []
    # The words of a multiword token have its place in the text.
    for (begin, end), group in groupby(sentence["tokens"], _place):
        tokens = list(group)
        space = "SpaceAfter=No" if tokens[-1].get("after") == "" and not tokenised else "_"
        if len(tokens) > 1:
            numbers = f"{tokens[0]['index']}-{tokens[-1]['index']}"
            form = text[2 * begin : 2 * end].decode("utf-16-le")
            rows.append([numbers, form, *["_"] * 7, space])
            space = "_"
        for token in tokens:
            head, label = arcs.get(token["index"], (0, "dep"))
            label = "root" if label == "ROOT" else label
            tag, lemma = (token.get(name) or "_" for name in ("pos", "lemma"))
            form = token.get("originalText") or token["word"]
            rows.append([str(token["index"]), form, lemma, tag, tag, "_", str(head), label, "_", space])
    return rows


def _place(token: dict[str, Any]) -> tuple[int, int]:
    return token["characterOffsetBegin"], token["characterOffsetEnd"]
