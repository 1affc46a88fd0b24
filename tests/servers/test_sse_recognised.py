"""An address that was added without `--sse`, and is that of an older server with SSE."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Mount, Route

from servers.rooms import a_studio, approved
from servers.transports.serving import SseDoor, listening, running, tool_server
from toolweave.errors import Unavailable
from toolweave.servers.definition import HttpServer
from toolweave.tools.tool import ToolCall

pytestmark = pytest.mark.anyio


def an_old_server(posted: list[str]) -> Starlette:
    """A server with SSE only; `/gone` and `/bad` answer a POST with other statuses."""
    door = SseDoor(tool_server([]))

    def answering(status: int) -> Callable[[Request], Awaitable[Response]]:
        async def refuse(request: Request) -> Response:
            posted.append(request.url.path)
            return PlainTextResponse("no", status)

        return refuse

    routes = [
        route
        for path, status in (("/sse", 405), ("/gone", 404), ("/bad", 400), ("/broken", 500))
        for route in (
            Route(path, answering(status), methods=["POST"]),
            Route(path, door, methods=["GET"]),
        )
    ]
    return Starlette(
        routes=[
            *routes,
            Route("/any", door),  # every method opens the stream
            Route("/none", answering(404), methods=["POST", "GET"]),
            Mount("/messages/", app=door.transport.handle_post_message),
        ]
    )


@pytest.fixture(scope="module")
def origin() -> Generator[str]:
    with listening() as (bound, where), running(an_old_server([]), bound):
        yield where


@asynccontextmanager
async def called(home: Path, url: str) -> AsyncGenerator[str]:
    async with a_studio(home, connect_deadline_s=20) as studio:
        await approved(studio, "old", HttpServer(url=url))
        studio.home.lockfile.pin("old", await studio.gate.tools("old"))
        result = await studio.gate.call(ToolCall("old", "add", {"a": 20, "b": 22}))
        yield result.text


@pytest.mark.parametrize("path", ["sse", "gone", "bad", "any"])
async def test_a_server_that_takes_no_posts_at_its_address_is_used_with_sse(
    tmp_path: Path, origin: str, path: str
) -> None:
    with anyio.fail_after(60):
        async with called(tmp_path / "home", f"{origin}/{path}") as text:
            assert text == "42"


@pytest.mark.parametrize(("path", "status"), [("none", 404), ("broken", 500)])
async def test_what_is_no_sse_server_fails_with_its_first_answer(
    tmp_path: Path, origin: str, path: str, status: int
) -> None:
    with anyio.fail_after(60), pytest.raises(Unavailable) as refused:
        async with called(tmp_path / "home", f"{origin}/{path}"):
            pass
    assert refused.value.code == "SERVER_HTTP_ERROR"
    assert refused.value.facts["status"] == status
