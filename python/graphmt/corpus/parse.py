"""Trees for raw or tokenised text, by an installed spaCy model."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from graphmt.corpus.conllu import Tree, write_trees
from graphmt.corpus.pairs import require_one_side
from graphmt.corpus.text import is_conllu, plain_lines, tokenised
from graphmt.errors import InputError, MissingPackageError
from graphmt.progress import bar, sentences_in
from graphmt.storage.files import AnyPath


def parse_file(
    source: AnyPath,
    out: AnyPath,
    model: str | Parser,
    *,
    pretokenised: bool = False,
    batch: int = 256,
    processes: int = 1,
) -> int:
    """Parse a text with one sentence per line into CoNLL-U with one tree per line; returns how many.

    ``pretokenised`` keeps the tokens of the text instead of tokenising it with the model. The tokens of a CoNLL-U
    file are parsed again.
    """
    require_one_side(source)
    pretokenised = pretokenised or (os.fspath(source) != "-" and is_conllu(source))
    parser = Parser(model) if isinstance(model, str) else model
    sentences = tokenised(source) if pretokenised else plain_lines(source)
    trees = parser.parse(sentences, pretokenised=pretokenised, batch=batch, processes=processes, name=os.fspath(source))
    first = next(trees, None)
    if first is None:
        raise InputError("this file is empty; there is nothing to parse.", file=source)
    with bar("parsing", sentences_in(source)) as advance:
        return write_trees(out, _counted(chain([first], trees), advance))


def _counted(trees: Iterable[Tree], advance: Any) -> Iterator[Tree]:
    for number, tree in enumerate(trees, 1):
        yield tree
        advance(number)


class Parser:
    """A spaCy model with a dependency parser, by the name of its package or its folder."""

    def __init__(self, model: str) -> None:
        self.model = model
        self._nlp = _load(model)

    def parse(
        self,
        sentences: Iterable[str],
        *,
        pretokenised: bool = False,
        batch: int = 256,
        processes: int = 1,
        name: str | None = None,
    ) -> Iterator[Tree]:
        """One tree per sentence, in order. ``name`` is used in errors.

        Where the parser finds several sentences in one, the other roots are attached to the first; labels are kept.
        """
        docs = self._nlp.pipe(
            self._inputs(sentences, pretokenised, name), as_tuples=True, batch_size=batch, n_process=processes
        )
        for doc, (number, text) in docs:
            tree = _tree(doc, text, pretokenised)
            if tree is None:
                raise InputError("the model found no words in this line; a tree needs one.", file=name, line=number)
            yield tree

    def _inputs(self, sentences: Iterable[str], pretokenised: bool, name: str | None) -> Iterator[tuple[Any, Any]]:
        from spacy.tokens import Doc

        for number, sentence in enumerate(sentences, 1):
            words = sentence.split()
            if not words:
                raise InputError(
                    "an empty line has no tree.",
                    file=name,
                    line=number,
                    hint="Drop it together with its counterpart first: graphmt corpus clean.",
                )
            text = " ".join(words)
            if len(text) > self._nlp.max_length:
                raise InputError(
                    f"{len(text):,} characters; {self.model} accepts at most {self._nlp.max_length:,}.",
                    file=name,
                    line=number,
                )
            yield Doc(self._nlp.vocab, words=words) if pretokenised else text, (number, text)


def _load(model: str) -> Any:
    try:
        import spacy
    except ImportError:
        raise MissingPackageError(
            "parsing needs spaCy, which is not installed.", hint="pip install 'graphmt[spacy]'"
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


def _tree(doc: Any, text: str, pretokenised: bool) -> Tree | None:
    # White-space tokens are not words; their dependents are attached to their head.
    words = [token for token in doc if not token.is_space]
    if not words:
        return None
    place = {token.i: at for at, token in enumerate(words)}
    heads = [_head(token, place) for token in words]
    first_root = heads.index(-1)
    heads = [first_root if head == -1 and at != first_root else head for at, head in enumerate(heads)]
    spaced = [pretokenised or bool(token.whitespace_) for token in words[:-1]] + [True]
    return Tree(
        forms=tuple(token.text for token in words),
        heads=tuple(heads),
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
