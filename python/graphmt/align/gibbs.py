"""The sampler of the core (``rust/src/align/gibbs``): Östling & Tiedemann (2016), in this process."""

from __future__ import annotations

from typing import TYPE_CHECKING

import graphmt
from graphmt._core import Alignment, gibbs_align
from graphmt.align.aligners import Aligner
from graphmt.progress import Advance

if TYPE_CHECKING:
    from graphmt.align.encoding import EncodedPairs


class GibbsAligner(Aligner):
    """Collapsed Gibbs sampling; directions and samplers run in parallel."""

    @property
    def max_length(self) -> int:
        """The same as that of thot-eflomal; the time of a pair grows with the product of its lengths."""
        return 1024

    @property
    def library(self) -> str:
        """``graphmt`` and its version."""
        return f"graphmt {graphmt.__version__}"

    def align(self, pairs: EncodedPairs, advance: Advance) -> tuple[Alignment, Alignment]:
        """Align both directions."""

        def report(phase: str, done: int, total: int) -> None:
            advance(1000 * done // total)

        links = gibbs_align(pairs.source, pairs.target, pairs.kept, self.options, progress=report)
        return links.forward, links.reverse
