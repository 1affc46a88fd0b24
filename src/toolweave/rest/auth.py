"""Who asks, and whether they may: API keys, scopes, and how often."""

import math
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from fastapi import Request
from starlette.datastructures import Headers

from toolweave.access.keys import ApiKey, Keys
from toolweave.clock import Clock
from toolweave.errors import Denied, Limited, ToolweaveError


class Unauthorized(ToolweaveError):
    """No key, or one that is not valid."""

    status = 401


@dataclass(slots=True)
class _Bucket:
    tokens: float
    filled_at: float


class Rates:
    """A token bucket per key: `per_second` on average, `burst` at once."""

    def __init__(self, clock: Clock, *, per_second: float, burst: int) -> None:
        self._clock = clock
        self._per_second = per_second
        self._burst = burst
        self._buckets: dict[str, _Bucket] = {}

    def spend(self, who: str) -> None:
        """Count one request.

        Raises:
            Limited: `RATE_LIMITED`, with the seconds to wait.
        """
        now = self._clock.monotonic()
        bucket = self._buckets.setdefault(who, _Bucket(self._burst, now))
        refill = (now - bucket.filled_at) * self._per_second
        bucket.tokens = min(self._burst, bucket.tokens + refill)
        bucket.filled_at = now
        if bucket.tokens < 1:
            wait_s = math.ceil((1 - bucket.tokens) / self._per_second)
            raise Limited(
                "RATE_LIMITED",
                f"this key may ask {self._per_second:g} times a second",
                hint=f"wait {wait_s} s",
                facts={"retry_after_s": wait_s},
            )
        bucket.tokens -= 1


class Doorkeeper:
    """Lets a request in when its key has the scope."""

    def __init__(self, keys: Keys, rates: Rates) -> None:
        self._keys = keys
        self._rates = rates

    def wants(self, scope: str) -> Callable[[Request], Awaitable[ApiKey]]:
        """A dependency for routes that need `scope`."""

        async def let_in(request: Request) -> ApiKey:
            return await self.admit(request.headers, scope)

        return let_in

    async def admit(self, headers: Headers, scope: str) -> ApiKey:
        """The key of a request that may do what `scope` stands for.

        Raises:
            Unauthorized: no valid key.
            Denied: `SCOPE_MISSING`.
            Limited: `RATE_LIMITED`.
        """
        key = await self._key_of(headers.get("x-api-key") or _bearer(headers))
        self._rates.spend(key.id)
        if not key.allows(scope):
            raise Denied(
                "SCOPE_MISSING",
                f"this key lacks the scope {scope!r}",
                hint=f"`toolweave keys create --scope {scope}` makes one that has it",
            )
        return key

    async def _key_of(self, text: str | None) -> ApiKey:
        if not text:
            raise Unauthorized(
                "KEY_MISSING",
                "an API key is needed",
                hint="send it as `X-API-Key: …` or `Authorization: Bearer …`",
            )
        key = await self._keys.check(text)
        if key is None:
            raise Unauthorized(
                "KEY_INVALID", "this API key is unknown or revoked", hint="`toolweave keys list`"
            )
        return key


def _bearer(headers: Headers) -> str | None:
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() or None if scheme.lower() == "bearer" else None
