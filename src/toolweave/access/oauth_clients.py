"""Programs that ask to sign in to this studio: registered here, or described by a document.

A document is fetched behind the address rules. Redirects match exactly, but for the port of a
program on the person's own machine.
"""

import json
import secrets
import ssl
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import cast
from urllib.parse import SplitResult, urlsplit

import httpx2

from toolweave.clock import Clock, timestamp
from toolweave.errors import Invalid, ToolweaveError
from toolweave.json_text import Json, read
from toolweave.network.addresses import AllowedHosts
from toolweave.network.client import Resolve, open_http_client
from toolweave.patterns import pattern
from toolweave.storage.database import Database

DOCUMENT_BYTES = 64 * 1024
FETCH_S = 5.0
FRESH_S = 600.0
MAX_KNOWN = 200
MAX_REDIRECTS = 20
MAX_ADDRESS = 2_000
MAX_NAME = 80
MAX_CLIENTS = 1_000
UNUSED_DAYS = 7

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
# Schemes that a browser executes or opens itself, and those of the web, which have their own rule.
_NEVER = frozenset(
    {"javascript", "data", "vbscript", "file", "blob", "about", "view-source", "ws", "wss", "ftp"}
)
_SCHEME = pattern(r"[a-z][a-z0-9+.-]{1,40}")

# Documents of programs whose addresses a studio without internet cannot read.
KNOWN_DOCUMENTS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "https://claude.ai/oauth/claude-code-client-metadata": (
        "Claude Code",
        ("http://localhost/callback", "http://127.0.0.1/callback"),
    ),
    "https://vscode.dev/oauth/client-metadata.json": (
        "Visual Studio Code",
        ("http://127.0.0.1:33418/", "https://vscode.dev/redirect"),
    ),
}


@dataclass(frozen=True, slots=True)
class ConnectingClient:
    """A program that asks for access; nobody has checked its name."""

    id: str
    name: str
    redirects: tuple[str, ...]
    # The host of the document that describes it.
    host: str | None = None

    def accepts(self, redirect: str) -> bool:
        """Whether a redirect is one of the program's."""
        # A browser reads over line breaks and tabs, and our parser does, too.
        return _is_plain(redirect) and any(_is_same(redirect, known) for known in self.redirects)


def client_unknown(why: str) -> Invalid:
    """Return the error for a program that cannot be identified."""
    return Invalid("OAUTH_CLIENT_INVALID", f"this program cannot sign in: {why}")


