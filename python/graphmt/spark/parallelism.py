"""How many tasks suit a session: a cluster may allocate its cores long after a session begins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_PARTITIONS = "spark.sql.shuffle.partitions"

#: The number of partitions that :func:`fit_partitions` chose last. Another one is a user's.
_CHOSEN = "spark.graphmt.shuffle.partitions"

#: Cores to plan for if Spark allocates executors as tasks wait for them: more tasks bring more executors.
_UNLIMITED = 100


def cores(session: SparkSession) -> int:
    """The cores of the cluster: those allocated at present, or those that are still to come by its settings."""
    context = session.sparkContext
    return max(int(context.defaultParallelism), promised_cores(dict(context.getConf().getAll())))


def promised_cores(settings: Mapping[str, str]) -> int:
    """The cores that the settings of a session ask for; 0 if they do not say."""
    each = int(settings.get("spark.executor.cores", "1"))
    if settings.get("spark.dynamicAllocation.enabled", "false").lower() == "true":
        most = settings.get("spark.dynamicAllocation.maxExecutors")
        promised = _UNLIMITED if most is None else min(int(most), 1 << 20) * each
    else:
        promised = int(settings.get("spark.executor.instances", "0")) * each
    limit = int(settings.get("spark.cores.max", "0"))
    return min(promised, limit) if promised and limit else promised or limit


def fit_partitions(session: SparkSession) -> None:
    """Let Spark divide what it shuffles to suit the cores, unless a user has chosen a number of partitions.

    Spark's 200 are too many for few cores and too few for many.
    """
    settings = session.conf
    if settings.get(_PARTITIONS) != settings.get(_CHOSEN, None) and _PARTITIONS in settings.getAll:
        return
    wanted = str(2 * cores(session))
    settings.set(_PARTITIONS, wanted)
    settings.set(_CHOSEN, wanted)
