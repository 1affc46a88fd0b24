"""The first answers, given before the SDK is loaded: it takes a second, a client should not wait.

Answers only what it knows to the letter (`initialize`, `server/discover`, `tools/list`, `ping`);
anything else is left for the SDK. A test holds every answer against the SDK's own.
"""

from typing import Any, cast

import orjson

from toolweave.catalog.questions import listed
from toolweave.json_text import JsonObject
from toolweave.mcp_server.identity import INSTRUCTIONS, SERVER_INFO, TOOLS_FRESH_MS

HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN_VERSION = "2026-07-28"
META = "io.modelcontextprotocol/"

CAPABILITIES: JsonObject = {
    "completions": {},
    "resources": {"listChanged": False, "subscribe": False},
    "tools": {"listChanged": False},
}
FRESH: JsonObject = {"cacheScope": "public", "resultType": "complete", "ttlMs": TOOLS_FRESH_MS}
IDENTITY: JsonObject = {"_meta": {META + "serverInfo": SERVER_INFO}}


class Porch:
    """Remembers what it answered, so that the SDK can be told of it."""

    def __init__(self) -> None:
        self.handshake: bytes | None = None
        self.initialized: bytes | None = None
        self.handshake_id: Any = None  # any JSON-RPC id

    def answer(self, line: bytes) -> bytes | None:
        """The answer to one line: empty for a message that wants none, `None` for "ask the SDK"."""
        try:
            message = orjson.loads(line)
        except orjson.JSONDecodeError:
            return None
        if not isinstance(message, dict):
            return None
        request = cast("dict[str, Any]", message)
        if request.get("method") == "notifications/initialized" and self.handshake is not None:
            self.initialized = line
            return b""
        identity = request.get("id")
        if not isinstance(identity, str | int) or isinstance(identity, bool):
            return None
        result = self._result(request, line)
        if result is None:
            return None
        return orjson.dumps({"jsonrpc": "2.0", "id": identity, "result": result}) + b"\n"

    def _result(self, request: dict[str, Any], line: bytes) -> JsonObject | None:
        method, params = request.get("method"), request.get("params")
        if params is not None and not isinstance(params, dict):
            return None
        given = cast("dict[str, Any]", params or {})
        if method == "initialize" and self.handshake is None:
            return self._initialize(request, given, line)
        if _is_modern(given):
            return _modern_result(method, given)
        if self.handshake is not None and set(given) <= {"_meta"}:
            if method == "tools/list":
                return {"tools": list(listed())}
            if method == "ping":
                return {}
        return None

    def _initialize(
        self, request: dict[str, Any], given: dict[str, Any], line: bytes
    ) -> JsonObject | None:
        asked = given.get("protocolVersion")
        is_whole = isinstance(given.get("clientInfo"), dict) and isinstance(
            given.get("capabilities"), dict
        )
        if not isinstance(asked, str) or not is_whole:
            return None
        self.handshake, self.handshake_id = line, request["id"]
        return {
            "protocolVersion": asked if asked in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[-1],
            "capabilities": CAPABILITIES,
            "serverInfo": SERVER_INFO,
            "instructions": INSTRUCTIONS,
        }


def _is_modern(params: dict[str, Any]) -> bool:
    meta = params.get("_meta")
    if not isinstance(meta, dict):
        return False
    stamp = cast("dict[str, Any]", meta)
    return (
        stamp.get(META + "protocolVersion") == MODERN_VERSION
        and isinstance(stamp.get(META + "clientInfo"), dict)
        and isinstance(stamp.get(META + "clientCapabilities"), dict)
    )


def _modern_result(method: object, params: dict[str, Any]) -> JsonObject | None:
    if set(params) != {"_meta"}:
        return None
    if method == "tools/list":
        return {**FRESH, **IDENTITY, "tools": list(listed())}
    if method == "server/discover":
        return {
            **FRESH,
            **IDENTITY,
            "supportedVersions": [MODERN_VERSION],
            "capabilities": CAPABILITIES,
            "instructions": INSTRUCTIONS,
        }
    return None
