"""Records of the core as dataclasses of the package."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

T = TypeVar("T", bound="DataclassInstance")


def from_core(cls: type[T], record: object, **changed: Any) -> T:
    """A dataclass filled from the fields of the same names of a record; ``changed`` are given instead."""
    names = [field.name for field in dataclasses.fields(cls) if field.name not in changed]
    return cls(**{name: getattr(record, name) for name in names}, **changed)
