"""Search graphs and forests: the record, and the formats of other programs in which they are written."""

from graphmt.searchgraph.files import ENDINGS, is_folder_name, require_format, writing_graphs
from graphmt.searchgraph.graph import Edge, SearchGraph

__all__ = ["ENDINGS", "Edge", "SearchGraph", "is_folder_name", "require_format", "writing_graphs"]
