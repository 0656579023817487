"""The server: translation over HTTP, and a page that shows how a translation was derived.

It needs the extra ``serve`` (FastAPI and uvicorn), which is imported when an application is made, not here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from graphmt.errors import MissingPackageError
from graphmt.server.options import ServeOptions
from graphmt.server.served import ModelSource

__all__ = ["ModelSource", "ServeOptions", "create_app"]


def create_app(models: list[ModelSource], options: ServeOptions | Mapping[str, Any] | None = None) -> Any:
    """Make the ASGI application that serves some models.

    Parameters
    ----------
    models
        The models: a name and a folder each.
    options
        Limits and settings.

    Returns
    -------
    fastapi.FastAPI
        The application, for uvicorn or another ASGI server.

    Raises
    ------
    MissingPackageError
        If the extra ``serve`` is not installed.

    Examples
    --------
    >>> from graphmt.server import ModelSource, create_app
    >>> app = create_app([ModelSource.parse("pbmt")])
    >>> app.title
    'graphmt'
    """
    require_packages()
    from graphmt.server.app import make_app

    return make_app(models, ServeOptions.of(options))


def require_packages() -> None:
    """Reject the call with a sentence if the extra ``serve`` is not installed."""
    try:
        import fastapi  # noqa: F401
        import python_multipart  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as error:
        raise MissingPackageError(
            f"the server needs the package {error.name}.", hint='Install the extra: pip install "graphmt[serve]"'
        ) from None
