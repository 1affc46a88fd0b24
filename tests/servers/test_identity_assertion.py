"""Access by a company's identity provider, and what is refused on the way."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import parse_qs

import anyio
import pytest
from pydantic import ValidationError

from network.wire import Peer, http, json_answer, peer
from servers.signing_in import LIMITS, MemoryVault, by_hand
from toolweave.errors import ToolweaveError
from toolweave.network.addresses import AllowedHosts
from toolweave.network.client import open_http_client
from toolweave.servers.definition import HttpServer, IdentityProvider, SignInClient, definition_hash
from toolweave.servers.oauth import VaultedOAuth
from toolweave.servers.transports.failures import typed_error_in

pytestmark = pytest.mark.anyio

ID_TOKEN, ASSERTION, SECRET = "identity-token-of-ada", "assertion-of-ada", "secret-of-the-client"
BEFORE = "5d87328ddc1341045d9d208d1a05ab2f015b3696601585e3f3ac7b07f2063379"
GRANTED = json_answer(b'{"access_token":"granted","token_type":"Bearer","expires_in":60}')
ID_JAG = "urn:ietf:params:oauth:token-type:id-jag"

Answer = Callable[[bytes], bytes]


@dataclass
class Outcome:
    """The status of the request, or the error; and what each side was asked."""

    status: int | None
    error: ToolweaveError | None
    server: Peer
    provider: Peer

    def posted(self, to: Peer) -> dict[str, str]:
        """The fields of the only request for tokens."""
        (request,) = (one for one in to.heads if one.startswith(b"POST /token"))
        fields = parse_qs(request.partition(b"\r\n\r\n")[2].decode())
        return {name: value for name, (value,) in fields.items()}

    @property
    def token_requests(self) -> list[bytes]:
        heads = [*self.server.heads, *self.provider.heads]
        return [one for one in heads if one.startswith(b"POST /token")]


def exchanged(**changes: str) -> bytes:
    """What an identity provider answers, with changes."""
    body = {"access_token": ASSERTION, "issued_token_type": ID_JAG, "token_type": "N_A"}
    return json_answer(json.dumps({**body, **changes}).encode())


def provider(answer: bytes, **metadata: str) -> Answer:
    """An identity provider that gives one answer to a request for tokens."""

    def said(request: bytes) -> bytes:
        host = request.lower().partition(b"host: ")[2].partition(b"\r\n")[0].decode()
        known = {"issuer": f"http://{host}", "token_endpoint": f"http://{host}/token", **metadata}
        if request.startswith(b"GET /.well-known/"):
            return json_answer(json.dumps(known).encode())
        return answer

    return said


def server(**named: str) -> Answer:
    """A server and its authorization server, which let in who has the token."""
    inner = by_hand({b"POST /token": GRANTED}, **named)

    def said(request: bytes) -> bytes:
        is_let_in = b"bearer granted" in request.lower()
        return json_answer(b"{}") if is_let_in else inner(request)

    return said


async def reached(server_says: Answer, provider_says: Answer) -> Outcome:
    """Send one request as the client of a company."""
    status, failure = None, None
    async with peer(server_says) as known, peer(provider_says) as company:
        client = SignInClient(
            client_id="toolweave",
            client_secret="${vault:secret}",
            grant="identity_assertion",
            issuer=known.url.removesuffix("/mcp"),
            identity=IdentityProvider(
                issuer=company.url.removesuffix("/mcp"), client_id="desk", token="${vault:id}"
            ),
        )
        assert client.identity is not None
        # As the transport factory fills in references.
        ready = client.model_copy(
            update={
                "client_secret": SECRET,
                "identity": client.identity.model_copy(update={"token": ID_TOKEN}),
            }
        )
        auth = VaultedOAuth("tools", known.url, MemoryVault(), sign_in=None, client=ready)
        sending = open_http_client(
            allow=AllowedHosts.of(known.url),
            auth=auth,
            timeout=LIMITS.connect_deadline_s,
            max_body_bytes=LIMITS.output_bytes,
        )
        with anyio.fail_after(30):
            async with sending as web:
                try:
                    status = (await web.get(known.url)).status_code
                except Exception as error:
                    failure = typed_error_in(error)
        assert (status is None) == (failure is not None)
        return Outcome(status, failure, known, company)


async def test_an_identity_token_gives_access_without_a_person() -> None:
    outcome = await reached(server(), provider(exchanged()))
    assert (outcome.status, outcome.error) == (200, None)
    asked = outcome.posted(outcome.provider)
    resource = outcome.server.url
    assert asked == {
        "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange",
        "requested_token_type": ID_JAG,
        "subject_token": ID_TOKEN,
        "subject_token_type": "urn:ietf:params:oauth:token-type:id_token",
        "audience": resource.removesuffix("/mcp"),
        "resource": resource,
        "client_id": "desk",
    }
    granted = outcome.posted(outcome.server)
    assert granted["grant_type"] == "urn:ietf:params:oauth:grant-type:jwt-bearer"
    assert (granted["assertion"], granted["resource"]) == (ASSERTION, resource)
    # Each secret goes to the one place it is for.
    assert not any(ID_TOKEN.encode() in head for head in outcome.server.heads)
    assert not any(SECRET.encode() in head for head in outcome.provider.heads)


async def test_a_refused_identity_token_is_named_with_what_to_do() -> None:
    refusal = json_answer(b'{"error":"invalid_grant","error_description":"<b>no</b>"}', 400)
    outcome = await reached(server(), provider(refusal))
    assert outcome.error is not None
    assert outcome.error.code == "SERVER_SIGN_IN_FAILED"
    assert "invalid_grant (HTTP 400)" in outcome.error.message
    assert "toolweave secrets set" in str(outcome.error.hint)
    assert ID_TOKEN not in outcome.error.message
    assert len(outcome.token_requests) == 1


@pytest.mark.parametrize(
    ("answer", "metadata"),
    [
        (exchanged(issued_token_type="urn:ietf:params:oauth:token-type:access_token"), {}),
        (exchanged(access_token=""), {}),
        (json_answer(b"[]"), {}),
        (http(307, location="http://127.0.0.1:9/token"), {}),
        (exchanged(), {"issuer": "https://other.example"}),
        (exchanged(), {"token_endpoint": "http://idp.example/token"}),
    ],
)
async def test_nothing_reaches_the_authorization_server_without_an_assertion(
    answer: bytes, metadata: dict[str, str]
) -> None:
    outcome = await reached(server(), provider(answer, **metadata))
    assert outcome.error is not None
    assert outcome.error.code == "SERVER_SIGN_IN_FAILED"
    assert not [one for one in outcome.server.heads if one.startswith(b"POST /token")]


async def test_an_identity_provider_that_names_an_address_inside_is_denied() -> None:
    inside = provider(exchanged(), token_endpoint="https://10.0.0.1/token")
    outcome = await reached(server(), inside)
    assert outcome.error is not None
    assert outcome.error.code == "SERVER_ADDRESS_DENIED"


async def test_the_assertion_goes_to_the_authorization_server_only() -> None:
    elsewhere = server(token_endpoint="http://127.0.0.1:9/token")
    outcome = await reached(elsewhere, provider(exchanged()))
    assert outcome.error is not None
    assert outcome.error.code == "SERVER_SIGN_IN_FAILED"
    assert outcome.token_requests == []


@pytest.mark.parametrize(
    "changes",
    [
        {"identity": None},
        {"issuer": None},
        {"client_secret": None},
        {"grant": "client_credentials"},
        {"identity": {"issuer": "http://idp.example", "client_id": "x", "token": "${vault:id}"}},
        {"identity": {"issuer": "https://idp.example", "client_id": "x", "token": "eyJhbGciOi"}},
    ],
)
def test_half_of_an_identity_provider_is_refused(changes: dict[str, object]) -> None:
    given: dict[str, object] = {
        "client_id": "toolweave",
        "client_secret": "${vault:secret}",
        "grant": "identity_assertion",
        "issuer": "https://auth.example",
        "identity": {"issuer": "https://idp.example", "client_id": "x", "token": "${vault:id}"},
    }
    SignInClient.model_validate(given)
    with pytest.raises(ValidationError):
        SignInClient.model_validate({**given, **changes})


def test_an_earlier_approval_of_another_sign_in_stays_valid() -> None:
    definition = HttpServer(url="https://mcp.example", oauth=SignInClient(client_id="x"))
    # Computed before there were identity providers.
    assert definition_hash(definition) == BEFORE
