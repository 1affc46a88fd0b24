"""The one place where a name that a workflow gives becomes an address that may be connected to."""

from toolweave.network.addresses import (
    AllowedHosts,
    canonical_host,
    may_connect,
    read_address,
)
from toolweave.network.client import Resolve, resolve_name


async def allowed_address(
    host: str, port: int, allow: AllowedHosts, resolve: Resolve = resolve_name
) -> str | None:
    """An address of the host, for who then looks up nothing again; nothing where none is allowed.

    Raises:
        OSError: the name has no address.
        UnicodeError: it is no name.
        ToolweaveError: as `canonical_host`.
    """
    name = canonical_host(host)
    found = [name] if read_address(name) else await resolve(name, port)
    for text in found:
        address = read_address(text)
        if address is not None and may_connect(allow, name, port, address):
            return str(address)
    return None
