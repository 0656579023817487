"""The eflomal package (GPL-3.0): Östling & Tiedemann (2016), by its authors.

It seeds itself from the operating system, so its links differ a little from run to run.
"""

from __future__ import annotations

import functools
import importlib.metadata
import importlib.util
import json
from typing import TYPE_CHECKING

from graphmt._core import Alignment
from graphmt.align.aligners import SAMPLERS, Aligner
from graphmt.align.children import run_children
from graphmt.align.pharaoh import read_alignment
from graphmt.errors import MissingPackageError
from graphmt.progress import Advance
from graphmt.storage.temporary import temporary_folder

if TYPE_CHECKING:
    from graphmt.align.encoding import EncodedPairs


class EflomalAligner(Aligner):
    """The program of the eflomal package, which does both directions in one run."""

    @property
    def max_length(self) -> int:
        """eflomal silently drops longer sentences."""
        return 1023

    @property
    def library(self) -> str:
        """``eflomal`` and its version."""
        if importlib.util.find_spec("eflomal") is None:
            raise MissingPackageError(
                "the model eflomal needs the package eflomal (GPL-3.0), which is not installed.",
                hint="Install it with: pip install 'graphmt[eflomal]', or use the model thot-eflomal.",
            )
        return f"eflomal {importlib.metadata.version('eflomal')}"

    def align(self, pairs: EncodedPairs, advance: Advance) -> tuple[Alignment, Alignment]:
        """Align both directions."""
        with temporary_folder("align") as folder:
            job = pairs.job(folder, pairs.kept)
            forward, reverse = folder / "forward", folder / "reverse"
            request = {
                "source": str(job.source),
                "target": str(job.target),
                "forward": str(forward),
                "reverse": str(reverse),
                "samplers": self.options.samplers or SAMPLERS,
                "length": self.options.eflomal_length,
            }
            path = folder / "request.json"
            path.write_text(json.dumps(request), encoding="utf-8")
            run_children(
                "eflomal_worker.py",
                [path],
                self.library,
                advance,
                threads=self.options.threads,
                most_each=2,
            )
            read = functools.partial(
                read_alignment, source_lengths=job.source_lengths, target_lengths=job.target_lengths
            )
            return read(forward).spread(pairs.kept), read(reverse).spread(pairs.kept)
