"""The stages that have options, by the name that TOML sections, flags and documentation use."""

from __future__ import annotations

from graphmt.lm.options import LmOptions
from graphmt.options import Options

STAGES: dict[str, type[Options]] = {
    "lm": LmOptions,
}
