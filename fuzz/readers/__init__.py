"""The readers under test, by name; each has a folder of seeds with its name."""

from __future__ import annotations

from fuzz.readers import models, states, texts
from fuzz.readers.base import Reader

READERS: dict[str, Reader] = {reader.name: reader for reader in (*texts.READERS, *models.READERS, *states.READERS)}

__all__ = ["READERS", "Reader"]
