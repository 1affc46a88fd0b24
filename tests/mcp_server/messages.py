"""Messages a client may send, good and bad, for properties of whole conversations."""

from typing import Any

import orjson
from hypothesis import strategies as st

from toolweave.mcp_server.early_responses import HANDSHAKE_VERSIONS, META, MODERN_VERSION

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

Strategy = st.SearchStrategy[Any]  # Any: JSON, right or wrong

_ODD: list[Any] = [None, True, False, 0, 1, -1, 1.5, "", "x", "é", [], ["x"], {}, {"x": 1}]
_odd: Strategy = st.sampled_from(_ODD)
_nothing: Strategy = st.builds(dict[str, Any])
_absent: Strategy = st.just(...)
_texts = st.sampled_from(["", "x", "Client 1.0", "é", "https://example.org"])


def _some(**choices: Strategy) -> Strategy:
    """An object with some of these keys."""
    return st.fixed_dictionaries({}, optional=choices)


def _one_of(*values: Any) -> Strategy:
    return st.sampled_from(values)


def _changed(base: Message, keys: tuple[str, ...]) -> Strategy:
    """`base` with some keys made odd, taken away or added."""
    choices = dict.fromkeys(keys, _absent | _odd)

    def apply(changes: Message) -> Message:
        whole = {**base, **changes}
        return {key: value for key, value in whole.items() if value is not ...}

    return st.fixed_dictionaries({}, optional=choices).map(apply)


_clients: Strategy = st.just(CLIENT) | _changed(
    CLIENT, ("name", "version", "title", "description", "websiteUrl", "icons", "other")
)
_capabilities = _nothing | _some(
    roots=_one_of({}, {"listChanged": True}, {"listChanged": "x"}, {"a": 1}) | _odd,
    sampling=_one_of({}, {"tools": {}, "context": {}}, {"tools": 1}) | _odd,
    elicitation=_one_of({}, {"form": {}, "url": {}}, {"form": {"a": 1}}) | _odd,
    experimental=_one_of({"a": {}}, {"a": {"b": [1]}}, {"a": 1}) | _odd,
    extensions=_one_of(
        {}, {"io.x/y": {"z": 1}}, {"io.modelcontextprotocol/ui": {"mimeTypes": []}}, {"a": 1}
    )
    | _odd,
    tasks=_one_of({}, {"list": {}, "requests": {"sampling": {}}}) | _odd,
    other=_odd,
)
_metas: Strategy = _nothing | st.fixed_dictionaries(
    {},
    optional={
        "progressToken": _odd,
        "traceparent": _texts,
        "other": _odd,
        META + "logLevel": _one_of("debug", "loud"),
        META + "protocolVersion": _one_of(*VERSIONS, 5, None),
    },
)
_versions = _one_of(*VERSIONS, "2023-01-01", "", 5, None)


def _handshake(version: Any, client: Any, capabilities: Any, more: Message) -> Message:
    params = {"protocolVersion": version, "capabilities": capabilities, "clientInfo": client}
    return {**params, **more}


def _envelope(
    version: Any, client: Any, capabilities: Any, meta: Message, more: Message
) -> Message:
    stamp = {
        META + "protocolVersion": version,
        META + "clientCapabilities": capabilities,
        META + "clientInfo": client,
    }
    return {"_meta": {**stamp, **meta}, **more}


def _in_meta(meta: Any) -> Message:
    return {"_meta": meta}


_handshakes: Strategy = st.builds(
    _handshake,
    _versions,
    _clients,
    _capabilities,
    _nothing | _some(_meta=_metas | _odd, more=_odd),
)
_envelopes: Strategy = st.builds(
    _envelope,
    st.just(MODERN_VERSION) | _versions,
    _clients,
    _capabilities,
    _nothing | _metas,
    _nothing | _some(cursor=_odd, more=_odd),
)
_bare = _absent | _nothing | st.builds(_in_meta, _metas | _odd) | _odd
_calls = _one_of(
    {"name": "get_node_types", "arguments": {"type_filter": "FLOW"}},
    {"name": "get_node_types"},
    {"name": "get_node_details", "arguments": {"nodes": 5}},
    {"name": "nope"},
    {},
)
_methods = st.sampled_from(
    ["ping", "tools/list", "server/discover", "resources/list", "initialize", "nope", "tools/call"]
)


def _stamped(params: Message, envelope: Message) -> Message:
    return {**params, "_meta": envelope["_meta"]}


_requests: Strategy = st.one_of(
    st.just(initialize()),
    st.builds(initialize, _versions),
    st.builds(request, st.just("initialize"), _handshakes),
    st.builds(request, _methods, _bare),
    st.builds(request, st.sampled_from(["ping", "tools/list"]), _absent | _nothing),
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

    openings: list[list[Message | bytes]] = [
        [],
        [initialize()],
        [initialize(), INITIALIZED],
        [request("server/discover", envelope())],
    ]
    rest = st.lists(_requests | _strange | st.just(INITIALIZED), max_size=6)
    return st.tuples(st.sampled_from(openings), rest).map(lambda both: numbered(both[0] + both[1]))
