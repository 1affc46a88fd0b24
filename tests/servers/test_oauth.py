"""Signing in with OAuth at a real authorization server, and using what was kept."""

import json
from collections.abc import Generator
from pathlib import Path

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken

from network.wire import http, json_answer, peer
from servers.authorization import Protected, protected_server
from servers.signing_in import (
    LIMITS,
    MemoryVault,
    a_person,
    added,
    by_hand,
    connected,
    paths,
    signed_in,
    tokens,
)
from servers.transports.connecting import reason
from toolweave.access.vault import Vault
from toolweave.access.vault_key import KeySource
from toolweave.errors import Denied, TimedOut, Unavailable
from toolweave.network.addresses import AllowedHosts
from toolweave.network.client import open_http_client
from toolweave.servers.connection import open_connection
from toolweave.servers.definition import HttpServer, SseServer
from toolweave.servers.disconnect_reason import DisconnectReason
from toolweave.servers.oauth import VaultedOAuth
from toolweave.servers.sign_in import SignIn
from toolweave.servers.sign_in_entry import forget_sign_in, sign_in_entry_name
from toolweave.servers.sign_in_flow import sign_in_now
from toolweave.servers.stored_sign_in import StoredSignIn
from toolweave.servers.transports.failures import typed_error_in
from toolweave.servers.transports.http import open_http
from toolweave.servers.transports.sse import open_sse
from toolweave.storage.database import open_database
from toolweave.storage.migrations import migrate

pytestmark = pytest.mark.anyio


@pytest.fixture
def protected() -> Generator[Protected]:
    with protected_server() as known:
        yield known


async def test_a_person_signs_in_while_connecting_and_the_tool_is_called(
    protected: Protected,
) -> None:
    vault = MemoryVault()
    with anyio.fail_after(60):
        async with (
            a_person() as (sign_in, shown),
            connected(protected, vault, sign_in=sign_in) as client,
        ):
            assert await added(client) == "42"
    assert len(shown) == 1
    assert shown[0].startswith(f"{protected.issuer}/authorize?")
    assert "code_challenge_method=S256" in shown[0]
    assert paths(protected.issuer_log) == [
        "/.well-known/oauth-authorization-server",
        "/register",
        "/authorize",
        "/token",
    ]
    kept = vault.kept
    assert (kept.url, kept.client.client_name) == (protected.url, "Toolweave")
    assert kept.tokens.access_token in protected.provider.access_tokens
    given = protected.provider.access_tokens[kept.tokens.access_token]
    assert given.resource == protected.url
    assert kept.expires_at is not None
    # The token goes to the server it is for, and nowhere else.
    assert f"Bearer {kept.tokens.access_token}" in tokens(protected.server_log)
    assert not any("Bearer" in (token or "") for token in tokens(protected.issuer_log))


@pytest.mark.parametrize(
    ("name", "entry"),
    [
        ("tools", "oauth:tools"),
        ("a.b/c:d@e+f-g_1", "oauth:a.b/c:d@e+f-g_1"),
        ("x" * 128, "oauth:" + "x" * 128),
    ],
)
def test_a_plain_name_is_the_name_of_its_vault_entry(name: str, entry: str) -> None:
    assert sign_in_entry_name(name) == entry


async def test_the_real_vault_keeps_the_sign_in_of_a_server_with_an_unusual_name(
    protected: Protected, tmp_path: Path
) -> None:
    name = "Bücher & more"
    definition = HttpServer(url=protected.url, oauth=True)
    assert (
        len({sign_in_entry_name(each) for each in (name, "Bücher & more.", f"@{name}", "@")}) == 4
    )
    async with open_database(tmp_path / "toolweave.db") as database:
        await migrate(database)
        vault = Vault(database, KeySource(tmp_path, use_keyring=False))
        with anyio.fail_after(60):
            async with a_person() as (sign_in, _):
                await sign_in_now(
                    name, definition, vault, sign_in=sign_in, headers={}, limits=LIMITS
                )
            auth = VaultedOAuth(name, definition.url, vault, sign_in=None)
            transport = open_http(
                definition, DisconnectReason(name), headers={}, auth=auth, limits=LIMITS
            )
            async with Client(transport) as client:
                assert await added(client) == "42"
    async for file in anyio.Path(tmp_path).rglob("*"):
        if await file.is_file():
            held = await file.read_bytes()
            assert b"access-" not in held
            assert b"refresh-" not in held


async def test_after_a_restart_the_kept_token_is_used_at_once(protected: Protected) -> None:
    vault = await signed_in(protected)
    with anyio.fail_after(60):
        async with connected(protected, vault) as client:
            assert await added(client) == "42"
    bearer = f"Bearer {vault.kept.tokens.access_token}"
    assert set(tokens(protected.server_log)) == {bearer}
    assert protected.issuer_log == []


