"""API keys: 256 random bits, shown once, kept as a hash, limited by scopes."""

import hashlib
import hmac
import secrets
import uuid
from dataclasses import dataclass, replace
from typing import NewType

from toolweave.clock import Clock, timestamp
from toolweave.errors import Conflict, Denied, Invalid, NotFound
from toolweave.problems import Problem, did_you_mean
from toolweave.storage.database import Database, Row

KeyId = NewType("KeyId", str)

PREFIX = "tw_"
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


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A key without its secret."""

    id: KeyId
    name: str
    scopes: frozenset[str]
    created_at: str
    revoked_at: str | None = None

    def allows(self, scope: str) -> bool:
        """Whether it may do what `scope` stands for; `admin` may do everything."""
        return scope in self.scopes or "admin" in self.scopes

    def require(self, scope: str) -> None:
        """Go on only if it may.

        Raises:
            Denied: `SCOPE_MISSING`.
        """
        if not self.allows(scope):
            raise Denied(
                "SCOPE_MISSING",
                f"this key lacks the scope {scope!r}",
                hint=f"`toolweave keys create --scope {scope}` makes one that has it",
                facts={"scope": scope},
            )


class Keys:
    """Creates, checks and revokes keys; a check is answered from memory for up to a second."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._known: dict[str, tuple[float, ApiKey | None]] = {}
        self._revocations = 0

    async def create(self, name: str, scopes: list[str]) -> tuple[ApiKey, str]:
        """A new key and its text, which nobody sees again.

        Raises:
            Invalid: `SCOPE_UNKNOWN`.
        """
        unknown = [scope for scope in scopes if scope not in SCOPES]
        if unknown or not scopes:
            hint = "scopes are " + ", ".join(SCOPES)
            raise Invalid(
                "SCOPE_UNKNOWN",
                f"no scope is called {unknown[0]!r}" if unknown else "a key needs a scope",
                problems=[
                    Problem("SCOPE_UNKNOWN", "/scopes", repr(scope), did_you_mean(scope, SCOPES))
                    for scope in unknown
                ],
                hint=hint,
            )
        text = PREFIX + secrets.token_urlsafe(32)
        key = ApiKey(
            KeyId(str(uuid.uuid4())), name, frozenset(scopes), timestamp(self._clock.now())
        )
        await self._database.execute(
            "INSERT INTO api_keys (id, name, hash, scopes, created_at) VALUES (?, ?, ?, ?, ?)",
            key.id,
            name,
            _hash(text),
            " ".join(sorted(scopes)),
            key.created_at,
        )
        return key, text

    async def check(self, text: str) -> ApiKey | None:
        """The key `text` stands for, unless it is unknown or revoked."""
        wanted = _hash(text)
        known = self._known.get(wanted)
        if known is not None and self._clock.monotonic() - known[0] < FRESH_S:
            return known[1]
        seen_at, revocations = self._clock.monotonic(), self._revocations
        row = await self._database.row(
            "SELECT id, name, scopes, created_at, revoked_at, hash FROM api_keys WHERE hash = ?",
            wanted,
        )
        # The look-up is by hash, so its timing tells nothing of the key; compared all the same.
        is_right = row is not None and hmac.compare_digest(str(row[5]), wanted)
        key = _key(row[:5]) if row is not None and is_right and row[4] is None else None
        if len(self._known) >= MAX_KNOWN:
            self._known.clear()
        # What was read before a revocation must not be remembered after it.
        if revocations == self._revocations:
            self._known[wanted] = (seen_at, key)
        return key

    async def list(self) -> list[ApiKey]:
        """Every key, revoked ones too, newest first."""
        rows = await self._database.rows(
            "SELECT id, name, scopes, created_at, revoked_at FROM api_keys "
            "ORDER BY created_at DESC, id"
        )
        return [_key(row) for row in rows]

    async def revoke(self, key: str) -> ApiKey:
        """Revoke the key with this id or name, at once; other processes see it within a second.

        Raises:
            NotFound: `KEY_NOT_FOUND`.
            Conflict: `KEY_NAME_SHARED` when several keys have the name.
        """
        valid = [each for each in await self.list() if each.revoked_at is None]
        meant = [each for each in valid if each.id == key] or [e for e in valid if e.name == key]
        if not meant:
            raise NotFound(
                "KEY_NOT_FOUND",
                f"no valid key has the id or name {key!r}",
                hint=did_you_mean(key, [each.name for each in valid])
                or "`toolweave keys list` shows them",
            )
        if len(meant) > 1:
            raise Conflict(
                "KEY_NAME_SHARED",
                f"{len(meant)} keys are called {key!r}",
                hint="give the id of one: " + ", ".join(each.id for each in meant[:10]),
            )
        revoked = replace(meant[0], revoked_at=timestamp(self._clock.now()))
        await self._database.execute(
            "UPDATE api_keys SET revoked_at = ? WHERE id = ?", revoked.revoked_at, revoked.id
        )
        self._revocations += 1
        self._known.clear()
        return revoked


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()


def _key(row: Row) -> ApiKey:
    key_id, name, scopes, created_at, revoked_at = row
    return ApiKey(KeyId(key_id), name, frozenset(scopes.split()), created_at, revoked_at)
