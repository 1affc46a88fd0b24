"""Opens the transport of a registered server.

Rejects an unapproved definition, so nothing unapproved can be started.
"""

from contextlib import AbstractAsyncContextManager

from mcp.client._transport import TransportStreams  # the type has no public name

from toolweave.servers.definition import (
    CommandServer,
    ContainerServer,
    HttpServer,
    Server,
    SignInClient,
    SseServer,
)
from toolweave.servers.disconnect_reason import DisconnectReason
from toolweave.servers.oauth import VaultedOAuth
from toolweave.servers.transport_factory import TransportFactory, require_approved
from toolweave.servers.transports.http import open_http
from toolweave.servers.transports.sse import open_sse
from toolweave.servers.transports.stdio import open_stdio


async def open_transport(
    factory: TransportFactory, server: Server, faults: DisconnectReason, *, is_sse: bool = False
) -> AbstractAsyncContextManager[TransportStreams]:
    """Return a transport to `server`, not yet entered. Raises `Denied` or `Unavailable`.

    With `is_sse`, an HTTP server is connected with server-sent events, as older servers want it.
    """
    require_approved(server)
    limits, guardian = factory.limits, factory.guardian
    if isinstance(server.definition, CommandServer | ContainerServer):
        launch = await factory.launch(server)
        if launch.container:
            await guardian.remove_orphans()
            if await guardian.has_container(launch.container):
                # It belongs to a process that is alive, and may be in the middle of a call.
                launch = launch.renamed()
        return open_stdio(launch, faults, guardian=guardian, max_bytes=limits.output_bytes)
    ready = await factory.expanded(server)
    assert isinstance(ready, HttpServer | SseServer)
    auth = None
    if ready.oauth:
        auth = VaultedOAuth(
            server.name,
            ready.url,
            factory.vault,
            sign_in=None,
            client=ready.oauth if isinstance(ready.oauth, SignInClient) else None,
            client_url=factory.client_url,
            masker=factory.masker,
        )
    if isinstance(ready, HttpServer) and not is_sse:
        return open_http(ready, faults, headers=ready.headers, auth=auth, limits=limits)
    return open_sse(ready, faults, headers=ready.headers, auth=auth, limits=limits)
