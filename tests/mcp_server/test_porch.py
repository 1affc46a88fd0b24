"""The early says what the SDK would say, and hands over without a lost or doubled message."""

from collections import Counter
from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp.server import Server

from mcp_server.messages import (
    INITIALIZED,
    VERSIONS,
    conversations,
    envelope,
    initialize,
    line_of,
    request,
)
from mcp_server.transcripts import Answer, a_server, by_sdk_alone, with_early_responses
from toolweave.mcp_server.early_responses import MAX_LINE_BYTES, EarlyResponder

SERVER = a_server()
PATIENT = settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])


@pytest.fixture(scope="module")
def server() -> Server[Any]:
    return a_server()


def counted(answers: list[Answer]) -> Counter[bytes]:
    """Answers to different requests may come in any order; each must come once."""
    return Counter(orjson.dumps(answer, option=orjson.OPT_SORT_KEYS) for answer in answers)


@pytest.mark.parametrize("version", [*VERSIONS, "2023-01-01", "tomorrow", ""])
def test_the_handshake_of_every_version_is_answered_as_by_the_sdk(
    server: Server[Any], version: str
) -> None:
    lines = [
        line_of(initialize(version)),
        line_of(INITIALIZED),
        line_of(request("tools/list", id=2)),
        line_of(request("ping", id="three")),
        line_of(request("tools/list", {"_meta": {"progressToken": 1}}, id=4)),
    ]
    early = EarlyResponder()
    answers = [early.answer(line) for line in lines]
    assert answers.pop(1) == b""
    assert None not in answers
    assert [orjson.loads(answer or b"") for answer in answers] == by_sdk_alone(server, lines)


def test_the_modern_era_is_answered_as_by_the_sdk(server: Server[Any]) -> None:
    lines = [
        line_of(request("server/discover", envelope(), id=1)),
        line_of(request("tools/list", envelope(), id="two")),
    ]
    early = EarlyResponder()
    answers = [early.answer(line) for line in lines]
    assert None not in answers
    assert [orjson.loads(answer or b"") for answer in answers] == by_sdk_alone(server, lines)


def test_a_long_line_is_left_to_the_sdk() -> None:
    early = EarlyResponder()
    padded = initialize() | {"id": "x" * MAX_LINE_BYTES}
    assert early.answer(line_of(padded)) is None
    assert early.answer(line_of(initialize())) is not None


@PATIENT
@given(lines=conversations())
def test_whatever_the_early_responder_answers_the_sdk_would_have_answered(
    lines: list[bytes],
) -> None:
    early, answers, taken = EarlyResponder(), list[Answer](), list[bytes]()
    for line in lines:
        if not line.strip():
            continue
        answer = early.answer(line)
        if answer is None:
            break
        taken.append(line)
        answers += [orjson.loads(answer)] if answer else []
    assert counted(answers) == counted(by_sdk_alone(SERVER, taken))


@PATIENT
@given(lines=conversations(), data=st.data())
def test_a_handover_at_any_moment_loses_and_doubles_nothing(
    lines: list[bytes], data: st.DataObject
) -> None:
    before = data.draw(st.integers(0, len(lines)))
    chunk = data.draw(st.sampled_from([0, 1, 7, 100]))
    answers = with_early_responses(SERVER, lines, before=before, chunk=chunk)
    assert counted(answers) == counted(by_sdk_alone(SERVER, lines))


ONE_ID: list[list[bytes]] = [
    # All requests under one id: the answer the client had already is told apart all the same.
    [
        line_of(initialize()),
        line_of(INITIALIZED),
        line_of(request("tools/list")),
        line_of(request("tools/call", {"name": "get_node_types"})),
    ],
    [
        line_of(request("server/discover", envelope())),
        line_of(request("tools/call", envelope(name="get_node_types"))),
    ],
    # A second handshake, and a change of era in either direction.
    [line_of(initialize()), line_of(initialize("2024-11-05", id=2))],
    [line_of(initialize()), line_of(request("tools/list", envelope(), id=2))],
    [line_of(request("server/discover", envelope())), line_of(initialize(id=2))],
    [line_of(request("tools/list", envelope())), line_of(request("ping", id=2))],
    # Before the handshake.
    [line_of(request("tools/list")), line_of(initialize(id=2)), line_of(request("ping", id=3))],
    [line_of(request("ping")), line_of(initialize(id=2)), line_of(request("tools/list", id=3))],
    [line_of(INITIALIZED), line_of(request("tools/list"))],
    # The last line without its end.
    [line_of(initialize()), line_of(request("ping", id=2)).rstrip()],
    [],
]


@pytest.mark.parametrize("lines", ONE_ID)
def test_unusual_conversations_go_as_with_the_sdk_alone(
    server: Server[Any], lines: list[bytes]
) -> None:
    expected = counted(by_sdk_alone(server, lines))
    for before in range(len(lines) + 1):
        assert counted(with_early_responses(server, lines, before=before)) == expected
