"""Create and revoke API keys, with the same rules for CLI and REST."""

from collections.abc import Iterable
from typing import Annotated

from pydantic import BeforeValidator

from toolweave.access.keys import STUDIO, ApiKey, ApiKeys, KeyId
from toolweave.errors import Conflict, Invalid
from toolweave.json_record import JsonRecord

Names = Annotated[list[str], BeforeValidator(sorted)]


class KeyRecord(JsonRecord):
    """An API key without its secret."""

    id: str
    name: str
    scopes: Names
    created_at: str
    revoked_at: str | None
    tools: Names | None
    # The program that got it by signing in with OAuth, and when it ends unless it is renewed.
    client: str | None
    expires_at: str | None


async def create_key(
    keys: ApiKeys, name: str, scopes: list[str], tools: Iterable[str] = ()
) -> tuple[ApiKey, str]:
    """Create a key and return it with its text, which is shown only once.

    Raises `Invalid`: `KEY_NAME_RESERVED`, `SCOPE_UNKNOWN`, `KEY_TOOLS_USELESS`.
    """
    if _is_reserved(name):
        raise Invalid(
            "KEY_NAME_RESERVED",
            f"{STUDIO!r} is reserved for the studio's own key",
            hint="choose another name; the studio replaces its own key at startup",
        )
    return await keys.create(name, scopes, tools)


async def revoke_key(
    keys: ApiKeys, key: str, *, asked_with: KeyId | None = None, is_sure: bool = False
) -> ApiKey:
    """Revoke a key by its id or name; the studio's own key needs a confirmation.

    Raises `NotFound`: `KEY_NOT_FOUND`; `Conflict`: `KEY_IN_USE`, `KEY_NAME_SHARED`.
    """
    found = next((one for one in await keys.list() if key == one.id), None)
    if found is not None and not is_sure and (found.id == asked_with or is_studio_key(found)):
        raise Conflict(
            "KEY_IN_USE",
            f"the key {found.name!r} is in use by the studio",
            hint="confirm to revoke it; `toolweave serve` creates a new one at its next start",
        )
    return await keys.revoke(key)


async def rotate_key(keys: ApiKeys, key: str) -> tuple[ApiKey, str]:
    """Create a key with the name, scopes and tools of another one, then revoke that one.

    Raises `NotFound`: `KEY_NOT_FOUND`; `Conflict`: `KEY_NAME_SHARED`.
    """
    old = await keys.find(key)
    new = await keys.create(old.name, sorted(old.scopes), old.tools or ())
    await keys.revoke(old.id)
    return new


def is_studio_key(key: ApiKey) -> bool:
    """Whether it is the studio's own key and still valid."""
    return _is_reserved(key.name) and "admin" in key.scopes and key.revoked_at is None


def _is_reserved(name: str) -> bool:
    """Whether a name is of a studio's own key; with a shared database it names the home, too."""
    return name.partition("@")[0] == STUDIO
