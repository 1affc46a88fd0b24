"""Real servers for the tests: an MCP server over HTTP and SSE, in a thread of its own."""

import socket
import threading
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import anyio
import uvicorn
from mcp import types
from mcp.server import Server, ServerRequestContext
from mcp.server.sse import SseServerTransport
from starlette.applications import Starlette
from starlette.routing import Mount, Route
from starlette.types import ASGIApp, Receive, Scope, Send

HEADERS = "headers"


@contextmanager
def listening() -> Generator[tuple[socket.socket, str]]:
    """A bound socket and its origin, so that an app can know its address before it runs."""
    with socket.create_server(("127.0.0.1", 0)) as bound:
        # asyncio leaves it off for a socket made without a protocol; each answer takes 40 ms then.
        bound.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        yield bound, f"http://127.0.0.1:{bound.getsockname()[1]}"


@contextmanager
def running(app: ASGIApp, bound: socket.socket) -> Generator[None]:
    """Serve `app` on `bound` until left."""
    config = uvicorn.Config(
        app, log_config=None, access_log=False, ws="none", timeout_graceful_shutdown=1
    )
    started = threading.Event()

    class Announced(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            started.set()

    server = Announced(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]}, daemon=True)
    thread.start()
    assert started.wait(20), "the server did not start"
    try:
        yield
    finally:
        server.should_exit = True
        thread.join(20)
        assert not thread.is_alive()


def tool_server(seen: list[dict[str, str]]) -> Server[Any]:
    """Three tools; the headers of every call are kept in `seen`."""

    async def list_tools(
        _: ServerRequestContext[Any, Any], __: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        schema = {"type": "object"}
        names = ("add", "large", "slow")
        return types.ListToolsResult(
            tools=[types.Tool(name=name, input_schema=schema) for name in names]
        )

    async def call_tool(
        context: ServerRequestContext[Any, Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        given = params.arguments or {}
        if context.request is not None:
            seen.append(dict(context.request.headers))
        match params.name:
            case "add":
                text = str(given["a"] + given["b"])
            case "large":
                text = "x" * given["bytes"]
            case _:
                await anyio.sleep(given["seconds"])
                text = "done"
        return types.CallToolResult(content=[types.TextContent(type="text", text=text)])

    return Server("tools", on_list_tools=list_tools, on_call_tool=call_tool)


class SseDoor:
    """The older transport of the same server, as an ASGI endpoint."""

    def __init__(self, server: Server[Any]) -> None:
        self.server = server
        self.transport = SseServerTransport("/messages/")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with self.transport.connect_sse(scope, receive, send) as (inbox, outbox):
            await self.server.run(inbox, outbox, self.server.create_initialization_options())


def tools_app(seen: list[dict[str, str]], *, json_response: bool = False) -> Starlette:
    """Both transports: `/mcp` and `/sse`."""
    server = tool_server(seen)
    sse = SseDoor(tool_server(seen))
    app = server.streamable_http_app(json_response=json_response)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncGenerator[None]:
        async with server.session_manager.run():
            yield

    return Starlette(
        routes=[
            Route("/sse", endpoint=sse),
            Mount("/messages/", app=sse.transport.handle_post_message),
            *app.routes,
        ],
        lifespan=lifespan,
    )
