"""Resolve a host name from a workflow to an allowed address."""

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
    """Return an allowed address of the host to connect to directly; `None` if there is none.

    Raises `OSError`: the name has no address; `UnicodeError`: it is not a valid name;
    `ToolweaveError`: as `canonical_host`.
    """
    name = canonical_host(host)
    found = [name] if read_address(name) else await resolve(name, port)
    for text in found:
        address = read_address(text)
        if address is not None and may_connect(allow, name, port, address):
            return str(address)
    return None
