"""The stages that have options, by the name that TOML sections, flags and documentation use."""

from __future__ import annotations

from graphmt.corpus.cleaning import CleanOptions
from graphmt.corpus.steps import TextOptions
from graphmt.align.options import AlignOptions
from graphmt.demo.corpus import DemoOptions
from graphmt.options import Options

STAGES: dict[str, type[Options]] = {
    "clean": CleanOptions,
    "text": TextOptions,
    "align": AlignOptions,
    "demo": DemoOptions,
from graphmt.lm.options import LmOptions
from graphmt.options import Options

STAGES: dict[str, type[Options]] = {
    "lm": LmOptions,
}
