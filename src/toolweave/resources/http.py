"""The resource `http`: one request for a node, through the checked transport of the servers.

Redirects are followed here, each checked like the first address. No cookies are kept, no proxies
used, and a secret goes only to the hosts that were allowed for it.
"""

import time
from collections.abc import AsyncGenerator, Generator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Final, cast
from urllib.parse import urlencode

import anyio
import httpx2

from toolweave.access.mask import is_sensitive
from toolweave.access.secret_destinations import HERE, to_host
from toolweave.access.secret_text import ExpandedText, SecretTexts
from toolweave.catalog.resources.http import Response
from toolweave.errors import Denied, Invalid, TimedOut, ToolweaveError, Unavailable
from toolweave.network.addresses import AllowedHosts, naming_of, origin_of
from toolweave.network.client import (
    CheckedTransport,
    Resolve,
    checked_headers,
    resolve_name,
    too_large,
)
from toolweave.network.log_redaction import redact_urls
from toolweave.settings import MIB

MAX_BODY_BYTES = 16 * MIB
CONNECT_S = 20.0
PRIVATE_SETTING = "TOOLWEAVE_ALLOW_PRIVATE_HTTP"
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
# The key of the address among the texts to fill; no header or query value has it.
_URL: Final = "//"
_OF_BODY: Final = ("content-type", "content-encoding", "content-language")


class _Spoken(frozenset[tuple[str, str, int]]):
    """Every origin that is allowed by its text: public ones, and private ones if permitted."""

    allows_private: bool = False

    def __contains__(self, origin: object) -> bool:
        # The cast: this set is only asked for origins.
        naming = naming_of(cast("tuple[str, str, int]", origin)[1])
        return naming == "public" or (self.allows_private and naming != "forbidden")


class _SpokenPrivate(_Spoken):
    allows_private = True


@dataclass(frozen=True, slots=True)
class _AnyHost(AllowedHosts):
    """The rule for addresses that workflows name: a public name must resolve to public ones."""

    def approves(self, host: str, port: int) -> bool:
        """Whether a private address is allowed if the text says that it is private."""
        return ("http", host, port) in self.origins

    @property
    def are_loopback(self) -> bool:
        """Addresses may be anywhere."""
        return False


def any_host(*, allow_private: bool) -> AllowedHosts:
    """Return the rule for addresses that workflows name."""
    return _AnyHost(_SpokenPrivate() if allow_private else _Spoken())


@dataclass(frozen=True, slots=True)
class _Sent:
    method: str
    url: httpx2.URL
    headers: Mapping[str, str]
    body: bytes | None
    # The headers with secrets, which no other origin gets.
    secret_headers: frozenset[str]


class NodeHttpClient:
    """An `HttpClient` for nodes; private addresses are refused unless `allow_private`."""

    def __init__(
        self,
        secrets: SecretTexts,
        *,
        allow_private: bool = False,
        max_body_bytes: int = MAX_BODY_BYTES,
        resolve: Resolve | None = None,
    ) -> None:
        self._secrets = secrets
        self._allow = any_host(allow_private=allow_private)
        self._max_body_bytes = max_body_bytes
        self._resolve = resolve or resolve_name
        self._made: CheckedTransport | None = None

    async def aclose(self) -> None:
        """Close every connection."""
        if self._made is not None:
            await self._made.aclose()

    @property
    def _transport(self) -> CheckedTransport:
        # Created when first needed, because it reads the system's certificates.
        if self._made is None:
            redact_urls()
            self._made = CheckedTransport(
                self._allow,
                max_body_bytes=self._max_body_bytes,
                resolve=self._resolve,
                tls=None,
                on_failure=lambda _: None,
                side_timeout_s=CONNECT_S,
            )
        return self._made

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
        """Send one request and read its answer; see `HttpClient`."""
        named = {name.lower(): value for name, value in (headers or {}).items()}
        if idempotency_key is not None:
            # Hashed: it contains the id of our run, and must be valid in a header.
            named.setdefault("idempotency-key", sha256(idempotency_key.encode()).hexdigest()[:32])
        query = [
            (name, one)
            for name, value in (params or {}).items()
            for one in ([value] if isinstance(value, str) else value)
        ]
        host, filled = await self._filled(named, query, url, fills_url=fills_url)
        with _typed_errors(filled):
            texts = filled.texts
            sent = _Sent(
                method,
                _with_query(
                    texts[_URL] or url,
                    [(name, texts[f"?{at}"]) for at, (name, _) in enumerate(query)],
                ),
                checked_headers({name: texts[name] for name in named}),
                body,
                frozenset(name for name, text in named.items() if texts[name] != text),
            )
            if sent.url.host != host:
                raise Denied("HTTP_ADDRESS_DENIED", "a secret cannot be part of the host")
            began = time.perf_counter()
            try:
                with anyio.fail_after(timeout_s):
                    response = await self._follow(sent, max_redirects if follow else None)
            except TimeoutError:
                where = f"{sent.url.scheme}://{sent.url.host}"
                message = f"{where} did not answer in {timeout_s:g} s"
                raise TimedOut("HTTP_TIMED_OUT", message) from None
        took_ms = (time.perf_counter() - began) * 1000
        return _without(filled, replace(response, took_ms=took_ms))

    async def _filled(
        self, headers: Mapping[str, str], query: list[tuple[str, str]], url: str, *, fills_url: bool
    ) -> tuple[str, ExpandedText]:
        """Return the host of the request, and its texts with the secrets that may go there."""
        texts = {**headers, **{f"?{at}": value for at, (_, value) in enumerate(query)}}
        own = ExpandedText({_URL: url if fills_url else ""}, frozenset())
        if fills_url and url.startswith("${vault:"):
            # The secret is an address, and goes to the host that it names.
            own = await self._secrets.fill(own.texts, HERE)
        with _typed_errors(own):
            host = _with_query(own.texts[_URL] or url, []).host
        rest = await self._secrets.fill({**texts, **own.texts}, to_host(host))
        return host, ExpandedText(rest.texts, own.secrets | rest.secrets)

    async def _follow(self, sent: _Sent, max_redirects: int | None) -> Response:
        passed: list[str] = []
        while True:
            async with self._answer(sent) as answer:
                target = answer.headers.get("location")
                if max_redirects is None or answer.status_code not in _REDIRECTS or not target:
                    content = await self._read(answer, sent.url)
                    found = _headers(answer.headers)
                    url, way = str(sent.url), tuple(passed)
                    return Response(answer.status_code, found, content, url, way, 0)
            if len(passed) >= max_redirects:
                raise Invalid(
                    "HTTP_REDIRECTS",
                    f"{sent.url.host!r} redirects more than {max_redirects} times",
                    hint="raise max_redirects, or switch follow_redirects off to see the answer",
                )
            passed.append(str(sent.url))
            sent = _redirected(sent, answer.status_code, target)

    async def _read(self, answer: httpx2.Response, url: httpx2.URL) -> bytes:
        pieces: list[bytes] = []
        size = 0
        async for piece in answer.aiter_raw():
            size += len(piece)
            # The transport's limit does not apply to event streams.
            if size > self._max_body_bytes:
                raise too_large(f"{url.scheme}://{url.host}", self._max_body_bytes)
            pieces.append(piece)
        return b"".join(pieces)

    @asynccontextmanager
    async def _answer(self, sent: _Sent) -> AsyncGenerator[httpx2.Response]:
        request = httpx2.Request(
            sent.method,
            sent.url,
            headers=dict(sent.headers),
            content=sent.body,
            extensions={"timeout": httpx2.Timeout(None, connect=CONNECT_S).as_dict()},
        )
        answer = await self._transport.handle_async_request(request)
        try:
            yield answer
        finally:
            with anyio.CancelScope(shield=True):
                await answer.aclose()


