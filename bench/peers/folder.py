"""The folder of benchmark data, as an argument of every bench."""

from __future__ import annotations

import argparse
from pathlib import Path


def data_folder(text: str) -> Path:
    """For ``add_argument("--data", type=data_folder, ...)``: a folder with data/ in it, or a sentence."""
    path = Path(text)
    if not (path / "data").is_dir():
        raise argparse.ArgumentTypeError(f"{path} has no folder data; give the folder that holds data/ and peers/")
    return path
