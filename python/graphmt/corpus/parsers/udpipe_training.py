"""Training a UDPipe model on a treebank: tokeniser, tagger and parser, one step each."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import re
import subprocess
import sys
from collections.abc import Generator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from graphmt.corpus.conllu import read_trees
from graphmt.corpus.parsers.base import Parser
from graphmt.corpus.parsers.udpipe import UdpipeParser, udpipe
from graphmt.errors import GraphmtError, InputError, OptionError
from graphmt.options import Options, option
from graphmt.processes import end, how_it_ended, program, start
from graphmt.progress import bar
from graphmt.storage.checks import require_inputs, require_outputs
from graphmt.storage.drafts import holds_only_drafts
from graphmt.storage.files import AnyPath, digest, make_folder, writing, writing_bytes
from graphmt.storage.folders import remove_folder
from graphmt.storage.locks import writer_lock
from graphmt.storage.resume import Steps, resumable

RECORD = "training.json"
#: Lines in which UDPipe reports a finished round.
_ROUND = re.compile(r"(?:Epoch|Iteration) ([0-9]+)\b.*(?:acc|accuracy|logprob)")
_SYSTEMS = ("projective", "swap", "link2")


@dataclasses.dataclass(frozen=True)
class ParserOptions(Options):
    """Training of UDPipe models.

    Examples
    --------
    >>> from graphmt.corpus import ParserOptions
    >>> ParserOptions(parser_iterations=10)
    ParserOptions(parser_iterations=10)
    """

    tokeniser_epochs: int = option(
        100, "Rounds of training the tokeniser; 0: no tokeniser, for text that is tokenised already.", minimum=0
    )
    tokeniser_size: int = option(
        24, "Size of the tokeniser's network: 16, 24 or 64.", unit="units", minimum=16, maximum=64
    )
    segment: int = option(
        50, "Length of the text that the tokeniser sees at once.", unit="characters", minimum=10, maximum=255
    )
    tagger_iterations: int = option(20, "Rounds of training the tagger.", minimum=1)
    parser_iterations: int = option(30, "Rounds of training the parser; fewer are faster and less accurate.", minimum=1)
    hidden_layer: int = option(200, "Size of the parser's hidden layer.", unit="units", minimum=1)
    transitions: str = option(
        "projective",
        "Transition system of the parser. projective: fastest, no crossing arcs; swap and link2: also crossing arcs.",
        choices=_SYSTEMS,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.tokeniser_size not in (16, 24, 64):
            raise OptionError(f"tokeniser_size is 16, 24 or 64, not {self.tokeniser_size}.")

    def settings(self, part: str) -> str:
        """The options of one part, as UDPipe takes them."""
        if part == "tokeniser":
            sizes = f"dimension={self.tokeniser_size};segment_size={self.segment}"
            return f"epochs={self.tokeniser_epochs};{sizes}" if self.tokeniser_epochs else "none"
        if part == "tagger":
            return f"iterations={self.tagger_iterations}"
        oracle = {"projective": "dynamic", "swap": "static_lazy", "link2": "static"}[self.transitions]
        return (
            f"iterations={self.parser_iterations};hidden_layer={self.hidden_layer};"
            f"transition_system={self.transitions};transition_oracle={oracle}"
        )

    def rounds(self, part: str) -> int:
        """The number of rounds of one part."""
        return {
            "tokeniser": self.tokeniser_epochs,
            "tagger": self.tagger_iterations,
            "parser": self.parser_iterations,
        }[part]


def train_parser(
    treebanks: AnyPath | Sequence[AnyPath],
    out: AnyPath,
    options: ParserOptions | Mapping[str, Any] | None = None,
    *,
    dev: AnyPath | Sequence[AnyPath] = (),
) -> Parser:
    """Train a UDPipe model on gold trees.

    Tokeniser, tagger and parser are separate steps. Their results are kept in ``OUT.training`` until the model is
    finished, so that the same call resumes an interrupted run after the last finished step.

    Parameters
    ----------
    treebanks
        CoNLL-U with gold trees, such as a treebank of Universal Dependencies; one file or several.
    out
        The model file to write.
    options
        The rounds of training, and sizes.
    dev
        Held-out trees, on which UDPipe reports its accuracy while it trains.

    Returns
    -------
    Parser
        The trained parser.

    Raises
    ------
    MissingPackageError
        If ``ufal.udpipe`` is not installed.
    InputError
        If a treebank is malformed or has no trees.

    Examples
    --------
    >>> from graphmt.corpus import ParserOptions, train_parser
    >>> options = ParserOptions(tokeniser_epochs=0, tagger_iterations=1, parser_iterations=1)
    >>> parser = train_parser("corpus/dev.de.conllu", "small.udpipe", options)  # doctest: +SKIP
    >>> parser.parse(["er schläft ."], tokenised=True)  # doctest: +SKIP
    [Tree('er schläft .', 3 words)]
    """
    chosen = ParserOptions.of(options)
    udpipe()
    given = {"treebank": _files(treebanks), "dev": _files(dev)}
    require_inputs(*given["treebank"], *given["dev"])
    require_outputs(out, inputs=[*given["treebank"], *given["dev"]])
    for path in (*given["treebank"], *given["dev"]):
        _require_trees(path)
    path = Path(out)
    folder = path.with_name(f"{path.name}.training")
    if folder.is_dir() and not (folder / RECORD).is_file() and not holds_only_drafts(folder, RECORD):
        raise InputError(
            f"exists already and has no {RECORD}; training needs this folder.",
            file=folder,
            hint="Move it away, or give the model another name.",
        )
    advice = f"run the same command again to resume; finished steps are kept in {folder}."
    with writer_lock(path), resumable(advice):
        make_folder(folder)
        with writing(folder / RECORD) as stream:
            json.dump({"graphmt parser training": 1}, stream)
        made = _Training(folder, chosen, given).run()
        with writing_bytes(path) as target:
            target.write(made.read_bytes())
        remove_folder(folder, last=RECORD)
    return UdpipeParser(os.fspath(path))


def _files(given: AnyPath | Sequence[AnyPath]) -> list[AnyPath]:
    return [given] if isinstance(given, str | os.PathLike) else list(given)


def _require_trees(path: AnyPath) -> None:
    """Reject malformed trees with their line, before UDPipe meets them."""
    trees = 0
    for tree in read_trees(path, multiword="words"):
        trees += 1
        if set(tree.upos) == {"_"}:
            raise InputError(f"tree {trees} has no tags (UPOS); the tagger learns from them.", file=path)
    if not trees:
        raise InputError("this file has no trees.", file=path)


class _Training:
    """The three steps; each reuses the parts before it."""

    def __init__(self, folder: Path, options: ParserOptions, given: dict[str, list[AnyPath]]) -> None:
        self.folder, self.options, self.given = folder, options, given
        self.steps = Steps(folder)
        self.data = {role: [digest(path) for path in files] for role, files in given.items()}

    def run(self) -> Path:
        """Train all parts and return the whole model."""
        plain = {role: [self._plain(role, number) for number in range(len(self.given[role]))] for role in self.given}
        parts = dict.fromkeys(("tokeniser", "tagger", "parser"), "none")
        trained: dict[str, str] = {}
        out = self.folder
        for part in parts:
            if (wanted := self.options.settings(part)) == "none":
                continue
            out = self.folder / f"{part}.udpipe"
            trained[part] = wanted
            request = {"parts": dict(trained), "data": self.data}
            asked = {**parts, part: wanted, **plain, "out": out.name}
            self.steps.run(part, request, [out], lambda part=part, asked=asked: self._train(part, asked))  # type: ignore[misc]
            parts = {name: f"from_model=file:{out.name}" if name in trained else "none" for name in parts}
        return out

    def _plain(self, role: str, number: int) -> str:
        """A treebank as a plain file, with the trees as read: empty nodes are dropped."""
        path = self.folder / f"{role}-{number}.conllu"
        with writing(path) as stream:
            stream.writelines(tree.conllu() for tree in read_trees(self.given[role][number], multiword="words"))
        return path.name

    def _train(self, part: str, asked: dict[str, Any]) -> dict[str, Any]:
        request = self.folder / "request"
        with writing(request) as stream:
            json.dump(asked, stream)
        total = self.options.rounds(part)
        with bar(f"training the {part}", total) as advance:
            last = ""
            with contextlib.closing(_run(request)) as report:
                for line in report:
                    last = line
                    if found := _ROUND.match(line):
                        advance(min(total, int(found[1])))
        return {"last": last}


def _run(request: Path) -> Generator[str, None, None]:
    """Run the worker in the folder of its request; yields the lines of its report."""
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(str(Path(path).absolute()) for path in sys.path if path),
        "PYTHONSAFEPATH": "1",
    }
    command = program(Path(__file__).absolute().with_name("udpipe_worker.py"), request.name)
    how = {"cwd": request.parent, "env": environment, "errors": "replace"}
    child = start(command, **how, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    last = ""
    try:
        report: IO[str] | None = child.stderr
        assert report is not None
        with report:
            for line in report:
                if line.strip():
                    last = line.strip()
                    yield last
        code = child.wait()
        if child.stdin is not None:
            child.stdin.close()
    except BaseException:
        end(child)
        child.wait()
        raise
    if code != 0:
        raise GraphmtError(f"UDPipe's training ended {how_it_ended(code)}: {last}")
