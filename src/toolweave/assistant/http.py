"""The HTTP client for the model addresses that an admin configured.

This machine is allowed (Ollama and similar run there); other private addresses only if
the setting for workflows allows them. Redirects are not followed.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

import anyio
import httpx2

from toolweave.errors import Denied
from toolweave.network.addresses import AllowedHosts, naming_of, origin_of
from toolweave.network.client import CheckedTransport, checked_headers, resolve_name
from toolweave.network.log_redaction import redact_urls
from toolweave.resources.http import CONNECT_S, MAX_BODY_BYTES, PRIVATE_SETTING


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    headers: Mapping[str, str]
    response: httpx2.Response

    def pieces(self) -> AsyncIterator[bytes]:
        return self.response.aiter_raw()


class ModelWeb:
    """A `Web`; one pool of connections for each origin."""

    def __init__(self, *, allow_private: bool = False) -> None:
        self._allow_private = allow_private
        self._pools: dict[tuple[str, str, int], CheckedTransport] = {}

    async def aclose(self) -> None:
        """Close every connection."""
        for pool in self._pools.values():
            await pool.aclose()

    @asynccontextmanager
    async def post(
        self, url: str, headers: Mapping[str, str], body: bytes
    ) -> AsyncGenerator[_Answer]:
        """Send one request; see `Web`."""
        request = httpx2.Request(
            "POST",
            url,
            headers=checked_headers(headers),
            content=body,
            extensions={"timeout": httpx2.Timeout(None, connect=CONNECT_S).as_dict()},
        )
        response = await self._pool(url).handle_async_request(request)
        try:
            found = {name.lower(): value for name, value in response.headers.items()}
            yield _Answer(response.status_code, found, response)
        finally:
            with anyio.CancelScope(shield=True):
                await response.aclose()

    def _pool(self, url: str) -> CheckedTransport:
        origin = origin_of(url)
        if origin not in self._pools:
            if naming_of(origin[1]) in {"private", "local"} and not self._allow_private:
                raise Denied(
                    "HTTP_ADDRESS_DENIED",
                    f"the model's address {origin[1]!r} is on a private network",
                    hint=f"set {PRIVATE_SETTING}=1 to allow it",
                )
            redact_urls()
            self._pools[origin] = CheckedTransport(
                AllowedHosts(frozenset({origin})),
                max_body_bytes=MAX_BODY_BYTES,
                resolve=resolve_name,
                tls=None,
                on_failure=lambda _: None,
                side_timeout_s=CONNECT_S,
            )
        return self._pools[origin]
