"""Sign in to an OAuth server: show a page to a person, store the tokens in the vault."""

from toolweave.servers.connections import Connections
from toolweave.servers.definition import HttpServer, Server, SseServer
from toolweave.servers.oauth import sign_in_now
from toolweave.servers.sign_in import SignIn, require_sign_in
from toolweave.servers.transport_factory import TransportFactory


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
