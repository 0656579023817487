"""The stages that have options, by the name that TOML sections, flags and documentation use."""

from __future__ import annotations

from graphmt.align.options import AlignOptions
from graphmt.demo.corpus import DemoOptions
from graphmt.options import Options

STAGES: dict[str, type[Options]] = {
    "align": AlignOptions,
    "demo": DemoOptions,
}
