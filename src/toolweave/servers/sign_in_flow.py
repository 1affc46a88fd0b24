"""Sign in to an OAuth server: show a page to a person, store the tokens in the vault."""

from functools import partial

from toolweave.clock import SystemClock
from toolweave.errors import Unavailable
from toolweave.network.addresses import AllowedHosts
from toolweave.network.client import EVENTS, open_http_client
from toolweave.servers.connections import Connections
from toolweave.servers.definition import HttpServer, Server, SignInClient, SseServer
from toolweave.servers.oauth import VaultedOAuth
from toolweave.servers.sign_in import SignIn, require_sign_in
from toolweave.servers.sign_in_entry import OAuthSecrets
from toolweave.servers.transport_factory import TransportFactory
from toolweave.servers.transports.failures import send_within_origin
from toolweave.settings import Limits


async def sign_in_to(
    connections: Connections, transports: TransportFactory, server: Server, sign_in: SignIn
) -> int:
    """Let a person sign in; return the number of tools available to them."""
    require_sign_in(server)
    ready = await transports.expanded(server)
    assert isinstance(ready, HttpServer | SseServer)
    await sign_in_now(
        server.name,
        ready,
        transports.vault,
        sign_in=sign_in,
        headers=ready.headers,
        limits=transports.limits,
        client_url=transports.client_url,
    )
    return len((await connections.reconnect(server)).tools)


async def sign_in_now(
    server_name: str,
    definition: HttpServer | SseServer,
    store: OAuthSecrets,
    *,
    sign_in: SignIn,
    headers: dict[str, str],
    limits: Limits,
    client_url: str | None = None,
) -> None:
    """Sign in to the server before connecting, even if the vault has tokens."""
    client = definition.oauth
    auth = VaultedOAuth(
        server_name,
        definition.url,
        store,
        sign_in=sign_in,
        client=client if isinstance(client, SignInClient) else None,
        client_url=client_url,
        clock=SystemClock(),
        anew=True,
    )
    client = open_http_client(
        allow=AllowedHosts.of(definition.url),
        headers=headers,
        auth=auth,
        timeout=limits.connect_deadline_s,
        max_body_bytes=limits.output_bytes,
    )
    async with client:
        request = (
            client.build_request("GET", definition.url, headers={"accept": EVENTS})
            if isinstance(definition, SseServer)
            else client.build_request(
                "POST",
                definition.url,
                json={"jsonrpc": "2.0", "id": 1, "method": "ping"},
                headers={"accept": f"application/json, {EVENTS}"},
            )
        )
        response = await send_within_origin(partial(client.send, stream=True), request)
        await response.aclose()
    if not auth.has_signed_in:
        raise Unavailable(
            "SERVER_SIGN_IN_FAILED",
            f"server {server_name!r} did not request a sign-in (HTTP {response.status_code})",
            hint="it may not need one; run `toolweave servers check` to see",
        )
