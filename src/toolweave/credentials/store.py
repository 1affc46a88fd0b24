"""Credentials of services outside: the token is a secret of its own name, what it is for beside it.

`${vault:NAME}` is the token wherever secrets are filled in; `service:NAME` in the vault says which
kind of service it is for and at which address that service is. No other address gets it.
"""

from collections.abc import Iterable
from typing import Literal, Protocol

from pydantic import BaseModel, ConfigDict, ValidationError

from toolweave.errors import NotFound

PREFIX = "service:"


class CredentialSecrets(Protocol):
    """What is needed of the vault."""

    async def put(self, name: str, value: str) -> None: ...

    async def store(self, name: str, value: str, *, hosts: Iterable[str], by: str) -> None: ...

    async def get(self, name: str) -> str: ...

    async def delete(self, name: str) -> None: ...

    async def names(self) -> list[str]: ...


class Credential(BaseModel):
    """What is known of a credential beside its secret."""

    model_config = ConfigDict(frozen=True)

    name: str
    kind: str
    base_url: str | None = None
    auth: Literal["token", "oauth"] = "token"


class Credentials:
    """The credentials in a vault, by name."""

    def __init__(self, vault: CredentialSecrets) -> None:
        self._vault = vault

    async def put(
        self, credential: Credential, token: str | None, hosts: Iterable[str] | None = None
    ) -> None:
        """Store a credential and its token, which goes only to `hosts` if they are given."""
        if token is not None and hosts is not None:
            by = f"credential {credential.name!r}"
            await self._vault.store(credential.name, token, hosts=hosts, by=by)
        elif token is not None:
            await self._vault.put(credential.name, token)
        await self._vault.put(PREFIX + credential.name, credential.model_dump_json())

    async def find(self, name: str) -> Credential | None:
        """The credential of this name; nothing where there is only a secret, or not even that."""
        try:
            return Credential.model_validate_json(await self._vault.get(PREFIX + name))
        except (NotFound, ValidationError):
            return None

    async def get(self, name: str) -> Credential:
        """The credential of this name. Raises `NotFound`: `SERVICE_CREDENTIAL_MISSING`."""
        found = await self.find(name)
        if found is None:
            raise missing_credential(name)
        return found

    async def list(self) -> list[Credential]:
        """Every credential, by name."""
        names = [name for name in await self._vault.names() if name.startswith(PREFIX)]
        found = [await self.find(name.removeprefix(PREFIX)) for name in names]
        return [credential for credential in found if credential is not None]

    async def has_secret(self, name: str) -> bool:
        """Whether a secret of this name is in the vault."""
        return name in await self._vault.names()

    async def keep_secret(self, name: str, value: str) -> None:
        """Put another value in a secret's place."""
        await self._vault.put(name, value)

    async def remove(self, name: str) -> None:
        """Forget a credential and its token. Raises `NotFound`: `SERVICE_CREDENTIAL_MISSING`."""
        await self.get(name)
        await self._vault.delete(PREFIX + name)
        if await self.has_secret(name):
            await self._vault.delete(name)


def missing_credential(name: str) -> NotFound:
    """Nobody stored a credential of this name."""
    return NotFound(
        "SERVICE_CREDENTIAL_MISSING",
        f"no credential is called {name!r}",
        hint=f"store one: `toolweave services add {name}`",
    )
