"""The opened lists and vectors of a run, compared with each other before any work is done."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from graphmt.consensus.combination import ListStream, MergedFile, system_column
from graphmt.consensus.detection import Sample
from graphmt.consensus.lengths import check_dev, check_lists, check_widths, is_readable_twice
from graphmt.consensus.options import RerankOptions
from graphmt.consensus.reranker import Reranker
from graphmt.consensus.run import require_same_columns
from graphmt.consensus.scores import column_names_of, has_scores, require_column, require_same_scores, settled_score
from graphmt.corpus import tokenised
from graphmt.evidence import read_vectors
from graphmt.memory_features.pairs import SAMPLE
from graphmt.nbest import read_lists
from graphmt.storage.files import AnyPath

if TYPE_CHECKING:
    from graphmt.consensus.request import RerankRequest, VectorFiles


class OpenedVectors:
    """The opened vectors of a run."""

    def __init__(self, files: VectorFiles) -> None:
        given = (files.source, files.memory, files.dev)
        self.source, self.memory, self.dev = (None if path is None else read_vectors(path) for path in given)
        check_widths(self.source, self.memory, self.dev)


class OpenedLists:
    """The opened lists of a run and of its development set."""

    def __init__(self, request: RerankRequest, without: Sequence[str]) -> None:
        self._request, self._without = request, without
        self.given = self._opened(request.lists)
        self.dev: ListStream | None = None
        if request.dev is not None:
            # They are read as those to be re-ranked.
            columns = self.given.columns if isinstance(self.given, MergedFile) else None
            self.dev = self._opened(request.dev.lists, columns)

    def _opened(self, paths: Sequence[AnyPath], columns: Sequence[RerankOptions] | None = None) -> ListStream:
        asked = self._request
        files = [
            read_lists(path, without=self._without, format=asked.format, list_size=asked.list_size) for path in paths
        ]
        return files[0] if len(files) == 1 else MergedFile(files, columns)

    def check(self, vectors: OpenedVectors) -> None:
        """Compare the lengths of all files but those of the memory."""
        request = self._request
        if request.dev is not None and self.dev is not None:
            require_same_columns(self.dev, self.given.features)
            check_dev(self.dev, request.dev.source, request.dev.references, vectors.dev)
        how: dict[str, Any] = {"without": self._without, "format": request.format, "list_size": request.list_size}
        check_lists(request.lists, request.source, vectors.source, **how)

    def check_columns(self, options: RerankOptions, saved: Reranker | None) -> None:
        """Reject lists without the asked columns, and lists with scores if those that are tuned on have none."""
        given = self.given
        options = settled_score(given.sample(1)[0], options)
        require_column(given.features, options)
        lists = given.sample(SAMPLE)
        if saved is not None:
            saved.check(column_names_of(given.features, options), has_scores(lists, options.score), given.path)
        if self.dev is None:
            return
        columns = {given.path: options.score}
        if isinstance(given, MergedFile):
            systems = enumerate(zip(given.files, given.columns, strict=True), 1)
            columns = {file.path: system_column(system, one.score) for system, (file, one) in systems}
        dev = self.dev.sample(SAMPLE)
        for path, column in columns.items():
            require_same_scores(has_scores(lists, column), has_scores(dev, column), path)

    def sample(self, pairs: Sequence[tuple[str, str]]) -> Sample:
        """The first lists that are tuned on, or otherwise re-ranked, with their sources and the first pairs."""
        request = self._request
        source = request.dev.source if request.dev is not None else request.source
        readable = source is not None and is_readable_twice(source)
        sources = list(islice(tokenised(source), SAMPLE)) if readable and source is not None else []
        return Sample((self.dev or self.given).sample(SAMPLE), sources, pairs)
