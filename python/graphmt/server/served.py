"""The served models: opened once, and opened again when their folders are replaced."""

from __future__ import annotations

import dataclasses
import hashlib
import logging
import os
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

from graphmt.consensus import ConsensusDecoder
from graphmt.errors import GraphmtError, OptionError
from graphmt.model import Model, SentenceMemory, load
from graphmt.model.layout import CONSENSUS
from graphmt.model.manifest import FILE as MANIFEST
from graphmt.model.memory import THRESHOLD
from graphmt.model.model import Prepared
from graphmt.model.weights import FILE as WEIGHTS
from graphmt.server.refusals import Refused

log = logging.getLogger(__name__)


@dataclasses.dataclass(frozen=True)
class ModelSource:
    """Where a served model comes from: its name for clients, its folder, and the translation memory beside it.

    Examples
    --------
    >>> from graphmt.server import ModelSource
    >>> ModelSource.parse("german=models/hpb")
    ModelSource(name='german', folder='models/hpb', memory=(), parser=None)
    >>> ModelSource.parse("models/hpb").name
    'hpb'
    """

    name: str
    folder: str
    memory: tuple[str, ...] = ()
    parser: str | None = None

    @classmethod
    def parse(cls, text: str, *, memory: tuple[str, ...] = (), parser: str | None = None) -> ModelSource:
        """A model as the command line names it: ``FOLDER`` or ``NAME=FOLDER``."""
        name, equals, folder = text.partition("=")
        if not equals or os.path.isdir(text):  # noqa: PTH112
            name, folder = Path(os.path.abspath(text)).name, text  # noqa: PTH100
        if not name or not all(char.isalnum() or char in "-_.+" for char in name):
            raise OptionError(
                f"{name!r} is not a name for a served model: letters, digits and -_.+ were expected.",
                hint="Give it as NAME=FOLDER.",
            )
        return cls(name, folder, memory, parser)


class OpenedModel:
    """A version of a model: what requests that began with it use to the end."""

    def __init__(self, source: ModelSource, threshold: float) -> None:
        self.name, self.source = source.name, source
        self.identity = _identity(source.folder)
        #: For tokens and trees.
        self.model: Model = load(source.folder, parser=source.parser)
        #: For text as people write it.
        self.raw_model = self.model.reading_raw_text()
        self.version = _version(self.model.folder)
        self.memory = SentenceMemory.read(self.raw_model, source.memory, threshold=threshold) if source.memory else None
        self._decoder: ConsensusDecoder | None = None
        self._variants: dict[tuple[bool, tuple[str, ...], bool], Model] = {}
        self._lock = threading.Lock()

    @property
    def languages(self) -> tuple[str, str]:
        """The codes of source and target language."""
        return self.model.source_steps.options.language, self.model.target_steps.options.language

    @property
    def is_raw(self) -> bool:
        """Whether the model was trained on raw text, which it tokenises itself."""
        return self.model.source_steps.options.tokenise

    @property
    def needs_conllu(self) -> bool:
        """Whether text cannot be translated because trees are needed and there is no parser."""
        return self.model.needs_trees and self.model.parser is None

    def variant(self, *, tokenised: bool, protect: tuple[str, ...] = (), selection: bool = True) -> Model:
        """The model for tokens or raw text that protects more groups of text or selects no words; made once of each."""
        key = tokenised, protect, selection
        found = self._variants.get(key)
        if found is None:
            found = (self.model if tokenised else self.raw_model).protecting(protect)
            if not selection and found.selection:
                found = found.reweighted({name: 0.0 for one in found.selection for name in one.features})
            self._variants[key] = found
        return found

    @property
    def has_consensus(self) -> bool:
        """Whether ``graphmt consensus`` was run for the model."""
        return (self.model.folder / CONSENSUS).is_dir()

    def consensus(self) -> ConsensusDecoder:
        """The decoder with consensus, opened when it is first asked for."""
        if not self.has_consensus:
            raise Refused(422, f"the model {self.name} has no consensus.", hint="Train it: graphmt consensus …")
        with self._lock:
            if self._decoder is None:
                self._decoder = ConsensusDecoder.load(self.model, threads=1)
            return self._decoder

    def with_consensus(self, prepared: list[Prepared], *, tokenised: bool) -> Model:
        """The model with consensus for prepared sentences; it detokenises its output unless the input was tokenised."""
        made = self.consensus().with_consensus(prepared)
        return made if tokenised else made.reading_raw_text()


class ServedModels:
    """All served models by name; :meth:`refresh` takes up those that were replaced on disk.

    Parameters
    ----------
    sources
        Names and folders.
    threshold
        The least similarity of reported matches of a translation memory.
    """

    def __init__(self, sources: Sequence[ModelSource], *, threshold: float = THRESHOLD) -> None:
        if not sources:
            raise OptionError("no model was given.")
        twice = {one.name for one in sources if sum(one.name == other.name for other in sources) > 1}
        if twice:
            raise OptionError(f"two models have the name {min(twice)}.", hint="Give them different names: NAME=FOLDER.")
        self._threshold = threshold
        self._opened = {source.name: OpenedModel(source, threshold) for source in sources}
        self._failed: dict[str, tuple[object, ...]] = {}
        self._refreshing = threading.Lock()
        self.reloads = 0

    def __iter__(self) -> Iterator[OpenedModel]:
        return iter(list(self._opened.values()))

    def __len__(self) -> int:
        return len(self._opened)

    def get(self, name: str | None = None, *, of_text: bool = False) -> OpenedModel:
        """A model by its name; by default the first, or the first that translates text."""
        if name is None:
            able = self.of_text if of_text else []
            return (able or list(self))[0]
        found = self._opened.get(name)
        if found is None:
            raise Refused(404, f"there is no model {name[:60]!r}.", hint=f"Known: {', '.join(self._opened)}.")
        return found

    @property
    def of_text(self) -> list[OpenedModel]:
        """The models that translate text: all but those that need trees and have no parser."""
        return [one for one in self if not one.needs_conllu]

    def between(self, source: str, target: str) -> OpenedModel | None:
        """The first model that translates text from one language into another."""
        return next((one for one in self.of_text if one.languages == (source, target)), None)

    def refresh(self) -> list[str]:
        """Open models whose folders were replaced; the names of these. A folder that cannot be opened is left alone."""
        changed = []
        with self._refreshing:
            for name, current in list(self._opened.items()):
                identity = _identity(current.source.folder)
                if identity in (current.identity, self._failed.get(name)):
                    continue
                try:
                    opened = OpenedModel(current.source, self._threshold)
                except (GraphmtError, OSError) as error:
                    if name not in self._failed:
                        log.warning(f"{name}: the new model cannot be opened, the old one stays: {error}")
                    self._failed[name] = identity
                    continue
                self._failed.pop(name, None)
                # Requests that hold the old model keep its files open until they are done.
                self._opened[name] = opened
                self.reloads += 1
                changed.append(name)
        return changed


def _identity(folder: str) -> tuple[object, ...]:
    """Whatever changes when a model folder is replaced, removed, or its weights are tuned."""
    found: list[object] = []
    for name in (MANIFEST, WEIGHTS):
        try:
            status = (Path(folder) / name).stat()
        except OSError:
            found.append(None)
        else:
            found += [status.st_ino, status.st_dev, status.st_size, status.st_mtime_ns]
    return tuple(found)


def _version(folder: Path) -> str:
    """A digest of the manifest and the weights: equal for equal models."""
    sha = hashlib.sha256()
    for name in (MANIFEST, WEIGHTS):
        sha.update((folder / name).read_bytes())
    return sha.hexdigest()[:16]
