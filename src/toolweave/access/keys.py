"""API keys: 256 random bits, shown once, stored as a hash, limited by scopes."""

import hashlib
import hmac
import secrets
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import NewType

from toolweave.clock import Clock, has_passed, timestamp
from toolweave.errors import Conflict, Denied, Invalid, NotFound
from toolweave.problems import Problem, did_you_mean
from toolweave.storage.database import Database, Row

KeyId = NewType("KeyId", str)

PREFIX = "tw_"
# Name of the key that the studio's own pages use.
STUDIO = "studio"
FRESH_S = 1.0
MAX_KNOWN = 10_000

SCOPES = (
    "tools:read",
    "tools:execute",
    "health:check",
    "workflows:read",
    "workflows:write",
    "workflows:run",
    "servers:admin",
    "admin",
)
# Scopes that reach beyond published tools.
_PAST_TOOLS = frozenset({"workflows:write", "servers:admin", "admin"})
_COLUMNS = "id, name, scopes, created_at, revoked_at, tools, expires_at, client"


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A key without its secret."""

    id: KeyId
    name: str
    scopes: frozenset[str]
    created_at: str
    revoked_at: str | None = None
    # The published tools it may see and run; `None` for all.
    tools: frozenset[str] | None = None
    # When it ends, and the program that it was granted to with OAuth.
    expires_at: str | None = None
    client: str | None = None

    def allows(self, scope: str) -> bool:
        """Whether the key has `scope`; `admin` includes all scopes."""
        return scope in self.scopes or "admin" in self.scopes

    def require(self, scope: str) -> None:
        """Raise unless the key has `scope`. Raises `Denied`: `SCOPE_MISSING`."""
        if not self.allows(scope):
            raise Denied(
                "SCOPE_MISSING",
                f"this key lacks the scope {scope!r}",
                hint=f"create a key with it: `toolweave keys create --scope {scope}`",
                facts={"scope": scope},
            )

    def allows_tool(self, tool: str | None) -> bool:
        """Whether it may use a published tool; `None` means something that is not published."""
        return self.tools is None or tool in self.tools

    def require_tool(self, tool: str | None) -> None:
        """Raise unless the key may use a published tool. Raises `Denied`: `TOOL_NOT_ALLOWED`."""
        if not self.allows_tool(tool):
            raise Denied(
                "TOOL_NOT_ALLOWED",
                f"this key may not use {tool!r}"
                if tool
                else "this key is limited to certain tools",
                hint="it may use " + ", ".join(sorted(self.tools or ())),
            )


class ApiKeys:
    """Creates, checks and revokes keys; checks are cached for up to a second."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self.clock = clock
        self._known: dict[str, tuple[float, ApiKey | None]] = {}
        self._revocations = 0

    async def create(
        self,
        name: str,
        scopes: list[str],
        tools: Iterable[str] = (),
        *,
        client: str | None = None,
        lifetime_s: float | None = None,
    ) -> tuple[ApiKey, str]:
        """Create a key and return it with its text, shown only once; `tools` limits it to those.

        With a lifetime it ends by itself, unless `renew` replaces it.
        """
        limited = frozenset(tools) or None
        self.require_sensible(scopes, limited or ())
        text = PREFIX + secrets.token_urlsafe(32)
        now = self.clock.now()
        key = ApiKey(
            KeyId(str(uuid.uuid4())),
            name,
            frozenset(scopes),
            timestamp(now),
            tools=limited,
            expires_at=self._end(lifetime_s),
            client=client,
        )
        await self._database.execute(
            "INSERT INTO api_keys "
            "(id, name, hash, scopes, created_at, tools, expires_at, client) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            key.id,
            name,
            _hash(text),
            " ".join(sorted(scopes)),
            key.created_at,
            " ".join(sorted(limited)) if limited else None,
            key.expires_at,
            client,
        )
        return key, text

    def require_sensible(self, scopes: Sequence[str], tools: Iterable[str]) -> None:
        """Raise unless a key can have these. Raises `KEY_TOOLS_USELESS`, `SCOPE_UNKNOWN`."""
        if list(tools) and not _PAST_TOOLS.isdisjoint(scopes):
            raise Invalid(
                "KEY_TOOLS_USELESS",
                "a key limited to some tools cannot have workflows:write, servers:admin or admin",
                hint="a key that can change workflows can change what any tool does",
            )
        unknown = [scope for scope in scopes if scope not in SCOPES]
        if unknown or not scopes:
            hint = "scopes are " + ", ".join(SCOPES)
            raise Invalid(
                "SCOPE_UNKNOWN",
                f"there is no scope {unknown[0]!r}" if unknown else "a key needs a scope",
                problems=[
                    Problem("SCOPE_UNKNOWN", "/scopes", repr(scope), did_you_mean(scope, SCOPES))
                    for scope in unknown
                ],
                hint=hint,
            )

    async def renew(self, key: KeyId, *, lifetime_s: float) -> tuple[ApiKey, str] | None:
        """Give a key a new text and a new end; `None` if it was revoked."""
        text = PREFIX + secrets.token_urlsafe(32)
        await self._database.execute(
            "UPDATE api_keys SET hash = ?, expires_at = ? WHERE id = ? AND revoked_at IS NULL",
            _hash(text),
            self._end(lifetime_s),
            key,
        )
        self._revocations += 1
        self._known.clear()
        found = await self.check(text)
        return None if found is None else (found, text)

    def _end(self, lifetime_s: float | None) -> str | None:
        if lifetime_s is None:
            return None
        return timestamp(self.clock.now() + timedelta(seconds=lifetime_s))

    async def check(self, text: str) -> ApiKey | None:
        """Return the key for `text`, unless it is unknown, revoked or at its end."""
        wanted = _hash(text)
        known = self._known.get(wanted)
        if known is not None and self.clock.monotonic() - known[0] < FRESH_S:
            return known[1]
        seen_at, revocations = self.clock.monotonic(), self._revocations
        row = await self._database.row(
            f"SELECT {_COLUMNS}, hash FROM api_keys WHERE hash = ?",
            wanted,
        )
        # The lookup is by hash, so its timing reveals nothing; compared in constant time anyway.
        is_right = row is not None and hmac.compare_digest(str(row[-1]), wanted)
        key = _key(row[:-1]) if row is not None and is_right and row[4] is None else None
        ends = key.expires_at if key is not None else None
        if ends is not None and has_passed(ends, self.clock.now()):
            key = None
        if len(self._known) >= MAX_KNOWN:
            self._known.clear()
        # A value read before a revocation must not be cached after it.
        if revocations == self._revocations:
            self._known[wanted] = (seen_at, key)
        return key

    async def list(self) -> list[ApiKey]:
        """Return all keys, including revoked ones, newest first."""
        rows = await self._database.rows(
            f"SELECT {_COLUMNS} FROM api_keys ORDER BY created_at DESC, id"
        )
        return [_key(row) for row in rows]

    async def find(self, key: str) -> ApiKey:
        """Return the valid key with this id or name."""
        valid = [each for each in await self.list() if each.revoked_at is None]
        meant = [each for each in valid if each.id == key] or [e for e in valid if e.name == key]
        if not meant:
            raise NotFound(
                "KEY_NOT_FOUND",
                f"no valid key has the id or name {key!r}",
                hint=did_you_mean(key, [each.name for each in valid])
                or "list keys with `toolweave keys list`",
            )
        if len(meant) > 1:
            raise Conflict(
                "KEY_NAME_SHARED",
                f"{len(meant)} keys have the name {key!r}",
                hint="use the id of one: " + ", ".join(each.id for each in meant[:10]),
            )
        return meant[0]

    async def revoke(self, key: str) -> ApiKey:
        """Revoke the key with this id or name, at once; other processes see it within a second."""
        revoked = replace(await self.find(key), revoked_at=timestamp(self.clock.now()))
        await self._database.execute(
            "UPDATE api_keys SET revoked_at = ? WHERE id = ?", revoked.revoked_at, revoked.id
        )
        self._revocations += 1
        self._known.clear()
        return revoked


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()


def _key(row: Row) -> ApiKey:
    key_id, name, scopes, created_at, revoked_at, tools, expires_at, client = row
    return ApiKey(
        KeyId(key_id),
        name,
        frozenset(scopes.split()),
        created_at,
        revoked_at,
        None if tools is None else frozenset(tools.split()),
        expires_at,
        client,
    )
