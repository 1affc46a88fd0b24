"""What ACTION.HTTP_REQUEST needs of the outside: one request, made safely. `app` provides it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

# Safe by RFC 9110: they ask and change nothing.
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
# As well as those: to do them twice is to do them once.
IDEMPOTENT_METHODS = SAFE_METHODS | {"PUT", "DELETE"}


@dataclass(frozen=True, slots=True)
class Response:
    """An answer, whatever its status; header names are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    url: str
    # The addresses passed on the way, without the last.
    redirects: tuple[str, ...]
    took_ms: float


class HttpClient(Protocol):
    """Reaches public addresses, and private ones where somebody allowed that."""

    async def request(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        params: Mapping[str, str | Sequence[str]] | None = None,
        body: bytes | None = None,
        follow: bool = True,
        max_redirects: int = 5,
        timeout_s: float = 30.0,
        idempotency_key: str | None = None,
        fills_url: bool = False,
    ) -> Response:
        """Send one request; `${vault:NAME}` in headers and params is filled from the vault.

        With `fills_url` also in the address, for services that have their token there.

        Raises:
            Invalid: `HTTP_URL_INVALID`, `HTTP_HEADER_INVALID`, `HTTP_REDIRECTS`,
                `HTTP_BODY_TOO_LARGE`.
            Denied: `HTTP_ADDRESS_DENIED`.
            Unavailable: `HTTP_UNREACHABLE`, `HTTP_PROTOCOL`.
            TimedOut: `HTTP_TIMED_OUT`.
        """
        ...
