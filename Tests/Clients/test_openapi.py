"""The API description at /openapi.json, and requests generated from it."""
import json

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import content_type_conformance, response_schema_conformance, status_code_conformance

from serving import ROOT
from wire import exchange, head

FILE = ROOT / "Sources/ServerFiles/openapi.json"
DOCUMENT = json.loads(FILE.read_text())
OPERATIONS = [(method.upper(), path) for path, item in DOCUMENT["paths"].items() for method in item if method in
              ("get", "post", "put", "delete", "options", "head")]
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
schema = schemathesis.openapi.from_path(FILE)


def test_the_server_serves_this_file(server):
    answer = requests.get(f"{server.url}/openapi.json", timeout=10)
    assert answer.headers["content-type"] == "application/json" and answer.json() == DOCUMENT


@pytest.mark.parametrize("method,path", OPERATIONS, ids=map(" ".join, OPERATIONS))
def test_every_described_route_exists(videos, method, path):
    response = exchange(videos, head(videos, method, path.replace("{model}", "whisper-1"), "Content-Length: 0"), method)
    assert response.status not in (404, 405, 500)


@schema.parametrize()
@settings(max_examples=15, deadline=None, derandomize=True, phases=[Phase.explicit, Phase.generate],
          suppress_health_check=list(HealthCheck))
def test_generated_requests(case, videos):
    case.call_and_validate(base_url=videos.url, checks=CHECKS, headers={"Authorization": "Bearer token"}, timeout=60)
