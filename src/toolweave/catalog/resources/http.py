"""HTTP requests of nodes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Response:
    """A response of any status; header names are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    url: str
    # The addresses that redirected, without the final one.
    redirects: tuple[str, ...]
    took_ms: float


class HttpClient(Protocol):
    """Sends requests to public addresses, and to private ones where the settings allow it."""

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

        With `fills_url` also in the address, for services that expect their token there.

        Raises:
            Invalid: `HTTP_URL_INVALID`, `HTTP_HEADER_INVALID`, `HTTP_REDIRECTS`,
                `HTTP_BODY_TOO_LARGE`.
            Denied: `HTTP_ADDRESS_DENIED`.
            Unavailable: `HTTP_UNREACHABLE`, `HTTP_PROTOCOL`.
            TimedOut: `HTTP_TIMED_OUT`.
        """
        ...
