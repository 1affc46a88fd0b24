"""API keys as doors hand them out and take them back: the same rules for all of them."""

from collections.abc import Iterable

from toolweave.access.keys import STUDIO, ApiKey, ApiKeys, KeyId
from toolweave.errors import Conflict, Invalid
from toolweave.json_text import JsonObject


async def create_key(
    keys: ApiKeys, name: str, scopes: list[str], tools: Iterable[str] = ()
) -> tuple[ApiKey, str]:
    """A new key and its text, which nobody sees again.

    Raises:
        Invalid: `KEY_NAME_RESERVED`, `SCOPE_UNKNOWN`, `KEY_TOOLS_USELESS`.
    """
    if name == STUDIO:
        raise Invalid(
            "KEY_NAME_RESERVED",
            f"the studio's own key is called {STUDIO!r}",
            hint="choose another name; a key of this one is replaced when the studio starts",
        )
    return await keys.create(name, scopes, tools)


async def revoke_key(
    keys: ApiKeys, key: str, *, asked_with: KeyId | None = None, is_sure: bool = False
) -> ApiKey:
    """Revoke a key by its id or name; the one that pages ask with only by whoever is sure.

    Raises:
        NotFound: `KEY_NOT_FOUND`.
        Conflict: `KEY_IN_USE`, `KEY_NAME_SHARED`.
    """
    found = next((one for one in await keys.list() if key == one.id), None)
    if found is not None and not is_sure and (found.id == asked_with or is_studio(found)):
        raise Conflict(
            "KEY_IN_USE",
            f"the key {found.name!r} is the one that this studio's pages ask with",
            hint="say that you are sure; the next start of `toolweave serve` makes another",
        )
    return await keys.revoke(key)


def is_studio(key: ApiKey) -> bool:
    """Whether it is the studio's own key, which is valid still."""
    return key.name == STUDIO and "admin" in key.scopes and key.revoked_at is None


def key_as_json(key: ApiKey) -> JsonObject:
    """A key without its secret."""
    return {
        "id": key.id,
        "name": key.name,
        "scopes": [*sorted(key.scopes)],
        "createdAt": key.created_at,
        "revokedAt": key.revoked_at,
        "tools": [*sorted(key.tools)] if key.tools is not None else None,
    }
