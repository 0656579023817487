"""UDPipe models: ``udpipe:FILE``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

from graphmt.corpus.conllu import Tree
from graphmt.corpus.parsers.base import conllu_sentences, joined_tree
from graphmt.errors import InputError, MissingPackageError
from graphmt.storage.files import digest

#: Options of UDPipe: one line of the text is one sentence.
_ONE_LINE_EACH = "presegmented"


class UdpipeParser:
    """A UDPipe 1 model: a file with a tokeniser, a tagger and a parser."""

    one_process: ClassVar[bool] = False

    def __init__(self, model: str) -> None:
        self.model = model
        self._udpipe = udpipe()
        path = Path(model)
        if not path.is_file():
            raise MissingPackageError(
                f"the UDPipe model {model} does not exist.",
                hint="Download a model for your language, or train one: graphmt parser train TREEBANK --out FILE",
            )
        self._digest = digest(path)
        self._loaded = self._udpipe.Model.load(str(path))
        if not self._loaded:
            raise InputError("not a UDPipe 1 model, or damaged.", file=path)

    def identity(self) -> dict[str, Any]:
        """The digest of the model."""
        return {"kind": "udpipe", "digest": self._digest}

    def parse(self, lines: Sequence[str], *, tokenised: bool) -> list[Tree | None]:
        """One tree for each line."""
        if tokenised:
            return [self._tree(line, [self._sentence(line.split())]) for line in lines]
        return [self._tree(line, self._tokenise(line)) for line in lines]

    def _sentence(self, words: Sequence[str]) -> Any:
        sentence = self._udpipe.Sentence()
        for word in words:
            sentence.addWord(word)
        return sentence

    def _tokenise(self, line: str) -> Iterator[Any]:
        # A new tokeniser for each line, so that no state is carried over.
        reader = self._loaded.newTokenizer(_ONE_LINE_EACH)
        if not reader:
            raise InputError(
                "this UDPipe model has no tokeniser.",
                file=self.model,
                hint="Give tokenised text (--segmenter none), or use a model with one.",
            )
        reader.setText(line)
        error = self._udpipe.ProcessingError()
        sentence = self._udpipe.Sentence()
        while reader.nextSentence(sentence, error):
            yield sentence
            sentence = self._udpipe.Sentence()
        if error.occurred():
            raise InputError(f"UDPipe cannot tokenise a line: {error.message}.")

    def _tree(self, line: str, sentences: Any) -> Tree | None:
        error = self._udpipe.ProcessingError()
        writer = self._udpipe.OutputFormat.newConlluOutputFormat()
        rows: list[list[list[str]]] = []
        for sentence in sentences:
            for step, work in (("tag", self._loaded.tag), ("parse", self._loaded.parse)):
                if not work(sentence, self._udpipe.Model.DEFAULT, error):
                    raise InputError(f"this UDPipe model cannot {step}: {error.message}.", file=self.model)
            rows += conllu_sentences(writer.writeSentence(sentence))
        return joined_tree(rows, line)


def udpipe() -> Any:
    """The package."""
    try:
        import ufal.udpipe
    except ImportError:
        raise MissingPackageError(
            "UDPipe models need the package ufal.udpipe, which is not installed.",
            hint="pip install 'graphmt[udpipe]'",
        ) from None
    return ufal.udpipe
