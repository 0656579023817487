"""Spark sessions: opened with the settings that the engine needs, or refused with advice."""

from __future__ import annotations

import functools
import logging
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from graphmt.errors import InputError, MissingPackageError, OptionError
from graphmt.spark.parallelism import fit_partitions

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

log = logging.getLogger(__name__)

#: The oldest Java that Spark 4 runs on.
OLDEST_JAVA = 17

#: Pairs or sentences in a batch that Spark passes to Python.
BATCH = 2048

_SETTINGS = {
    "spark.app.name": "graphmt",
    "spark.log.level": "ERROR",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    # A worker process keeps its model and its vocabularies from task to task.
    "spark.python.worker.reuse": "true",
    "spark.sql.execution.arrow.maxRecordsPerBatch": str(BATCH),
    # The parts of a table are small as bytes but not as work.
    "spark.sql.adaptive.coalescePartitions.enabled": "false",
    # Text columns are compared as bytes, and Parquet files of a stage are read file by file.
    "spark.sql.files.openCostInBytes": str(32 << 20),
    "spark.sql.parquet.compression.codec": "zstd",
}


def open_session(master: str = "local[*]", settings: Mapping[str, str] | None = None) -> SparkSession:
    """Open a Spark session for the functions of :mod:`graphmt.spark`, or return the active one.

    Any session works; this one has settings that suit the engine.

    Parameters
    ----------
    master
        The cluster: ``local[N]`` for N threads of this machine, or the address of a cluster.
    settings
        More settings of Spark, such as ``{"spark.executor.memory": "8g"}``.

    Returns
    -------
    SparkSession
        The session.

    Raises
    ------
    MissingPackageError
        If PySpark, PyArrow or Java is missing or too old.
    OptionError
        If the master is not one that Spark knows.

    Examples
    --------
    >>> from graphmt.spark import open_session
    >>> session = open_session("local[2]")
    >>> session.range(3).count()
    3
    """
    require_spark()
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    if not re.fullmatch(r"local(\[[^\]]+\])?|local-cluster\[\d+,\d+,\d+\]|(spark|k8s|mesos)://.+|yarn", master):
        raise OptionError(
            f"unknown Spark master {master!r}.",
            hint="For example local[4], spark://HOST:7077, k8s://https://HOST:PORT or yarn.",
        )
    active = SparkSession.getActiveSession()
    if active is not None:
        return active
    chosen = {**_SETTINGS, "spark.master": master}
    if master.startswith("local"):
        # Workers of this machine run this Python, and no network interface is needed.
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        chosen["spark.driver.host"] = chosen["spark.driver.bindAddress"] = "127.0.0.1"
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        # Java only passes rows on, for which its second, optimising compiler takes more time than it saves.
        chosen["spark.driver.extraJavaOptions"] = "-XX:TieredStopAtLevel=1"
    if master.startswith("local-cluster"):
        _find_jars(chosen)
    builder = SparkSession.builder
    for name, value in {**chosen, **(settings or {})}.items():
        builder = builder.config(name, value)
    try:
        session = builder.getOrCreate()
    except (PySparkException, Py4JError, OSError, RuntimeError) as error:
        raise InputError(f"Spark does not start: {first_line(error)}", hint=f"Check the master {master}.") from None
    fit_partitions(session)
    return session


def require_spark() -> None:
    """Check that PySpark, PyArrow and a suitable Java are installed."""
    for package in ("pyspark", "pyarrow", "pandas"):
        try:
            __import__(package)
        except ImportError:
            raise MissingPackageError(
                f"the Spark engine needs {package}.", hint="Install it with pip install 'graphmt[spark]'."
            ) from None
    version = java_version()
    if version is None:
        raise MissingPackageError(
            f"the Spark engine needs Java {OLDEST_JAVA} or newer, and no java was found.",
            hint="Install a Java runtime and put java on the PATH, or set JAVA_HOME.",
        )
    if version < OLDEST_JAVA:
        raise MissingPackageError(
            f"the Spark engine needs Java {OLDEST_JAVA} or newer; java is version {version}.",
            hint="Set JAVA_HOME to a newer one.",
        )


@functools.cache
def _version_of(java: str) -> int | None:
    try:
        said = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = re.search(r'version "(?:1\.)?(\d+)', said.stderr + said.stdout)
    return int(found[1]) if found else None


def java_version() -> int | None:
    """The version of the Java that Spark would run; None without Java."""
    home = os.environ.get("JAVA_HOME")
    java = shutil.which("java", path=str(Path(home) / "bin")) if home else shutil.which("java")
    return None if java is None else _version_of(java)


def _find_jars(chosen: dict[str, str]) -> None:
    """Let the executors of a local cluster find Spark and this Python's packages."""
    import pyspark

    home = os.environ.setdefault("SPARK_HOME", str(Path(pyspark.__file__).parent))
    os.environ.setdefault("SPARK_SCALA_VERSION", "2.13")
    chosen["spark.executorEnv.SPARK_HOME"] = home
    paths = os.pathsep.join(path for path in sys.path if path)
    chosen["spark.executorEnv.PYTHONPATH"] = paths


def first_line(error: object) -> str:
    """The first line of an error's text."""
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)
