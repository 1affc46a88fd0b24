"""TRIGGER.EMAIL by IMAP: one run per new mail. The client blocks, so it runs in a thread."""

import imaplib
import re
import socket
import ssl
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import cast

import anyio.to_thread
from anyio import CapacityLimiter

from toolweave.errors import Invalid, Unavailable
from toolweave.json_text import JsonObject
from toolweave.triggers.active_triggers import ActiveTriggerSettings
from toolweave.triggers.polling import PollingTrigger

REF = "TRIGGER.EMAIL"
BY_API = frozenset({"gmail_api", "outlook_api"})
DEADLINE_S = 20.0
MOST_AT_ONCE = 50
MAX_MAIL_BYTES = 64 * 1024 * 1024
THREADS = 4


@dataclass(frozen=True, slots=True)
class Mailbox:
    """A folder of an account at an IMAP server."""

    host: str
    port: int
    uses_tls: bool
    username: str
    password: str = field(repr=False)
    folder: str = "INBOX"
    # The checked address of its host; it is not resolved again.
    address: str = ""


@dataclass(frozen=True, slots=True)
class MailboxCursor:
    """The position in a mailbox; numbers are valid for one UIDVALIDITY."""

    validity: int
    number: int

    def __str__(self) -> str:
        return f"{self.validity}:{self.number}"


def read_seen(text: str | None) -> MailboxCursor | None:
    """Parse a stored position; None before the first poll."""
    found = re.fullmatch(r"(\d+):(\d+)", text or "")
    return MailboxCursor(int(found[1]), int(found[2])) if found else None


def mailbox_of(config: JsonObject, username: str, password: str) -> Mailbox:
    """Return the mailbox of a node's settings. Raises `EMAIL_CONFIG_INVALID`."""
    server = config.get("server_config")
    host = server.get("host") if isinstance(server, dict) else None
    if not isinstance(server, dict) or not isinstance(host, str) or not host or not username:
        raise Invalid(
            "EMAIL_CONFIG_INVALID",
            "the mailbox has no host or no username",
            hint='server_config: {"host": "imap.example.com"}, credentials: {"username": …}',
        )
    uses_tls, port = server.get("use_ssl") is not False, server.get("port")
    usual = 993 if uses_tls else 143
    folder = str(config.get("mailbox") or "INBOX")
    return Mailbox(
        host, port if isinstance(port, int) else usual, uses_tls, username, password, folder
    )


def new_mails(
    mailbox: Mailbox, seen: MailboxCursor | None
) -> tuple[MailboxCursor, list[tuple[str, bytes]]]:
    """Return the mails after `seen`, oldest first, and the new position; none in the first poll."""
    try:
        client = _connected(mailbox)
        try:
            if not mailbox.uses_tls and "STARTTLS" in client.capabilities:
                client.starttls(ssl.create_default_context())
            client.login(mailbox.username, mailbox.password)
            return _fetched(client, mailbox, seen)
        finally:
            client.shutdown()
    except (imaplib.IMAP4.error, OSError, ValueError) as error:
        raise Unavailable(
            "EMAIL_UNREACHABLE",
            f"mailbox {mailbox.folder!r} at {mailbox.host!r} cannot be read: "
            f"{type(error).__name__}",
            hint="check host, port, username and password",
        ) from None


def _connected(mailbox: Mailbox) -> imaplib.IMAP4:
    if mailbox.uses_tls:
        return _Secure(mailbox)
    return _Plain(mailbox)


class _Plain(imaplib.IMAP4):
    """Connects to the checked address, whatever the name resolves to now."""

    def __init__(self, mailbox: Mailbox) -> None:
        self._at = (mailbox.address or mailbox.host, mailbox.port)
        super().__init__(mailbox.host, mailbox.port, timeout=DEADLINE_S)

    def _create_socket(self, timeout: float | None) -> socket.socket:
        return socket.create_connection(self._at, timeout)


class _Secure(imaplib.IMAP4_SSL):
    """The same over TLS; the certificate must match the name."""

    def __init__(self, mailbox: Mailbox) -> None:
        self._at = (mailbox.address or mailbox.host, mailbox.port)
        self._secure = ssl.create_default_context()
        secure = self._secure
        super().__init__(mailbox.host, mailbox.port, ssl_context=secure, timeout=DEADLINE_S)

    def _create_socket(self, timeout: float | None) -> ssl.SSLSocket:
        plain = socket.create_connection(self._at, timeout)
        return self._secure.wrap_socket(plain, server_hostname=self.host)


