"""The demo server: its tools on one `mcp` server object, over stdio or streamable HTTP.

Both protocol eras on both. It needs no key, stores nothing, and starts nothing.
"""

import json
import logging
import signal
import socket
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import anyio
import uvicorn
from mcp import MCPError, types
from mcp.server import CacheHint, Server, ServerRequestContext
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings

from toolweave import __version__
from toolweave.demo.tool import Answer, DemoCall, DemoTool, Store, error_result
from toolweave.demo.tools import (
    asking,
    memory,
    numbers,
    orders,
    pictures,
    texts,
    waiting,
    weather,
)
from toolweave.errors import Unavailable
from toolweave.json_text import JsonObject
from toolweave.problems import did_you_mean
from toolweave.tools.check import check_arguments
from toolweave.tools.read_tool import read_tool
from toolweave.tools.tool import Tool

logger = logging.getLogger(__name__)

NAME = "toolweave-demo"

# Any: each tool has its own schema.
TOOLS: tuple[DemoTool[Any], ...] = (
    *texts.TOOLS,
    *numbers.TOOLS,
    *orders.TOOLS,
    *weather.TOOLS,
    *pictures.TOOLS,
    *waiting.TOOLS,
    *asking.TOOLS,
    *memory.TOOLS,
)

_LIST_IS_FRESH_MS = 3_600_000  # the list never changes while the server runs


class Demo:
    """Answers `tools/list` and `tools/call`."""

    def __init__(self) -> None:
        self._tools = {tool.name: tool for tool in TOOLS}
        self._definitions = {tool.name: tool.definition for tool in TOOLS}
        self._checkable: dict[str, Tool] = {}

    async def list_tools(
        self, _context: ServerRequestContext[Store, Any], _params: object
    ) -> types.ListToolsResult:
        """Return all tools on one page."""
        return types.ListToolsResult(tools=list(self._definitions.values()))

    async def call_tool(
        self, context: ServerRequestContext[Store, Any], params: types.CallToolRequestParams
    ) -> Answer:
        """Check the arguments and run the tool; a cancelled call is logged."""
        tool = self._tools.get(params.name)
        if tool is None:
            hint = did_you_mean(params.name, self._tools) or "see `tools/list` for the names"
            raise MCPError(types.INVALID_PARAMS, f"there is no tool {params.name!r}; {hint}")
        arguments = params.arguments or {}
        wrong = _describe_problems(self._as_checkable(tool.name), arguments)
        if wrong is not None:
            return error_result(wrong)
        try:
            return await tool.answer(arguments, DemoCall(context, params))
        except anyio.get_cancelled_exc_class():
            logger.info("cancelled: %s", tool.name)
            raise

    def input_schema(self, name: str) -> dict[str, Any] | None:
        """Return a tool's input schema, for the transport's header checks."""
        definition = self._definitions.get(name)
        return definition.input_schema if definition else None

    def _as_checkable(self, name: str) -> Tool:
        # Loaded when first needed, so that the first response does not wait for it.
        if name not in self._checkable:
            raw = self._definitions[name].model_dump(by_alias=True, mode="json", exclude_none=True)
            self._checkable[name] = read_tool(NAME, raw)
        return self._checkable[name]


def build_server() -> Server[Store]:
    """Return a server object with its own memory."""
    demo = Demo()
    store = Store()

    @asynccontextmanager
    async def lifespan(_server: Server[Store]) -> AsyncGenerator[Store]:
        yield store

    return Server(
        NAME,
        version=__version__,
        title="Toolweave demo",
        instructions="Harmless tools to try things out with. Nothing here is real or kept.",
        lifespan=lifespan,
        cache_hints={"tools/list": CacheHint(ttl_ms=_LIST_IS_FRESH_MS, scope="public")},
        get_tool_input_schema=demo.input_schema,
        on_list_tools=demo.list_tools,
        on_call_tool=demo.call_tool,
    )


