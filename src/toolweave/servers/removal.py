"""Removing a server with everything that belongs to it."""

from toolweave.servers.lockfile import Lockfile
from toolweave.servers.registry import Registry
from toolweave.servers.sign_in_entry import OAuthSecrets, forget_sign_in


async def remove_server(
    registry: Registry, lockfile: Lockfile, secrets: OAuthSecrets, name: str
) -> None:
    """Remove a server, its approval, its pinned tools and the tokens of its sign-in."""
    await registry.remove(name)
    lockfile.unpin(name)
    await forget_sign_in(name, secrets)
