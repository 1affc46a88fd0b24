"""TRIGGER.EMAIL by the APIs of Gmail and Microsoft: the mails since the last poll."""

import base64
import binascii
from collections.abc import Mapping
from urllib.parse import quote, urlsplit

from toolweave import json_text
from toolweave.access.secret_text import SecretTexts
from toolweave.catalog.resources.mail import Provider
from toolweave.clock import Clock, timestamp
from toolweave.errors import Denied, Unavailable
from toolweave.home import Home
from toolweave.json_text import Json, JsonObject
from toolweave.network.addresses import naming_of
from toolweave.resources.http import NodeHttpClient
from toolweave.resources.mailboxes import GrantedTokens

PROVIDERS: Mapping[str, Provider] = {"gmail_api": "gmail", "outlook_api": "outlook"}
HOSTS: Mapping[Provider, str] = {
    "gmail": "https://gmail.googleapis.com",
    "outlook": "https://graph.microsoft.com",
}
MOST_AT_ONCE = 50
DEADLINE_S = 20.0


class MailApis:
    """Reads mailboxes through their services' APIs; a mail is never changed."""

    def __init__(
        self, http: NodeHttpClient, tokens: GrantedTokens, clock: Clock, *, allow_private: bool
    ) -> None:
        self._http = http
        self._tokens = tokens
        self._clock = clock
        self._allow_private = allow_private

    async def new(
        self, config: JsonObject, seen: str | None
    ) -> tuple[str, list[tuple[str, bytes]]]:
        """Return the mails after `seen`, oldest first, and the new position."""
        provider = PROVIDERS[str(config.get("email_provider"))]
        base = address_of(config, allow_private=self._allow_private)
        if not seen:
            now = self._clock.now()
            return (str(int(now.timestamp() * 1000)) if provider == "gmail" else timestamp(now)), []
        given = config.get("credentials")
        credentials = given if isinstance(given, dict) else {}
        token = await self._tokens.token(provider, credentials)
        if provider == "gmail":
            return await self._gmail(base, token, str(config.get("mailbox") or "INBOX"), seen)
        return await self._outlook(base, token, config, seen)

    async def _gmail(
        self, base: str, token: str, label: str, seen: str
    ) -> tuple[str, list[tuple[str, bytes]]]:
        since = int(seen)
        place = "in:inbox" if label.upper() == "INBOX" else f'label:"{label.replace(chr(34), "")}"'
        query = {"q": f"{place} after:{since // 1000}", "maxResults": str(MOST_AT_ONCE)}
        path = f"{base}/gmail/v1/users/me/messages"
        listed = (await self._asked(path, token, query)).get("messages")
        found: list[tuple[int, str, bytes]] = []
        for one in listed if isinstance(listed, list) else []:
            identity = str(one.get("id")) if isinstance(one, dict) else ""
            mail = await self._asked(f"{path}/{quote(identity, safe='')}", token, {"format": "raw"})
            at, raw = int(str(mail.get("internalDate", "0"))), str(mail.get("raw", ""))
            if at > since:
                found.append((at, identity, _decoded(raw)))
        found.sort(key=lambda one: one[0])
        last = found[-1][0] if found else since
        return str(last), [(identity, raw) for _, identity, raw in found]

    async def _outlook(
        self, base: str, token: str, config: JsonObject, seen: str
    ) -> tuple[str, list[tuple[str, bytes]]]:
        given = config.get("credentials")
        user = given.get("username") if isinstance(given, dict) else None
        owner = f"users/{quote(user, safe='@')}" if isinstance(user, str) and user else "me"
        folder = str(config.get("mailbox") or "INBOX")
        path = f"{base}/v1.0/{owner}"
        query = {
            "$filter": f"receivedDateTime gt {seen}",
            "$orderby": "receivedDateTime",
            "$top": str(MOST_AT_ONCE),
            "$select": "id,receivedDateTime",
        }
        where = quote(folder.lower() if folder.upper() == "INBOX" else folder, safe="")
        listed = (await self._asked(f"{path}/mailFolders/{where}/messages", token, query)).get(
            "value"
        )
        mails: list[tuple[str, bytes]] = []
        for one in listed if isinstance(listed, list) else []:
            if isinstance(one, dict):
                identity = str(one.get("id"))
                raw = await self._got(
                    f"{path}/messages/{quote(identity, safe='')}/$value", token, {}
                )
                mails.append((identity, raw))
                seen = str(one.get("receivedDateTime") or seen)
        return seen, mails

    async def _asked(self, url: str, token: str, query: Mapping[str, str]) -> JsonObject:
        value: Json = json_text.read(await self._got(url, token, query))
        return value if isinstance(value, dict) else {}

    async def _got(self, url: str, token: str, query: Mapping[str, str]) -> bytes:
        headers = {"authorization": f"Bearer {token}"}
        answer = await self._http.request(
            "GET", url, headers=headers, params=query, timeout_s=DEADLINE_S
        )
        if answer.status != 200:
            where = urlsplit(url).hostname
            message = f"{where!r} answered with the status {answer.status}"
            raise Unavailable("EMAIL_UNREACHABLE", message, hint="check the credentials")
        return answer.body


def address_of(config: JsonObject, *, allow_private: bool) -> str:
    """Return the address of a trigger's service; tokens go nowhere else. Raises `EMAIL_DENIED`."""
    usual = HOSTS[PROVIDERS[str(config.get("email_provider"))]]
    server = config.get("server_config")
    told = server.get("base_url") if isinstance(server, dict) else None
    if not isinstance(told, str) or not told:
        return usual
    host = urlsplit(told).hostname or ""
    is_ours = allow_private and naming_of(host) in {"private", "local", "loopback"}
    if not is_ours and (host != urlsplit(usual).hostname or not told.startswith("https://")):
        message = f"base_url is {told[:100]!r}; credentials go to {usual} only"
        raise Denied("EMAIL_DENIED", message, hint="leave base_url out")
    return told.rstrip("/")


def open_mail_apis(home: Home, http: NodeHttpClient, secrets: SecretTexts) -> MailApis:
    """Return the mail APIs for the triggers of a home."""
    tokens = GrantedTokens(secrets, http, masker=home.masker, clock=home.clock)
    allow_private = home.settings.allow_private_http
    return MailApis(http, tokens, home.clock, allow_private=allow_private)


def _decoded(raw: str) -> bytes:
    try:
        return base64.urlsafe_b64decode(raw + "=" * (-len(raw) % 4))
    except (binascii.Error, ValueError):
        return b""
