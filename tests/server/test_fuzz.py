"""Requests made from the OpenAPI description: none crashes the server, and every answer is one that it describes."""

from __future__ import annotations

import os

import pytest
from fastapi import FastAPI
from hypothesis import HealthCheck, given, settings

schemathesis = pytest.importorskip("schemathesis", reason="needs schemathesis, of the group 'dev'")
checks = pytest.importorskip("schemathesis.specs.openapi.checks", reason="needs schemathesis, of the group 'dev'")


#: Requests for each route: a few in every run, many in make test-all. With 500, the test took 380 s beside other work.
EXAMPLES = 300 if os.environ.get("GRAPHMT_LONG") else 4


# The long run takes longer than the limit of a test.
@pytest.mark.timeout(3600 if EXAMPLES > 100 else 300)
def test_no_request_breaks_the_server(app: FastAPI) -> None:
    seen = set()
    for found in schemathesis.openapi.from_asgi("/openapi.json", app).get_all_operations():
        operation = found.ok()
        seen.add(operation.path)

        @given(case=operation.as_strategy())
        @settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
        def ask(case: object) -> None:
            response = case.call()
            assert response.status_code != 500, response.text
            # What a model can process is more than a schema can say: its limits, one of two fields, protected text.
            case.validate_response(response, excluded_checks=[checks.positive_data_acceptance])

        ask()
    assert {"/translate", "/detect", "/translate_file", "/v1/translate", "/v1/explain", "/v1/rerank"} <= seen
