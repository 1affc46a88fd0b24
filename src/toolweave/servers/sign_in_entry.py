"""The vault entry of a sign-in: its name, and its removal."""

import hashlib
from typing import Protocol

from toolweave.errors import NotFound
from toolweave.patterns import pattern

# Names the vault accepts, without the `@` that starts a hash; server names may have more.
PLAIN_NAME = pattern(r"[A-Za-z0-9_.:/+-][A-Za-z0-9_.:/@+-]{0,127}")


class OAuthSecrets(Protocol):
    """The part of the vault that is used here."""

    async def put(self, name: str, value: str) -> object: ...

    async def get(self, name: str) -> str: ...

    async def delete(self, name: str) -> object: ...


async def forget_sign_in(server_name: str, store: OAuthSecrets) -> bool:
    """Remove a server's tokens from the vault; return whether there were any."""
    try:
        await store.delete(sign_in_entry_name(server_name))
    except NotFound:
        return False
    return True


def sign_in_entry_name(server_name: str) -> str:
    """Return the vault name of a server's sign-in: its name, or a hash of an unusual name."""
    if PLAIN_NAME.fullmatch(server_name):
        return f"oauth:{server_name}"
    return f"oauth:@{hashlib.sha256(server_name.encode()).hexdigest()}"
