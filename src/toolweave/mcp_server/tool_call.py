"""One tool call: the caller, their client's capabilities, and the shapes of an answer."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from getpass import getuser
from typing import Any, Protocol

import mcp_types as types
from mcp.server import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from toolweave.access.authorization import Rule
from toolweave.access.keys import ApiKey
from toolweave.app.running_studio import RunningStudio
from toolweave.errors import Invalid, ToolweaveError
from toolweave.json_text import Json, JsonObject, write
from toolweave.publishing.app_page import EXTENSION

Context = ServerRequestContext[Any, Any]  # Any: this server keeps no state per session

FORBIDDEN = -32003  # from the range for implementations

# The answer of `tools/call`: a result as JSON, or the SDK's own type.
Answer = JsonObject | types.CallToolResult | types.InputRequiredResult
# Opens the studio when first needed.
OpenStudio = Callable[[], Awaitable[RunningStudio]]


@dataclass(frozen=True, slots=True)
class ResourceReader:
    """Whose permissions count: those of an API key; the user of this process has none and all."""

    key: ApiKey | None

    @property
    def is_limited(self) -> bool:
        """Whether the key is limited to some published tools."""
        return self.key is not None and self.key.tools is not None

    def may(self, rule: Rule) -> bool:
        """Whether a rule of the authorisation table allows it; stdio may do everything."""
        return self.key is None or rule.allows(self.key)

    def require(self, rule: Rule) -> None:
        """Require what a rule of the authorisation table demands.

        Raises:
            MCPError: the key may not.
        """
        try:
            if self.key is not None:
                rule.require(self.key)
        except ToolweaveError as error:
            message = f"{error.message}; {error.hint}"
            raise MCPError(FORBIDDEN, message, data=error.as_json()) from None


@dataclass(frozen=True, slots=True)
class McpCaller:
    """The caller of one request."""

    context: Context

    @property
    def key(self) -> ApiKey | None:
        """The API key of an HTTP request; over stdio there is none."""
        request = self.context.request
        return None if request is None else request.state.key

    @property
    def reader(self) -> ResourceReader:
        """The caller's permissions alone, which may outlast the request."""
        return ResourceReader(self.key)

    @property
    def who(self) -> str:
        """The caller's name in the journal."""
        return f"key {self.key.id}" if self.key else "stdio"

    @property
    def person(self) -> str:
        """Who answers questions: the key's name, or over stdio the user of this process."""
        return self.key.name if self.key else getuser()

    @property
    def is_modern(self) -> bool:
        """Whether the client uses the sessionless protocol."""
        return self.context.protocol_version in MODERN_PROTOCOL_VERSIONS

    @property
    def capabilities(self) -> types.ClientCapabilities:
        """The client's capabilities."""
        return self.context.session.client_capabilities or types.ClientCapabilities()

    @property
    def has_apps(self) -> bool:
        """Whether the client shows MCP Apps."""
        return EXTENSION in (self.capabilities.extensions or {})

    @property
    def has_cancelled(self) -> bool:
        """Whether the caller cancelled the request."""
        # The SDK's session has no public way to the request's own channel.
        channel: Any = self.context.session._request_outbound  # pyright: ignore[reportPrivateUsage]
        return channel.cancel_requested.is_set()

    @property
    def has_left(self) -> bool:
        """Whether the caller disconnected, as opposed to this process shutting down."""
        request = self.context.request
        return request is None or getattr(request.state, "has_left", False)

    def may(self, rule: Rule) -> bool:
        """Whether a rule of the authorisation table allows the caller; stdio may do everything."""
        return self.reader.may(rule)

    def require(self, rule: Rule) -> None:
        """Require what a rule of the authorisation table demands.

        Raises:
            MCPError: the key may not.
        """
        self.reader.require(rule)


@dataclass(frozen=True, slots=True)
class ToolRequest:
    """An authorized call with valid arguments."""

    name: str
    arguments: JsonObject
    caller: McpCaller
    params: types.CallToolRequestParams

    def text(self, name: str) -> str:
        """A text argument."""
        return str(self.arguments.get(name, ""))


def asker(context: Context) -> dict[str, Any]:
    """Log fields of the request and its client, named as in the HTTP log."""
    params = context.session.client_params
    program = {"client_program": params.client_info.name[:100]} if params else {}
    if context.request is None:
        return program
    state = context.request.state
    who = {"client": state.client, "client_name": state.client_name}
    return {"request_id": state.request_id, **who, **program}


class Tools(Protocol):
    """Answers some of the tools; a `ToolweaveError` it raises becomes an error result."""

    async def call(self, asked: ToolRequest) -> Answer:
        """Answer one call."""
        ...


def structured_result(answer: JsonObject, *, is_error: bool = False) -> JsonObject:
    """A result with structured content, and the same as text for older clients."""
    return {
        "content": [{"type": "text", "text": write(answer)}],
        "structuredContent": answer,
        "isError": is_error,
    }


def refused(error: ToolweaveError) -> JsonObject:
    """An error result with every problem and a hint, readable for a model."""
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
