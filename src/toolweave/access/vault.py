"""The vault: named secrets in the database, encrypted with AES-256-GCM; values are never logged.

Each secret has its own nonce and is bound to its name, so a changed or swapped row is detected.
The key is loaded on first use; listing names does not need it.
"""

import os
from collections.abc import Iterable
from importlib import import_module
from typing import TYPE_CHECKING

import anyio

from toolweave.access.secret_destinations import (
    Destination,
    SecretDestinations,
    to_host,
)
from toolweave.access.vault_key import VARIABLE, Key, KeySource, create_key, find_key
from toolweave.clock import Clock, SystemClock, timestamp
from toolweave.errors import Denied, Invalid, NotFound
from toolweave.patterns import pattern
from toolweave.problems import did_you_mean
from toolweave.storage.database import Database, Statement

if TYPE_CHECKING:  # loaded when a secret is read or written; listing names needs no cipher
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    from toolweave.access.secret_binding import SecretBinding

_NONCE_BYTES = 12
_NAME = pattern(r"[A-Za-z0-9_][A-Za-z0-9_.:/@+-]{0,199}")
# Encrypted with the vault's key on first use; no secret can have this name.
_CHECK = "(check)"
_SELECT = "SELECT nonce, sealed FROM secrets WHERE name = ?"
_UPSERT = (
    "INSERT INTO secrets (name, nonce, sealed, created_at, updated_at) VALUES (?, ?, ?, ?, ?)"
    " ON CONFLICT (name) DO UPDATE SET nonce = excluded.nonce, sealed = excluded.sealed,"
    " updated_at = excluded.updated_at"
)
_INSERT = _UPSERT.partition(" DO UPDATE")[0] + " DO NOTHING"


class Vault:
    """Secrets by name.

    Raises (`get` and `put`):
        Denied: `VAULT_KEY_MISSING`, `VAULT_KEY_WRONG` or `VAULT_KEY_EXPOSED`.
    """

    def __init__(
        self, database: Database, key_source: KeySource, *, clock: Clock | None = None
    ) -> None:
        self._database = database
        self._key_source = key_source
        self._clock = clock or SystemClock()
        self.destinations = SecretDestinations(database, self._clock)
        self._opening = anyio.Lock()
        self._cipher: AESGCM | None = None

    async def put(self, name: str, value: str) -> None:
        """Store `value` under `name`, replacing an existing value."""
        await self._database.at_once([await self._sealed(name, value)])

    async def store(self, name: str, value: str, *, hosts: Iterable[str], by: str) -> None:
        """Store a person's secret, which goes only to these hosts and those allowed later."""
        binding = self.destinations.binding(name, [to_host(host) for host in hosts], by=by)
        await self._database.at_once([await self._sealed(name, value), *binding])

    async def use(self, name: str, to: Destination) -> str:
        """Return a secret that is sent to a destination. Raises `Denied`: `SECRET_NOT_ALLOWED`."""
        if _NAME.fullmatch(name):
            await self.destinations.require(name, to)
        return await self.get(name)

    async def bindings(self) -> "list[SecretBinding]":
        """Return all secrets and where they may go, by name."""
        return await self.destinations.list(_CHECK)

    async def get(self, name: str) -> str:
        """Return the secret called `name`, for Toolweave itself: what is sent passes `use`."""
        found = await self._database.row(_SELECT, name) if _NAME.fullmatch(name) else None
        if found is None:
            raise NotFound(
                "SECRET_NOT_FOUND",
                f"the vault has no secret {name!r}",
                hint=did_you_mean(name, await self.names()),
            )
        plain = _unsealed(await self._opened(), name, *found)
        if plain is None:
            raise Denied(
                "SECRET_DAMAGED",
                f"secret {name!r} was modified in the database and cannot be decrypted",
                hint="store it again",
            )
        return plain.decode()

    async def names(self) -> list[str]:
        """Return the names of all secrets, sorted."""
        found = await self._database.rows("SELECT name FROM secrets WHERE name <> ?", _CHECK)
        return sorted(name for (name,) in found)

    async def delete(self, name: str) -> None:
        """Delete the secret called `name`. Raises `NotFound`: `SECRET_NOT_FOUND`."""
        _check_name(name)
        if not await self._database.execute("DELETE FROM secrets WHERE name = ?", name):
            raise NotFound("SECRET_NOT_FOUND", f"the vault has no secret {name!r}")
        await self.destinations.forget(name)

    async def _opened(self) -> "AESGCM":
        async with self._opening:
            if self._cipher is None:
                self._cipher = await self._open()
            return self._cipher

    async def _open(self) -> "AESGCM":
        is_new = await self._database.row(_SELECT, _CHECK) is None
        key = await find_key(self._key_source)
        if key is None:
            if not is_new:
                raise Denied(
                    "VAULT_KEY_MISSING",
                    "the vault contains secrets, but its key is in neither a file nor the keyring",
                    hint=f"unlock the keyring, restore the key file, or set {VARIABLE}",
                )
            key = await create_key(self._key_source)
        ciphers = import_module("cryptography.hazmat.primitives.ciphers.aead")
        cipher = ciphers.AESGCM(key.value)
        if is_new:
            # If two processes start together, the first one decides the key.
            await self._database.at_once([self._statement(_INSERT, cipher, _CHECK, b"")])
        await self._verify(cipher, key)
        return cipher

    async def _verify(self, cipher: "AESGCM", key: Key) -> None:
        check = await self._database.row(_SELECT, _CHECK)
        if check is None or _unsealed(cipher, _CHECK, *check) is None:
            raise Denied(
                "VAULT_KEY_WRONG",
                f"{key.origin} has a different key than the one this vault was encrypted with",
                hint="restore the original key; no other key can decrypt the vault",
            )

    async def _sealed(self, name: str, value: str) -> Statement:
        _check_name(name)
        try:
            plain = value.encode()
        except UnicodeEncodeError:
            raise Invalid("SECRET_VALUE_INVALID", f"secret {name!r} is not valid text") from None
        return self._statement(_UPSERT, await self._opened(), name, plain)

    def _statement(self, sql: str, cipher: "AESGCM", name: str, plain: bytes) -> Statement:
        nonce = os.urandom(_NONCE_BYTES)
        sealed = cipher.encrypt(nonce, plain, _bound_to(name))
        now = timestamp(self._clock.now())
        return Statement(sql, (name, nonce, sealed, now, now))


def _check_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise Invalid(
            "SECRET_NAME_INVALID",
            f"{name!r} is not a valid secret name",
            hint="use 1 to 200 letters, digits and _ . : / @ + -, starting with a letter or digit",
        )


def _unsealed(cipher: "AESGCM", name: str, nonce: bytes, sealed: bytes) -> bytes | None:
    # ValueError: a nonce or a text of invalid length.
    damaged: type[Exception] = import_module("cryptography.exceptions").InvalidTag
    try:
        return cipher.decrypt(nonce, sealed, _bound_to(name))
    except (damaged, ValueError):
        return None


def _bound_to(name: str) -> bytes:
    return b"toolweave secret 1\0" + name.encode()
