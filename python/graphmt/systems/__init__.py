"""The papers' systems, by name."""

from __future__ import annotations

from graphmt.errors import OptionError
from graphmt.options import nearest
from graphmt.systems.base import Links, System
from graphmt.systems.btg import BTG
from graphmt.systems.dep2str import DEP2STR
from graphmt.systems.dgst import DGST
from graphmt.systems.gbmt import GBMT
from graphmt.systems.gbmt_ctx import GBMT_CTX
from graphmt.systems.grammars import (
    Blocks,
    FragmentRules,
    Grammar,
    HeadDependentRules,
    HierarchicalRules,
    SubgraphRules,
)
from graphmt.systems.hpb import HPB
from graphmt.systems.pbmt import PBMT
from graphmt.systems.tbmt import TBMT

__all__ = [
    "SYSTEMS",
    "Blocks",
    "FragmentRules",
    "Grammar",
    "HeadDependentRules",
    "HierarchicalRules",
    "Links",
    "SubgraphRules",
    "System",
    "system",
]

#: The systems by name.
SYSTEMS: dict[str, System] = {made.name: made for made in (PBMT, TBMT, GBMT, GBMT_CTX, HPB, BTG, DGST, DEP2STR)}


def system(name: str) -> System:
    """Look up a system by its name.

    Parameters
    ----------
    name
        The name, one of ``SYSTEMS``.

    Returns
    -------
    System
        The system.

    Raises
    ------
    OptionError
        If there is none; the message suggests the nearest name.

    Examples
    --------
    >>> from graphmt.systems import SYSTEMS, system
    >>> sorted(SYSTEMS)
    ['btg', 'dep2str', 'dgst', 'gbmt', 'gbmt-ctx', 'hpb', 'pbmt', 'tbmt']
    >>> system("pbmt").name
    'pbmt'
    """
    if name not in SYSTEMS:
        raise OptionError(f"unknown system {name!r}{nearest(name, SYSTEMS)}.")
    return SYSTEMS[name]
