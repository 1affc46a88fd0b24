"""Messages a client may send, good and bad, for properties of whole conversations."""

from typing import Any

import orjson
from hypothesis import strategies as st

from toolweave.mcp_server.porch import HANDSHAKE_VERSIONS, META, MODERN_VERSION

Message = dict[str, Any]

VERSIONS = (*HANDSHAKE_VERSIONS, MODERN_VERSION)
CLIENT: Message = {"name": "test", "version": "1.0"}


def line_of(message: Any) -> bytes:
    return orjson.dumps(message) + b"\n"


def request(method: str, params: Any = ..., *, id: Any = 1) -> Message:
    body = {"jsonrpc": "2.0", "id": id, "method": method}
    return body if params is ... else body | {"params": params}


def initialize(version: Any = HANDSHAKE_VERSIONS[-1], *, id: Any = 1) -> Message:
    params = {"protocolVersion": version, "capabilities": {}, "clientInfo": CLIENT}
    return request("initialize", params, id=id)


def envelope(**more: Any) -> Message:
    """The parameters of a request of the modern era."""
    stamp = {
        META + "protocolVersion": MODERN_VERSION,
        META + "clientInfo": CLIENT,
        META + "clientCapabilities": {},
    }
    return {"_meta": stamp, **more}


INITIALIZED: Message = {"jsonrpc": "2.0", "method": "notifications/initialized"}

_odd = st.sampled_from([None, True, False, 0, 1, -1, 1.5, "", "x", "é", [], ["x"], {}, {"x": 1}])
_texts = st.sampled_from(["", "x", "Client 1.0", "é", "https://example.org"])


def _changed(base: Message, keys: tuple[str, ...]) -> st.SearchStrategy[Message]:
    """`base` with some keys made odd, taken away or added."""
    choices = {key: st.just(...) | _odd for key in keys}

    def apply(changes: Message) -> Message:
        whole = {**base, **changes}
        return {key: value for key, value in whole.items() if value is not ...}

    return st.fixed_dictionaries({}, optional=choices).map(apply)


_clients = st.just(CLIENT) | _changed(
    CLIENT, ("name", "version", "title", "description", "websiteUrl", "icons", "other")
)
_capabilities = st.just({}) | st.fixed_dictionaries(
    {},
    optional={
        "roots": st.sampled_from([{}, {"listChanged": True}, {"listChanged": "x"}, {"a": 1}])
        | _odd,
        "sampling": st.sampled_from([{}, {"tools": {}, "context": {}}, {"tools": 1}]) | _odd,
        "elicitation": st.sampled_from([{}, {"form": {}, "url": {}}, {"form": {"a": 1}}]) | _odd,
        "experimental": st.sampled_from([{"a": {}}, {"a": {"b": [1]}}, {"a": 1}]) | _odd,
        "extensions": st.sampled_from([{}, {"io.x/y": {"z": 1}}, {"a": 1}]) | _odd,
        "tasks": st.sampled_from([{}, {"list": {}, "requests": {"sampling": {}}}]) | _odd,
        "other": _odd,
    },
)
_metas = st.just({}) | st.fixed_dictionaries(
    {},
    optional={
        "progressToken": _odd,
        "traceparent": _texts,
        "other": _odd,
        META + "logLevel": st.sampled_from(["debug", "loud"]),
        META + "protocolVersion": st.sampled_from([*VERSIONS, 5, None]),
    },
)
_versions = st.sampled_from([*VERSIONS, "2023-01-01", "", 5, None])
_handshakes = st.builds(
    lambda version, client, capabilities, more: {
        "protocolVersion": version,
        "capabilities": capabilities,
        "clientInfo": client,
        **more,
    },
    _versions,
    _clients,
    _capabilities,
    st.just({}) | st.fixed_dictionaries({}, optional={"_meta": _metas | _odd, "more": _odd}),
)
_envelopes = st.builds(
    lambda version, client, capabilities, meta, more: {
        "_meta": {
            META + "protocolVersion": version,
            META + "clientCapabilities": capabilities,
            META + "clientInfo": client,
            **meta,
        },
        **more,
    },
    st.just(MODERN_VERSION) | _versions,
    _clients,
    _capabilities,
    st.just({}) | _metas,
    st.just({}) | st.fixed_dictionaries({}, optional={"cursor": _odd, "more": _odd}),
)
_bare = st.just(...) | st.just({}) | st.builds(lambda meta: {"_meta": meta}, _metas | _odd) | _odd
_calls = st.sampled_from(
    [
        {"name": "get_node_types", "arguments": {"type_filter": "FLOW"}},
        {"name": "get_node_types"},
        {"name": "get_node_details", "arguments": {"nodes": 5}},
        {"name": "nope"},
        {},
    ]
)
_methods = st.sampled_from(
    ["ping", "tools/list", "server/discover", "resources/list", "initialize", "nope", "tools/call"]
)