def _fetched(
    client: imaplib.IMAP4, mailbox: Mailbox, seen: MailboxCursor | None
) -> tuple[MailboxCursor, list[tuple[str, bytes]]]:
    quoted = mailbox.folder.replace("\\", "\\\\").replace('"', '\\"')
    status, _ = client.select(f'"{quoted}"', readonly=True)
    if status != "OK":
        raise imaplib.IMAP4.error("no such mailbox")
    validity = _number(client, "UIDVALIDITY")
    if seen is None or seen.validity != validity:
        # Mails that were there before are not new.
        return MailboxCursor(validity, _number(client, "UIDNEXT") - 1), []
    _, found = client.uid("SEARCH", f"UID {seen.number + 1}:*")
    listed = found[0].split() if found and isinstance(found[0], bytes) else []
    # `n:*` always contains the last mail, new or not.
    numbers = sorted(number for one in listed if (number := int(one)) > seen.number)
    mails: list[tuple[str, bytes]] = []
    for number in numbers[:MOST_AT_ONCE]:
        if (raw := _mail(client, number)) is not None:
            mails.append((f"{validity}-{number}", raw))
        seen = MailboxCursor(validity, number)
    return seen, mails


def _mail(client: imaplib.IMAP4, number: int) -> bytes | None:
    """Return one mail; None if it is gone, or too large."""
    _, sizes = client.uid("FETCH", str(number), "(RFC822.SIZE)")
    told = sizes[0] if sizes and isinstance(sizes[0], bytes) else b""
    size = re.search(rb"RFC822\.SIZE (\d+)", told)
    if size is None or int(size[1]) > MAX_MAIL_BYTES:
        return None
    _, parts = client.uid("FETCH", str(number), "(BODY.PEEK[])")
    # A literal comes as a pair: the text before it, and its bytes.
    pairs = cast("list[tuple[bytes, bytes] | bytes | None]", parts)
    return next((part[1] for part in pairs if isinstance(part, tuple)), None)


def _number(client: imaplib.IMAP4, name: str) -> int:
    _, values = client.response(name)
    value = values[0] if values else None
    if not isinstance(value, bytes):
        raise imaplib.IMAP4.error(f"the server does not report {name}")
    return int(value)


# Returns the user name and password of a node's settings, from the vault.
SignIn = Callable[[JsonObject], Awaitable[tuple[str, str]]]
# Returns the address of a mail server, by name and port.
Find = Callable[[str, int], Awaitable[str]]
# Returns the new mails of a mailbox by its service's API, and the new position.
NewByApi = Callable[[JsonObject, str | None], Awaitable[tuple[str, list[tuple[str, bytes]]]]]
# Returns the inputs of the run to start; None if the mail does not count.
AcceptsMail = Callable[[ActiveTriggerSettings, bytes, str], JsonObject | None]


class Mails:
    """Polls mailboxes, each at its own interval."""

    def __init__(
        self,
        poller: PollingTrigger,
        sign_in: SignIn,
        accepts: AcceptsMail,
        find: Find,
        by_api: NewByApi | None = None,
    ) -> None:
        self._by_api = by_api
        self._poller = poller
        self._find = find
        self._sign_in = sign_in
        self._accepts = accepts
        self._threads = CapacityLimiter(THREADS)
        self._next: dict[str, float] = {}

    async def poll(self, active: ActiveTriggerSettings) -> float:
        """Start a run for every new mail that counts; return the seconds until the next poll."""
        provider = active.config.get("email_provider")
        if provider != "imap" and (provider not in BY_API or self._by_api is None):
            return DEADLINE_S
        key, clock, row = active.once_key(""), self._poller.clock, active.row
        if (ahead := self._next.get(key, 0.0) - clock.monotonic()) > 0:
            return ahead
        every = active.config.get("polling_interval")
        every_s = float(every) if isinstance(every, int | float) else 300.0
        self._next[key] = clock.monotonic() + every_s
        seen, mails = await self._new(active.config, row.seen)
        has_fired = False
        for identity, raw in mails:
            inputs = self._accepts(active, raw, identity)
            if inputs is not None:
                await self._poller.fire(active, identity, inputs)
                has_fired = True
        if seen != row.seen or row.failure:
            await self._poller.activations.polled(row.workflow, row.node, seen, has_fired=has_fired)
        if len(mails) == MOST_AT_ONCE:
            self._next[key] = 0.0
        return every_s

    async def _new(
        self, config: JsonObject, seen: str | None
    ) -> tuple[str, list[tuple[str, bytes]]]:
        if self._by_api is not None and config.get("email_provider") in BY_API:
            return await self._by_api(config, seen)
        mailbox = mailbox_of(config, *await self._sign_in(config))
        mailbox = replace(mailbox, address=await self._find(mailbox.host, mailbox.port))
        found, mails = await anyio.to_thread.run_sync(
            new_mails, mailbox, read_seen(seen), limiter=self._threads
        )
        return str(found), mails
