"""Signing in for the tests: a vault, a clock, a person with a browser, a server by hand."""

import json
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

import anyio
import httpx2
from mcp import Client
from mcp_types import TextContent

from network.wire import http, json_answer
from servers.authorization import Protected
from toolweave.errors import NotFound
from toolweave.servers.definition import HttpServer
from toolweave.servers.disconnect_reason import DisconnectReason
from toolweave.servers.oauth import VaultedOAuth
from toolweave.servers.sign_in import SignIn
from toolweave.servers.sign_in_entry import sign_in_entry_name
from toolweave.servers.sign_in_flow import sign_in_now
from toolweave.servers.stored_sign_in import StoredSignIn
from toolweave.servers.transports.http import open_http
from toolweave.settings import Limits

LIMITS = Limits(call_deadline_s=5, connect_deadline_s=5, output_bytes=1024 * 1024)


class MemoryVault:
    """The vault's manners, without its locks."""

    def __init__(self) -> None:
        self.entries: dict[str, str] = {}

    async def put(self, name: str, value: str) -> None:
        self.entries[name] = value

    async def get(self, name: str) -> str:
        try:
            return self.entries[name]
        except KeyError:
            raise NotFound("SECRET_NOT_FOUND", f"no secret {name!r}") from None

    async def delete(self, name: str) -> None:
        await self.get(name)
        del self.entries[name]

    @property
    def kept(self) -> StoredSignIn:
        return StoredSignIn.model_validate_json(self.entries[sign_in_entry_name("tools")])


class ShiftedClock:
    """The machine's clock, some seconds later."""

    def __init__(self, seconds: float = 0) -> None:
        self.seconds = seconds

    def now(self) -> datetime:
        return datetime.now(UTC) + timedelta(seconds=self.seconds)

    def monotonic(self) -> float:
        return anyio.current_time()

    async def sleep(self, seconds: float) -> None:
        await anyio.sleep(seconds)


Follow = Callable[[str], str]


@asynccontextmanager
async def a_person(follow: Follow = lambda url: url) -> AsyncGenerator[tuple[SignIn, list[str]]]:
    """Somebody whose browser goes wherever it is shown; `follow` may change the way back."""
    shown: list[str] = []
    async with anyio.create_task_group() as tasks:

        async def browse(url: str) -> None:
            async with httpx2.AsyncClient(trust_env=False) as browser:
                page = await browser.get(url)
                await browser.get(follow(page.headers["location"]))

        async def show(url: str) -> None:
            shown.append(url)
            tasks.start_soon(browse, url)

        yield SignIn(show, deadline_s=10), shown
        tasks.cancel_scope.cancel()


def connected(
    known: Protected,
    vault: MemoryVault,
    *,
    sign_in: SignIn | None = None,
    clock: ShiftedClock | None = None,
) -> Client:
    auth = VaultedOAuth("tools", known.url, vault, sign_in=sign_in, clock=clock)
    definition = HttpServer(url=known.url, oauth=True)
    return Client(
        open_http(definition, DisconnectReason("tools"), headers={}, auth=auth, limits=LIMITS)
    )


async def added(client: Client) -> str:
    [content] = (await client.call_tool("add", {"a": 20, "b": 22})).content
    assert isinstance(content, TextContent)
    return content.text


async def signed_in(known: Protected) -> MemoryVault:
    """A vault with a fresh sign-in, and both logs emptied."""
    vault = MemoryVault()
    with anyio.fail_after(60):
        async with a_person() as (sign_in, _):
            definition = HttpServer(url=known.url, oauth=True)
            await sign_in_now(
                "tools", definition, vault, sign_in=sign_in, headers={}, limits=LIMITS
            )
    known.server_log.clear()
    known.issuer_log.clear()
    return vault


def paths(log: list[tuple[str, str, str | None]]) -> list[str]:
    return [path for _, path, _ in log]


def tokens(log: list[tuple[str, str, str | None]]) -> list[str | None]:
    return [token for _, _, token in log]


def renewed_at(vault: MemoryVault, url: str) -> StoredSignIn:
    """Let the kept tokens be renewed at another address; what is kept then."""
    entry = json.loads(vault.entries[sign_in_entry_name("tools")])
    entry["metadata"]["token_endpoint"] = url
    vault.entries[sign_in_entry_name("tools")] = json.dumps(entry)
    return vault.kept


def by_hand(said: dict[bytes, bytes], **named: str) -> Callable[[bytes], bytes]:
    """A server and its authorization server in one, which answer and name what they are told."""

    def answer(request: bytes) -> bytes:
        origin = _origin(request)
        metadata = {
            "issuer": origin,
            "authorization_endpoint": f"{origin}/authorize",
            "token_endpoint": f"{origin}/token",
            "registration_endpoint": f"{origin}/register",
            **named,
        }
        resource = {"resource": f"{origin}/mcp", "authorization_servers": [metadata["issuer"]]}
        answers = {
            **said,
            b"GET /.well-known/oauth-protected": json_answer(json.dumps(resource).encode()),
            b"GET /.well-known/oauth-authorization": json_answer(json.dumps(metadata).encode()),
            b"POST /register": said.get(
                b"POST /register",
                json_answer(b'{"client_id":"c","token_endpoint_auth_method":"none"}', 201),
            ),
        }
        if request.startswith(b"GET /authorize"):
            query = httpx2.URL(request.split(b" ")[1].decode()).params
            return http(302, location=f"{query['redirect_uri']}?code=x&state={query['state']}")
        known = (answers[start] for start in answers if request.startswith(start))
        return next(known, http(401))

    return answer


def _origin(request: bytes) -> str:
    host = request.lower().partition(b"host: ")[2].partition(b"\r\n")[0]
    return f"http://{host.decode()}"
