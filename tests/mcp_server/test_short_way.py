"""A call that takes the short way is answered as the SDK would have answered it."""

from typing import Any, Literal

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mcp_server.messages import INITIALIZED, VERSIONS, Message, envelope, initialize, line_of
from mcp_server.messages import request as asked
from mcp_server.transcripts import TOOLBOX, a_server, by_sdk_alone
from toolweave.app.live_catalog import CountingToolbox, LiveCatalog
from toolweave.json_text import JsonObject
from toolweave.mcp_server.early_responses import META, EarlyResponder, is_object
from toolweave.mcp_server.short_way import ShortWay

SERVER = a_server()
PATIENT = settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])

Era = Literal["handshake", "modern"]

NODES = [{"node_type": "flow_node", "subtype": "if"}, {"node_type": "?", "subtype": "é"}]
CALLS: list[Message] = [
    {"name": "get_node_types"},
    {"name": "get_node_types", "arguments": {"type_filter": "nope"}},
    {"name": "get_node_details", "arguments": {"nodes": NODES}},
    {"name": "get_node_details", "arguments": {"nodes": NODES, "max_tokens": 90}},
    {"name": "get_node_details", "arguments": {"nodes": 5}},
    {"name": "search_nodes", "arguments": {"query": "post to slack", "limit": 3}},
]
ODD: list[Any] = [None, True, 0, 1.5, "", "x", "é", [], ["x"], {}, {"x": 1}]
odd = st.sampled_from(ODD)
metas = st.fixed_dictionaries(
    {},
    optional={
        "progressToken": odd,
        "traceparent": st.just("00-1-2-03"),
        META + "logLevel": st.sampled_from(["debug", "loud"]),
        META + "protocolVersion": st.sampled_from([*VERSIONS, 5]),
    },
)


def changed(base: Message, changes: Message) -> Message:
    return {**base, **changes}


calls = st.builds(
    changed,
    st.sampled_from(CALLS),
    st.fixed_dictionaries(
        {},
        optional={
            "name": odd,
            "arguments": odd,
            "_meta": metas | odd,
            "task": odd,
            "inputResponses": odd,
            "requestState": odd,
            "more": odd,
        },
    ),
)


def opening(era: Era, version: str = VERSIONS[-2]) -> list[bytes]:
    if era == "modern":
        return [line_of(asked("server/discover", envelope(), id="hello"))]
    return [line_of(initialize(version, id="hello")), line_of(INITIALIZED)]


def stamped(era: Era, params: Message) -> Message:
    if era == "handshake":
        return params
    meta: object = params.get("_meta", {})
    return {**params, "_meta": {**envelope()["_meta"], **meta} if is_object(meta) else meta}


@pytest.mark.parametrize("version", VERSIONS)
def test_plain_calls_are_answered_as_by_the_sdk(version: str) -> None:
    era: Era = "modern" if version == VERSIONS[-1] else "handshake"
    lines = [
        line_of(asked("tools/call", stamped(era, call), id=number))
        for number, call in enumerate(CALLS)
    ]
    short_way = ShortWay(TOOLBOX, era)
    told = {
        answer["id"]: answer for answer in by_sdk_alone(SERVER, [*opening(era, version), *lines])
    }
    for number, line in enumerate(lines):
        assert orjson.loads(short_way.answer(line) or b"null") == told[number]


@PATIENT
@given(era=st.sampled_from(["handshake", "modern"]), params=st.lists(calls, max_size=8))
def test_whatever_takes_the_short_way_the_sdk_would_have_answered_so(
    era: Era, params: list[Message]
) -> None:
    lines = [
        line_of(asked("tools/call", stamped(era, each), id=f"c{number}"))
        for number, each in enumerate(params)
    ]
    short_way = ShortWay(TOOLBOX, era)
    told = {answer["id"]: answer for answer in by_sdk_alone(SERVER, [*opening(era), *lines])}
    for line in lines:
        if (answer := short_way.answer(line)) is not None:
            assert orjson.loads(answer) == told[orjson.loads(line)["id"]]


@pytest.mark.parametrize(
    "message",
    [
        asked("tools/call", {"name": "nope"}),
        asked("tools/call", {"name": "get_node_types", "arguments": None}),
        asked("tools/call", {"name": "get_node_types", "task": {}}),
        asked("tools/list", {"cursor": "tools/call"}),
        {"jsonrpc": "2.0", "method": "tools/call", "params": CALLS[0]},
        asked("tools/call", envelope(**CALLS[0])),
    ],
)
def test_what_is_not_plain_is_left_to_the_sdk(message: Message) -> None:
    assert ShortWay(TOOLBOX, "handshake").answer(line_of(message)) is None


def test_a_fault_of_ours_is_left_to_the_sdk_which_contains_it() -> None:
    class Broken(CountingToolbox):
        def call(self, name: str, arguments: JsonObject) -> JsonObject:
            raise ZeroDivisionError(name, arguments)

    broken = Broken(LiveCatalog(None), None)
    line = line_of(asked("tools/call", CALLS[0]))
    assert ShortWay(broken, "handshake").answer(line) is None


def test_there_is_no_short_way_before_the_conversation_is_opened_to_the_end() -> None:
    porch = EarlyResponder()
    assert porch.era is None
    porch.answer(line_of(initialize()))
    assert porch.era is None
    porch.answer(line_of(INITIALIZED))
    assert porch.era == "handshake"
    modern = EarlyResponder()
    modern.answer(line_of(asked("tools/list", envelope())))
    assert modern.era == "modern"