class OAuthClients:
    """Registers programs and finds them again."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        *,
        allow: AllowedHosts | None = None,
        resolve: Resolve | None = None,
        tls: ssl.SSLContext | None = None,
        most: int = MAX_CLIENTS,
    ) -> None:
        """`allow` are addresses that documents may be at although they are not public."""
        self._most = most
        self._database = database
        self._clock = clock
        self._allow = allow or AllowedHosts()
        self._resolve = resolve
        self._tls = tls
        self._known: dict[str, tuple[float, ConnectingClient]] = {}

    async def register(self, given: object) -> ConnectingClient:
        """Register a program by what it says of itself. Raises `OAUTH_CLIENT_INVALID`."""
        name, redirects = _described(given)
        now = self._clock.now()
        limit = timestamp(now - timedelta(days=UNUSED_DAYS))
        await self._database.execute(
            "DELETE FROM oauth_clients WHERE created_at < ? "
            "AND id NOT IN (SELECT client_id FROM oauth_grants)",
            limit,
        )
        # Anybody may register: the oldest that nobody signed in with makes room.
        await self._database.execute(
            "DELETE FROM oauth_clients WHERE id IN (SELECT id FROM oauth_clients "
            "WHERE id NOT IN (SELECT client_id FROM oauth_grants) "
            "ORDER BY created_at DESC, id LIMIT ? OFFSET ?)",
            self._most,
            self._most - 1,
        )
        client = ConnectingClient(secrets.token_urlsafe(16), name, redirects)
        await self._database.execute(
            "INSERT INTO oauth_clients (id, name, redirects, created_at) VALUES (?, ?, ?, ?)",
            client.id,
            client.name,
            json.dumps(client.redirects),
            timestamp(now),
        )
        return client

    async def find(self, client_id: str) -> ConnectingClient:
        """Return a program by its id. Raises `Invalid`: `OAUTH_CLIENT_INVALID`."""
        if client_id.startswith("https://"):
            return await self._documented(client_id)
        row = await self._database.row(
            "SELECT id, name, redirects FROM oauth_clients WHERE id = ?", client_id
        )
        if row is None:
            raise client_unknown("it is not registered here")
        try:
            redirects = tuple(_checked(one) for one in json.loads(row[2]))
        except (ValueError, TypeError):
            raise client_unknown("its registration is damaged; it can register again") from None
        return ConnectingClient(client_id, str(row[1]), redirects)

    async def _documented(self, url: str) -> ConnectingClient:
        now = self._clock.monotonic()
        known = self._known.get(url)
        if known is not None and now - known[0] < FRESH_S:
            return known[1]
        parts = urlsplit(url)
        if parts.path in ("", "/") or parts.query or parts.fragment or "@" in parts.netloc:
            raise client_unknown("its id is not the address of a document")
        client = await self._fetched(url, parts)
        if len(self._known) >= MAX_KNOWN:
            self._known.clear()
        self._known[url] = (now, client)
        return client

    async def _fetched(self, url: str, parts: SplitResult) -> ConnectingClient:
        try:
            document = await self._fetch(url)
        except (ToolweaveError, httpx2.HTTPError) as error:
            if url in KNOWN_DOCUMENTS:
                name, redirects = KNOWN_DOCUMENTS[url]
                return ConnectingClient(url, name, redirects, parts.hostname)
            why = error.message if isinstance(error, ToolweaveError) else type(error).__name__
            raise client_unknown(f"its document cannot be read ({why})") from None
        if not isinstance(document, dict) or document.get("client_id") != url:
            raise client_unknown("its document is of another program")
        name, redirects = _described(document)
        return ConnectingClient(url, name, redirects, parts.hostname)

    async def _fetch(self, url: str) -> Json:
        client = open_http_client(
            allow=self._allow,
            timeout=FETCH_S,
            total_s=FETCH_S,
            max_body_bytes=DOCUMENT_BYTES,
            resolve=self._resolve,
            tls=self._tls,
        )
        async with client:
            response = await client.get(url, headers={"accept": "application/json"})
            if response.status_code != 200:
                raise client_unknown(f"HTTP {response.status_code}")
            return read(await response.aread(), max_bytes=DOCUMENT_BYTES)


def _described(given: object) -> tuple[str, tuple[str, ...]]:
    """Return the name and the redirects of a program's own description."""
    if not isinstance(given, dict):
        raise client_unknown("its description is not an object")
    fields = cast("dict[str, object]", given)
    redirects = fields.get("redirect_uris")
    if (
        not isinstance(redirects, list)
        or not 0 < len(cast("list[object]", redirects)) <= MAX_REDIRECTS
    ):
        raise client_unknown(f"it needs 1 to {MAX_REDIRECTS} redirect_uris")
    checked = tuple(_checked(each) for each in cast("list[object]", redirects))
    said = fields.get("client_name")
    shown = "".join(one for one in (said if isinstance(said, str) else "") if one.isprintable())
    name = " ".join(shown.split())[:MAX_NAME]
    return name or "unnamed program", checked


def _checked(redirect: object) -> str:
    """Return a redirect that a browser may be sent to with a code."""
    wrong = "a redirect_uri must be https, http on this machine, or an application's own scheme"
    if not isinstance(redirect, str) or len(redirect) > MAX_ADDRESS or not _is_plain(redirect):
        raise client_unknown(wrong)
    try:
        parts = urlsplit(redirect)
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise client_unknown(wrong) from None
    scheme = redirect.partition(":")[0]
    if "#" in redirect or "\\" in redirect or "@" in parts.netloc:
        raise client_unknown(wrong)
    if scheme == "https" and host:
        return redirect
    if scheme == "http" and host in LOOPBACK:
        return redirect
    if scheme in _NEVER or scheme in ("http", "https") or not _SCHEME.fullmatch(scheme):
        raise client_unknown(wrong)
    if not redirect.startswith(f"{scheme}:/"):
        raise client_unknown(wrong)
    return redirect


def _is_plain(redirect: str) -> bool:
    """Whether an address consists of characters that a header can have."""
    return redirect.isascii() and redirect.isprintable() and " " not in redirect


def _is_same(redirect: str, known: str) -> bool:
    if redirect == known:
        return True
    try:
        asked, registered = urlsplit(redirect), urlsplit(known)
        is_local = asked.scheme == registered.scheme == "http" and asked.hostname in LOOPBACK
        # A program on the person's machine listens on whichever port is free (RFC 8252).
        return (
            is_local
            and asked.hostname == registered.hostname
            and _rest(asked) == _rest(registered)
            and asked.port is not None
            and "@" not in asked.netloc
            and not asked.fragment
        )
    except ValueError:
        return False


def _rest(parts: SplitResult) -> Sequence[str]:
    return (parts.path, parts.query)