def _stamped(params: Message, envelope: Message) -> Message:
    return {**params, "_meta": envelope["_meta"]}


_requests = st.one_of(
    st.just(initialize()),
    st.builds(initialize, _versions),
    st.builds(request, st.just("initialize"), _handshakes),
    st.builds(request, _methods, _bare),
    st.builds(request, st.sampled_from(["ping", "tools/list"]), st.just(...) | st.just({})),
    st.builds(request, _methods, _envelopes),
    st.builds(request, st.sampled_from(["server/discover", "tools/list"]), st.just(envelope())),
    st.builds(request, st.just("tools/call"), _calls),
    st.builds(request, st.just("tools/call"), st.builds(_stamped, _calls, st.just(envelope()))),
)
_strange = st.sampled_from(
    [
        b"garbage\n",
        b"\n",
        b"   \r\n",
        b"[]\n",
        b"{}\n",
        b"null\n",
        b"\xff\xfe{}\n",
        b'{"jsonrpc":"2.0","id":77,"method":"ping","params":null}\n',
        b'{"jsonrpc":"1.0","id":78,"method":"ping"}\n',
        b'{"id":79,"method":"ping"}\n',
        b'{"jsonrpc":"2.0","id":null,"method":"ping"}\n',
        b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}\n',
        b'{"jsonrpc":"2.0","id":true,"method":"ping"}\n',
        b'{"jsonrpc":"2.0","id":80,"method":"ping","more":1}\r\n',
        b'{"jsonrpc":"2.0","id":81,"method":5}\n',
        b'{"jsonrpc":"2.0","id":82,"result":{}}\n',
        b'{"jsonrpc":"2.0","id":123456789012345678901234567890,"method":"ping"}\n',
        b'{"jsonrpc":"2.0","id":83,"method":"ping","method":"tools/list"}\n',
        b'{"jsonrpc":"2.0","id":84,"method":"notifications/initialized"}\n',
        b'{"jsonrpc":"2.0","method":"notifications/initialized","params":[]}\n',
        b'{"jsonrpc":"2.0","method":"notifications/initialized","params":{}}\n',
        b'{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}\n',
        b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"nobody"}}\n',
        line_of([request("ping"), request("ping")]),
    ]
)


def conversations() -> st.SearchStrategy[list[bytes]]:
    """Lines of one client; each request that has an id has one of its own."""

    def numbered(items: list[Message | bytes]) -> list[bytes]:
        lines: list[bytes] = []
        for number, item in enumerate(items):
            if isinstance(item, bytes):
                lines.append(item)
            elif "id" in item:
                lines.append(line_of({**item, "id": number if number % 3 else f"id-{number}"}))
            else:
                lines.append(line_of(item))
        return lines

    some = st.lists(_requests | _strange | st.just(INITIALIZED), max_size=6)
    opened = st.builds(
        lambda first, rest: [*first, *rest],
        st.sampled_from(
            [
                [],
                [initialize()],
                [initialize(), INITIALIZED],
                [request("server/discover", envelope())],
            ]
        ),
        some,
    )
    return opened.map(numbered)