async def test_without_tokens_and_a_person_nothing_is_registered(protected: Protected) -> None:
    failure = await reason(connected(protected, MemoryVault()))
    assert failure.code == "SERVER_SIGN_IN_REQUIRED"
    assert protected.issuer_log == []
    assert all(path == "/mcp" for path in paths(protected.server_log))


async def test_tokens_of_another_address_are_not_used(protected: Protected) -> None:
    vault = await signed_in(protected)
    async with peer(http(401)) as other:
        auth = VaultedOAuth("tools", other.url, vault, sign_in=None)
        definition = HttpServer(url=other.url, oauth=True)
        transport = open_http(
            definition, DisconnectReason("tools"), headers={}, auth=auth, limits=LIMITS
        )
        failure = await reason(Client(transport))
        assert failure.code == "SERVER_SIGN_IN_REQUIRED"
        assert not any(b"authorization" in head.lower() for head in other.heads)


async def test_the_auth_of_one_server_signs_no_request_to_another(protected: Protected) -> None:
    vault = await signed_in(protected)
    auth = VaultedOAuth("tools", protected.url, vault, sign_in=None)
    async with peer(http(200)) as other:
        allow = AllowedHosts.of(protected.url, other.url)
        async with open_http_client(allow=allow, auth=auth, max_body_bytes=10) as client:
            with pytest.raises(Denied):
                await client.get(other.url)
        assert other.connections == 0


@pytest.mark.parametrize("entry", ["", "{}", "not json", '{"url":1}'])
async def test_a_vault_entry_that_cannot_be_read_counts_as_none(
    protected: Protected, entry: str
) -> None:
    vault = MemoryVault()
    vault.entries[sign_in_entry_name("tools")] = entry
    assert (await reason(connected(protected, vault))).code == "SERVER_SIGN_IN_REQUIRED"


async def test_signing_in_again_replaces_the_old_and_giving_up_keeps_it(
    protected: Protected,
) -> None:
    vault = await signed_in(protected)
    old = vault.kept
    definition = HttpServer(url=protected.url, oauth=True)

    async def nobody(_: str) -> None: ...

    idle = SignIn(nobody, deadline_s=0.05)
    with anyio.fail_after(60), pytest.raises(TimedOut) as caught:
        await sign_in_now("tools", definition, vault, sign_in=idle, headers={}, limits=LIMITS)
    assert caught.value.code == "SERVER_SIGN_IN_TIMEOUT"
    assert vault.kept == old
    with anyio.fail_after(60):
        async with a_person() as (sign_in, _):
            await sign_in_now(
                "tools", definition, vault, sign_in=sign_in, headers={}, limits=LIMITS
            )
    assert vault.kept.tokens.access_token != old.tokens.access_token
    assert vault.kept.client.client_id != old.client.client_id
    await forget_sign_in("tools", vault)
    await forget_sign_in("tools", vault)
    assert vault.entries == {}


async def test_a_person_who_says_no_is_believed(protected: Protected) -> None:
    def refuse(location: str) -> str:
        state = httpx2.URL(location).params["state"]
        return f"{location.partition('?')[0]}?error=access_denied&state={state}"

    with anyio.fail_after(60):
        async with a_person(refuse) as (sign_in, _):
            failure = await reason(connected(protected, MemoryVault(), sign_in=sign_in))
    assert (type(failure), failure.code) == (Denied, "SERVER_SIGN_IN_FAILED")
    assert "/token" not in paths(protected.issuer_log)


async def test_a_code_with_a_wrong_state_or_issuer_is_never_exchanged(
    protected: Protected,
) -> None:
    def other_issuer(location: str) -> str:
        return f"{location}&iss=https%3A%2F%2Fevil.example"

    with anyio.fail_after(60):
        async with a_person(other_issuer) as (sign_in, _):
            failure = await reason(connected(protected, MemoryVault(), sign_in=sign_in))
    assert failure.code == "SERVER_SIGN_IN_FAILED"
    assert "/token" not in paths(protected.issuer_log)


async def test_an_older_server_with_events_is_signed_in_to_as_well(protected: Protected) -> None:
    vault = MemoryVault()
    definition = SseServer(url=protected.sse_url, oauth=True)
    with anyio.fail_after(60):
        async with a_person() as (sign_in, shown):
            await sign_in_now(
                "tools", definition, vault, sign_in=sign_in, headers={}, limits=LIMITS
            )
            assert len(shown) == 1
        auth = VaultedOAuth("tools", definition.url, vault, sign_in=None)
        transport = open_sse(
            definition, DisconnectReason("tools"), headers={}, auth=auth, limits=LIMITS
        )
        async with Client(transport) as client:
            assert await added(client) == "42"
    assert all(
        token == f"Bearer {vault.kept.tokens.access_token}"
        for _, path, token in protected.server_log
        if path.startswith("/messages")
    )


