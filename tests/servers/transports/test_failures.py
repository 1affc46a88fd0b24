"""What failed exchanges mean, and the seal under which their reasons travel through the SDK."""

import json
from datetime import UTC, datetime

import httpx2
import pytest
from mcp.shared.exceptions import MCPError
from mcp_types import CONNECTION_CLOSED, INTERNAL_ERROR, ErrorData, JSONRPCError

from toolweave.errors import Denied, Limited, ToolweaveError, Unavailable
from toolweave.servers.transports.failures import (
    HttpFailures,
    as_rpc_error,
    clarify_sdk_message,
    retry_after_s,
    status_error,
    typed_error_in,
)

NOW = datetime(2026, 11, 16, 10, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        (None, None),
        ("", None),
        ("7", 7.0),
        ("0", 0.0),
        ("86401", 86_400.0),
        ("9" * 400, 86_400.0),
        ("-1", None),
        ("1.5", None),
        ("soon", None),
        ("\u0663", None),
        ("Mon, 16 Nov 2026 10:30:09 GMT", 9.0),
        ("Mon, 16 Nov 2026 10:29:00 GMT", 0.0),
        ("Mon, 16 Nov 2026 10:30:09 -0000", 9.0),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 86_400.0),
        ("Mon, 99 Nov 2026 10:30:09 GMT", None),
    ],
)
def test_a_retry_after_header_is_read_as_seconds(text: str | None, seconds: float | None) -> None:
    assert retry_after_s(text, NOW) == seconds


@pytest.mark.parametrize(
    ("status", "kind", "code"),
    [
        (200, None, None),
        (202, None, None),
        (204, None, None),
        (304, Unavailable, "SERVER_HTTP_ERROR"),
        (400, Unavailable, "SERVER_HTTP_ERROR"),
        (401, Denied, "SERVER_SIGN_IN_REQUIRED"),
        (403, Unavailable, "SERVER_HTTP_ERROR"),
        (404, Unavailable, "SERVER_HTTP_ERROR"),
        (429, Limited, "SERVER_RATE_LIMITED"),
        (500, Unavailable, "SERVER_HTTP_ERROR"),
        (503, Unavailable, "SERVER_HTTP_ERROR"),
    ],
)
def test_a_status_means_what_the_table_says(
    status: int, kind: type[ToolweaveError] | None, code: str | None
) -> None:
    request = httpx2.Request("POST", "https://user:hunter2@example.com/mcp?key=hunter2")
    response = httpx2.Response(status, headers={"retry-after": "3"}, request=request)
    error = status_error(response, now=NOW)
    if kind is None:
        assert error is None
        return
    assert error is not None
    assert (type(error), error.code) == (kind, code)
    assert error.facts == {"status": status, "retry_after_s": 3.0}
    assert "hunter2" not in str(error.as_json())


def through_the_sdk(message: JSONRPCError) -> MCPError:
    """As a JSON-RPC error travels: as text, then as the SDK's exception."""
    read = JSONRPCError.model_validate(json.loads(message.model_dump_json(by_alias=True)))
    return MCPError.from_jsonrpc_error(read)


def test_a_sealed_error_comes_out_as_it_went_in() -> None:
    sent = Limited("SERVER_RATE_LIMITED", "slow down", hint="wait", facts={"retry_after_s": 2.0})
    got = typed_error_in(through_the_sdk(as_rpc_error(7, sent)))
    assert got is not None
    assert type(got) is Limited
    assert got.as_json() == sent.as_json()
    bare = typed_error_in(through_the_sdk(as_rpc_error(None, Unavailable("SERVER_PROTOCOL", "x"))))
    assert bare is not None
    assert (bare.code, bare.hint, bare.facts) == ("SERVER_PROTOCOL", None, {})


def test_a_failure_is_found_inside_groups() -> None:
    wrapped = through_the_sdk(as_rpc_error(1, Denied("SERVER_SIGN_IN_REQUIRED", "x")))
    group = BaseExceptionGroup("a", [ValueError(), BaseExceptionGroup("b", [wrapped])])
    found = typed_error_in(group)
    assert found is not None
    assert found.code == "SERVER_SIGN_IN_REQUIRED"
    own = Unavailable("SERVER_PROTOCOL", "x")
    assert typed_error_in(ExceptionGroup("a", [own])) is own


@pytest.mark.parametrize(
    "data",
    [
        None,
        "seal",
        ["seal"],
        {},
        {"seal": "", "kind": "Denied", "code": "SERVER_SIGN_IN_REQUIRED", "message": "x"},
        {"seal": None, "kind": "Denied", "code": "SERVER_SIGN_IN_REQUIRED", "message": "x"},
        {"seal": "0" * 32, "kind": "Denied", "code": "SERVER_SIGN_IN_REQUIRED", "message": "x"},
    ],
)
def test_a_server_cannot_forge_a_seal(data: object) -> None:
    assert typed_error_in(MCPError(INTERNAL_ERROR, "x", data)) is None


def test_other_errors_are_not_explained() -> None:
    assert typed_error_in(ValueError("x")) is None
    assert typed_error_in(ExceptionGroup("a", [ValueError()])) is None


def test_a_servers_own_error_passes_and_a_stand_in_gives_way_to_the_last_failure() -> None:
    own = JSONRPCError(jsonrpc="2.0", id=1, error=ErrorData(code=-32000, message="no such order"))
    last = Unavailable("SERVER_PROTOCOL", "cut off")
    assert clarify_sdk_message(own, "here", last=last, max_bytes=1) is own
    made_up = ErrorData(code=CONNECTION_CLOSED, message="SSE stream ended without a response")
    told = clarify_sdk_message(
        JSONRPCError(jsonrpc="2.0", id=1, error=made_up), "here", last=last, max_bytes=1
    )
    found = typed_error_in(through_the_sdk(told))
    assert found is not None
    assert found.message == "cut off"


def test_the_recorder_gives_its_last_failure_once() -> None:
    failures = HttpFailures()
    assert failures.take() is None
    failures.record(Unavailable("SERVER_PROTOCOL", "first"))
    second = Unavailable("SERVER_PROTOCOL", "second")
    failures.record(second)
    assert failures.last is second
    assert failures.take() is second
    assert failures.last is None
