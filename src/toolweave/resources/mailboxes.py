"""Reads mail by IMAP, and gets access tokens for mail providers.

The IMAP client blocks, so it runs in a thread. The host name is resolved once, every address is
checked, and the connection goes to the checked address.
"""

import imaplib
import socket
import ssl
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast
from urllib.parse import quote, urlencode, urlsplit

import anyio.to_thread
from anyio import CapacityLimiter

from toolweave import json_text
from toolweave.access.mask import Masker
from toolweave.access.secret_destinations import to_host
from toolweave.access.secret_text import SecretTexts
from toolweave.catalog.resources.mail import ImapServer, Provider
from toolweave.clock import Clock
from toolweave.errors import Denied, Invalid, Unavailable
from toolweave.json_text import Json, JsonObject
from toolweave.network.allowed_address import allowed_address
from toolweave.network.client import default_tls
from toolweave.resources.http import PRIVATE_SETTING, NodeHttpClient, any_host

DEADLINE_S = 30.0
THREADS = 4
MOST = 50
EARLY_S = 120.0
TOKEN_URLS: Mapping[Provider, str] = {
    "gmail": "https://oauth2.googleapis.com/token",
    "outlook": "https://login.microsoftonline.com/{tenant}/oauth2/v2.0/token",
}


class ImapMailboxes:
    """A `Mailboxes`; private addresses are refused unless `allow_private`."""

    def __init__(
        self,
        secrets: SecretTexts,
        *,
        allow_private: bool = False,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._secrets = secrets
        self._allow = any_host(allow_private=allow_private)
        self._tls = tls
        self._threads = CapacityLimiter(THREADS)

    async def replies(self, server: ImapServer, message_id: str) -> Sequence[bytes]:
        """Return the mails that reply to one; see `Mailboxes`."""
        filled = await self._secrets.fill(
            {"as": server.username, "by": server.password}, to_host(server.host)
        )
        ready = replace(server, username=filled.texts["as"], password=filled.texts["by"])
        address = await self._checked(server)
        tls = (self._tls or default_tls()) if server.uses_tls else None
        try:
            return await anyio.to_thread.run_sync(
                _replies, ready, address, message_id, tls, limiter=self._threads
            )
        except (imaplib.IMAP4.error, OSError, ValueError) as error:
            raise Unavailable(
                "EMAIL_UNREACHABLE",
                f"mailbox {server.folder!r} at {server.host!r} cannot be read: "
                f"{type(error).__name__}",
                hint="check host, port, username and password",
            ) from None

    async def _checked(self, server: ImapServer) -> str:
        try:
            address = await allowed_address(server.host, server.port, self._allow)
        except (OSError, UnicodeError):
            message = f"there is no address for the mail server {server.host!r}"
            raise Unavailable("EMAIL_UNREACHABLE", message) from None
        if address is not None:
            return address
        raise Denied(
            "HTTP_ADDRESS_DENIED",
            f"the mail server {server.host!r} is not at a public address",
            hint=f"set {PRIVATE_SETTING}=1 to let workflows reach private and local addresses",
        )


class _Imap(imaplib.IMAP4):
    """Connects to the checked address; the certificate must match the name."""

    def __init__(self, server: ImapServer, address: str, tls: ssl.SSLContext | None) -> None:
        self._at = address
        self._tls_context = tls
        super().__init__(server.host, server.port, DEADLINE_S)

    def _create_socket(self, timeout: float | None) -> socket.socket:
        plain = socket.create_connection((self._at, self.port), timeout)
        if self._tls_context is None:
            return plain
        try:
            return self._tls_context.wrap_socket(plain, server_hostname=self.host)
        except BaseException:
            plain.close()
            raise


def _replies(
    server: ImapServer, address: str, message_id: str, tls: ssl.SSLContext | None
) -> list[bytes]:
    client = _Imap(server, address, tls)
    try:
        client.login(server.username, server.password)
        folder = server.folder.replace("\\", "\\\\").replace('"', '\\"')
        status, _ = client.select(f'"{folder}"', readonly=True)
        if status != "OK":
            raise imaplib.IMAP4.error("no such mailbox")
        wanted = message_id.replace('"', "")
        found = client.uid("SEARCH", f'HEADER "In-Reply-To" "{wanted}"')[1]
        listed = found[0].split() if found and isinstance(found[0], bytes) else []
        mails: list[bytes] = []
        for number in listed[-MOST:]:
            parts = client.uid("FETCH", number.decode(), "(BODY.PEEK[])")[1]
            pairs = cast("list[tuple[bytes, bytes] | bytes | None]", parts)
            mails += [part[1] for part in pairs if isinstance(part, tuple)]
        return mails
    finally:
        client.shutdown()


class GrantedTokens:
    """A `MailTokens`: a given access token, or one for a refresh token or client secret."""

    def __init__(
        self,
        secrets: SecretTexts,
        http: NodeHttpClient,
        *,
        masker: Masker,
        clock: Clock,
        urls: Mapping[Provider, str] = TOKEN_URLS,
    ) -> None:
        self._secrets = secrets
        self._http = http
        self._masker = masker
        self._clock = clock
        self._urls = urls
        self._known: dict[str, tuple[str, float]] = {}

    async def token(self, provider: Provider, credentials: JsonObject) -> str:
        """Return an access token; see `MailTokens`."""
        if isinstance(given := credentials.get("access_token"), str) and given:
            return given
        key = f"{provider}:{json_text.canonical(credentials).decode()}"
        known = self._known.get(key)
        if known is not None and known[1] > self._clock.monotonic():
            return known[0]
        texts = {name: value for name, value in credentials.items() if isinstance(value, str)}
        if not texts:
            return ""  # the credential named after the service
        issuer = urlsplit(self._urls[provider]).hostname or ""
        filled = (await self._secrets.fill(texts, to_host(issuer))).texts
        token, lasts_s = await self._granted(provider, filled)
        self._masker.learn([token])
        self._known[key] = (token, self._clock.monotonic() + max(lasts_s - EARLY_S, 0.0))
        return token

    async def _granted(self, provider: Provider, filled: dict[str, str]) -> tuple[str, float]:
        form = {"client_id": filled.get("client_id", "")}
        if secret := filled.get("client_secret"):
            form["client_secret"] = secret
        if refresh := filled.get("refresh_token"):
            form |= {"grant_type": "refresh_token", "refresh_token": refresh}
        else:
            form |= {"grant_type": "client_credentials"}
            form["scope"] = "https://graph.microsoft.com/.default"
        tenant = quote(filled.get("tenant_id") or "common", safe="")
        headers = {
            "content-type": "application/x-www-form-urlencoded",
            "accept": "application/json",
        }
        answer = await self._http.request(
            "POST",
            self._urls[provider].replace("{tenant}", tenant),
            headers=headers,
            body=urlencode(form).encode(),
            follow=False,
            timeout_s=DEADLINE_S,
        )
        told = _told(answer.body)
        token, lasts = told.get("access_token"), told.get("expires_in")
        if answer.status != 200 or not isinstance(token, str):
            raise Denied(
                "SERVICE_SIGN_IN_NEEDED",
                f"no access token for {provider}: {str(told.get('error'))[:100]}",
                hint="check client_id, client_secret and refresh_token in the vault",
            )
        return token, float(lasts) if isinstance(lasts, int | float) else 300.0


def _told(body: bytes) -> JsonObject:
    try:
        value: Json = json_text.read(body)
    except Invalid:
        return {}
    return value if isinstance(value, dict) else {}