def _with_query(url: str, query: list[tuple[str, str]]) -> httpx2.URL:
    try:
        parts = httpx2.URL(url)
    except (httpx2.InvalidURL, ValueError):
        raise _bad_url("it cannot be read") from None
    if parts.scheme not in {"http", "https"} or not parts.host:
        raise _bad_url("it is no whole http or https address")
    if parts.userinfo:
        raise _bad_url("it holds a user name or password", "use an Authorization header")
    if not query:
        return parts
    more = urlencode(query).encode()
    return parts.copy_with(query=parts.query + b"&" + more if parts.query else more, fragment=None)


def _bad_url(why: str, hint: str = "write it as https://host/path") -> Invalid:
    return Invalid("HTTP_URL_INVALID", f"the url cannot be used: {why}", hint=hint)


def _redirected(sent: _Sent, status: int, target: str) -> _Sent:
    """Return the request for a redirect, by the rules of the Fetch standard."""
    try:
        url = sent.url.join(target)
    except (httpx2.InvalidURL, ValueError):
        message = f"{sent.url.host!r} redirects to an address that cannot be read"
        raise Unavailable("HTTP_PROTOCOL", message) from None
    headers = dict(sent.headers)
    if origin_of(url) != origin_of(sent.url):
        headers = {
            name: value
            for name, value in headers.items()
            if not is_sensitive(name) and name not in sent.secret_headers
        }
    becomes_get = status == 303 and sent.method != "HEAD"
    becomes_get = becomes_get or (status in {301, 302} and sent.method == "POST")
    if not becomes_get:
        return _Sent(sent.method, url, headers, sent.body, sent.secret_headers)
    kept = {name: value for name, value in headers.items() if name not in _OF_BODY}
    return _Sent("GET", url, kept, None, sent.secret_headers)


def _headers(headers: httpx2.Headers) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


def _without(filled: ExpandedText, response: Response) -> Response:
    """Mask the request's secrets in a response, so that they do not enter the run."""
    if not filled.secrets:
        return response
    return replace(
        response,
        headers={name: filled.hide(value) for name, value in response.headers.items()},
        body=filled.hide_bytes(response.body),
        url=filled.hide(response.url),
        redirects=tuple(map(filled.hide, response.redirects)),
    )


@contextmanager
def _typed_errors(filled: ExpandedText) -> Generator[None]:
    """Translate the transport's errors about MCP servers to any address."""
    try:
        yield
    except ToolweaveError as error:
        raise _renamed(error, filled.hide(error.message)) from None


def _renamed(error: ToolweaveError, message: str) -> ToolweaveError:
    match error.code:
        case "SERVER_ADDRESS_DENIED":
            hint = f"set {PRIVATE_SETTING}=1 to let workflows reach private and local addresses"
            return Denied("HTTP_ADDRESS_DENIED", message, hint=hint)
        case "SERVER_HEADER_INVALID":
            return Invalid("HTTP_HEADER_INVALID", message, hint=error.hint)
        case "SERVER_RESPONSE_TOO_LARGE":
            # Not `Unavailable`: a retry would return as much.
            return Invalid("HTTP_BODY_TOO_LARGE", message, hint="ask for less, page by page")
        case "SERVER_TIMED_OUT":
            return TimedOut("HTTP_TIMED_OUT", message)
        case "SERVER_PROTOCOL":
            return Unavailable("HTTP_PROTOCOL", message)
        case "SERVER_UNREACHABLE":
            return Unavailable("HTTP_UNREACHABLE", message, hint=error.hint)
        case _:
            return error
