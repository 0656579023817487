"""Text that must not change: recognised, replaced by typed tokens for the models, restored in the translation."""

from graphmt.protect.items import GROUPS, Item, ProtectedLine
from graphmt.protect.recogniser import Recogniser
from graphmt.protect.restore import Restored, restore

__all__ = ["GROUPS", "Item", "ProtectedLine", "Recogniser", "Restored", "restore"]
