"""The one HTTP client: resolves a name once, checks every address, connects to a checked one.

No proxies and no settings from the environment, no redirects, bounded bodies, typed errors.
The caller sets deadlines for whole calls.
"""

import re
import socket
import ssl
import zlib
from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    Awaitable,
    Callable,
    Generator,
    Iterable,
    Mapping,
    Sequence,
)
from contextlib import aclosing, contextmanager, suppress
from functools import cache
from math import inf
from typing import cast

import anyio
import anyio.lowlevel
import httpcore2
import httpx2

import toolweave
from toolweave.errors import Invalid, TimedOut, ToolweaveError, Unavailable
from toolweave.network.addresses import (
    Address,
    AllowedHosts,
    address_denied,
    canonical_host,
    check_url,
    kind_of,
    may_connect,
    read_address,
)
from toolweave.network.log_redaction import redact_urls
from toolweave.patterns import pattern

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
OnFailure = Callable[[ToolweaveError], None]

PIECE_BYTES = 64 * 1024
EVENTS = "text/event-stream"
# Less than the 5 s after which Node and uvicorn close an idle connection, so none is used while
# the other side is closing it.
KEEP_IDLE_S = 4.0
# How the HTTP library words a connection that the other side closed too early.
CLOSED = pattern("server disconnected|peer closed connection", re.IGNORECASE)
HEADER_NAME = pattern(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
HEADER_VALUE = pattern(r"[\x20-\x7e\t]*")
RESERVED_HEADERS = frozenset(
    {"host", "content-length", "transfer-encoding", "connection", "accept-encoding"}
)


def open_http_client(
    *,
    allow: AllowedHosts,
    headers: Mapping[str, str] | None = None,
    auth: httpx2.Auth | None = None,
    timeout: httpx2.Timeout | float = 30.0,
    total_s: float | None = None,
    max_body_bytes: int,
    resolve: Resolve | None = None,
    tls: ssl.SSLContext | None = None,
    on_failure: OnFailure | None = None,
    kind: Callable[..., httpx2.AsyncClient] = httpx2.AsyncClient,
) -> httpx2.AsyncClient:
    """Return an HTTP client that reaches only addresses in `allow`; the caller enters it.

    Its requests raise `ToolweaveError` instead of `httpx2` errors for all network
    failures; `on_failure` is called for each, even if a library swallows it. `timeout` is for each
    read; `total_s` for a whole response, however slowly it comes.

    Raises `Invalid`: `SERVER_HEADER_INVALID`.
    """
    redact_urls()
    transport = CheckedTransport(
        allow,
        max_body_bytes=max_body_bytes,
        resolve=resolve or resolve_name,
        tls=tls,
        on_failure=on_failure or (lambda _: None),
        side_timeout_s=httpx2.Timeout(timeout).connect,
        total_s=total_s,
    )
    return kind(
        transport=transport,
        headers=checked_headers(headers or {}),
        auth=auth,
        timeout=timeout,
        trust_env=False,
        follow_redirects=False,
    )


def checked_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Return `headers` with ours added, after checking that each fits on one line."""
    for name, value in headers.items():
        if not HEADER_NAME.fullmatch(name) or name.lower() in RESERVED_HEADERS:
            raise Invalid("SERVER_HEADER_INVALID", f"{name[:80]!r} is not an allowed header")
        if not HEADER_VALUE.fullmatch(value):
            raise Invalid(
                "SERVER_HEADER_INVALID",
                f"the value of header {name!r} contains a line break or a non-ASCII character",
                hint="check for a line break at the end of the secret or variable it comes from",
            )
    ours = {"user-agent": f"toolweave/{toolweave.__version__}", "accept-encoding": "gzip"}
    return {**ours, **{name: value.strip() for name, value in headers.items()}}


async def resolve_name(host: str, port: int) -> Sequence[str]:
    """Return all addresses of `host` in the system's order of preference."""
    found = await anyio.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


@cache
def default_tls() -> ssl.SSLContext:
    """Return the system's trusted certificates; loading takes 70 ms, so only once."""
    return httpcore2.default_ssl_context()


class CheckedBackend(httpcore2.AsyncNetworkBackend):
    """Connects only to checked addresses, never to names."""

    def __init__(self, allow: AllowedHosts, resolve: Resolve) -> None:
        self._allow = allow
        self._resolve = resolve
        # The cast: httpcore2 declares the class twice, once for machines without anyio.
        self._dialler = cast("httpcore2.AsyncNetworkBackend", httpcore2.AnyIOBackend())

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        """Connect to the first allowed address of `host` that responds."""
        addresses = await self._addresses(canonical_host(host), port, timeout)
        share_s = timeout / len(addresses) if timeout is not None else None

        async def dial(address: Address) -> httpcore2.AsyncNetworkStream:
            return await self._dialler.connect_tcp(
                str(address), port, timeout=share_s, socket_options=socket_options
            )

        *others, last = addresses
        for address in others:
            with suppress(httpcore2.ConnectError, httpcore2.ConnectTimeout):
                return await dial(address)
        return await dial(last)

    async def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        """Reject Unix sockets: paths are never approved."""
        raise address_denied("Unix sockets are not supported")

    async def sleep(self, seconds: float) -> None:
        """Wait between attempts."""
        await anyio.sleep(seconds)

    async def _addresses(self, host: str, port: int, timeout: float | None) -> list[Address]:
        literal = read_address(host)
        found = [literal] if literal is not None else await self._look_up(host, port, timeout)
        allowed = [each for each in found if may_connect(self._allow, host, port, each)]
        if not allowed:
            kinds = ", ".join(sorted({kind_of(each) for each in found}))
            raise address_denied(
                f"{host!r} has a {kinds} address that is not approved",
                host=host,
                addresses=[str(each) for each in found],
            )
        return allowed

    async def _look_up(self, host: str, port: int, timeout: float | None) -> list[Address]:
        try:
            with anyio.fail_after(timeout):
                texts = await self._resolve(host, port)
        except TimeoutError:
            raise httpcore2.ConnectTimeout(f"DNS lookup of {host!r} timed out") from None
        except (OSError, UnicodeError) as error:
            raise httpcore2.ConnectError(f"no address found for {host!r}") from error
        found = [address for text in texts if (address := read_address(text)) is not None]
        if not found:
            raise httpcore2.ConnectError(f"no address found for {host!r}")
        return found


class CheckedTransport(httpx2.AsyncBaseTransport):
    """Checks the destination and headers of requests, and limits the size of responses."""

    def __init__(
        self,
        allow: AllowedHosts,
        *,
        max_body_bytes: int,
        resolve: Resolve,
        tls: ssl.SSLContext | None,
        on_failure: OnFailure,
        side_timeout_s: float | None,
        total_s: float | None = None,
    ) -> None:
        self._allow = allow
        self._max_body_bytes = max_body_bytes
        self._on_failure = on_failure
        self._side_timeout_s = side_timeout_s
        self._total_s = total_s
        # Requests of an auth flow are short.
        self._side_total_s = None if side_timeout_s is None else 2 * side_timeout_s
        needs_tls = not allow.are_loopback or any(origin[0] == "https" for origin in allow.origins)
        # httpcore2 itself rejects headers over 100 KiB.
        self._pool = httpcore2.AsyncConnectionPool(
            ssl_context=tls or (default_tls() if needs_tls else None),
            max_connections=100,
            max_keepalive_connections=20,
            keepalive_expiry=KEEP_IDLE_S,
            network_backend=CheckedBackend(allow, resolve),
            socket_options=[(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)],
        )

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send `request` and return its response, decoded and limited in size."""
        try:
            origin = check_url(self._allow, request.url)
            self._keep_token_at_home(request, origin)
            return await self._exchange(request, request_origin(request))
        except ToolweaveError as error:
            self._on_failure(error)
            raise

    async def aclose(self) -> None:
        """Close every connection."""
        await self._pool.aclose()

    def _keep_token_at_home(self, request: httpx2.Request, origin: tuple[str, str, int]) -> None:
        scheme, _, _ = request.headers.get("authorization", "").partition(" ")
        # Clients use Basic at an authorization server; tokens are for the server only.
        if scheme and scheme.lower() != "basic" and origin not in self._allow.origins:
            raise address_denied(f"a token would be sent to {origin[1]!r}, which is not approved")

    async def _exchange(self, request: httpx2.Request, where: str) -> httpx2.Response:
        # Requests of an auth flow do not have the client's timeouts.
        side = dict.fromkeys(("connect", "read", "write", "pool"), self._side_timeout_s)
        timeout = {**side, **request.extensions.get("timeout", {})}
        total_s = self._total_s if "timeout" in request.extensions else self._side_total_s
        deadline = inf if total_s is None else anyio.current_time() + total_s
        sent = httpcore2.Request(
            method=request.method,
            url=httpcore2.URL(
                scheme=request.url.raw_scheme,
                host=request.url.raw_host,
                port=request.url.port,
                target=request.url.raw_path,
            ),
            headers=request.headers.raw,
            content=cast("AsyncIterable[bytes]", request.stream),
            extensions={**request.extensions, "timeout": timeout},
        )
        with typed_errors(where), until(deadline, where):
            answer = await self._pool.handle_async_request(sent)
        headers = httpx2.Headers(answer.headers)
        is_events = headers.get("content-type", "").lower().startswith(EVENTS)
        if is_events:
            # An event stream may be silent for any time; the body reads this.
            timeout["read"] = None
        body = LimitedBody(
            answer,
            where,
            coding=headers.pop("content-encoding", "").strip().lower() or "identity",
            max_bytes=None if is_events else self._max_body_bytes,
            deadline=inf if is_events else deadline,
            on_failure=self._on_failure,
        )
        headers.pop("content-length", None)
        return httpx2.Response(answer.status, headers=headers, stream=body)


class LimitedBody(httpx2.AsyncByteStream):
    """A response body, decompressed in small pieces and limited in size."""

    def __init__(
        self,
        answer: httpcore2.Response,
        where: str,
        *,
        coding: str,
        max_bytes: int | None,
        deadline: float,
        on_failure: OnFailure,
    ) -> None:
        self._deadline = deadline
        self._answer = answer
        self._where = where
        self._coding = coding
        self._max_bytes = max_bytes
        self._on_failure = on_failure

    async def __aiter__(self) -> AsyncGenerator[bytes]:
        """Yield decoded pieces of at most 64 KiB."""
        size = 0
        try:
            async with aclosing(self._pieces()) as pieces:
                async for piece in pieces:
                    size += len(piece)
                    if self._max_bytes is not None and size > self._max_bytes:
                        raise too_large(self._where, self._max_bytes)
                    yield piece
                    # A compressed piece can expand a thousandfold: let other tasks run in between.
                    await anyio.lowlevel.checkpoint()
        except ToolweaveError as error:
            self._on_failure(error)
            raise

    async def aclose(self) -> None:
        """Return the connection to the pool, or close it if the body was not read to the end."""
        await self._answer.aclose()

    async def _pieces(self) -> AsyncGenerator[bytes]:
        if self._coding not in {"identity", "gzip"}:
            raise invalid_response(
                self._where, f"it sent the unsupported content encoding {self._coding[:40]!r}"
            )
        gzip = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS) if self._coding == "gzip" else None
        stream = aiter(cast("AsyncIterable[bytes]", self._answer.stream))
        with typed_errors(self._where):
            async with aclosing(cast("AsyncGenerator[bytes]", stream)) as chunks:
                while (chunk := await self._next(chunks)) is not None:
                    if gzip is None:
                        yield chunk
                        continue
                    while piece := gzip.decompress(chunk, PIECE_BYTES):
                        yield piece
                        chunk = gzip.unconsumed_tail
                    if gzip.unused_data:
                        raise invalid_response(
                            self._where, "its compressed response has trailing data"
                        )
        if gzip is not None and not gzip.eof:
            raise invalid_response(self._where, "its compressed response is truncated")

    async def _next(self, chunks: AsyncGenerator[bytes]) -> bytes | None:
        if self._deadline == inf:
            return await anext(chunks, None)
        with until(self._deadline, self._where):
            return await anext(chunks, None)


@contextmanager
def until(deadline: float, where: str) -> Generator[None]:
    """End the work at a deadline, by the event loop's time. Raises `TimedOut`."""
    with anyio.CancelScope(deadline=deadline) as scope:
        yield
    if scope.cancelled_caught:
        raise TimedOut("SERVER_TIMED_OUT", f"{where} did not finish its response in time")


def request_origin(request: httpx2.Request) -> str:
    """Return the origin of a request; path and query may contain secrets."""
    url = request.url
    return f"{url.scheme}://{url.netloc.decode('ascii', 'replace')}"


@contextmanager
def typed_errors(where: str) -> Generator[None]:
    """Turn network failures into typed errors with hints."""
    try:
        yield
    except (httpcore2.ReadTimeout, httpcore2.WriteTimeout):
        raise TimedOut("SERVER_TIMED_OUT", f"{where} stopped responding") from None
    except httpcore2.LocalProtocolError:  # its text contains the header, which may be a secret
        raise Invalid("SERVER_HEADER_INVALID", f"a header for {where} cannot be sent") from None
    except httpcore2.ProtocolError as error:
        failure = invalid_response(where, f"invalid HTTP: {str(error)[:200]}")
        if CLOSED.search(str(error)):
            failure.facts = {"closed": True}
        raise failure from None
    except zlib.error:
        raise invalid_response(where, "its compressed response is corrupt") from None
    except (httpcore2.NetworkError, httpcore2.TimeoutException, OSError) as error:
        raise unreachable(where, str(error) or type(error).__name__) from None


def unreachable(where: str, reason: str) -> Unavailable:
    """Return the error for a server that cannot be reached."""
    return Unavailable(
        "SERVER_UNREACHABLE",
        f"{where} cannot be reached: {reason}",
        hint="check that it is running and that its address is correct",
        facts={"reason": reason},
    )


def invalid_response(where: str, what: str) -> Unavailable:
    """Return the error for an invalid response."""
    return Unavailable(
        "SERVER_PROTOCOL",
        f"{where} violated the protocol: {what}",
        hint="this is a bug in the server, or the address is not an MCP server",
    )


def too_large(where: str, max_bytes: int) -> Unavailable:
    """Return the error for a response that is too large."""
    return Unavailable(
        "SERVER_RESPONSE_TOO_LARGE",
        f"{where} sent more than {max_bytes} bytes",
        hint="request less data, or raise TOOLWEAVE_OUTPUT_BYTES",
        facts={"max_bytes": max_bytes},
    )
