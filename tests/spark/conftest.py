"""One Spark session for all tests of a process."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from graphmt.errors import MissingPackageError
from graphmt.spark.session import open_session, require_spark


@pytest.fixture(scope="session")
def session() -> Iterator[Any]:
    try:
        require_spark()
    except MissingPackageError as error:
        pytest.skip(str(error))
    settings = {
        "spark.sql.shuffle.partitions": "2",
        "spark.driver.memory": "1g",
        # The session lives for less than a minute: compile quickly rather than well.
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    }
    made = open_session("local[2]", settings)
    yield made
    made.stop()
