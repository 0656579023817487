"""The files of the page, read once when the server starts.

They are served from memory: that needs no open files, and there is no other file that a path could name.
"""

from __future__ import annotations

import hashlib
import mimetypes
from pathlib import Path

from fastapi import Request
from fastapi.responses import Response

PAGE = Path(__file__).parent / "page"


class PageFile:
    """A file of the page.

    Parameters
    ----------
    path
        The file.
    """

    def __init__(self, path: Path) -> None:
        name = path.relative_to(PAGE).as_posix()
        #: Its address.
        self.address = "/" if name == "index.html" else f"/{name}"
        self._content = path.read_bytes()
        tag = hashlib.sha256(self._content).hexdigest()[:32]
        kind = _KINDS.get(path.suffix) or mimetypes.guess_type(name)[0]
        # A browser keeps the file and asks whether it has changed: the modules of two versions do not go together.
        self._headers = {"ETag": f'"{tag}"', "Cache-Control": "no-cache"}
        self._kind = kind or "application/octet-stream"

    async def answer(self, request: Request) -> Response:
        """The file, or that it has not changed."""
        known = request.headers.get("if-none-match", "")
        if self._headers["ETag"] in (one.strip().removeprefix("W/") for one in known.split(",")):
            return Response(status_code=304, headers=self._headers)
        return Response(self._content, headers=self._headers, media_type=self._kind)


#: Registries of systems differ in these, and browsers run no module of another type.
_KINDS = {".js": "text/javascript", ".css": "text/css", ".html": "text/html", ".svg": "image/svg+xml"}


def page_files() -> list[PageFile]:
    """All files of the page."""
    return [PageFile(path) for path in sorted(PAGE.rglob("*")) if path.is_file()]
