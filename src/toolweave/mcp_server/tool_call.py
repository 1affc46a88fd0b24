"""One call of a tool: who asks and what their client can do, and the shapes of an answer."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Protocol

import mcp_types as types
from mcp.server import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from toolweave.access.keys import ApiKey
from toolweave.app.running_studio import RunningStudio
from toolweave.errors import Invalid, ToolweaveError
from toolweave.json_text import Json, JsonObject, write

Context = ServerRequestContext[Any, Any]  # Any: this server keeps no state per session

FORBIDDEN = -32003  # of the range the protocol leaves to implementations

# What `tools/call` answers: a result as JSON, or the SDK's own for what is more than one.
Answer = JsonObject | types.CallToolResult | types.InputRequiredResult
# Opens the rooms when they are first needed.
Rooms = Callable[[], Awaitable[RunningStudio]]


@dataclass(frozen=True, slots=True)
class McpCaller:
    """Whoever asks, over one request."""

    context: Context

    @property
    def key(self) -> ApiKey | None:
        """Over HTTP the door leaves the key in the request; over stdio there is none."""
        request = self.context.request
        return None if request is None else request.state.key

    @property
    def who(self) -> str:
        """As the journal calls them."""
        return f"key {self.key.id}" if self.key else "stdio"

    @property
    def is_modern(self) -> bool:
        """Whether they speak the protocol without sessions."""
        return self.context.protocol_version in MODERN_PROTOCOL_VERSIONS

    @property
    def capabilities(self) -> types.ClientCapabilities:
        """What their client can do."""
        return self.context.session.client_capabilities or types.ClientCapabilities()

    @property
    def has_cancelled(self) -> bool:
        """Whether they have said that they do not want the answer any more."""
        # The SDK's session has no public way to the request's own channel.
        channel: Any = self.context.session._request_outbound  # pyright: ignore[reportPrivateUsage]
        return channel.cancel_requested.is_set()

    @property
    def has_left(self) -> bool:
        """Whether they are gone, and not only this process about to end."""
        request = self.context.request
        return request is None or getattr(request.state, "has_left", False)

    def require(self, scope: str) -> None:
        """Go on only if their key allows it.

        Raises:
            MCPError: it does not.
        """
        try:
            if self.key is not None:
                self.key.require(scope)
        except ToolweaveError as error:
            told = f"{error.message}; {error.hint}"
            raise MCPError(FORBIDDEN, told, data=error.as_json()) from None


@dataclass(frozen=True, slots=True)
class ToolRequest:
    """A call whose arguments fit the tool's schema, by somebody who may."""

    name: str
    arguments: JsonObject
    caller: McpCaller
    params: types.CallToolRequestParams

    def text(self, name: str) -> str:
        """An argument that the schema says is a text."""
        return str(self.arguments.get(name, ""))


def asker(context: Context) -> dict[str, Any]:
    """The request and its client, as the log of HTTP requests calls them."""
    if context.request is None:
        return {}
    state = context.request.state
    return {"request_id": state.request_id, "client": state.client}


class Tools(Protocol):
    """The code behind some offers; what it raises of `ToolweaveError` is told as a result."""

    async def call(self, asked: ToolRequest) -> Answer:
        """The result of one call."""
        ...


def told(answer: JsonObject, *, is_error: bool = False) -> JsonObject:
    """An answer as data, and the same as text for clients that read only that."""
    return {
        "content": [{"type": "text", "text": write(answer)}],
        "structuredContent": answer,
        "isError": is_error,
    }


def refused(error: ToolweaveError) -> JsonObject:
    """What stopped a call, with every problem and a hint, as a model can use it."""
    shown: Json = error.as_json()
    assert isinstance(shown, dict)
    lines = [f"{error.message} [{error.code}]"]
    if error.hint:
        lines.append(f"Hint: {error.hint}")
    if isinstance(error, Invalid):
        lines += [
            f"- {problem.pointer or '/'}: {problem.message} [{problem.code}]"
            for problem in error.problems
        ]
    content: Json = [{"type": "text", "text": "\n".join(lines)}]
    return {"content": content, "structuredContent": shown, "isError": True}
