"""Signing in at servers that mean harm, and the protection of the secrets they receive."""

import json
import logging
from collections.abc import Callable, Generator
from dataclasses import replace

import anyio
import pytest
from mcp import Client

from network.wire import dialling, http, json_answer, peer, slow_peer
from servers.authorization import Protected, protected_server
from servers.signing_in import (
    LIMITS,
    MemoryVault,
    ShiftedClock,
    a_person,
    added,
    by_hand,
    connected,
    signed_in,
)
from servers.transports.connecting import reason
from toolweave.errors import Denied, TimedOut
from toolweave.servers.definition import HttpServer
from toolweave.servers.disconnect_reason import DisconnectReason
from toolweave.servers.oauth import VaultedOAuth
from toolweave.servers.sign_in import SignIn
from toolweave.servers.sign_in_flow import sign_in_now
from toolweave.servers.transports.http import open_http

pytestmark = pytest.mark.anyio


SECRET = "hunter2hunter2"


@pytest.fixture
def protected() -> Generator[Protected]:
    with protected_server() as known:
        yield known


HOSTILE = [
    "http://169.254.169.254/latest/meta-data",
    "http://[fd00:ec2::254]/latest",
    "http://metadata.google.internal/",
    "http://192.168.0.1/",
    "http://10.0.0.1/",
    "https://10.0.0.1/",
    "http://0.0.0.0/",
    "http://2852039166/",
    "http://auth.example.com/",
    "ftp://auth.example.com/",
]


@pytest.mark.parametrize("inside", [*HOSTILE, "file:///etc/passwd", "gopher://x/", "http://"])
async def test_metadata_named_by_a_hostile_server_is_not_fetched(inside: str) -> None:
    answer = http(401, www_authenticate=f'Bearer resource_metadata="{inside}"')
    await _is_denied(lambda _: answer)


@pytest.mark.parametrize("inside", [url for url in HOSTILE if not url.startswith("ftp")])
async def test_an_authorization_server_named_by_a_hostile_server_is_not_asked(inside: str) -> None:
    await _is_denied(by_hand({}, issuer=inside))


@pytest.mark.parametrize("inside", [url for url in HOSTILE if not url.startswith("ftp")])
@pytest.mark.parametrize("which", ["registration_endpoint", "authorization_endpoint"])
async def test_endpoints_named_by_a_hostile_authorization_server_are_not_used(
    inside: str, which: str
) -> None:
    await _is_denied(by_hand({}, **{which: inside}))


async def _is_denied(answer: Callable[[bytes], bytes]) -> None:
    shown: list[str] = []

    async def show(url: str) -> None:
        shown.append(url)

    async with peer(answer) as known:
        auth = VaultedOAuth("tools", known.url, MemoryVault(), sign_in=SignIn(show, deadline_s=5))
        definition = HttpServer(url=known.url, oauth=True)
        transport = open_http(
            definition, DisconnectReason("tools"), headers={}, auth=auth, limits=LIMITS
        )
        with dialling() as dialled:
            failure = await reason(Client(transport))
    assert (type(failure), failure.code) == (Denied, "SERVER_ADDRESS_DENIED")
    assert {address for address, _ in dialled} == {"127.0.0.1"}
    assert {port for _, port in dialled} == {known.port}
    assert shown == []


TOKEN = json_answer(b'{"access_token":"granted","token_type":"Bearer"}')
STEPS = (
    b"GET /.well-known/oauth-protected",
    b"GET /.well-known/oauth-authorization",
    b"POST /register",
    b"POST /token",
)


