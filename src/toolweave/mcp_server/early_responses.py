"""Answers the first requests before the SDK is loaded, which takes about a second.

Handles only `initialize`, `server/discover`, `tools/list` and `ping` in their plain form; the SDK
answers everything else. Tests compare every answer with the SDK's own.
"""

import uuid
from collections.abc import Callable
from typing import Any, Literal, TypeGuard

import orjson

from toolweave.json_text import JsonObject
from toolweave.mcp_server.identity import INSTRUCTIONS, SERVER_INFO, TOOLS_FRESH_MS
from toolweave.mcp_server.tool_list import listed

HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN_VERSION = "2026-07-28"
META = "io.modelcontextprotocol/"
MAX_LINE_BYTES = 64 * 1024

APPS = META + "ui"
# In both eras; tasks exist only in the newer one.
EXTENSIONS: JsonObject = {
    META + "skills": {"directoryRead": True},
    APPS: {},
}
HANDSHAKE_CAPABILITIES: JsonObject = {
    "completions": {},
    "extensions": EXTENSIONS,
    "prompts": {"listChanged": False},
    "resources": {"listChanged": True, "subscribe": True},
    "tools": {"listChanged": True},
}
MODERN_CAPABILITIES: JsonObject = {
    "completions": {},
    "extensions": {META + "tasks": {}, **EXTENSIONS},
    "prompts": {"listChanged": True},
    "resources": {"listChanged": True, "subscribe": True},
    "tools": {"listChanged": True},
}
FRESH: JsonObject = {"resultType": "complete", "ttlMs": TOOLS_FRESH_MS}
IDENTITY: JsonObject = {"_meta": {META + "serverInfo": SERVER_INFO}}

Era = Literal["handshake", "modern"]
Published = Callable[[], list[JsonObject]]
Message = dict[str, Any]  # Any: JSON of a client, checked key by key


class EarlyResponder:
    """Answers early requests and records the handshake, so that the SDK can replay it."""

    def __init__(self, published: Published = list[JsonObject]) -> None:
        self._published = published
        # The published tools that the client was sent; `None` before it asks.
        self.listed: list[JsonObject] | None = None
        self._era: Era | None = None
        self._opening: Message | None = None
        self._initialized: bytes | None = None
        self._has_apps = False
        # A unique id, so that the SDK's answer to the replayed request can be dropped.
        self.silent_id = f"toolweave-early-{uuid.uuid4()}"

    def answer(self, line: bytes) -> bytes | None:
        """The answer to one line: empty for a notification, `None` if the SDK must answer."""
        message = _read_message(line)
        if message is None:
            return None
        if "id" not in message:
            return self._note(message, line)
        result = self._result(message["method"], message.get("params", {}))
        if result is None:
            return None
        self._opening = self._opening or message
        return orjson.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}) + b"\n"

    def replay(self) -> list[bytes]:
        """The lines that the SDK must read first."""
        if self._opening is None:
            return []
        opening = orjson.dumps({**self._opening, "id": self.silent_id}) + b"\n"
        return [opening] if self._initialized is None else [opening, self._initialized]

    def _note(self, message: Message, line: bytes) -> bytes | None:
        is_welcome = message["method"] == "notifications/initialized" and "params" not in message
        if not is_welcome or self._era != "handshake" or self._initialized is not None:
            return None
        self._initialized = line
        return b""

    def _result(self, method: str, params: Message) -> JsonObject | None:
        if self._era is None:
            if method == "initialize" and _is_handshake(params):
                self._era = "handshake"
                self._has_apps = _has_apps(params["capabilities"])
                return _initialize(params["protocolVersion"])
            if _is_modern(params):
                self._era = "modern" if (result := self._modern_result(method, params)) else None
                return result
            return None
        if self._era == "modern":
            return self._modern_result(method, params) if _is_modern(params) else None
        return self._handshake_result(method) if _is_bare(params) else None

    def _tools(self) -> JsonObject:
        self.listed = self._published()
        return {"tools": [*listed(has_apps=self._has_apps), *self.listed]}

    def _handshake_result(self, method: str) -> JsonObject | None:
        if method == "tools/list":
            return self._tools()
        return {} if method == "ping" else None

    def _modern_result(self, method: str, params: Message) -> JsonObject | None:
        self._has_apps = _has_apps(params["_meta"][META + "clientCapabilities"])
        if method == "tools/list":
            return {**FRESH, **IDENTITY, "cacheScope": "private", **self._tools()}
        if method == "server/discover":
            return {
                **FRESH,
                **IDENTITY,
                "cacheScope": "public",
                "supportedVersions": [MODERN_VERSION],
                "capabilities": MODERN_CAPABILITIES,
                "instructions": INSTRUCTIONS,
            }
        return None


