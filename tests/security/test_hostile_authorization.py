"""Authorization servers that mean harm: each fault ends the sign-in with its reason."""

import json
from collections.abc import Callable
from typing import Any

import anyio
import pytest
from tests.security.controls import Control

from network.wire import http, json_answer, peer
from servers.signing_in import LIMITS, MemoryVault, a_person, by_hand
from toolweave.errors import ToolweaveError
from toolweave.servers.definition import HttpServer, SignInClient
from toolweave.servers.sign_in_flow import sign_in_now

pytestmark = pytest.mark.anyio

TOKEN = json_answer(b'{"access_token": "t", "token_type": "Bearer", "expires_in": 60}')
Answer = Callable[[bytes], bytes]
RESOURCE = b"GET /.well-known/oauth-protected"
SERVER = b"GET /.well-known/oauth-authorization"


async def signed_in(answer: Answer, **client: Any) -> tuple[str | None, list[bytes]]:
    """The error of a sign-in, none if it succeeded, and all requests."""
    async with peer(answer) as known, a_person() as (sign_in, _):
        oauth = SignInClient(**client) if client else True
        definition = HttpServer(url=known.url, oauth=oauth)
        try:
            with anyio.fail_after(60):
                await sign_in_now(
                    "tools", definition, MemoryVault(), sign_in=sign_in, headers={}, limits=LIMITS
                )
        except ToolweaveError as error:
            return f"{error.code}: {error.message}", known.heads
        return None, known.heads


def honest(**named: str) -> Answer:
    return by_hand({b"POST /token": TOKEN}, **named)


def instead(start: bytes, answer: Callable[[dict[str, Any]], bytes]) -> Answer:
    """An honest server, but for the document whose request starts so."""

    def answered(request: bytes) -> bytes:
        said = honest()(request)
        if not request.startswith(start):
            return said
        return answer(json.loads(said.partition(b"\r\n\r\n")[2]))

    return answered


def changed(**fields: object) -> Callable[[dict[str, Any]], bytes]:
    return lambda document: json_answer(json.dumps({**document, **fields}).encode())


FAULTS: list[tuple[str, Answer, str]] = [
    (
        "resource metadata redirects",
        instead(RESOURCE, lambda _: http(302, location="https://evil.example/prm")),
        "redirects",
    ),
    (
        "server metadata redirects",
        instead(SERVER, lambda _: http(307, location="https://evil.example/as")),
        "redirects",
    ),
    (
        "registration redirects",
        instead(b"POST /register", lambda _: http(307, location="https://evil.example/r")),
        "redirects",
    ),
    ("issuer differs", instead(SERVER, changed(issuer="https://evil.example")), "issuer mismatch"),
    (
        "resource differs",
        instead(RESOURCE, changed(resource="https://evil.example/mcp")),
        "does not match",
    ),
    ("too large", instead(SERVER, changed(padding="x" * 300_000)), "over 262144 bytes"),
    (
        "script as a page",
        instead(SERVER, changed(authorization_endpoint="javascript:alert(1)")),
        "authorization_endpoint that is not an http(s) address",
    ),
    (
        "file as an endpoint",
        instead(SERVER, changed(token_endpoint="file:///etc/passwd")),
        "token_endpoint that is not an http(s) address",
    ),
    (
        "number as an endpoint",
        instead(SERVER, changed(registration_endpoint=7)),
        "registration_endpoint that is not an http(s) address",
    ),
]


@pytest.mark.parametrize(
    ("answer", "reason"), [fault[1:] for fault in FAULTS], ids=[fault[0] for fault in FAULTS]
)
async def test_each_fault_ends_the_sign_in_with_its_reason(
    answer: Answer, reason: str, control: Control
) -> None:
    error, heads = await signed_in(answer)
    assert error is not None
    assert error.startswith("SERVER_SIGN_IN_FAILED")
    assert reason in error
    assert not any(head.startswith(b"POST /token") for head in heads)
    control(
        "the server without the fault signs the person in", (await signed_in(honest()))[0] is None
    )


async def test_a_code_is_not_sent_where_the_token_endpoint_redirects(control: Control) -> None:
    def redirected(location: str) -> Answer:
        return instead(b"POST /token", lambda _: http(307, location=location))

    error, heads = await signed_in(redirected("https://evil.example/t"))
    assert error is not None
    assert error.startswith("SERVER_SIGN_IN_FAILED")
    assert "redirects" in error
    assert heads[-1].startswith(b"POST /token")
    _, within = await signed_in(redirected("/elsewhere"))
    control(
        "within its own address it is followed",
        any(head.startswith(b"POST /elsewhere") for head in within),
    )


async def test_credentials_of_a_client_go_to_its_own_authorization_server_only(
    control: Control,
) -> None:
    client = {"client_id": "by-hand"}
    error, heads = await signed_in(honest(), **client, issuer="https://own.example")
    # The server names itself; the client's own authorization server was asked instead.
    assert error is not None
    assert "own.example" in error
    assert not any(b"by-hand" in head for head in heads)
    fine, own_heads = await signed_in(honest(), **client)
    control("its own server gets them", fine is None and any(b"by-hand" in h for h in own_heads))
