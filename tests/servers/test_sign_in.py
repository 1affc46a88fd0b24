"""The listener that hears the end of a sign-in: one path, one state, once, for a while."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from urllib.parse import urlencode

import anyio
import httpx2
import pytest

from toolweave.errors import Denied, TimedOut, ToolweaveError
from toolweave.network.addresses import AllowedHosts
from toolweave.servers.sign_in import AuthorizationCode, Redirect, SignIn

pytestmark = pytest.mark.anyio

PAGE = "https://auth.example.com/authorize?client_id=c&state=the-state"
ALLOW = AllowedHosts.of("https://mcp.example.com/mcp")


class Heard:
    """What came of one sign-in."""

    result: AuthorizationCode | ToolweaveError | None = None


@asynccontextmanager
async def waiting(url: str = PAGE) -> AsyncGenerator[tuple[Redirect, Heard]]:
    """A listener that waits for a browser."""
    shown: list[str] = []
    heard = Heard()

    async def show(address: str) -> None:
        shown.append(address)

    async def wait(redirect: Redirect) -> None:
        try:
            heard.result = await redirect.result()
        except ToolweaveError as error:
            heard.result = error

    redirect = await SignIn(show, deadline_s=10).listen(ALLOW)
    try:
        await redirect.show(url)
        assert shown == [url]
        with anyio.fail_after(60):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(wait, redirect)
                yield redirect, heard
                tasks.cancel_scope.cancel()
    finally:
        await redirect.aclose()


async def visit(redirect: Redirect, path: str = "/callback", **query: str) -> httpx2.Response:
    async with httpx2.AsyncClient(trust_env=False) as browser:
        return await browser.get(f"http://{redirect.authority}{path}?{urlencode(query)}")


async def settled(heard: Heard) -> AuthorizationCode | ToolweaveError:
    while heard.result is None:
        await anyio.lowlevel.checkpoint()
    return heard.result


async def test_the_code_is_taken_from_the_right_request() -> None:
    async with waiting() as (redirect, heard):
        page = await visit(redirect, code="the-code", state="the-state", iss="https://auth")
        result = await settled(heard)
    assert isinstance(result, AuthorizationCode)
    assert (result.code, result.state, result.iss) == ("the-code", "the-state", "https://auth")
    assert (page.status_code, page.text) == (200, "You can close this window.\n")
    assert page.headers["cache-control"] == "no-store"
    assert page.headers["referrer-policy"] == "no-referrer"
    assert redirect.uri.startswith("http://127.0.0.1:")


async def test_a_wrong_state_is_refused_and_the_right_one_still_heard() -> None:
    async with waiting() as (redirect, heard):
        for query in (
            {"code": "evil", "state": "wrong"},
            {"code": "evil", "state": ""},
            {"code": "evil"},
            {"error": "access_denied", "state": "wrong"},
        ):
            assert (await visit(redirect, **query)).status_code == 400
        assert heard.result is None
        assert (await visit(redirect, code="good", state="the-state")).status_code == 200
        result = await settled(heard)
    assert isinstance(result, AuthorizationCode)
    assert result.code == "good"


async def test_other_paths_and_methods_are_refused() -> None:
    async with waiting() as (redirect, heard):
        for path in ("/", "/callback/", "/Callback", "/callback%2f", "/favicon.ico"):
            assert (await visit(redirect, path, code="x", state="the-state")).status_code == 404
        async with httpx2.AsyncClient(trust_env=False) as browser:
            posted = await browser.post(f"{redirect.uri}?code=x&state=the-state")
        assert posted.status_code == 405
        assert heard.result is None


@pytest.mark.parametrize(
    ("head", "status"),
    [
        ("GET /callback?code=a&state=the-state HTTP/1.1\r\nHost: HOST\r\n\r\n", 200),
        ("GET /callback?code=a&state=the-state HTTP/1.1\r\n\r\n", 404),
        ("GET /callback?code=a&state=the-state HTTP/1.1\r\nHost: evil.example\r\n\r\n", 404),
        ("GET /callback?code=a&state=the-state HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
        ("GET http://HOST/callback?code=a&state=the-state HTTP/1.1\r\nHost: HOST\r\n\r\n", 404),
        ("GET //evil/callback?code=a&state=the-state HTTP/1.1\r\nHost: HOST\r\n\r\n", 404),
        ("GET /x/callback?code=a&state=the-state HTTP/1.1\r\nHost: HOST\r\n\r\n", 404),
        ("HEAD /callback?code=a&state=the-state HTTP/1.1\r\nHost: HOST\r\n\r\n", 405),
        ("GET /callback?code=a&state=x&state=the-state HTTP/1.1\r\nHost: HOST\r\n\r\n", 400),
        ("GET /callback?code=a&state=the-state&state=x HTTP/1.1\r\nHost: HOST\r\n\r\n", 400),
        ("nonsense\r\n\r\n", 404),
        ("\r\n\r\n", 404),
    ],
)
async def test_a_request_is_judged_as_the_table_says(head: str, status: int) -> None:
    async with waiting() as (redirect, _):
        assert redirect.judge(head.replace("HOST", redirect.authority)) == status


async def test_a_state_is_good_once() -> None:
    async with waiting() as (redirect, _):
        head = f"GET /callback?code=a&state=the-state HTTP/1.1\r\nHost: {redirect.authority}\r\n"
        assert redirect.judge(head) == 200
        assert redirect.judge(head) == 400


async def test_nothing_is_taken_before_a_page_was_shown_or_without_a_state() -> None:
    async def show(_: str) -> None: ...

    redirect = await SignIn(show).listen(ALLOW)
    try:
        head = f"GET /callback?code=a&state= HTTP/1.1\r\nHost: {redirect.authority}\r\n"
        assert redirect.judge(head) == 400
        await redirect.show("https://auth.example.com/authorize")
        assert redirect.judge(head) == 400
    finally:
        await redirect.aclose()


async def test_a_refusal_of_the_person_is_told() -> None:
    async with waiting() as (redirect, heard):
        await visit(redirect, error="access_denied", state="the-state")
        result = await settled(heard)
    assert isinstance(result, Denied)
    assert result.code == "SERVER_SIGN_IN_FAILED"
    assert "access_denied" in result.message


async def test_nobody_coming_is_given_up_at_the_deadline() -> None:
    async def show(_: str) -> None: ...

    redirect = await SignIn(show, deadline_s=0.05).listen(ALLOW)
    await redirect.show(PAGE)
    with anyio.fail_after(60), pytest.raises(TimedOut) as caught:
        await redirect.result()
    await redirect.aclose()
    assert caught.value.code == "SERVER_SIGN_IN_TIMEOUT"


async def test_a_caller_who_says_nothing_or_too_much_disturbs_nobody() -> None:
    async with waiting() as (redirect, heard):
        port = int(redirect.authority.rpartition(":")[2])
        async with (
            await anyio.connect_tcp("127.0.0.1", port),
            await anyio.connect_tcp("127.0.0.1", port) as endless,
        ):
            try:
                for _ in range(100):
                    await endless.send(b"x" * 1024)
            except anyio.BrokenResourceError:
                pass
            assert (await visit(redirect, code="good", state="the-state")).status_code == 200
            assert isinstance(await settled(heard), AuthorizationCode)


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "javascript:alert(1)",
        "vscode://open",
        "http://auth.example.com/authorize",
        "https://192.168.0.1/reboot",
        "https://localhost/x",
        "https://169.254.169.254/x",
        "--upload-pack=x",
        "",
    ],
)
async def test_no_browser_is_sent_to_a_page_that_is_not_public_https(url: str) -> None:
    shown: list[str] = []

    async def show(address: str) -> None:
        shown.append(address)

    redirect = await SignIn(show).listen(ALLOW)
    with pytest.raises(Denied) as caught:
        await redirect.show(url)
    await redirect.aclose()
    assert caught.value.code == "SERVER_ADDRESS_DENIED"
    assert shown == []