# Any: what a server keeps while it runs is its own affair.
BuildServer = Callable[[], Server[Any]]


def run_stdio(build: BuildServer = build_server) -> None:
    """Serve one client over stdin and stdout until stdin closes."""
    log_to_stderr()
    # The reading thread cannot be interrupted, so a handled Ctrl-C would wait for one more line.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    anyio.run(serve_stdio, build())


async def serve_stdio(server: Server[Any]) -> None:
    """Serve one client over stdin and stdout until stdin closes."""
    async with stdio_server() as (read_stream, write_stream):
        await server.run(read_stream, write_stream, server.create_initialization_options())


def run_http(host: str = "127.0.0.1", port: int = 0, build: BuildServer = build_server) -> None:
    """Serve streamable HTTP at `/mcp` until interrupted; port 0 takes a free one.

    The address is written to stderr as `listening on http://HOST:PORT/mcp`.

    Raises `Unavailable`: `LISTEN_FAILED` if the address cannot be used.
    """
    with listen(host, port) as listener:
        log_to_stderr()
        service, url = http_service(build(), host, listener)
        service.at_start = f"listening on {url}\n"
        with suppress(KeyboardInterrupt):
            service.run(sockets=[listener])


def http_service(
    server: Server[Any], host: str, listener: socket.socket
) -> "tuple[HttpService, str]":
    """Return a service of streamable HTTP for a listening socket, and its address."""
    port: int = listener.getsockname()[1]
    app = server.streamable_http_app(transport_security=_only_for(host, port))
    config = uvicorn.Config(
        app, log_config=None, access_log=False, lifespan="on", timeout_graceful_shutdown=2
    )
    return HttpService(config), f"http://{_in_url(host)}:{port}/mcp"


class HttpService(uvicorn.Server):
    """A service that writes a line to stderr when it can be used, and interrupted."""

    at_start = ""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start; signals are handled from before."""
        await super().startup(sockets)
        if self.started:
            sys.stderr.write(self.at_start)
            sys.stderr.flush()


def listen(host: str, port: int) -> socket.socket:
    """Return a listening socket whose connections send without delay. Raises `LISTEN_FAILED`."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listener = socket.create_server((host, port), family=family)
    except (OSError, OverflowError) as error:
        raise Unavailable(
            "LISTEN_FAILED",
            f"cannot listen on {host!r}, port {port}: {error}",
            hint="choose another port, or 0 for any free port",
        ) from None
    # `create_server` does not name the protocol, and asyncio turns Nagle's algorithm off for
    # connections of the named one only; with it on, each response in two parts waits 40 ms.
    return socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP, listener.detach())


def _only_for(host: str, port: int) -> TransportSecuritySettings:
    # Against DNS rebinding: only requests for this exact address.
    names = dict.fromkeys([_in_url(host), "127.0.0.1", "localhost", "[::1]"])
    return TransportSecuritySettings(
        allowed_hosts=[f"{name}:{port}" for name in names],
        allowed_origins=[f"http://{name}:{port}" for name in names],
    )


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def log_to_stderr() -> None:
    """Log warnings of everybody and messages of Toolweave to stderr."""
    logging.basicConfig(
        stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s"
    )
    logging.getLogger("toolweave").setLevel(logging.INFO)


def _describe_problems(tool: Tool, arguments: JsonObject) -> str | None:
    """Return all problems with the tool's input schema; `None` if the call is valid."""
    try:
        json.dumps(arguments, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        # The SDK's parser of HTTP bodies accepts lone surrogates; valid text has none.
        return f"the arguments of {tool.name!r} contain a lone surrogate, which is not valid text"
    faults = [
        f"- {problem.pointer or 'arguments'}: {problem.message}"
        + (f" ({problem.hint})" if problem.hint else "")
        for problem in check_arguments(tool, arguments)
        if problem.severity == "error"
    ]
    if not faults:
        return None
    return f"the arguments of {tool.name!r} do not match its schema:\n" + "\n".join(faults)
