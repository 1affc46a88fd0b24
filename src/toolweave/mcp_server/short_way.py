"""Plain calls of our tools, answered in the thread that reads: the SDK takes ten times as long.

As the porch, it answers only what it knows to the letter and leaves the rest to the SDK; the same
tests hold its answers against the SDK's own.
"""

from toolweave.catalog.tool_service import ToolService
from toolweave.json_text import JsonObject, write
from toolweave.mcp_server.early_responses import (
    IDENTITY,
    Era,
    Message,
    is_bare,
    is_modern,
    is_object,
)
from toolweave.mcp_server.early_responses import read_message as read
from toolweave.mcp_server.server import try_call

CALL = b'"tools/call"'


class ShortWay:
    """For a conversation of one era, opened to the end before the SDK was there."""

    def __init__(self, toolbox: ToolService, era: Era) -> None:
        self._toolbox = toolbox
        self._is_stamped = is_modern if era == "modern" else is_bare
        self._more: JsonObject = {"resultType": "complete", **IDENTITY} if era == "modern" else {}

    def answer(self, line: bytes) -> bytes | None:
        """The answer to one line, or `None` for "ask the SDK"."""
        message = read(line) if CALL in line else None
        if message is None or message["method"] != "tools/call" or "id" not in message:
            return None
        found = self._result(message.get("params", {}))
        if found is None:
            return None
        answer = {"jsonrpc": "2.0", "id": message["id"], "result": {**found, **self._more}}
        return write(answer).encode() + b"\n"

    def _result(self, params: Message) -> JsonObject | None:
        name, arguments = params.get("name"), params.get("arguments", {})
        stamp = {key: params[key] for key in params if key not in {"name", "arguments"}}
        if not (isinstance(name, str) and is_object(arguments) and self._is_stamped(stamp)):
            return None
        return try_call(self._toolbox, name, arguments) if self._toolbox.knows(name) else None