async def test_a_server_that_wants_more_than_was_granted_asks_the_person_again() -> None:
    def answer(request: bytes) -> bytes:
        if b"bearer new" in request.lower():
            return json_answer(b"{}")
        if b"bearer old" in request.lower():
            more = 'Bearer error="insufficient_scope", scope="admin"'
            return http(403, www_authenticate=more)
        return by_hand({b"POST /token": json_answer(b'{"access_token":"new"}')})(request)

    async with peer(answer) as known:
        vault = MemoryVault()
        old = StoredSignIn(
            url=known.url,
            client=OAuthClientInformationFull(client_id="c"),
            tokens=OAuthToken(access_token="old", scope="tools"),
        )
        vault.entries[sign_in_entry_name("tools")] = old.model_dump_json()
        allow = AllowedHosts.of(known.url)
        alone = VaultedOAuth("tools", known.url, vault, sign_in=None)
        async with open_http_client(allow=allow, auth=alone, max_body_bytes=1000) as client:
            with anyio.fail_after(60), pytest.raises(Denied) as caught:
                await client.post(known.url)
        assert caught.value.code == "SERVER_SIGN_IN_REQUIRED"
        async with a_person() as (sign_in, shown):
            auth = VaultedOAuth("tools", known.url, vault, sign_in=sign_in)
            async with open_http_client(allow=allow, auth=auth, max_body_bytes=1000) as client:
                with anyio.fail_after(60):
                    assert (await client.post(known.url)).status_code == 200
            # A later sign-in by hand does not lose what was granted.
            await sign_in_now(
                "tools",
                HttpServer(url=known.url, oauth=True),
                vault,
                sign_in=sign_in,
                headers={},
                limits=LIMITS,
            )
    assert [httpx2.URL(url).params["scope"] for url in shown] == ["tools admin"] * 2
    assert vault.kept.tokens.scope == "tools admin"


async def test_a_server_that_wants_a_token_for_some_calls_only_is_signed_in_to() -> None:
    said = {
        b"POST /token": json_answer(b'{"access_token":"new"}'),
        b"POST /register": json_answer(b'{"client_id":"c"}', 201),
        b"POST /": json_answer(b'{"jsonrpc":"2.0","id":1,"result":{}}'),
    }
    async with peer(by_hand(said)) as known, a_person() as (sign_in, shown):
        vault = MemoryVault()
        definition = HttpServer(url=known.url, oauth=True)
        with anyio.fail_after(60):
            await sign_in_now(
                "tools", definition, vault, sign_in=sign_in, headers={}, limits=LIMITS
            )
    assert len(shown) == 1
    assert vault.kept.tokens.access_token == "new"


async def test_a_server_that_needs_no_sign_in_says_so() -> None:
    async def nobody(_: str) -> None: ...

    async with peer(json_answer(b"{}")) as known:
        with anyio.fail_after(60), pytest.raises(Unavailable) as caught:
            await sign_in_now(
                "tools",
                HttpServer(url=known.url),
                MemoryVault(),
                sign_in=SignIn(nobody),
                headers={},
                limits=LIMITS,
            )
    assert caught.value.code == "SERVER_SIGN_IN_FAILED"


async def test_two_calls_that_need_a_person_ask_once(protected: Protected) -> None:
    vault = MemoryVault()
    allow = AllowedHosts.of(protected.url)
    statuses: list[int] = []
    with anyio.fail_after(60):
        async with a_person() as (sign_in, shown):
            auth = VaultedOAuth("tools", protected.url, vault, sign_in=sign_in)
            async with open_http_client(allow=allow, auth=auth, max_body_bytes=10_000) as client:

                async def ask() -> None:
                    statuses.append((await client.post(protected.url)).status_code)

                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(ask)
                    tasks.start_soon(ask)
    assert len(shown) == 1
    assert 401 not in statuses
    assert len(statuses) == 2


async def test_a_401_to_the_newest_handshake_is_a_missing_sign_in_and_no_refusal() -> None:
    def answer(request: bytes) -> bytes:
        if b"server/discover" in request:
            return http(401)
        refused = {"code": -32020, "message": "Missing MCP-Protocol-Version header"}
        return json_answer(json.dumps({"jsonrpc": "2.0", "id": 1, "error": refused}).encode(), 400)

    async with peer(answer) as known:
        faults = DisconnectReason("tools")
        auth = VaultedOAuth("tools", known.url, MemoryVault(), sign_in=None)
        definition = HttpServer(url=known.url, oauth=True)
        transport = open_http(definition, faults, headers={}, auth=auth, limits=LIMITS)
        with pytest.raises(Exception) as raised:  # noqa: PT011 - in a group of the SDK's tasks
            async with open_connection(transport, faults, limits=LIMITS):
                pytest.fail("it connected")
    failure = typed_error_in(raised.value)
    assert failure is not None
    assert failure.code == "SERVER_SIGN_IN_REQUIRED"
    assert failure.hint == "run `toolweave servers sign-in tools`"
    assert len(known.heads) == 1