@pytest.mark.parametrize("status", [302, 307])
@pytest.mark.parametrize("where", [*STEPS, None])
async def test_no_request_of_a_sign_in_follows_a_redirect(where: bytes | None, status: int) -> None:
    granting = by_hand({b"POST /token": TOKEN})
    with anyio.fail_after(60):
        async with peer(TOKEN) as elsewhere, a_person() as (sign_in, _):

            def answer(request: bytes) -> bytes:
                if where is not None and request.startswith(where):
                    return http(status, location=f"{elsewhere.url}/x")
                return granting(request)

            async with peer(answer) as known:
                definition = HttpServer(url=known.url, oauth=True)
                auth = VaultedOAuth("tools", known.url, MemoryVault(), sign_in=sign_in)
                transport = open_http(
                    definition, DisconnectReason("tools"), headers={}, auth=auth, limits=LIMITS
                )
                failure = await reason(Client(transport))
    assert elsewhere.heads == []
    is_signed_in = any(b"Bearer granted" in head for head in known.heads)
    assert is_signed_in == (where is None)  # the control: without a redirect there is a token
    if where is not None:
        assert failure.code == "SERVER_SIGN_IN_FAILED"
        assert "redirects" in failure.message


@pytest.mark.parametrize("slow", [None, b"HTTP/1.1 200 OK\r\n\r\n{"], ids=["silent", "slow"])
@pytest.mark.parametrize("where", [b"GET /.well-known/", b"POST /register", b"POST /token"])
async def test_an_authorization_server_that_never_answers_is_given_up(
    where: bytes, slow: bytes | None
) -> None:
    def answer(request: bytes) -> bytes | None:
        return None if request.startswith(where) else by_hand({})(request)

    limits = replace(LIMITS, connect_deadline_s=0.2)
    serving = peer(answer) if slow is None else slow_peer(answer, slow)
    async with serving as known, a_person() as (sign_in, _):
        definition = HttpServer(url=known.url, oauth=True)
        with anyio.fail_after(60), pytest.raises(TimedOut) as caught:
            await sign_in_now(
                "tools", definition, MemoryVault(), sign_in=sign_in, headers={}, limits=limits
            )
    assert caught.value.code == "SERVER_TIMED_OUT"


@pytest.mark.parametrize(
    ("where", "said"),
    [
        (b"POST /token", json_answer(json.dumps({"access_token": [SECRET]}).encode())),
        (b"POST /token", json_answer(json.dumps({"error": SECRET}).encode(), 400)),
        (b"POST /token", json_answer(SECRET.encode())),
        (b"POST /register", json_answer(json.dumps({"client_id": [SECRET]}).encode(), 201)),
        (b"POST /register", json_answer(json.dumps({"client_secret": SECRET}).encode(), 400)),
    ],
    ids=["odd token", "refused token", "no json", "odd client", "refused client"],
)
async def test_nothing_an_authorization_server_says_gets_into_errors_or_logs(
    where: bytes, said: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with anyio.fail_after(60):
        async with peer(by_hand({where: said})) as known, a_person() as (sign_in, _):
            auth = VaultedOAuth("tools", known.url, MemoryVault(), sign_in=sign_in)
            definition = HttpServer(url=known.url, oauth=True)
            transport = open_http(
                definition, DisconnectReason("tools"), headers={}, auth=auth, limits=LIMITS
            )
            failure = await reason(Client(transport))
    assert failure.code == "SERVER_SIGN_IN_FAILED"
    assert SECRET not in str(failure.as_json())
    assert SECRET not in caplog.text
    assert SECRET not in repr(failure.__cause__) + repr(failure.__context__)


async def test_tokens_get_into_no_log(
    protected: Protected, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    vault = await signed_in(protected)
    with anyio.fail_after(60):
        async with connected(protected, vault, clock=ShiftedClock(3601)) as client:
            assert await added(client) == "42"
    protected.provider.revoke_all()
    failure = await reason(connected(protected, vault))
    logged = "\n".join(
        record.getMessage() + str(record.exc_text)
        for record in caplog.records
        if record.name.startswith(("toolweave", "mcp.client", "httpx2", "httpcore2"))
    )
    assert logged
    for text in (logged, str(failure.as_json())):
        assert "access-" not in text.replace("access-control", "")
        assert "refresh-" not in text
        assert str(vault.kept.client.client_secret) not in text
