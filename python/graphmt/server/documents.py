"""Files and HTML in requests: filled in as on the command line, and kept for a while for download."""

from __future__ import annotations

import re
import secrets
import tempfile
import threading
import time
from pathlib import Path, PurePosixPath

from graphmt import _core
from graphmt.localisation import Document, Message
from graphmt.localisation.formats import READERS, read_as
from graphmt.protect import GROUPS, Recogniser
from graphmt.server.refusals import Refused
from graphmt.server.segments import Segments
from graphmt.server.served import OpenedModel
from graphmt.server.work import Settings, Translated, Work

#: Everything is protected, as in localisation files on the command line.
PROTECTED = Settings(protect=tuple(GROUPS))
#: Formats of files, by their endings.
FORMATS = (".txt", *READERS)
#: How long a translated file is kept, in seconds, and how many files.
KEPT, MOST_KEPT = 1200, 200
#: Bytes examined to distinguish plain text from markup.
_HEAD = 1 << 13
_NAME = re.compile(r"[^A-Za-z0-9._-]+")
_TOKEN = re.compile(r"[0-9a-f]{32}")


async def translated_file(work: Work, opened: OpenedModel, data: bytes, name: str) -> tuple[bytes, list[Translated]]:
    """A file with its units translated; its name tells the format."""
    ending = PurePosixPath(name.lower()).suffix
    if ending not in FORMATS:
        raise Refused(400, "files of this format are not translated.", hint=f"Known endings: {', '.join(FORMATS)}.")
    if ending == ".txt":
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise Refused(400, "the file is not UTF-8.") from None
        _core.require_plain("the file", data[:_HEAD])
        segments = await work.do(lambda: Segments(text), len(text))
        done = await work.translate(opened, segments.sentences, PROTECTED)
        return segments.joined(one.translations[0].text for one in done).encode(), done
    document = await work.do(lambda: read_as(ending, data, "the file", opened.languages), len(data))
    return await translated_document(work, opened, document)


async def translated_document(work: Work, opened: OpenedModel, document: Document) -> tuple[bytes, list[Translated]]:
    """A document with its units filled in."""
    recogniser = Recogniser(tuple(GROUPS), opened.model.source_steps.options.patterns)

    def split() -> tuple[list[list[Message]], list[str]]:
        units = [[Message(source, recogniser) for source in unit.sources] for unit in document.units]
        return units, list(dict.fromkeys(one for unit in units for message in unit for one in message.sentences))

    messages, wanted = await work.do(split, len(document.text))
    done = await work.translate(opened, wanted, PROTECTED)
    texts = {sentence: one.translations[0].text for sentence, one in zip(wanted, done, strict=True)}

    def filled() -> bytes:
        return document.filled([[message.joined(texts.__getitem__) for message in unit] for unit in messages])

    return await work.do(filled, len(document.text)), done


class FileStore:
    """Translated files, each under a name that cannot be guessed.

    The folder may be shared by several processes. Requests name a file by its token alone, never by a path.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._given = folder
        self._made: tempfile.TemporaryDirectory[str] | None = None
        self._lock = threading.Lock()

    @property
    def folder(self) -> Path:
        """Where the files are."""
        if self._given is not None:
            return self._given
        with self._lock:
            if self._made is None:
                self._made = tempfile.TemporaryDirectory(prefix="graphmt-serve-")
            return Path(self._made.name)

    def close(self) -> None:
        """Remove the files, unless the folder is shared."""
        with self._lock:
            if self._made is not None:
                self._made.cleanup()
                self._made = None

    def put(self, data: bytes, name: str, language: str) -> str:
        """Keep a file; returns its name for download."""
        self._remove_old()
        token = secrets.token_hex(16)
        (self.folder / token).write_bytes(data)
        plain = PurePosixPath(_NAME.sub("_", re.split(r"[/\\]", name)[-1])[-80:])
        return f"{token}.{plain.stem}_{language}{plain.suffix}"

    def get(self, name: str) -> tuple[bytes, str]:
        """A kept file, and its name for the client."""
        token, _, plain = name.partition(".")
        if _TOKEN.fullmatch(token):
            try:
                return (self.folder / token).read_bytes(), _NAME.sub("_", plain)[-100:] or "file"
            except FileNotFoundError:
                pass
        raise Refused(404, "there is no such file.", hint=f"Files are kept for {KEPT // 60} minutes.")

    def _remove_old(self) -> None:
        known = sorted((_modified(path), path) for path in self.folder.iterdir() if _TOKEN.fullmatch(path.name))
        oldest = time.time() - KEPT
        for number, (modified, path) in enumerate(known):
            if modified < oldest or number < len(known) - MOST_KEPT + 1:
                path.unlink(missing_ok=True)


def _modified(path: Path) -> float:
    """When a file was written; 0 if another request has removed it meanwhile."""
    try:
        return path.stat().st_mtime
    except FileNotFoundError:
        return 0.0
