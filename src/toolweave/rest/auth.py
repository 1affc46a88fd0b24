"""Authentication: API keys, scopes, rate limits, and the service token of local programs."""

import hmac
import math
from collections import Counter
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from ipaddress import ip_address

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection, Request

from toolweave.access.authorization import Rule, route_rule
from toolweave.access.keys import ApiKey, ApiKeys
from toolweave.clock import Clock
from toolweave.errors import Denied, Limited, ToolweaveError, Unavailable

Gate = Callable[[Request], Awaitable[ApiKey]]

MAX_BUCKETS = 10_000
MAX_STREAMS_PER_KEY = 100
MAX_STREAMS = 1_000


class Unauthorized(ToolweaveError):
    """The API key is missing or invalid."""

    status = 401


@dataclass(slots=True)
class _Bucket:
    tokens: float
    filled_at: float


class RateLimiter:
    """A token bucket per key: `per_second` on average, `burst` at once."""

    def __init__(self, clock: Clock, *, per_second: float, burst: int) -> None:
        self._clock = clock
        self._per_second = per_second
        self._burst = burst
        self._buckets: dict[str, _Bucket] = {}

    def spend(self, key_id: str) -> None:
        """Count one request.

        Raises:
            Limited: `RATE_LIMITED`, with the seconds to wait.
        """
        now = self._clock.monotonic()
        if len(self._buckets) >= MAX_BUCKETS and key_id not in self._buckets:
            self._forget(now)
        bucket = self._buckets.setdefault(key_id, _Bucket(self._burst, now))
        refill = (now - bucket.filled_at) * self._per_second
        bucket.tokens = min(self._burst, bucket.tokens + refill)
        bucket.filled_at = now
        if bucket.tokens < 1:
            wait_s = math.ceil((1 - bucket.tokens) / self._per_second)
            raise Limited(
                "RATE_LIMITED",
                f"this key is limited to {self._per_second:g} requests per second",
                hint=f"wait {wait_s} s",
                facts={"retry_after_s": wait_s},
            )
        bucket.tokens -= 1

    def _forget(self, now: float) -> None:
        """Drop the buckets that are full by now, and of the others the older half."""
        full_after_s = self._burst / self._per_second
        left = {id: one for id, one in self._buckets.items() if now - one.filled_at < full_after_s}
        newest = sorted(left, key=lambda id: left[id].filled_at)[-MAX_BUCKETS // 2 :]
        self._buckets = {id: left[id] for id in newest}


class Authenticator:
    """Checks the API key of a request, its scope and its rate limit."""

    def __init__(self, keys: ApiKeys, rates: RateLimiter) -> None:
        self.keys = keys
        self._rates = rates
        self._streams: Counter[str] = Counter()

    def count(self, request: HTTPConnection, what: str) -> None:
        """Count a request that needs no key, by its sender's address. Raises `RATE_LIMITED`."""
        sender = request.client.host if request.client is not None else ""
        self._rates.spend(f"{what}:{sender}")

    def gate(self, method: str, path: str) -> Gate:
        """Return the check of a route: what its row in the authorisation table demands."""
        rule = route_rule(method, path)

        async def check(request: Request) -> ApiKey:
            return await self.authenticate(request, rule)

        return check

    async def authenticate(self, request: HTTPConnection, rule: Rule) -> ApiKey:
        """Return the key of a request that `rule` allows.

        Raises:
            Unauthorized: no valid key.
            Denied: `SCOPE_MISSING`, `TOOL_NOT_ALLOWED`.
            Limited: `RATE_LIMITED`.
        """
        key = await self._key_of(sent_keys(request.headers))
        # `authenticator` is for streams: see `rest.stream`.
        request.scope.setdefault("state", {}).update(
            client=key.id, client_name=key.name, key=key, authenticator=self
        )
        self._rates.spend(key.id)
        rule.require(key)
        return key

    @contextmanager
    def counted_stream(self, key: ApiKey) -> Generator[None]:
        """Count an open stream of a key.

        Raises:
            Limited: `STREAMS_LIMITED`.
        """
        if self._streams[key.id] >= MAX_STREAMS_PER_KEY or self._streams.total() >= MAX_STREAMS:
            raise Limited(
                "STREAMS_LIMITED",
                f"too many open streams; a key may have {MAX_STREAMS_PER_KEY}",
                hint="close others, or follow `/api/v1/events`, one stream for all changes",
                facts={"retry_after_s": 5},
            )
        self._streams[key.id] += 1
        try:
            yield
        finally:
            self._streams[key.id] -= 1
            if not self._streams[key.id]:
                del self._streams[key.id]

    async def _key_of(self, sent: tuple[str, ...]) -> ApiKey:
        if not sent:
            raise Unauthorized(
                "KEY_MISSING",
                "an API key is required",
                hint="send it as `X-API-Key: …` or `Authorization: Bearer …`",
            )
        try:
            for text in sent:
                if (key := await self.keys.check(text)) is not None:
                    return key
        except Unavailable as error:
            # Nobody is known yet, so nobody learns where the database is.
            message = "API keys cannot be checked at the moment"
            raise Unavailable(error.code, message, hint="try again later") from None
        raise key_invalid()


def key_invalid() -> Unauthorized:
    """Return the error for a key that is not valid, or not any more."""
    return Unauthorized(
        "KEY_INVALID",
        "this API key is unknown or revoked",
        hint="`toolweave keys list` shows valid keys",
    )


class ServiceTokenCheck:
    """Allows local programs that send the service token; nobody when there is no token."""

    def __init__(self, service_token: str | None) -> None:
        self._token = service_token

    async def __call__(self, request: Request) -> None:
        """Check the address and the token of a request.

        Raises:
            Denied: `INTERNAL_ONLY`.
            Unauthorized: `SERVICE_TOKEN_INVALID`.
        """
        if not self._token or not _is_loopback(request):
            raise Denied(
                "INTERNAL_ONLY", "this endpoint is only available to programs on this machine"
            )
        token = request.headers.get("x-service-token", "")
        if not hmac.compare_digest(token.encode(), self._token.encode()):
            raise Unauthorized(
                "SERVICE_TOKEN_INVALID",
                "the service token is missing or invalid",
                hint="send `X-Service-Token`; the token is in the file `service.token` of the home",
            )


def _is_loopback(request: HTTPConnection) -> bool:
    try:
        return request.client is not None and ip_address(request.client.host).is_loopback
    except ValueError:
        return False


def sent_keys(headers: Headers) -> tuple[str, ...]:
    """Return the keys of a request, of which the first valid one counts.

    A client that signed in may go on sending an old `X-API-Key` of its configuration.

    Raises:
        Unauthorized: a header is there twice; of two keys, another program on the way may have
            checked the other one.
    """
    own: str | None = None
    bearer: str | None = None
    for name, value in headers.raw:
        if name == b"x-api-key" and value:
            own = _only(own, value.decode("latin-1"))
        elif name == b"authorization" and value[:7].lower() == b"bearer ":
            bearer = _only(bearer, value[7:].decode("latin-1").strip() or None)
    return tuple(key for key in (own, bearer) if key)


def _only(before: str | None, sent: str | None) -> str | None:
    if before is not None and sent is not None and before != sent:
        message = "the request has several API keys"
        raise Unauthorized("KEY_INVALID", message, hint="send one of them")
    return sent or before


def key_of(request: Request) -> ApiKey:
    """Return the key of an authenticated request."""
    return request.state.key


def require_part(request: Request, part: str) -> None:
    """Require what a part of a request needs beyond the rest, by its row in the table.

    Raises:
        Denied: `SCOPE_MISSING`, `TOOL_NOT_ALLOWED`.
    """
    route = request.scope["route"]
    route_rule(request.method, f"{route.path}#{part}").require(key_of(request))