def _read_message(line: bytes) -> Message | None:
    """Parse a request or notification in its plain form."""
    if len(line) > MAX_LINE_BYTES:
        return None
    try:
        message = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    is_plain = (
        _is_object(message)
        and message.keys() <= {"jsonrpc", "id", "method", "params"}
        and message.get("jsonrpc") == "2.0"
        and isinstance(message.get("method"), str)
        and _is_object(message.get("params", {}))
        and _is_id(message.get("id", ""))
    )
    return message if is_plain else None


def _is_object(value: object) -> TypeGuard[Message]:
    """Whether `value` is a JSON object."""
    return isinstance(value, dict)


def _is_id(value: object) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)


def _is_bare(params: Message) -> bool:
    """Whether there are no parameters but plain metadata."""
    meta = params.get("_meta", {})
    return (
        params.keys() <= {"_meta"}
        and _is_object(meta)
        and _is_id(meta.get("progressToken", ""))
        and not any(key.startswith(META) for key in meta)
    )


def _is_handshake(params: Message) -> bool:
    return (
        params.keys() == {"protocolVersion", "capabilities", "clientInfo"}
        and isinstance(params["protocolVersion"], str)
        and _is_client(params["clientInfo"])
        and _is_capabilities(params["capabilities"])
    )


def _is_modern(params: Message) -> bool:
    """Whether there are no parameters but the metadata of the sessionless protocol."""
    meta = params.get("_meta")
    if params.keys() != {"_meta"} or not _is_object(meta):
        return False
    reserved = {key for key in meta if key.startswith(META)}
    return (
        reserved == {META + "protocolVersion", META + "clientInfo", META + "clientCapabilities"}
        and meta[META + "protocolVersion"] == MODERN_VERSION
        and _is_client(meta[META + "clientInfo"])
        and _is_capabilities(meta[META + "clientCapabilities"])
        and _is_id(meta.get("progressToken", ""))
    )


def _is_client(value: object) -> bool:
    known = {"name", "version", "title", "description", "websiteUrl"}
    return (
        _is_object(value)
        and {"name", "version"} <= value.keys() <= known
        and all(isinstance(text, str) for text in value.values())
    )


def _is_capabilities(value: object) -> bool:
    return _is_object(value) and all(_is_capability(*item) for item in value.items())


def _has_apps(capabilities: Message) -> bool:
    return APPS in capabilities.get("extensions", {})


def _is_capability(name: str, value: object) -> bool:
    if not _is_object(value):
        return False
    if name == "roots":
        return value.keys() <= {"listChanged"} and all(
            type(each) is bool for each in value.values()
        )
    known = name in {"elicitation", "experimental", "extensions", "sampling"}
    return known and all(_is_object(each) for each in value.values())


def _initialize(asked: str) -> JsonObject:
    return {
        "protocolVersion": asked if asked in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[-1],
        "capabilities": HANDSHAKE_CAPABILITIES,
        "serverInfo": SERVER_INFO,
        "instructions": INSTRUCTIONS,
    }
