"""Root bound by the permissions of files, as any other user is."""

from __future__ import annotations

import ctypes
import os
import sys

import pytest

#: CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH: the capabilities of Linux that pass over permissions.
_OVERRIDING = (1, 2)
_PR_CAPBSET_DROP = 24
#: The header of capget and capset: version 3, this thread.
_HEADER = (ctypes.c_uint32 * 2)(0x20080522, 0)

#: A test of permissions that can hold nobody back.
needs_permissions = pytest.mark.skipif(
    sys.platform == "win32" or (sys.platform != "linux" and os.geteuid() == 0),
    reason="nothing is forbidden to root outside Linux, and Windows has no permissions of this kind",
)


def respect_permissions() -> None:
    """From here on, permissions hold in this process and in the programs that it runs.

    Root stays root: it owns its files and can enter its own folders, the package's among them, which another user
    perhaps could not.
    """
    if os.geteuid() != 0:
        return
    libc = ctypes.CDLL(None, use_errno=True)
    for capability in _OVERRIDING:
        # A program that root runs would have them again.
        _check(libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0))
    # Two triples: the effective, permitted and inheritable capabilities, 32 at a time.
    sets = (ctypes.c_uint32 * 6)()
    _check(libc.capget(_HEADER, sets))
    for place in range(3):
        sets[place] &= ~sum(1 << capability for capability in _OVERRIDING)
    _check(libc.capset(_HEADER, sets))


def _check(result: int) -> None:
    if result:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
