"""Worker processes that end with their parent, even if it is killed."""

from graphmt.processes.pool import WorkerPool
from graphmt.processes.programs import as_completed, end, follow_parent_of_program, how_it_ended, program, start

__all__ = [
    "WorkerPool",
    "as_completed",
    "end",
    "follow_parent_of_program",
    "how_it_ended",
    "program",
    "start",
]
