"""The OpenAPI document is complete and honest: what it says is what happens, whatever is sent."""

import re
import subprocess
import sys
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import httpx2
import jsonschema_rs
import pytest

from rest.drawn import greeting
from rest.process import Served, served
from toolweave.serve.http import SERVICE_TOKEN

DOCUMENT = "/api/v1/openapi.json"
PAGE = Path(__file__).parents[2] / "docs" / "rest.md"
# What a document of the right form can still lack is not for a schema to say: that it is a
# workflow without faults, an export, a node it has, an event that happened.
CONFIG = """
warnings = ["missing_auth", "unsupported_regex"]

# Methods that no path has are refused by the router, the same way for each path.
[phases.coverage]
unexpected-methods = ["patch"]
extra-data-sources.responses = false

[phases.fuzzing]
extra-data-sources.responses = false
error-feedback.enabled = false

[parameters]
"path.run" = "{run}"
"path.name" = "greet"
"path.model" = "nobody"
"path.library" = "nobody"
"path.service" = "nothing"
"path.server" = "nobody"
"path.key" = "bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb"

# A stream without an end.
[[operations]]
include-path = "/api/v1/events"
enabled = false

# The invalid name that it sends is replaced by the one above.
[[operations]]
include-path-regex = "/versions/"
checks.negative_data_rejection.enabled = false

[[operations]]
include-path-regex = "/library|/documents"
checks.positive_data_acceptance.expected-statuses = ["2xx", 403, 404, 409, 422]

[[operations]]
include-path-regex = "/edit/(fix|mode|..port|backtest|extract)$|/catalog/node$"
checks.positive_data_acceptance.expected-statuses = ["2xx", 404, 409, 422]

[[operations]]
include-path-regex = "/(runs|models|chat|ser|sec|trig|key)"
checks.positive_data_acceptance.expected-statuses = ["2xx", 404, 409, 422]
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Generator[Served]:
    home = tmp_path_factory.mktemp("openapi") / "home"
    limits = {"TOOLWEAVE_RATE_PER_S": "1000000", "TOOLWEAVE_BURST": "1000000"}
    with served(home, limits) as running:
        yield running


@pytest.fixture(scope="module")
def document(server: Served) -> dict[str, Any]:
    return httpx2.get(server.url + DOCUMENT, headers=server.headers, timeout=60).json()


def references_in(value: Any) -> Iterator[str]:
    match value:
        case {"$ref": str(target)}:
            yield target
        case dict():
            for child in value.values():  # pyright: ignore[reportUnknownVariableType]
                yield from references_in(child)
        case list():
            for child in value:  # pyright: ignore[reportUnknownVariableType]
                yield from references_in(child)
        case _:
            pass


def test_every_reference_leads_somewhere(document: dict[str, Any]) -> None:
    known = {f"#/components/schemas/{name}" for name in document["components"]["schemas"]}
    assert set(references_in(document)) <= known


def test_every_operation_says_what_it_wants_and_has_a_name(document: dict[str, Any]) -> None:
    operations = {
        f"{method} {path}": operation
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    }
    assert len(operations) >= 28
    open_ones = [name for name, operation in operations.items() if not operation.get("security")]
    assert open_ones == ["get /ready", "get /health", "get /api/v1/public/health"]
    assert len({operation["operationId"] for operation in operations.values()}) == len(operations)
    assert all(operation["description"] for operation in operations.values())
    schemes = document["components"]["securitySchemes"]
    assert [scheme.get("name") for scheme in schemes.values()] == [
        "X-API-Key",
        None,
        "X-Service-Token",
    ]


def test_the_page_about_rest_names_every_operation(document: dict[str, Any]) -> None:
    page = re.sub(r"\{\w+\}", "{}", PAGE.read_text(encoding="utf-8"))
    described = [
        f"{method.upper()} {re.sub(r'{.*?}', '{}', path)}"
        for path, methods in document["paths"].items()
        for method in methods
    ]
    assert [name for name in described if f"`{name}`" not in page] == []


def test_the_described_bodies_are_those_we_read(server: Served, document: dict[str, Any]) -> None:
    operation = document["paths"]["/api/v1/mcp/invoke"]["post"]
    described = operation["requestBody"]["content"]["application/json"]["schema"]
    schema = jsonschema_rs.validator_for({**described, "components": document["components"]})
    call: dict[str, Any] = {"name": "get_node_types", "arguments": {}}
    rpc: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    bodies: list[Any] = [
        call,
        {"name": "get_node_types"},
        rpc,
        {**rpc, "id": "x"},
        {**rpc, "id": None},
        {**rpc, "id": 1.5},
        {**rpc, "method": "ping"},
        {**rpc, "more": 1},
        {**call, "more": 1},
        {"name": ""},
        [],
        None,
    ]
    address, headers = server.url + "/api/v1/mcp/invoke", server.headers
    for body in bodies:
        answer = httpx2.post(address, json=body, headers=headers, timeout=60)
        assert (answer.status_code == 200) is schema.is_valid(body), body


def a_run(server: Served) -> str:
    """The id of a run that is over, of a workflow that is stored."""
    with httpx2.Client(base_url=server.url, headers=server.headers, timeout=60) as client:
        body = {"document": greeting("greet")}
        assert client.put("/api/v1/workflows/greet", json=body).status_code == 201
        run = client.post("/api/v1/runs", json={"workflow": "greet"}).json()["id"]
        assert "event: finished" in client.get(f"/api/v1/runs/{run}/events").text
    return run


@pytest.mark.timeout(400)  # some thousand requests, beside other tests
def test_schemathesis_finds_nothing_undocumented_and_no_fault(server: Served) -> None:
    run = a_run(server)
    config = CONFIG.format(run=run)
    (server.home / "schemathesis.toml").write_text(config, encoding="utf-8")
    token = (server.home / SERVICE_TOKEN).read_text(encoding="ascii").strip()
    done = subprocess.run(
        [
            *(sys.executable, "-m", "schemathesis.cli", "run", server.url + DOCUMENT),
            *("-H", f"X-API-Key: {server.key}", "-H", f"X-Service-Token: {token}"),
            *("--phases", "coverage,fuzzing", "--max-examples", "3", "--no-color"),
            # The same requests each time: what another seed finds belongs into a test of its own.
            *("--workers", "1", "--generation-database", "none", "--seed", "20261116"),
        ],
        capture_output=True,
        text=True,
        cwd=server.home,
        timeout=360,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
    assert "No issues found" in done.stdout
    tried = re.search(r"\d+ generated, (\d+) passed", done.stdout)
    assert tried is not None, done.stdout[-2000:]
    assert int(tried[1]) > 1_000
    assert server.process.poll() is None
