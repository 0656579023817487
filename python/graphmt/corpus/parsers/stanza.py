"""Stanza models: ``stanza:LANGUAGE``, or ``stanza:LANGUAGE/PACKAGE``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from graphmt.corpus.conllu import Tree
from graphmt.corpus.parsers.base import joined_tree
from graphmt.errors import InputError, MissingPackageError

_NEEDED = ("tokenize", "pos", "depparse")


class StanzaParser:
    """The downloaded Stanza models of a language."""

    #: PyTorch uses all cores itself.
    one_process: ClassVar[bool] = True

    def __init__(self, model: str) -> None:
        self.model = model
        self._language, _, self._package = model.partition("/")
        self._stanza = _stanza()
        self._pipelines: dict[bool, Any] = {}

    def identity(self) -> dict[str, Any]:
        """The models and the version of Stanza."""
        return {"kind": "stanza", "model": self.model, "version": self._stanza.__version__}

    def parse(self, lines: Sequence[str], *, tokenised: bool) -> list[Tree | None]:
        """One tree for each line."""
        pipeline = self._pipelines.get(tokenised)
        if pipeline is None:
            pipeline = self._pipelines[tokenised] = self._open(tokenised)
        # Stanza ends a sentence at an empty line, for text that is tokenised at the end of a line.
        parsed = pipeline(("\n" if tokenised else "\n\n").join(lines)).sentences
        if len(parsed) != len(lines):
            raise InputError(f"Stanza returned {len(parsed)} sentences for {len(lines)} lines.")
        return [joined_tree([_rows(sentence)], line) for sentence, line in zip(parsed, lines, strict=True)]

    def _open(self, tokenised: bool) -> Any:
        settings: dict[str, Any] = {"tokenize_pretokenized": True} if tokenised else {"tokenize_no_ssplit": True}
        if self._package:
            settings["package"] = self._package
        try:
            pipeline = self._stanza.Pipeline(
                self._language,
                processors="tokenize,mwt,pos,lemma,depparse",
                # Only models that are on this computer: nothing is downloaded unasked.
                download_method=None,
                verbose=False,
                **settings,
            )
        except Exception as error:
            first = str(error).strip().split("\n")[0]
            raise MissingPackageError(
                f"the Stanza models {self.model!r} cannot be loaded: {first}",
                hint=f"Download them: python -c \"import stanza; stanza.download('{self._language}')\"",
            ) from None
        if missing := [name for name in _NEEDED if name not in pipeline.processors]:
            raise InputError(f"the Stanza models {self.model!r} have no {missing[0]} processor.")
        return pipeline


def _stanza() -> Any:
    try:
        import stanza
    except ImportError:
        raise MissingPackageError(
            "parsing with Stanza needs the package stanza, which is not installed.",
            hint="pip install 'graphmt[stanza]'",
        ) from None
    return stanza


def _rows(sentence: Any) -> list[list[str]]:
    """The rows of a parsed sentence; a token of several words has a row of its own before them."""
    rows = []
    for token in sentence.tokens:
        space = _space(token)
        several = len(token.words) > 1
        if several:
            ids = f"{token.words[0].id}-{token.words[-1].id}"
            rows.append([ids, token.text, "_", "_", "_", "_", "_", "_", "_", space])
        for word in token.words:
            columns = (word.text, word.lemma, word.upos, word.xpos, word.feats, word.head, word.deprel)
            shown = ["_" if value is None or value == "" else str(value) for value in columns]
            rows.append([str(word.id), *shown, "_", "_" if several else space])
    return rows


def _space(token: Any) -> str:
    return "SpaceAfter=No" if getattr(token, "spaces_after", " ") == "" else "_"
