"""spaCy models: ``spacy:NAME``, the name of an installed package or the folder of a model."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

from graphmt.corpus.conllu import Tree
from graphmt.corpus.parsers.base import single_root
from graphmt.errors import InputError, MissingPackageError


class SpacyParser:
    """A spaCy model with a dependency parser, by the name of its package or its folder."""

    one_process: ClassVar[bool] = False

    def __init__(self, model: str) -> None:
        self.model = model
        self._nlp = _load(model)

    def identity(self) -> dict[str, Any]:
        """The model and its version."""
        meta = self._nlp.meta
        return {"kind": "spacy", "model": f"{meta['lang']}_{meta['name']}", "version": meta["version"]}

    def parse(self, lines: Sequence[str], *, tokenised: bool) -> list[Tree | None]:
        """One tree for each line."""
        from spacy.tokens import Doc

        for number, line in enumerate(lines, 1):
            if len(line) > self._nlp.max_length:
                limit = f"{self.model} accepts at most {self._nlp.max_length:,}"
                raise InputError(f"{len(line):,} characters; {limit}.", line=number)
        inputs = (Doc(self._nlp.vocab, words=line.split()) if tokenised else line for line in lines)
        docs = self._nlp.pipe(inputs, batch_size=len(lines) or 1)
        return [as_tree(doc, line, tokenised) for doc, line in zip(docs, lines, strict=True)]


def _load(model: str) -> Any:
    try:
        import spacy
    except ImportError:
        raise MissingPackageError(
            "parsing with a spaCy model needs spaCy, which is not installed.", hint="pip install 'graphmt[spacy]'"
        ) from None
    # Packages are imported with underscores and listed with hyphens; accept either.
    package = model if Path(model).is_dir() else model.replace("-", "_")
    if not Path(model).is_dir() and not spacy.util.is_package(package):
        raise MissingPackageError(
            f"the spaCy model {package!r} is not installed.",
            hint=f"Install it from spaCy's own releases: python -m spacy download {package} (package indexes "
            "have empty packages with the names of some models; do not use those).",
        )
    try:
        nlp = spacy.load(package, exclude=["ner"])
    except Exception as error:
        first = str(error).strip().split("\n")[0]
        raise MissingPackageError(
            f"the spaCy model {package!r} cannot be loaded: {first}",
            hint="Install the release that fits your spaCy (python -m spacy validate).",
        ) from None
    if "parser" not in nlp.pipe_names:
        raise InputError(
            f"the spaCy model {package!r} has no dependency parser (its parts: {', '.join(nlp.pipe_names)}).",
            hint="Use a model with a parser, such as the core models.",
        )
    return nlp


def as_tree(doc: Any, text: str, tokenised: bool) -> Tree | None:
    """The tree of a parsed document; None if it has no words."""
    # White-space tokens are not words; their dependents are attached to their head.
    words = [token for token in doc if not token.is_space]
    if not words:
        return None
    place = {token.i: at for at, token in enumerate(words)}
    spaced = [tokenised or bool(token.whitespace_) for token in words[:-1]] + [True]
    return Tree(
        forms=tuple(token.text for token in words),
        heads=single_root([_head(token, place) for token in words]),
        upos=tuple(token.pos_ or "_" for token in words),
        deprels=tuple("root" if token.dep_ == "ROOT" else token.dep_ or "dep" for token in words),
        lemmas=tuple(token.lemma_.strip() or "_" for token in words),
        xpos=tuple(token.tag_ or "_" for token in words),
        feats=tuple(str(token.morph) or "_" for token in words),
        misc=tuple("_" if space else "SpaceAfter=No" for space in spaced),
        comments=(f"# text = {text}",),
    )


def _head(token: Any, place: dict[int, int]) -> int:
    while token.head.i != token.i:
        token = token.head
        if token.i in place:
            return place[token.i]
    return -1
